// SPDX-License-Identifier: BSD-3-Clause
// The page of energy landscapes: bands of equal area, lines at the passes, stationary points by shape and colour, and
// orbits that roll from rest where one clicks.
"use strict";

// A circle, a cross, a triangle, a diamond, of colours that are far apart in grey too where the shapes aren't.
const kindSigns = [0, 4, 2, 3], kindColours = [look.paper, look.palette[1], look.palette[5], look.palette[3]];
const passColours = look.passes, bands = 20;
const apart = 4;  // pixels between lines of bands, about

class LandscapePage {
  constructor(data, model) {
    Object.assign(this, {data, box: byId("land"), overlay: byId("land-over"), orbits: [], chosen: -1});
    const names = data.axes.map(axis => axis.name);
    // Orbits need the coordinates of the map and no others.
    this.model = model && model.coordinates.length === 2 && model.coordinates.every(c => names.includes(c.name)) ? {...model, section: null} : null;
    this.plane = new Plane(this.box, this.overlay, data.axes.map(axis => axis.label),
      [data.x[0], data.x[data.x.length - 1], data.y[0], data.y[data.y.length - 1]],
      {redraw: () => this.redraw(), pointed: at => this.point(at), clicked: at => this.click(at)});
    const select = byId("land-set");
    data.maps.forEach((map, k) => select.append(element("option", map.label || "the landscape", {value: k})));
    select.parentElement.hidden = data.maps.length < 2;
    select.onchange = () => this.choose(Number(select.value));
    drawScale(byId("land-scale"));
    byId("land-why").textContent = this.model ? "" : data.why || "No orbits here: the map has other coordinates.";
    byId("land-clear").hidden = !this.model;
    byId("land-clear").onclick = () => this.clear();
    this.box.addEventListener("keydown", event => this.key(event));
    new ResizeObserver(() => this.redraw()).observe(this.box);
    this.choose(0);
  }
  choose(k) {
    this.map = this.data.maps[k];
    byId("land-set").value = k;
    const view = new DataView(bytesOf(this.map.data).buffer);
    this.codes = Uint16Array.from({length: view.byteLength / 2}, (_, i) => view.getUint16(2 * i, true));
    this.chosen = -1;
    const {knots, points, passes} = this.map, counts = this.data.kinds.map((_, kind) => points.filter(p => p.kind === kind).length);
    byId("land-legend").textContent = `dark U = ${written(knots[0])} \u2026 light ${written(knots[knots.length - 1])}, each band of the same area` +
      (passes.length > 0 ? `; lines at the passes, U = ${passes.map(p => written(p, 8)).join(", ")}` : "") +
      (this.codes.includes(65535) ? "; hatched: out of the model's domain" : "");
    const key = byId("land-kinds");
    key.replaceChildren();
    this.data.kinds.forEach((kind, i) => {
      if (counts[i] > 0) key.append(element("li", `${signs[kindSigns[i]]} ${kind}: ${counts[i]}`));
    });
    this.clear();
  }
  clear() {
    this.orbits = [];
    this.point(null);
    this.redraw();
  }
  get parameters() { return this.model.parameters.map(p => this.map.parameters[p.name] ?? p.value); }
  /** The coordinates in the model's order, of a place. */
  ordered(place) { return this.model.coordinates.map(c => place[this.data.axes.findIndex(axis => axis.name === c.name)]); }
  /** U at a place: the model's where there is one, else what is stored. */
  energyAt([x, y]) {
    if (this.model) {
      const motion = new Motion(this.model, this.parameters), q = this.ordered([x, y]);
      if (this.model.domain && !(this.model.domain(motion.at(q, [0, 0], 0)) > 0)) return NaN;
      return motion.energy(q, [0, 0], 0);
    }
    const share = this.shareAt(x, y);
    return share < 0 ? NaN : this.levelOf(share);
  }
  levelOf(share) {
    const {knots} = this.map, at = share * (knots.length - 1), k = Math.min(Math.floor(at), knots.length - 2);
    return knots[k] + (at - k) * (knots[k + 1] - knots[k]);
  }
  shareOf(level) {
    const {knots} = this.map, k = knots.findIndex(knot => knot > level) - 1;
    return k < 0 ? (level <= knots[0] ? -1 : 2) : (k + (level - knots[k]) / (knots[k + 1] - knots[k])) / (knots.length - 1);
  }
  /** The share of the area that lies lower, between four stored places; -1 out of the domain or of the map. */
  shareAt(x, y) {
    const {x: xs, y: ys} = this.data, w = xs.length, h = ys.length, {codes} = this;
    const u = (x - xs[0]) / (xs[w - 1] - xs[0]) * (w - 1), v = (y - ys[0]) / (ys[h - 1] - ys[0]) * (h - 1);
    if (!(u >= 0 && u <= w - 1 && v >= 0 && v <= h - 1)) return -1;
    const i = Math.min(Math.floor(u), w - 2), j = Math.min(Math.floor(v), h - 2), a = u - i, b = v - j, at = i + j * w;
    const c00 = codes[at], c10 = codes[at + 1], c01 = codes[at + w], c11 = codes[at + w + 1];
    if (c00 === 65535 || c10 === 65535 || c01 === 65535 || c11 === 65535) {
      const near = codes[Math.round(u) + Math.round(v) * w];
      return near === 65535 ? -1 : near / 65534;
    }
    return ((1 - b) * ((1 - a) * c00 + a * c10) + b * ((1 - a) * c01 + a * c11)) / 65534;
  }

