// SPDX-License-Identifier: BSD-3-Clause
// The page of an atlas: a map of one answer, and beside it the orbits of the cell that is chosen, flown in the page from
// the starts that the program gives this cell.
"use strict";

// Nunez, Anderton, Renslow, Optimizing colormaps with consideration for color vision deficiency, PLOS ONE 13 (2018)
// e0199239: cividis, whose lightness grows evenly.
const cividis = look.map.map(rgb);
/** A colour between the stops, for a share of 0 to 1. */
function cividisAt(share) {
  const at = Math.min(1, Math.max(0, share)) * (cividis.length - 1), k = Math.min(Math.floor(at), cividis.length - 2);
  return cividis[k].map((c, i) => Math.round(c + (at - k) * (cividis[k + 1][i] - c)));
}
/** A band of the colours on a canvas. */
function drawScale(canvas) {
  const context = canvas.getContext("2d");
  canvas.width = 256, canvas.height = 16;
  for (let k = 0; k < 256; ++k) {
    context.fillStyle = `rgb(${cividisAt(k / 255)})`;
    context.fillRect(k, 0, 1, 16);
  }
}

/** A map of points of which only some were looked at: what none looked at lies between the corners of a cell, as in
 *  src/studies/atlas/quadtree.cpp. */
class AtlasMap {
  constructor(data) {
    this.width = data.sides[0].values.length;
    this.height = data.sides.length > 1 ? data.sides[1].values.length : 1;
    const bits = bytesOf(data.seen), levels = bytesOf(data.level), count = this.width * this.height;
    this.level = new Int8Array(count).fill(-1);
    this.points = [];
    for (let i = 0; i < count; ++i)
      if (bits[i >> 3] >> (i & 7) & 1) this.level[i] = levels[this.points.length], this.points.push(i);
    this.left = this.cells(2 ** data.levels);
  }
  /** The cells that weren't halved, the coarse ones first: of one that was, the middle was looked at. */
  cells(side) {
    const {width, height, level} = this, left = [], line = height === 1;
    let cells = [];
    for (let y = 0; y < height; y += side)
      for (let x = 0; x + side < width; x += side) if (y + side < height || line) cells.push([x, y]);
    for (; side > 1; side /= 2) {
      const half = side / 2, up = line ? 0 : half, smaller = [];
      for (const [x, y] of cells) {
        if (level[x + half + (y + up) * width] < 0) left.push([x, y, side]);
        else for (const v of line ? [y] : [y, y + half]) smaller.push([x, v], [x + half, v]);
      }
      cells = smaller;
    }
    return left;
  }
  /** All values of an answer; NaN where it has none. */
  values(quantity) {
    const codes = new DataView(bytesOf(quantity.data).buffer), {width, height} = this;
    const all = new Float64Array(width * height).fill(NaN), entered = new Uint8Array(width * height);
    this.points.forEach((at, k) => {
      const code = codes.getUint16(2 * k, true);
      all[at] = code === 65535 ? NaN : quantity.low + code / 65534 * (quantity.high - quantity.low);
      entered[at] = 1;
    });
    for (const [x, y, side] of this.left) {
      const rise = height > 1 ? side : 0, at = (i, j) => x + i + (y + j) * width;
      for (let j = 0; j <= rise; ++j)
        for (let i = 0; i <= side; ++i) {
          if (entered[at(i, j)]) continue;
          entered[at(i, j)] = 1;
          const a = i / side, b = j / side;
          all[at(i, j)] = [[0, 0, (1 - a) * (1 - b)], [side, 0, a * (1 - b)], [0, rise, (1 - a) * b], [side, rise, a * b]]
            .reduce((sum, [p, r, weight]) => weight > 0 ? sum + weight * all[at(p, r)] : sum, 0);
        }
    }
    return all;
  }
}

/** Philox4x32-10 of src/numerics/random.hpp: number `n`, uniform in (0, 1], of a stream of a seed.
 *  Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3 (SC 2011). */
function philoxUniform(seed, stream, n) {
  const low = x => x & 0xffffffffn, high = x => low(x >> 32n), wide = BigInt.asUintN(64, BigInt(seed)), draw = BigInt(n >> 1);
  let x = [low(BigInt(stream)), high(BigInt(stream)), low(draw), high(draw)], k0 = low(wide), k1 = high(wide);
  for (let round = 0; round < 10; ++round) {
    const a = 0xD2511F53n * x[0], b = 0xCD9E8D57n * x[2];
    x = [high(b) ^ x[1] ^ k0, low(b), high(a) ^ x[3] ^ k1, low(a)];
    k0 = low(k0 + 0x9E3779B9n), k1 = low(k1 + 0xBB67AE85n);
  }
  const word = n % 2 === 0 ? x[0] << 32n | x[1] : x[2] << 32n | x[3];
  return (Number(word >> 11n) + 0.5) * 2 ** -53;
}

