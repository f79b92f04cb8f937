// SPDX-License-Identifier: BSD-3-Clause
// The page of a section or a bounce map: all stored points, and orbits that start where one clicks.
"use strict";

const viridis = look.scale;
const rgb = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));
/** The class of each kind of page. */
const pages = {};
const byId = id => document.getElementById(id);
/** An element with text, never markup. */
function element(kind, text = "", properties = {}) {
  const made = document.createElement(kind);
  if (text !== "") made.textContent = text;
  return Object.assign(made, properties);
}

/** Shows a deck and copies it. */
function showDeck(text) {
  const dialog = byId("deck"), area = dialog.querySelector("textarea");
  area.value = text;
  dialog.showModal();
  area.select();
  if (navigator.clipboard) navigator.clipboard.writeText(text).catch(() => document.execCommand("copy"));
  else document.execCommand("copy");
}

class SectionPage {
  constructor(data, model) {
    this.model = model;
    this.data = data;
    data.points = unpacked(data.packed);
    let first = 0;
    const firsts = data.counts.map(count => (first += count) - count);
    data.rangeOf = id => [firsts[id], data.counts[id]];
    this.orbitOf = new Uint32Array(data.points.length / 2);
    data.counts.forEach((count, id) => this.orbitOf.fill(id, firsts[id], firsts[id] + count));
    this.lit = [];
    this.box = byId("plot");
    this.overlay = byId("overlay");
    this.plane = new Plane(this.box, this.overlay, data.axes.map(a => a.label), [0, 1, 0, 1], {
      redraw: () => this.redraw(), pointed: at => this.point(at), clicked: (at, event) => this.click(at, event)});
    this.fillControls();
    this.lookAt(0);
    this.plane.fit(byId("points"));
    this.painter = pointsOn(byId("points"), data.points, painter => {
      this.painter = painter;
      this.paint();
      this.draw();
    });
    this.chooseGroup(0);
    this.box.addEventListener("keydown", event => this.key(event));
    new ResizeObserver(() => this.redraw()).observe(this.box);
    this.cursor = null;
  }

  // --- controls -----------------------------------------------------------------------------------------------------

  fillControls() {
    const {data} = this, groups = byId("group"), colours = byId("colour");
    data.groups.forEach((group, k) => groups.append(element("option", group.label || "all orbits", {value: k})));
    groups.parentElement.hidden = data.groups.length < 2;
    groups.onchange = () => this.chooseGroup(Number(groups.value));
    colours.append(element("option", "as in the picture", {value: "picture"}), element("option", "orbit", {value: "orbit"}));
    data.columns.forEach((column, k) => colours.append(element("option", column.name, {value: k})));
    colours.onchange = () => { this.paint(); this.redraw(); };
    byId("flying").hidden = !this.model;
    byId("why").textContent = data.why || "";
    byId("clear").onclick = () => this.clear();
    byId("home").onclick = () => this.plane.key("0");
    byId("close").onclick = () => byId("deck").close();
  }
  lookAt(k) {
    this.group = this.data.groups[k];
    this.plane.home = this.group.window;
    this.plane.window = [...this.plane.home];
    this.lit = [];
  }
  chooseGroup(k) {
    this.lookAt(k);
    const {data, model, group} = this;
    byId("group").value = k;
    const box = byId("sliders");
    box.replaceChildren();
    this.values = {};
    const slider = (name, value, meaning) => {
      const row = element("label", name, {title: meaning}), range = element("input", "", {type: "range"});
      const number = element("input", "", {type: "number", step: "any", value: String(value)});
      const reach = Math.abs(value) || 1;
      Object.assign(range, {min: value - reach, max: value + reach, step: reach / 1000, value});
      row.className = "slider";
      row.append(range, number);
      box.append(row);
      const changed = text => {
        if (text === "" || !Number.isFinite(Number(text))) return;
        this.values[name] = Number(text);
        this.refly();
      };
      range.oninput = () => { number.value = range.value; changed(range.value); };
      number.onchange = () => { range.value = number.value; changed(number.value); };
      range.setAttribute("aria-label", name);
      number.setAttribute("aria-label", name + ", as a number");
      this.values[name] = value;
    };
    if (model) {
      if (group.energy !== null && !data.driven) slider("energy", group.energy, "of new orbits");
      for (const p of model.parameters) slider(p.name, group.parameters[p.name] ?? p.value, p.meaning);
    }
    this.asStored = {...this.values};
    this.paint();
    this.changed();
  }
  get moved() { return this.values !== undefined && Object.keys(this.values).some(name => this.values[name] !== this.asStored[name]); }
  /** The parameters of an orbit: of a stored one its own, which a sweep may give each. */
  valuesOf(orbit) {
    if (!orbit.stored) return this.values;
    const own = this.data.columns.filter(column => column.parameter);
    return {...this.group.parameters, ...this.asStored, ...Object.fromEntries(own.map(({name, values}) => [name, values[orbit.id]]))};
  }
  parameters(values = this.values) { return this.model ? this.model.parameters.map(p => values[p.name]) : []; }