  // --- painting -----------------------------------------------------------------------------------------------------

  redraw() {
    this.due ||= requestAnimationFrame(() => { this.due = 0; this.draw(); });
  }
  paint(canvas) {
    const {width, height} = canvas, [x0, x1, y0, y1] = this.plane.window, context = canvas.getContext("2d");
    const stamp = [width, height, x0, x1, y0, y1, this.data.maps.indexOf(this.map)].join();
    if (stamp === this.painted) return;
    this.painted = stamp;
    const image = context.createImageData(width, height), shares = new Float32Array(width * height);
    for (let py = 0; py < height; ++py)
      for (let px = 0; px < width; ++px)
        shares[px + py * width] = this.shareAt(x0 + (px + 0.5) / width * (x1 - x0), y1 - (py + 0.5) / height * (y1 - y0));
    const table = Array.from({length: bands}, (_, k) => cividisAt((k + 0.5) / bands));
    const passes = this.map.passes.map((level, k) => [this.shareOf(level), rgb(passColours[k % passColours.length])]);
    const band = share => Math.min(bands - 1, Math.floor(share * bands));
    for (let py = 0, at = 0; py < height; ++py) {
      for (let px = 0; px < width; ++px, ++at) {
        const share = shares[at], right = px + 1 < width ? shares[at + 1] : share, below = py + 1 < height ? shares[at + width] : share;
        let colour = share < 0 ? (px + py) % (8 * devicePixelRatio) < 1 ? [111, 111, 120] : [255, 255, 255] : table[band(share)];
        if (share >= 0 && right >= 0 && below >= 0) {
          // Where bands are narrower, only every second line is drawn, or every fourth, and so on.
          const narrow = apart * bands * Math.hypot(right - share, below - share), step = narrow > 1 ? 2 ** Math.ceil(Math.log2(narrow)) : 1;
          const group = share => Math.floor(band(share) / step);
          if (group(right) !== group(share) || group(below) !== group(share)) colour = colour.map(c => c + 0.35 * (255 - c));
          for (const [level, line] of passes)
            if ((share < level) !== (right < level) || (share < level) !== (below < level)) colour = line;
        }
        image.data.set([...colour, 255], 4 * at);
      }
    }
    context.putImageData(image, 0, 0);
  }
  draw() {
    const canvas = byId("land-map"), {plane} = this;
    plane.fit(canvas);
    this.paint(canvas);
    const context = plane.axes();
    for (const orbit of this.orbits) {
      for (const [colour, wide] of [[look.paper, 3], [orbit.colour, 1.4]]) {
        context.strokeStyle = colour, context.lineWidth = wide;
        context.beginPath();
        let before = null;
        for (const point of [orbit.first, ...orbit.points]) {
          const far = before && point.some((x, k) => orbit.axes[k].folded && Math.abs(x - before[k]) > Math.PI);
          far ? context.moveTo(...plane.toPixels(...point)) : context.lineTo(...plane.toPixels(...point));
          before = point;
        }
        context.stroke();
      }
      context.fillStyle = context.strokeStyle = orbit.colour;
      drawSign(context, orbit.sign, ...plane.toPixels(...orbit.first), 4);
    }
    this.map.points.forEach((point, k) => {
      const at = plane.toPixels(point.x, point.y), sign = kindSigns[point.kind];
      context.fillStyle = context.strokeStyle = look.ink;
      drawSign(context, sign, ...at, 7.5);
      context.fillStyle = context.strokeStyle = kindColours[point.kind];
      drawSign(context, sign, ...at, sign === 4 ? 5 : 5.5);
      if (k !== this.chosen) return;
      for (const [colour, wide] of [[look.paper, 5], [look.ink, 2]]) {
        context.strokeStyle = colour, context.lineWidth = wide;
        context.beginPath(), context.arc(...at, 13, 0, 7), context.stroke();
      }
    });
    this.frames = (this.frames || 0) + 1;
  }

