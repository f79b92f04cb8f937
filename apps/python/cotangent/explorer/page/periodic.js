// SPDX-License-Identifier: BSD-3-Clause
// The page of periodic orbits: families over what is continued, solid where stable and dashed where not, with the places
// where they branch; without families, the orbits on their section, filled where stable.
"use strict";

const stabilityNames = ["unstable", "stable", "unstable, by a multiplier below \u22121"];
const branchSigns = {1: [0, "branches or folds"], 2: [1, "its period doubles"], 3: [2, "a third of a turn"], 4: [3, "a quarter of a turn"]};

class PeriodicPage {
  constructor(data) {
    Object.assign(this, {data, box: byId("families"), overlay: byId("families-over"), chosen: null});
    this.plane = new Plane(this.box, this.overlay, ["", ""], [0, 1, 0, 1],
      {redraw: () => this.redraw(), pointed: at => this.point(at), clicked: at => this.click(at)});
    for (const axis of ["x", "y"]) {
      const select = byId("family-" + axis);
      data.labels.forEach((label, k) => select.append(element("option", label, {value: k})));
      select.value = data[axis];
      select.onchange = () => this.look();
    }
    data.families.forEach(family => {
      family.colour = palette[(family.family ? 1 + (family.family - 1) % (palette.length - 1) : 0)];
      family.dash = family.stability.some(s => s !== 1);
      const item = element("li"), head = element("strong", `${data.lines ? "family" : "orbit"} ${family.family}: `);
      head.style.color = family.colour;
      item.append(head, `${family.returns} return${family.returns === 1 ? "" : "s"}` + (family.parent >= 0 ? `, branches off ${family.parent}` : "") +
        `, ${family.stability.filter(s => s === 1).length} of ${family.stability.length} ` + (data.lines ? "orbits stable" : "points stable"));
      byId("family-list").append(item);
    });
    byId("family-legend").textContent = data.lines
      ? "solid: stable; dashed: unstable. " + Object.entries(branchSigns).map(([n, [sign, text]]) => `${signs[sign]} n = ${n}: ${text}`).join("; ")
      : "filled: stable; open: unstable";
    this.box.addEventListener("keydown", event => this.key(event));
    new ResizeObserver(() => this.redraw()).observe(this.box);
    this.look();
  }
  /** Other axes. */
  look() {
    this.axes = ["x", "y"].map(axis => Number(byId("family-" + axis).value));
    this.plane.labels = this.axes.map(k => this.data.labels[k]);
    const reach = k => {
      const all = this.data.families.flatMap(f => f.columns[k]).filter(Number.isFinite);
      let low = Math.min(...all), high = Math.max(...all);
      // Where traces and residues run away, what tells is where stability changes: between -2 and 2, or 0 and 1.
      const bound = {trace: [-6, 6], residue: [-1, 2]}[this.data.names[k]];
      if (bound) low = Math.max(low, bound[0]), high = Math.min(high, bound[1]);
      const margin = 0.04 * (high - low) || Math.abs(high) * 0.1 || 0.1;
      return [low - margin, high + margin];
    };
    this.plane.home = this.axes.flatMap(reach);
    this.plane.window = [...this.plane.home];
    this.redraw();
  }
  placeOf(columns, k) { return this.axes.map(axis => k === undefined ? columns[axis] : columns[axis][k]); }
  redraw() {
    this.due ||= requestAnimationFrame(() => { this.due = 0; this.draw(); });
  }
  draw() {
    const {plane, data} = this;
    plane.fit(byId("families-map"));
    const context = plane.axes(), levels = {trace: [-2, 2], residue: [0, 1]}[data.names[this.axes[1]]] || [];
    context.strokeStyle = "#8b8b93", context.lineWidth = 0.7;
    for (const level of data.lines ? levels : []) {
      const [, y] = plane.toPixels(0, level);
      context.beginPath(), context.moveTo(0, y), context.lineTo(this.box.clientWidth, y), context.stroke();
    }
    for (const family of data.families) {
      context.strokeStyle = context.fillStyle = family.colour;
      const places = family.stability.map((_, k) => plane.toPixels(...this.placeOf(family.columns, k)));
      if (!data.lines) {
        places.forEach(([x, y], k) => {
          context.lineWidth = 1.4;
          context.beginPath(), context.arc(x, y, 4, 0, 7);
          family.stability[k] === 1 ? context.fill() : context.stroke();
        });
        continue;
      }
      for (let first = 0; first + 1 < places.length;) {  // stretches of one stability, each up to where the next begins
        const stable = family.stability[first] === 1;
        let last = first + 1;
        while (last < places.length - 1 && (family.stability[last] === 1) === stable) ++last;
        context.lineWidth = stable ? 2.2 : 1.3;
        context.setLineDash(stable ? [] : [9, 8]);
        context.beginPath();
        for (let k = first; k <= last; ++k) context.lineTo(...places[k]);
        context.stroke();
        first = last;
      }
      context.setLineDash([]);
      for (const mark of family.marks) {
        const at = plane.toPixels(...this.placeOf(mark.columns)), sign = (branchSigns[mark.n] || [4])[0];
        context.fillStyle = context.strokeStyle = "#1b1b1f";
        drawSign(context, sign, ...at, 5.5);
        context.fillStyle = context.strokeStyle = family.colour;
        drawSign(context, sign, ...at, 3.8);
      }
    }
    if (this.chosen) {
      const {family, k} = this.chosen, at = plane.toPixels(...this.placeOf(family.columns, k));
      context.strokeStyle = "#1b1b1f", context.lineWidth = 2;
      context.beginPath(), context.arc(...at, 9, 0, 7), context.stroke();
    }
    this.frames = (this.frames || 0) + 1;
  }