  // --- painting -----------------------------------------------------------------------------------------------------

  /** A colour for each point, by what is chosen. */
  paint() {
    const {data} = this, by = byId("colour").value, count = data.counts.length, of = new Array(count);
    const legend = byId("legend");
    legend.textContent = "";
    if (by === "picture") {
      for (let id = 0; id < count; ++id) of[id] = rgb("#" + data.colours.slice(6 * id, 6 * id + 6));
    } else if (by === "orbit") {
      for (let id = 0; id < count; ++id) of[id] = rgb(palette[id % palette.length]);
    } else {
      const {values, meaning, name} = data.columns[by], {first, count: many} = this.group;
      const [low, high] = reachOf(values.slice(first, first + many)), stops = viridis.map(rgb);
      for (let id = 0; id < count; ++id) {
        const share = Math.min(1, Math.max(0, (values[id] - low) / (high - low || 1))) * (stops.length - 1);
        const k = Math.min(Math.floor(share), stops.length - 2);
        of[id] = typeof values[id] !== "number" ? [150, 150, 150]
          : [0, 1, 2].map(c => stops[k][c] + (share - k) * (stops[k + 1][c] - stops[k][c]));
      }
      legend.textContent = `dark ${written(low, 3)} \u2026 light ${written(high, 3)}: ${meaning || name}`;
    }
    const bytes = new Uint8Array(4 * this.orbitOf.length);
    for (let i = 0; i < this.orbitOf.length; ++i) {
      const c = of[this.orbitOf[i]];
      bytes[4 * i] = c[0], bytes[4 * i + 1] = c[1], bytes[4 * i + 2] = c[2], bytes[4 * i + 3] = 255;
    }
    this.painter.colour(bytes);
  }
  redraw() {
    if (this.due) return;
    this.due = requestAnimationFrame(() => { this.due = 0; this.draw(); });
  }
  /** How large a dot is: as large as leaves paper between them. */
  dot(count) {
    const {width, height} = this.plane.frame, [x0, x1, y0, y1] = this.plane.window, home = this.plane.home;
    const closer = (home[1] - home[0]) * (home[3] - home[2]) / ((x1 - x0) * (y1 - y0));
    return Math.round(devicePixelRatio * Math.max(1, Math.min(2.4, Math.sqrt(0.35 * width * height * closer / Math.max(1, count)))));
  }
  draw() {
    const {data, plane, group} = this;
    plane.fit(this.painter.canvas);
    const [from] = data.rangeOf(group.first), last = data.rangeOf(group.first + group.count - 1), count = last[0] + last[1] - from;
    const size = this.dot(count), stored = this.lit.filter(o => o.stored);
    const pale = this.moved ? 0.85 : this.lit.length > 0 ? 0.65 : 0;
    const ranges = [{first: from, count, size, paint: [0.93, 0.93, 0.94, pale]}];
    for (const orbit of stored) {
      const [first, many] = data.rangeOf(orbit.id);
      ranges.push({first, count: many, size: Math.max(size + 1, 2 * devicePixelRatio),
                   paint: [...rgb(orbit.colour).map(c => c / 255), 1]});
    }
    this.painter.draw(plane.window, ranges);
    const context = plane.axes();
    for (const orbit of this.lit) {
      context.fillStyle = context.strokeStyle = orbit.colour;
      if (!orbit.stored)
        for (const [x, y] of orbit.points) drawSign(context, orbit.sign, ...plane.toPixels(x, y), 1.8);
      else this.someOf(orbit.id, 12, (x, y) => drawSign(context, orbit.sign, ...plane.toPixels(x, y), 3));
      const start = orbit.stored ? this.startOf(orbit.id) : orbit.place;
      if (start) {
        const [px, py] = plane.toPixels(...start);
        context.fillStyle = look.paper, context.lineWidth = 2;
        context.beginPath(), context.arc(px, py, 7, 0, 7), context.fill(), context.stroke();
        context.fillStyle = orbit.colour;
        drawSign(context, orbit.sign, px, py, 3.5);
      }
    }
    if (this.cursor) {
      const [px, py] = this.cursor;
      context.strokeStyle = look.ink, context.lineWidth = 1;
      context.beginPath();
      for (const [dx, dy] of [[1, 0], [0, 1]])
        for (const side of [-1, 1])
          context.moveTo(px + 4 * side * dx, py + 4 * side * dy), context.lineTo(px + 14 * side * dx, py + 14 * side * dy);
      context.stroke();
    }
    this.frames = (this.frames || 0) + 1;
  }
  someOf(id, many, take) {
    const [first, count] = this.data.rangeOf(id), {points} = this.data;
    for (let k = 0; k < Math.min(many, count); ++k) {
      const i = first + Math.floor(k * count / Math.min(many, count));
      take(points[2 * i], points[2 * i + 1]);
    }
  }
  /** Where a stored orbit begins, in the plane: by its columns, else its first point. */
  startOf(id) {
    const {data} = this, at = data.axes.map(a => data.states.indexOf(a.name)), [first, count] = data.rangeOf(id);
    if (at.every(k => k >= 0)) return at.map(k => data.starts[id][k]);
    return count > 0 ? [data.points[2 * first], data.points[2 * first + 1]] : null;
  }

