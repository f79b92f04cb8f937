// SPDX-License-Identifier: BSD-3-Clause
// The page of periodic orbits: families over what is continued, solid where stable and dashed where not, with the places
// where they branch; without families, the orbits on their section, filled where stable. The one chosen is flown once around.
"use strict";

const instants = 240;  // of an orbit, at equal times

/** An orbit from its start through one period; `gap` is how far from the start it ends. */
class ClosedOrbit {
  constructor(model, parameters, state, period) {
    const n = model.coordinates.length, motion = new Motion(model, parameters);
    const t = model.section && model.section.every ? model.section.phase(motion.x) : 0;
    const flight = new Flight({...model, section: null}, parameters, state.slice(0, n), state.slice(n), {t});
    Object.assign(this, {model, period, states: [[...state]]});
    for (let k = 1; k <= instants; ++k) {
      const due = t + period * k / instants;
      for (let steps = 0; flight.status === "flying" && due - flight.t > 1e-13 * period && steps < 1000; ++steps) {
        flight.h = Math.min(flight.h, due - flight.t);
        flight.advance();
      }
      if (flight.status !== "flying") break;
      this.states.push([...flight.q, ...flight.v]);
    }
    this.status = flight.status;
    this.energyError = flight.energyError;
    this.gap = Math.hypot(...this.states[this.states.length - 1].map((x, i) => {
      const far = x - state[i];
      return i < n && model.coordinates[i].angle ? far - 2 * Math.PI * Math.round(far / (2 * Math.PI)) : far;
    }));
  }
  /** Of two coordinates, or of the one and its velocity, in pieces where an angle leaves its turn. */
  get lines() {
    const {coordinates} = this.model, lines = [[]];
    let before = null;
    for (const state of this.states) {
      const at = [0, 1].map(i => coordinates[i] && coordinates[i].angle ? state[i] - 2 * Math.PI * Math.floor((state[i] + Math.PI) / (2 * Math.PI)) : state[i]);
      if (before && at.some((x, i) => coordinates[i] && coordinates[i].angle && Math.abs(x - before[i]) > Math.PI)) lines.push([]);
      lines[lines.length - 1].push(at);
      before = at;
    }
    return lines;
  }
}

const stabilityNames = ["unstable", "stable", "unstable, by a multiplier below \u22121"];
const branchSigns = {1: [0, "branches or folds"], 2: [1, "its period doubles"], 3: [2, "a third of a turn"], 4: [3, "a quarter of a turn"]};