/** An orbit of a cell, from a whole start. */
class CellOrbit extends NewOrbit {
  constructor(model, axes, parameters, start, until) {
    super(null);
    Object.assign(this, {axes, until, points: [], q: start.q, v: start.v, wanted: model.section ? 200 : 2000});
    this.flight = new Flight(model, parameters, start.q, start.v, {t: start.t});
    this.first = axes.map(axis => this.valueOf(axis, start));
  }
  get status() { return this.flight.status === "flying" && this.flight.t >= this.until ? "flown" : super.status; }
  fly(milliseconds) {
    if (this.flight.section) return super.fly(milliseconds);
    for (const end = performance.now() + milliseconds; this.flying && performance.now() < end;) {
      this.flight.h = Math.min(this.flight.h, 0.1);  // as fine as a line is drawn
      this.flight.advance();
      this.points.push(this.axes.map(axis => this.valueOf(axis, this.flight)));
    }
  }
}

const mostStarts = 24;  // of a cell that fly at once

class AtlasPage {
  constructor(data, model) {
    Object.assign(this, {data, model, box: byId("map"), overlay: byId("map-over"), orbits: [], chosen: null, cell: null});
    this.map = new AtlasMap(data);
    [this.x, this.y] = [data.sides[0], data.sides[1]].map(side => side && side.values);
    this.edges = [this.x, this.y].map(values => values && edgesOf(values));
    this.forbidden = this.valuesNamed("forbidden");
    const whole = [this.edges[0][0], this.edges[0][this.x.length], ...(this.y ? [this.edges[1][0], this.edges[1][this.y.length]] : [0, 1])];
    this.plane = new Plane(this.box, this.overlay, [data.sides[0].label, this.y ? data.sides[1].label : ""], whole, {
      redraw: () => this.redraw(), pointed: at => this.point(at), clicked: at => this.click(at)});
    this.beside = new Plane(byId("cell"), byId("cell-over"), ["", ""], [0, 1, 0, 1], {
      redraw: () => { this.looked = true; this.redraw(); }, pointed: () => {}, clicked: () => {}});
    byId("cell").hidden = !model;
    byId("map-why").textContent = data.why;
    const select = byId("quantity");
    data.quantities.forEach((q, k) => select.append(element("option", q.label, {value: k})));
    select.value = data.first;
    select.onchange = () => this.choose(Number(select.value));
    drawScale(byId("map-scale"));
    this.choose(data.first);
    this.box.addEventListener("keydown", event => this.key(event));
    byId("cell").addEventListener("keydown", event => { if (this.beside.key(event.key)) event.preventDefault(); });
    byId("cell-more").onclick = () => {
      for (const orbit of this.orbits) orbit.wanted *= 2, orbit.until *= 2;
      this.fly();
    };
    byId("cell-deck").onclick = () => this.copy(this.deckOfCell());
    byId("close").onclick = () => byId("deck").close();
    const watch = new ResizeObserver(() => this.redraw());
    watch.observe(this.box), watch.observe(byId("cell"));
  }
  valuesNamed(name) {
    const found = this.data.quantities.find(q => q.name === name);
    return found ? this.map.values(found) : null;
  }
  /** Draws another answer. */
  choose(k) {
    const q = this.quantity = this.data.quantities[k];
    this.values = this.map.values(q);
    [this.low, this.high] = q.share ? [0, 1] : reachOf(this.values);
    byId("map-scale").hidden = !this.y;
    byId("map-legend").textContent = (this.y ? `dark ${written(this.low, 3)} \u2026 light ${written(this.high, 3)}: ` : "") +
      (q.meaning || q.label) + (this.y && this.forbidden && this.forbidden.some(f => f >= 1) ? ". Hatched: no start is allowed." : "");
    if (!this.y) {
      const margin = 0.03 * (this.high - this.low || 1);
      this.plane.labels[1] = q.label;
      this.plane.home = [...this.plane.home.slice(0, 2), this.low - margin, this.high + margin];
      this.plane.window = [...this.plane.home];
    }
    this.redraw();
  }
  redraw() {
    this.due ||= requestAnimationFrame(() => { this.due = 0; this.draw(); });
  }

  // --- painting -----------------------------------------------------------------------------------------------------