  // --- pointing -----------------------------------------------------------------------------------------------------

  /** The orbit whose point is the nearest, within so many pixels; -1 where there is none. */
  nearest([px, py], within) {
    const {data, plane, group} = this, {points} = data, [x, y] = plane.toPlace(px, py), f = plane.frame;
    const [x0, x1, y0, y1] = plane.window, sx = f.width / (x1 - x0), sy = f.height / (y1 - y0);
    const [from] = data.rangeOf(group.first), last = data.rangeOf(group.first + group.count - 1);
    let best = within * within, found = -1;
    for (let i = from; i < last[0] + last[1]; ++i) {
      const dx = (points[2 * i] - x) * sx, dy = (points[2 * i + 1] - y) * sy, d = dx * dx + dy * dy;
      if (d < best) best = d, found = i;
    }
    return found < 0 ? -1 : this.orbitOf[found];
  }
  inFrame([px, py]) {
    const f = this.plane.frame;
    return px >= f.x && px <= f.x + f.width && py >= f.y && py <= f.y + f.height;
  }
  point(at) {
    const told = byId("hover");
    if (!at || !this.inFrame(at)) {
      told.textContent = "";
      return;
    }
    const id = this.nearest(at, 8), [x, y] = this.plane.toPlace(...at), {axes} = this.data;
    told.textContent = `${axes[0].label} = ${written(x)}, ${axes[1].label} = ${written(y)}` + (id < 0 ? "" : "\n" + this.numbersOf(id));
  }
  numbersOf(id) {
    return `orbit ${id}: ${this.data.counts[id]} points` +
      this.data.columns.map(c => `\n${c.name} = ${written(c.values[id])}`).join("");
  }
  click(at, event) {
    if (!this.inFrame(at)) return;
    this.box.focus({preventScroll: true});
    const id = byId("always").checked || event.altKey ? -1 : this.nearest(at, 6);
    if (id >= 0) this.light(id, event.shiftKey || event.ctrlKey);
    else this.launch(this.plane.toPlace(...at));
  }
  add(orbit) {
    const taken = new Set(this.lit.map(o => o.sign));
    orbit.sign = signs.findIndex((_, k) => !taken.has(k));
    if (orbit.sign < 0) orbit.sign = this.lit.length % signs.length;
    orbit.colour = palette[orbit.sign];
    this.lit.push(orbit);
    this.changed();
  }
  /** Lights a stored orbit up, beside the others or in place of the stored ones. */
  light(id, beside) {
    const was = this.lit.some(o => o.stored && o.id === id);
    if (beside && was) this.lit = this.lit.filter(o => !(o.stored && o.id === id));
    if (!beside) this.lit = this.lit.filter(o => !o.stored);
    if (!was || !beside) this.add(new StoredOrbit(id, this.data));
    this.changed();
  }
  launch(place) {
    if (!this.model) {
      byId("hover").textContent = this.data.why;
      return null;
    }
    const orbit = new NewOrbit(place);
    if (!orbit.start(this.model, this.data.axes, this.parameters(), this.values.energy)) {
      byId("hover").textContent = "no orbit of this energy starts here";
      return null;
    }
    this.add(orbit);
    this.fly();
    return orbit;
  }
  fly() {
    if (this.flight) return;
    const frame = () => {
      const flying = this.lit.filter(o => !o.stored && o.flying);
      for (const orbit of flying) orbit.fly(10 / flying.length);
      this.draw();
      this.listNumbers();
      this.flight = flying.length > 0 ? requestAnimationFrame(frame) : 0;
    };
    this.flight = requestAnimationFrame(frame);
  }
  /** New orbits start again, with other parameters. */
  refly() {
    for (const orbit of this.lit) {
      if (!orbit.stored) orbit.start(this.model, this.data.axes, this.parameters(), this.values.energy);
    }
    this.changed();
    this.fly();
  }
  clear() {
    this.lit = [];
    this.changed();
  }