class PeriodicPage {
  constructor(data, model) {
    Object.assign(this, {data, model, box: byId("families"), overlay: byId("families-over"), chosen: null, closed: null});
    this.beside = new Plane(byId("closed"), byId("closed-over"), ["", ""], [0, 1, 0, 1],
      {redraw: () => this.redraw(), pointed: () => {}, clicked: () => {}});
    byId("closed").hidden = !model && !data.paths;
    byId("closed-deck").hidden = !model;
    byId("closed").addEventListener("keydown", event => { if (this.beside.key(event.key)) event.preventDefault(); });
    byId("closed-deck").onclick = () => showDeck(this.deckOf(this.chosen));
    byId("close").onclick = () => byId("deck").close();
    byId("family-why").textContent = data.why;
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
      item.append(head, `${family.returns} ${data.returns}${family.returns === 1 ? "" : "s"}` + (family.parent >= 0 ? `, branches off ${family.parent}` : "") +
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
      let [low, high] = reachOf(this.data.families.flatMap(f => f.columns[k]));
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
    if (this.axes[0] === data.state && this.axes[1] === data.state + 1) this.drawWalls(context, plane);
    context.strokeStyle = look.faint, context.lineWidth = 0.7;
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
        context.fillStyle = context.strokeStyle = look.ink;
        drawSign(context, sign, ...at, 5.5);
        context.fillStyle = context.strokeStyle = family.colour;
        drawSign(context, sign, ...at, 3.8);
      }
    }
    if (this.chosen) {
      const {family, k} = this.chosen, at = plane.toPixels(...this.placeOf(family.columns, k));
      context.strokeStyle = look.ink, context.lineWidth = 2;
      context.beginPath(), context.arc(...at, 9, 0, 7), context.stroke();
    }
    if (this.model || data.paths) this.drawClosed();
    this.frames = (this.frames || 0) + 1;
  }

  // --- the orbit chosen ---------------------------------------------------------------------------------------------

  choose(found) {
    this.chosen = found;
    this.closed = null;
    if (found && (this.model || this.data.paths)) {
      const {state, period, values} = this.startOf(found), {coordinates, parameters} = this.model || {coordinates: [{}, {}]}, {beside} = this;
      const closed = this.model ? new ClosedOrbit(this.model, parameters.map(p => values[p.name] ?? p.value), state, period)
        : {lines: [this.data.paths[found.family.family]]};
      const places = [...closed.lines, ...this.data.walls || []].flat(), angle = i => coordinates[i] && coordinates[i].angle;
      beside.labels = [0, 1].map(i => this.data.labels[this.data.state + i]);
      beside.home = [0, 1].flatMap(i => {
        if (angle(i)) return [-Math.PI, Math.PI];
        const [low, high] = reachOf(places.map(at => at[i])), margin = 0.06 * (high - low) + 1e-9 * (1 + Math.abs(high));
        return [low - margin, high + margin];
      });
      if (!coordinates.some(c => c.angle) && coordinates.length > 1) {  // lengths: alike along both axes
        const [x0, x1, y0, y1] = beside.home, {width, height} = beside.frame, scale = Math.max((x1 - x0) / width, (y1 - y0) / height);
        const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
        if (scale > 0 && width > 0) beside.home = [x - scale * width / 2, x + scale * width / 2, y - scale * height / 2, y + scale * height / 2];
      }
      beside.window = [...beside.home];
      this.closed = closed;
      byId("closed-told").textContent = !this.model ? `the path stored, of the period ${written(period, 10)}` : closed.status === "flying"
        ? `flown in the page for one period, ${written(period, 10)}: it ends ${written(closed.gap, 3)} from where it began; energy error ${written(closed.energyError, 3)}`
        : `flown in the page: ${closed.status}`;
    }
    byId("closed-chosen").hidden = !this.closed;
    this.tell(found);
    this.redraw();
  }
  /** A start on the section, its period, and the parameters where these are continued. */
  startOf({family, k}) {
    const {names, state, dim} = this.data, column = name => family.columns[names.indexOf(name)][k];
    return {state: Array.from({length: dim}, (_, i) => family.columns[state + i][k]), period: column("period"),
            values: this.data.lines ? {[names[0]]: family.columns[0][k]} : {}};
  }
  deckOf(found) {
    const {state, period, values} = this.startOf(found), all = Object.fromEntries(this.model.parameters.map(p => [p.name, p.value]));
    let text = this.data.deck.replace('"@start@"', `[${state.join(", ")}]`).replace('"@period@"', String(period))
      .replace('"@every@"', String(period / instants));
    for (const [name, value] of Object.entries({...all, ...values})) text = text.replaceAll(`"@${name}@"`, String(value));
    return text;
  }
  /** What a billiard's particle bounces off, in the plane of x and y. */
  drawWalls(context, plane) {
    context.strokeStyle = look.ink, context.lineWidth = 1;
    for (const loop of this.data.walls || []) {
      context.beginPath();
      for (const at of loop) context.lineTo(...plane.toPixels(...at));
      context.stroke();
    }
  }
  drawClosed() {
    const {beside, closed} = this;
    beside.fit(byId("closed-map"));
    const context = beside.axes();
    this.drawWalls(context, beside);
    if (!closed) return beside.say(context, "click on an orbit");
    context.strokeStyle = context.fillStyle = this.chosen.family.colour, context.lineWidth = 1.8;
    context.setLineDash(this.chosen.family.stability[this.chosen.k] === 1 ? [] : [9, 8]);
    for (const line of closed.lines) {
      context.beginPath();
      for (const at of line) context.lineTo(...beside.toPixels(...at));
      context.stroke();
    }
    context.setLineDash([]);
    drawSign(context, 0, ...beside.toPixels(...closed.lines[0][0]), 5);
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
    return `${this.data.lines ? "family" : "orbit"} ${family.family}, ${family.returns} ${this.data.returns}${family.returns === 1 ? "" : "s"}: ${what}` +
      columns.map((value, i) => `\n${this.data.labels[i]} = ${written(value, 10)}`).join("");
  }
  tell(found) { byId("family-told").textContent = found ? this.numbersOf(found) : ""; }
  point(at) { this.tell(at && this.nearest(at) || this.chosen); }
  click(at) {
    this.box.focus({preventScroll: true});
    const found = this.nearest(at);
    this.choose(found && !found.mark ? found : null);
    this.tell(found);
  }
  key(event) {
    if (event.target !== this.box || event.ctrlKey || event.metaKey) return;
    const {families} = this.data, along = {".": 1, ",": -1}[event.key], to = {"]": 1, "[": -1}[event.key];
    if ((along || to) && families.length > 0) {
      const {chosen} = this;
      if (!chosen) this.choose({family: families[0], k: 0});
      else if (along) this.choose({...chosen, k: Math.min(Math.max(chosen.k + along * (event.altKey ? 10 : 1), 0), chosen.family.stability.length - 1)});
      else this.choose({family: families[(families.indexOf(chosen.family) + to + families.length) % families.length], k: 0});
    } else if (event.key === "Escape") {
      this.choose(null);
    } else if (!this.plane.key(event.key)) {
      return;
    }
    event.preventDefault();
  }
}

pages.periodic = PeriodicPage;