  // --- hands --------------------------------------------------------------------------------------------------------

  /** What is nearest: {family, k}, an orbit, or {family, mark}. */
  nearest([px, py]) {
    let best = 12, found = null;
    const look = (what, columns, k, nearer) => {
      const [x, y] = this.plane.toPixels(...this.placeOf(columns, k)), far = Math.hypot(x - px, y - py) - nearer;
      if (far < best) best = far, found = what;
    };
    for (const family of this.data.families) {
      family.stability.forEach((_, k) => look({family, k}, family.columns, k, 0));
      for (const mark of family.marks) look({family, mark}, mark.columns, undefined, 3);
    }
    return found;
  }
  numbersOf({family, k, mark}) {
    const columns = mark ? mark.columns : family.columns.map(column => column[k]);
    const what = mark ? `n = ${mark.n}, k = ${mark.k}: ${(branchSigns[mark.n] || [0, "a rational turn"])[1]}` : stabilityNames[family.stability[k]];
    return `${this.data.lines ? "family" : "orbit"} ${family.family}, ${family.returns} return${family.returns === 1 ? "" : "s"}: ${what}` +
      columns.map((value, i) => `\n${this.data.labels[i]} = ${written(value, 10)}`).join("");
  }
  tell(found) { byId("family-told").textContent = found ? this.numbersOf(found) : ""; }
  point(at) { this.tell(at && this.nearest(at) || this.chosen); }
  click(at) {
    this.box.focus({preventScroll: true});
    const found = this.nearest(at);
    this.chosen = found && !found.mark ? found : null;
    this.tell(found);
    this.redraw();
  }
  key(event) {
    if (event.target !== this.box || event.ctrlKey || event.metaKey) return;
    const {families} = this.data, along = {".": 1, ",": -1}[event.key], to = {"]": 1, "[": -1}[event.key];
    if ((along || to) && families.length > 0) {
      if (!this.chosen) this.chosen = {family: families[0], k: 0};
      else if (along) this.chosen = {...this.chosen, k: Math.min(Math.max(this.chosen.k + along * (event.altKey ? 10 : 1), 0), this.chosen.family.stability.length - 1)};
      else this.chosen = {family: families[(families.indexOf(this.chosen.family) + to + families.length) % families.length], k: 0};
      this.tell(this.chosen);
      this.redraw();
    } else if (event.key === "Escape") {
      this.chosen = null;
      this.tell(null);
      this.redraw();
    } else if (!this.plane.key(event.key)) {
      return;
    }
    event.preventDefault();
  }
}

pages.periodic = PeriodicPage;