  // --- what is lit --------------------------------------------------------------------------------------------------

  changed() {
    const list = byId("lit");
    list.replaceChildren();
    for (const orbit of this.lit) {
      const item = element("li"), head = element("strong", `${signs[orbit.sign]} ${orbit.title}`);
      head.style.color = orbit.colour;
      orbit.numbers = element("pre");
      const names = this.data.states, state = [...(orbit.q || []), ...(orbit.v || [])];
      const start = state.map((x, k) => `${names[k]} = ${written(x, 8)}`).join(", ");
      item.append(head, orbit.numbers, element("small", "start: " + start), element("br"));
      const button = (text, action) => item.append(element("button", text, {onclick: action, type: "button"}));
      if (!orbit.stored) button("more", () => { orbit.wanted += 1000; this.fly(); });
      if (this.data.deck) button("copy as deck", () => this.copy(orbit));
      button("remove", () => { this.lit = this.lit.filter(o => o !== orbit); this.changed(); });
      list.append(item);
    }
    this.listNumbers();
    byId("moved").hidden = !this.moved;
    drawSeries(byId("series"), this.lit.filter(o => o.q), this.data, this.model,
               orbit => this.parameters(this.valuesOf(orbit)));
    this.redraw();
  }
  listNumbers() {
    for (const orbit of this.lit)
      if (orbit.numbers)
        orbit.numbers.textContent = orbit.stored ? this.numbersOf(orbit.id)
          : `${orbit.points.length} crossings, ${orbit.status}` + (orbit.flight
            ? `\ntime ${written(orbit.flight.t, 5)}, energy ${written(orbit.flight.firstEnergy, 8)}` +
              (this.data.driven ? "" : `\nenergy error ${written(orbit.flight.energyError, 3)}`) : "");
  }
  /** The deck that lets the program fly this orbit. */
  deckOf(orbit) {
    const values = this.valuesOf(orbit);
    let text = this.data.deck.replace('"@start@"', `[${[...orbit.q, ...orbit.v].join(", ")}]`);
    for (const name of Object.keys(this.data.parameterMarks)) {
      const value = values[name] ?? this.group.parameters[name];
      text = text.replace(`"${this.data.parameterMarks[name]}"`, String(value));
    }
    return text;
  }
  copy(orbit) { showDeck(this.deckOf(orbit)); }

  // --- keys ---------------------------------------------------------------------------------------------------------

  key(event) {
    if (event.target !== this.box || event.ctrlKey || event.metaKey) return;
    const {group} = this, f = this.plane.frame, name = event.key, middle = [f.x + f.width / 2, f.y + f.height / 2];
    const step = {a: [-8, 0], d: [8, 0], w: [0, -8], s: [0, 8]}[name.toLowerCase()];
    if (step) {
      const [x, y] = this.cursor || middle, far = event.shiftKey ? 4 : 1;
      this.cursor = [Math.min(Math.max(x + far * step[0], f.x), f.x + f.width), Math.min(Math.max(y + far * step[1], f.y), f.y + f.height)];
      this.point(this.cursor);
      this.redraw();
    } else if (name === "[" || name === "]") {
      const before = this.lit.find(o => o.stored), by = name === "]" ? 1 : -1;
      const at = before ? before.id - group.first + by : by > 0 ? 0 : -1;
      this.light(group.first + (at + group.count) % group.count, false);
    } else if (name === "Enter" || name === " ") {
      this.click(this.cursor || middle, event);
    } else if (name === "n") {
      this.launch(this.plane.toPlace(...(this.cursor || middle)));
    } else if (name === "Escape") {
      this.cursor = null;
      this.clear();
    } else if (!this.plane.key(name)) {
      return;
    }
    event.preventDefault();
  }
}

pages.section = SectionPage;