  draw() {
    const canvas = byId("map-cells"), {plane} = this, f = plane.frame;
    plane.fit(canvas);
    const cells = canvas.getContext("2d");
    cells.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    cells.clearRect(0, 0, f.width, f.height);
    const context = plane.axes();
    if (this.y) this.drawMap(cells);
    for (const [cell, colour, wide] of [[this.chosen, look.palette[1], 3], [this.cell, look.ink, 1.5]]) {
      if (!cell) continue;
      const [left, top, width, height] = this.boxOf(...cell);
      if (this.y) {
        context.strokeStyle = look.paper, context.lineWidth = wide + 2;
        context.strokeRect(left - 2, top - 2, width + 4, height + 4);
      }
      context.strokeStyle = colour, context.lineWidth = wide;
      context.strokeRect(left - 2, top - 2, width + 4, height + 4);
    }
    if (!this.y) this.drawLine(context);
    if (this.model) this.drawOrbits();
    this.frames = (this.frames || 0) + 1;
  }
  /** [left, top, width, height] of a cell on the overlay. */
  boxOf(i, j) {
    const [ex, ey] = this.edges, {window: w} = this.plane;
    const [left, low] = this.plane.toPixels(ex[i], ey ? ey[j] : w[2]), [right, top] = this.plane.toPixels(ex[i + 1], ey ? ey[j + 1] : w[3]);
    return [left, top, right - left, low - top];
  }
  drawMap(cells) {
    const f = this.plane.frame, {width, height} = this.map, nowhere = new Path2D();
    let hatch = false;
    for (let j = 0; j < height; ++j) {
      for (let i = 0; i < width; ++i) {
        const [left, top, w, h] = this.boxOf(i, j), x = Math.floor(left - f.x), y = Math.floor(top - f.y);
        if (x > f.width || y > f.height || left + w < f.x || top + h < f.y) continue;
        const value = this.values[i + j * width], right = Math.floor(left - f.x + w), low = Math.floor(top - f.y + h);
        if (this.forbidden && this.forbidden[i + j * width] >= 1) {
          nowhere.rect(x, y, right - x, low - y);
          hatch = true;
        } else {
          cells.fillStyle = Number.isFinite(value) ? `rgb(${cividisAt((value - this.low) / (this.high - this.low || 1))})` : look.unknown;
          cells.fillRect(x, y, right - x, low - y);
        }
      }
    }
    if (!hatch) return;
    cells.save();
    cells.clip(nowhere);
    cells.strokeStyle = look.faint, cells.lineWidth = 1;
    cells.beginPath();
    for (let k = -f.height; k < f.width; k += 8) cells.moveTo(k, f.height), cells.lineTo(k + f.height, 0);
    cells.stroke();
    cells.restore();
  }
  drawLine(context) {
    context.strokeStyle = context.fillStyle = look.palette[0], context.lineWidth = 1.4;
    context.beginPath();
    let pen = false;
    this.x.forEach((x, i) => {
      const known = Number.isFinite(this.values[i]), at = this.plane.toPixels(x, this.values[i]);
      if (known) pen ? context.lineTo(...at) : context.moveTo(...at);
      pen = known;
    });
    context.stroke();
    this.map.points.forEach(i => { if (Number.isFinite(this.values[i])) drawSign(context, 0, ...this.plane.toPixels(this.x[i], this.values[i]), 2.5); });
  }
  drawOrbits() {
    const {beside, orbits} = this;
    if (!this.looked && orbits.length > 0) {
      const all = orbits.flatMap(o => [o.first, ...o.points]), reach = k => {
        const [low, high] = reachOf(all.map(p => p[k])), margin = 0.05 * (high - low) || 0.1;
        return [low - margin, high + margin];
      };
      beside.home = [...reach(0), ...reach(1)];
      beside.window = [...beside.home];
    }
    beside.fit(byId("cell-points"));
    const context = beside.axes();
    if (orbits.length === 0) beside.say(context, "click on a cell of the map");
    for (const orbit of orbits) {
      context.fillStyle = context.strokeStyle = orbit.colour;
      if (orbit.flight.section) {
        for (const point of orbit.points) {
          const [px, py] = beside.toPixels(...point);
          context.fillRect(px - 1.1, py - 1.1, 2.2, 2.2);
        }
      } else {
        context.lineWidth = 0.7;
        context.beginPath();
        for (const point of orbit.points) context.lineTo(...beside.toPixels(...point));
        context.stroke();
      }
      drawSign(context, orbit.sign, ...beside.toPixels(...orbit.first), 3.5);
    }
  }

  // --- cells --------------------------------------------------------------------------------------------------------