  // --- hands --------------------------------------------------------------------------------------------------------

  numbersOf(point) {
    const {axes, kinds} = this.data;
    return `${kinds[point.kind]}: ${axes[0].label} = ${written(point.x, 8)}, ${axes[1].label} = ${written(point.y, 8)}` +
      `\nU = ${written(point.energy, 10)}\neigenvalues of the Hessian ${point.eigenvalues.map(v => written(v, 6)).join(", ")}` +
      (point.escape === null ? "" : `\nthe least energy that leads away: ${written(point.escape, 10)}`);
  }
  nearest([px, py]) {
    const far = this.map.points.map(p => { const [x, y] = this.plane.toPixels(p.x, p.y); return Math.hypot(x - px, y - py); });
    const [least] = reachOf(far);
    return least < 12 ? far.indexOf(least) : -1;
  }
  point(at) {
    const told = byId("land-told"), k = at ? this.nearest(at) : this.chosen, {axes} = this.data;
    if (k >= 0) told.textContent = this.numbersOf(this.map.points[k]);
    else if (!at) told.textContent = "";
    else {
      const place = this.plane.toPlace(...at);
      told.textContent = `${axes[0].label} = ${written(place[0])}, ${axes[1].label} = ${written(place[1])}, U = ${written(this.energyAt(place), 8)}`;
    }
  }
  click(at) {
    this.box.focus({preventScroll: true});
    this.chosen = this.nearest(at);
    if (this.chosen < 0 && this.model) this.launch(this.plane.toPlace(...at));
    this.point(at);
    this.redraw();
  }
  /** An orbit from rest. */
  launch(place) {
    const q = this.ordered(place), start = {q, v: [0, 0], t: 0}, k = this.orbits.length;
    if (!Number.isFinite(this.energyAt(place))) return;
    const axes = this.data.axes.map(axis => ({...axis, folded: Boolean(this.model.coordinates.find(c => c.name === axis.name && c.angle))}));
    const orbit = new CellOrbit(this.model, axes, this.parameters, start, 60);
    this.orbits.push(Object.assign(orbit, {colour: palette[k % palette.length], sign: k % signs.length}));
    this.fly();
  }
  fly() {
    if (this.flight) return;
    const frame = () => {
      const flying = this.orbits.filter(o => o.flying);
      for (const orbit of flying) orbit.fly(10 / flying.length);
      this.draw();
      this.flight = flying.length > 0 ? requestAnimationFrame(frame) : 0;
    };
    this.flight = requestAnimationFrame(frame);
  }
  key(event) {
    if (event.target !== this.box || event.ctrlKey || event.metaKey) return;
    const {points} = this.map, by = {"]": 1, "[": -1}[event.key];
    if (by && points.length > 0) {
      this.chosen = this.chosen < 0 ? (by > 0 ? 0 : points.length - 1) : (this.chosen + by + points.length) % points.length;
      this.point(null);
      this.redraw();
    } else if (event.key === "Enter" || event.key === " ") {  // beside the point chosen, else in the middle
      const [x0, x1, y0, y1] = this.plane.window, p = points[this.chosen];
      if (this.model) this.launch(p ? [p.x + 0.01 * (x1 - x0), p.y + 0.01 * (y1 - y0)] : [(x0 + x1) / 2, (y0 + y1) / 2]);
    } else if (event.key === "Escape") {
      this.chosen = -1;
      this.clear();
    } else if (!this.plane.key(event.key)) {
      return;
    }
    event.preventDefault();
  }
}

pages.landscape = LandscapePage;
