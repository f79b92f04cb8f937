// SPDX-License-Identifier: BSD-3-Clause
// Orbits that are lit up: stored ones, and new ones that fly in the page. Each has a sign and a colour of its own.
"use strict";

// The colours of the pictures; the signs tell the orbits apart without them.
const palette = look.palette;
const signs = ["\u25cf", "\u25a0", "\u25b2", "\u25c6", "\u2716", "\u271a", "\u25bc", "\u25cb"];

/** Draws sign number k about a place. */
function drawSign(context, k, x, y, r) {
  context.beginPath();
  const corners = (count, turn) => {
    for (let i = 0; i < count; ++i) {
      const angle = turn + 2 * Math.PI * i / count;
      context.lineTo(x + r * 1.2 * Math.cos(angle), y + r * 1.2 * Math.sin(angle));
    }
    context.closePath();
  };
  const cross = turn => {
    for (const angle of [turn, turn + Math.PI / 2]) {
      context.moveTo(x - r * Math.cos(angle), y - r * Math.sin(angle));
      context.lineTo(x + r * Math.cos(angle), y + r * Math.sin(angle));
    }
    context.lineWidth = Math.max(1, r * 0.6);
    context.stroke();
  };
  switch (k % signs.length) {
    case 0: context.arc(x, y, r, 0, 7); return context.fill();
    case 1: corners(4, Math.PI / 4); return context.fill();
    case 2: corners(3, -Math.PI / 2); return context.fill();
    case 3: corners(4, 0); return context.fill();
    case 4: return cross(Math.PI / 4);
    case 5: return cross(0);
    case 6: corners(3, Math.PI / 2); return context.fill();
    default: context.lineWidth = 1; context.arc(x, y, r, 0, 7); return context.stroke();
  }
}

/** A stored orbit, lit up. */
class StoredOrbit {
  constructor(id, data) {
    this.id = id;
    this.title = `orbit ${id}`;
    this.q = data.starts[id].slice(0, data.dim);
    this.v = data.starts[id].slice(data.dim);
  }
  get stored() { return true; }
}

/** An orbit that flies in the page, from a place of the plane: what its state lacks follows from the energy. */
class NewOrbit {
  static made = 0;
  constructor(place) {
    this.place = place;
    this.title = `new orbit ${++NewOrbit.made}`;
    this.wanted = 500;
  }
  get stored() { return false; }
  /** Starts, or starts again; whether there is a start. */
  start(model, axes, parameters, energy) {
    this.points = [];
    this.axes = axes;
    const given = {[axes[0].name]: this.place[0], [axes[1].name]: this.place[1]};
    const start = startOn(model, parameters, given, energy);
    this.flight = start && new Flight(model, parameters, start.q, start.v, {t: start.t});
    if (start) Object.assign(this, {q: start.q, v: start.v});
    return start !== null;
  }
  get status() { return !this.flight ? "no start of this energy here" : this.points.length >= this.wanted ? "flown" : this.flight.status; }
  get flying() { return this.status === "flying"; }
  /** Flies for so many milliseconds. */
  fly(milliseconds) {
    const end = performance.now() + milliseconds;
    while (this.flying && performance.now() < end)
      for (const crossing of this.flight.advance()) {
        this.crossings = (this.crossings || 0) + 1;
        this.points.push(this.axes.map(axis => this.valueOf(axis, crossing)));
      }
  }
  valueOf(axis, {q, v, t}) {
    const {model} = this.flight.motion, at = model.coordinates.findIndex(c => c.name === axis.name);
    const rate = model.coordinates.findIndex(c => c.name + "_dot" === axis.name);
    const momentum = model.coordinates.findIndex(c => "p_" + c.name === axis.name);
    const value = at >= 0 ? q[at] : rate >= 0 ? v[rate] : this.flight.motion.momenta(q, v, t)[momentum];
    return axis.folded ? value - 2 * Math.PI * Math.floor((value + Math.PI) / (2 * Math.PI)) : value;
  }
}

/** Coordinates over time, flown in the page, or an axis over the number of the crossing. */
function drawSeries(canvas, orbits, data, model, parametersOf) {
  const scale = devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = width * scale, canvas.height = height * scale;
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  if (orbits.length === 0) return;
  const rows = model ? model.coordinates.map(c => c.name) : data.axes.map(axis => axis.name), curves = [];
  let longest = 0;
  for (const orbit of orbits) {
    const times = [], values = rows.map(() => []);
    if (model && orbit.q) {
      const flight = new Flight({...model, section: null}, parametersOf(orbit), orbit.q, orbit.v, {t: 0});
      flight.h = 0.05;
      for (let k = 0; k < 4000 && flight.t < 60 && flight.status === "flying"; ++k) {
        times.push(flight.t);
        rows.forEach((_, i) => values[i].push(flight.q[i]));
        flight.h = Math.min(flight.h, 0.2);
        flight.advance();
      }
    } else if (orbit.stored) {
      const [first, count] = data.rangeOf(orbit.id);
      for (let k = 0; k < Math.min(count, 200); ++k) {
        times.push(k);
        rows.forEach((_, i) => values[i].push(data.points[2 * (first + k) + i]));
      }
    }
    longest = Math.max(longest, times[times.length - 1] || 0);
    curves.push({orbit, times, values});
  }
  const left = 46, tall = (height - 26) / rows.length;
  context.font = `12px ${look.font}`;
  rows.forEach((name, row) => {
    const top = 6 + row * tall;
    let [low, high] = reachOf(curves.flatMap(c => c.values[row]));
    if (!(high > low)) low -= 1, high += 1;
    context.strokeStyle = look.faint, context.fillStyle = look.ink, context.lineWidth = 0.6;
    context.strokeRect(left, top, width - left - 4, tall - 8);
    context.textAlign = "right", context.textBaseline = "top";
    context.fillText(written(high, 3), left - 4, top);
    context.textBaseline = "bottom";
    context.fillText(written(low, 3), left - 4, top + tall - 8);
    context.textBaseline = "middle";
    context.fillText(name, left - 4, top + tall / 2 - 4);
    curves.forEach(({orbit, times, values}, k) => {
      context.strokeStyle = orbit.colour, context.lineWidth = 1.3;
      context.setLineDash([[], [6, 3], [2, 2], [8, 3, 2, 3]][k % 4]);
      context.beginPath();
      times.forEach((t, i) => context.lineTo(left + t / longest * (width - left - 4),
        top + (high - values[row][i]) / (high - low) * (tall - 8)));
      context.stroke();
      context.setLineDash([]);
    });
  });
  context.textAlign = "center", context.textBaseline = "bottom";
  context.fillText(model ? `time, 0 to ${written(longest, 3)}` : `crossing, 0 to ${longest}`, left + (width - left) / 2, height - 1);
}