  /** The cell about a place on the screen, or null. */
  cellAt([px, py]) {
    const f = this.plane.frame;
    if (px < f.x || px > f.x + f.width || py < f.y || py > f.y + f.height) return null;
    const place = this.plane.toPlace(px, py), found = this.edges.map((edges, k) => edges ? edges.findIndex((e, i) =>
      i + 1 < edges.length && (e <= place[k]) !== (edges[i + 1] <= place[k])) : 0);
    return found.every(k => k >= 0) ? found : null;
  }
  sidesAt([i, j]) {
    return Object.fromEntries(this.data.sides.map((side, k) => [side.name, side.values[k === 0 ? i : j]]));
  }
  numbersOf(cell) {
    const at = cell[0] + cell[1] * this.map.width, level = this.map.level[at];
    this.all ||= this.data.quantities.map(q => this.map.values(q));
    const near = ({values}, k) => Math.abs(values[k]) < 1e-12 * Math.abs(values[values.length - 1] - values[0]) ? 0 : values[k];
    return this.data.sides.map((side, k) => `${side.label} = ${written(near(side, cell[k]))}`).join(", ") +
      this.data.quantities.map((q, k) => `\n${q.label}: ${written(this.all[k][at], 4)}`).join("") +
      (level < 0 ? "\nbetween the corners of its cell, which agree" : `\nlooked at on level ${level}`);
  }
  point(at) {
    const cell = at && this.cellAt(at) || this.cell || this.chosen;
    byId("map-told").textContent = cell ? this.numbersOf(cell) : "";
  }
  click(at) {
    this.box.focus({preventScroll: true});
    this.cell = this.cellAt(at);
    if (this.cell) this.open(this.cell);
  }
  parametersAt(cell) {
    const sides = this.sidesAt(cell);
    return this.model.parameters.map(p => sides[p.name] ?? p.value);
  }
  /** The starts that the program gives a cell, those that the energy allows: {starts, allowed, of}. */
  startsOf(cell) {
    const {model} = this, {ensemble} = this.data, sides = this.sidesAt(cell), parameters = this.parametersAt(cell), starts = [];
    const energy = sides.energy ?? this.data.energy, complete = given => startOn(model, parameters, given, energy);
    const ranges = (ensemble.ranges || []).map(([name, from, to, count]) => name in sides ? [name, sides[name], sides[name], 1] : [name, from, to, count]);
    let of;
    if (ensemble.kind === "random") {
      of = Math.min(ensemble.count, mostStarts);
      for (let id = 0; id < of; ++id) {
        let start = null;
        for (let attempt = 0, number = 0; attempt < 500 && !start; ++attempt)
          start = complete(Object.fromEntries(ranges.map(([name, from, to]) => [name, from + (to - from) * philoxUniform(ensemble.seed, id, number++)])));
        if (start) starts.push(start);
        else if (id === 0) break;  // as the program does, which then forbids all
      }
    } else if (ensemble.kind === "grid") {
      of = ranges.reduce((product, range) => product * range[3], 1);
      for (let point = 0; point < of; ++point) {
        const given = {};
        let rest = point;
        for (const [name, from, to, count] of [...ranges].reverse()) {
          given[name] = count === 1 ? from : from + (to - from) * (rest % count) / (count - 1);
          rest = Math.floor(rest / count);
        }
        const start = complete(given);
        if (start) starts.push(start);
      }
    } else {
      const n = model.coordinates.length, all = ensemble.kind === "points" ? ensemble.points.map(complete)
        : ensemble.states.map(state => ({q: state.slice(0, n), v: state.slice(n), t: 0}));
      of = all.length;
      starts.push(...all.filter(start => start));
    }
    const allowed = starts.length, every = Math.max(1, Math.ceil(allowed / mostStarts));
    return {starts: starts.filter((_, k) => k % every === 0), allowed, of};
  }
  /** Columns that the orbits are drawn over: what the starts spread over, else what isn't the section's own. */
  axesOf() {
    const {model, data} = this, names = model.coordinates.flatMap(c => [c.name]).concat(model.coordinates.map(c => c.name + "_dot"));
    const own = model.section && model.section.where, spread = (data.ensemble.ranges || []).map(range => range[0]);
    const n = model.coordinates.length, k = model.coordinates.findIndex(c => c.name !== own);
    const usual = !model.section ? [names[0], names[n > 1 ? 1 : n]] : [names[Math.max(k, 0)], names[n + Math.max(k, 0)]];
    const chosen = model.section && spread.length === 2 ? spread : usual;
    return chosen.map(name => ({name, label: data.labels[name] || name, folded: Boolean(model.coordinates.find(c => c.name === name && c.angle))}));
  }
  /** Flies the orbits of a cell. */
  open(cell) {
    this.chosen = cell;
    this.point(null);
    if (!this.model) return this.redraw();
    const parameters = this.parametersAt(cell), {starts, allowed, of} = this.startsOf(cell), axes = this.axesOf();
    this.beside.labels = axes.map(axis => axis.label);
    this.allowed = allowed;
    this.told = `${allowed} of ${of} starts allowed` + (starts.length < allowed ? `, ${starts.length} of them here` : "");
    this.orbits = starts.map((start, k) => Object.assign(
      new CellOrbit(this.model, axes, parameters, start, this.data.until ?? Infinity), {colour: palette[k % palette.length], sign: k % signs.length}));
    this.looked = false;
    byId("cell-chosen").hidden = false;
    byId("cell-title").textContent = Object.entries(this.sidesAt(cell)).map(([name, value]) => `${name} = ${written(value)}`).join(", ");
    const list = byId("cell-starts"), names = this.model.coordinates.map(c => c.name), states = [...names, ...names.map(name => name + "_dot")];
    list.replaceChildren();
    this.orbits.forEach((orbit, k) => {
      const item = element("li"), head = element("strong", `${signs[orbit.sign]} start ${k + 1}: `);
      head.style.color = orbit.colour;
      item.append(head, element("small", [...orbit.q, ...orbit.v].map((x, i) => `${states[i]} = ${written(x)}`).join(", ")), element("br"),
        element("button", "copy as deck", {type: "button", onclick: () => this.copy(this.deckOf(orbit))}));
      list.append(item);
    });
    this.fly();
  }
  fly() {
    if (this.flight) return;
    const frame = () => {
      const flying = this.orbits.filter(o => o.flying);
      for (const orbit of flying) orbit.fly(12 / flying.length);
      this.draw();
      const left = this.orbits.filter(o => o.status === "left the domain").length;
      const crossings = this.orbits.reduce((sum, o) => sum + o.points.length, 0);
      byId("cell-status").textContent = `${this.told}. ${crossings} ${this.model.section ? "crossings" : "points"}` +
        (left > 0 ? `, ${left} left the model's domain` : "") +
        (this.orbits.length > 0 ? `, energy errors below ${written(this.orbits.reduce((e, o) => Math.max(e, o.flight.energyError), 0), 2)}` : "") +
        (flying.length > 0 ? " \u2026" : ".");
      this.flight = flying.length > 0 ? requestAnimationFrame(frame) : 0;
    };
    this.flight = requestAnimationFrame(frame);
  }

  // --- decks --------------------------------------------------------------------------------------------------------

  filled(text) {
    const sides = this.sidesAt(this.chosen), values = Object.fromEntries(this.model.parameters.map(p => [p.name, p.value]));
    for (const [name, value] of Object.entries({...values, ...sides})) text = text.replaceAll(`"@${name}@"`, String(value));
    return text;
  }
  /** The deck of one start, and of all starts of the cell. */
  deckOf(orbit) { return this.filled(this.data.deck.replace('"@start@"', `[${[...orbit.q, ...orbit.v].join(", ")}]`)); }
  deckOfCell() { return this.filled(this.data.cellDeck); }
  copy(text) { showDeck(text); }

  // --- keys ---------------------------------------------------------------------------------------------------------

  key(event) {
    if (event.target !== this.box || event.ctrlKey || event.metaKey) return;
    const by = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key], far = event.shiftKey ? 8 : 1;
    if (by) {
      const {width, height} = this.map, from = this.cell || this.chosen;
      const held = (value, count) => Math.min(Math.max(value, 0), count - 1);
      this.cell = from ? [held(from[0] + far * by[0], width), held(from[1] + far * by[1], height)] : [width >> 1, height >> 1];
      this.point(null);
      this.redraw();
    } else if (event.key === "Enter" || event.key === " ") {
      this.cell ||= [this.map.width >> 1, this.map.height >> 1];
      this.open(this.cell);
    } else if (event.key === "Escape") {
      Object.assign(this, {cell: null, chosen: null, orbits: []});
      byId("cell-chosen").hidden = true;
      this.point(null);
      this.redraw();
    } else if (!this.plane.key(event.key)) {
      return;
    }
    event.preventDefault();
  }
}

/** Cells about points: halfway to the neighbours. */
function edgesOf(values) {
  const last = values.length - 1, middle = values.slice(1).map((v, k) => (v + values[k]) / 2);
  return [2 * values[0] - middle[0], ...middle, 2 * values[last] - middle[last - 1]];
}

pages.atlas = AtlasPage;
