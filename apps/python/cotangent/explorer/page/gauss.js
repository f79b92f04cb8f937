// SPDX-License-Identifier: BSD-3-Clause
// Free motion M(q, v) a = f(q, v, t) by Gauss collocation of 8 stages, order 16, whose steps adapt; and its crossings
// of a section, each the end of a step of its own from the last one's state, so that they have the method's full order.
// References: Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), II.1.3 and VIII.6; Henon, On the numerical
// computation of Poincare maps, Physica D 5 (1982) 412, who ends a step on the section.
"use strict";

/** Nodes, weights and matrices of Gauss collocation on [0, 1], and the weights of the highest Legendre coefficient. */
const collocation = (() => {
  const stages = 8;
  const legendre = (n, x) => {  // P_n and P_n-1
    let before = 1, here = x;
    for (let k = 2; k <= n; ++k) [before, here] = [here, ((2 * k - 1) * x * here - (k - 1) * before) / k];
    return [here, before];
  };
  const nodes = [], weights = [];
  for (let i = 0; i < stages; ++i) {
    let x = -Math.cos(Math.PI * (i + 0.75) / (stages + 0.5)), slope = 1;
    for (let k = 0; k < 20; ++k) {
      const [value, before] = legendre(stages, x);
      slope = stages * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    nodes.push((1 + x) / 2);
    weights.push(1 / ((1 - x * x) * slope * slope));
  }
  const lagrange = (j, x) => nodes.reduce((product, c, k) => k === j ? product : product * (x - c) / (nodes[j] - c), 1);
  const matrix = nodes.map(c => nodes.map((_, j) =>
    c * nodes.reduce((sum, node, k) => sum + weights[k] * lagrange(j, c * node), 0)));
  const square = matrix.map(row => nodes.map((_, j) => row.reduce((sum, a, k) => sum + a * matrix[k][j], 0)));
  const highest = nodes.map((c, j) => (2 * stages - 1) * weights[j] * legendre(stages - 1, 2 * c - 1)[0]);
  return {stages, nodes, weights, matrix, square, highest};
})();

/** A model's motion at given parameters. */
class Motion {
  constructor(model, parameters) {
    this.model = model;
    this.dim = model.coordinates.length;
    this.x = new Float64Array(2 * this.dim + parameters.length + 1);
    this.x.set(parameters, 2 * this.dim);
    this.d = new Float64Array(1 + 2 * this.dim + this.dim * this.dim);
    this.work = new Float64Array(this.dim * (this.dim + 1));
  }
  /** Puts a state where the model's functions read it. */
  at(q, v, t) {
    for (let i = 0; i < this.dim; ++i) this.x[i] = q[i], this.x[this.dim + i] = v[i];
    this.x[this.x.length - 1] = t;
    return this.x;
  }
  momenta(q, v, t) {
    this.model.motion(this.at(q, v, t), this.d);
    return this.d.slice(1, 1 + this.dim);
  }
  energy(q, v, t) {
    return this.momenta(q, v, t).reduce((sum, p, i) => sum + p * v[i], -this.d[0]);
  }
  /** a of M a = f, by elimination with pivots. */
  acceleration(q, v, t, a) {
    const n = this.dim, w = this.work, wide = n + 1;
    this.model.motion(this.at(q, v, t), this.d);
    for (let i = 0; i < n; ++i) {
      for (let j = 0; j < n; ++j) w[i * wide + j] = this.d[1 + n + i * n + j];
      w[i * wide + n] = this.d[1 + n + n * n + i];
    }
    for (let k = 0; k < n; ++k) {
      let pivot = k;
      for (let i = k + 1; i < n; ++i) if (Math.abs(w[i * wide + k]) > Math.abs(w[pivot * wide + k])) pivot = i;
      if (pivot !== k)
        for (let j = k; j <= n; ++j) [w[k * wide + j], w[pivot * wide + j]] = [w[pivot * wide + j], w[k * wide + j]];
      for (let i = k + 1; i < n; ++i) {
        const factor = w[i * wide + k] / w[k * wide + k];
        for (let j = k; j <= n; ++j) w[i * wide + j] -= factor * w[k * wide + j];
      }
    }
    for (let i = n - 1; i >= 0; --i) {
      let sum = w[i * wide + n];
      for (let j = i + 1; j < n; ++j) sum -= w[i * wide + j] * a[j];
      a[i] = sum / w[i * wide + i];
    }
  }
}

/** One step of Gauss collocation: { q, v, rough }, or null where the stages don't converge. */
class Stepper {
  constructor(motion) {
    this.motion = motion;
    const vectors = () => Array.from({length: collocation.stages}, () => new Float64Array(motion.dim));
    this.forces = vectors();
    this.places = vectors();
    this.speeds = vectors();
    this.fresh = new Float64Array(motion.dim);
  }
  step(q, v, t, h) {
    const {stages, nodes, weights, matrix, square, highest} = collocation, n = this.motion.dim;
    const {forces, places, speeds, fresh, motion} = this;
    motion.acceleration(q, v, t, fresh);
    for (const force of forces) force.set(fresh);
    let last = Infinity;
    for (let iteration = 0; ; ++iteration) {
      if (iteration === 60) return null;
      let change = 0;
      for (let i = 0; i < stages; ++i) {
        for (let k = 0; k < n; ++k) {
          let place = 0, speed = 0;
          for (let j = 0; j < stages; ++j) {
            place += square[i][j] * forces[j][k];
            speed += matrix[i][j] * forces[j][k];
          }
          places[i][k] = q[k] + h * (nodes[i] * v[k] + h * place);
          speeds[i][k] = v[k] + h * speed;
        }
      }
      for (let i = 0; i < stages; ++i) {
        motion.acceleration(places[i], speeds[i], t + nodes[i] * h, fresh);
        for (let k = 0; k < n; ++k) {
          const size = 1 + Math.abs(fresh[k]);
          change = Math.max(change, Math.abs(fresh[k] - forces[i][k]) / size);
          forces[i][k] = fresh[k];
        }
      }
      if (!(change < 1e6)) return null;
      if (change < 1e-15 || (change < 1e-12 && change >= last)) break;
      last = change;
    }
    const end = {q: Float64Array.from(q), v: Float64Array.from(v), rough: 0};
    for (let k = 0; k < n; ++k) {
      let place = 0, speed = 0, coefficient = 0, size = 1;
      for (let j = 0; j < stages; ++j) {
        place += weights[j] * (1 - nodes[j]) * forces[j][k];
        speed += weights[j] * forces[j][k];
        coefficient += highest[j] * forces[j][k];
        size = Math.max(size, Math.abs(forces[j][k]));
      }
      end.q[k] += h * (v[k] + h * place);
      end.v[k] += h * speed;
      end.rough = Math.max(end.rough, Math.abs(coefficient) / size);
    }
    return end;
  }
}

/** Equally spaced times, all that are `phase` modulo `every`, counted from the first one that isn't below 0. */
class Ticks {
  constructor(every, phase) {
    this.every = every;
    this.offset = phase - every * Math.floor(phase / every);
    if (!(this.offset < every)) this.offset = 0;  // by rounding
  }
  at(k) { return this.offset + k * this.every; }
  /** The number of the first one after a time. */
  after(t) {
    let k = Math.max(0, Math.floor((t - this.offset) / this.every));
    while (this.at(k) <= t) ++k;
    while (k > 0 && this.at(k - 1) > t) --k;
    return k;
  }
}

/** A trajectory in flight that gathers its crossings of the model's section. */
class Flight {
  /** The step's error is about the square of its force's highest Legendre coefficient, which is kept below `rough`. */
  constructor(model, parameters, q, v, {rough = 1e-7, t = 0} = {}) {
    this.motion = new Motion(model, parameters);
    this.stepper = new Stepper(this.motion);
    this.section = model.section;
    this.q = Float64Array.from(q);
    this.v = Float64Array.from(v);
    this.rough = rough;
    this.h = 0.1;
    this.status = "flying";
    this.steps = 0;
    if (this.section && this.section.every) {
      const x = this.motion.at(q, v, t);
      this.ticks = new Ticks(this.section.every(x), this.section.phase(x));
      this.next = this.ticks.after(t);
    } else if (this.section) {
      const at = model.coordinates.findIndex(c => c.name === this.section.where);
      this.turns = at >= 0 && model.coordinates[at].angle;
    }
    this.t = t;
    this.firstEnergy = this.energy = this.motion.energy(this.q, this.v, t);
    this.energyError = 0;
  }
  /** The section's function, of an angle within half a turn. */
  height(q, v, t) {
    const value = this.section.of(this.motion.at(q, v, t));
    return this.turns ? value - 2 * Math.PI * Math.round(value / (2 * Math.PI)) : value;
  }
  kept(q, v, t) {
    return !this.section.condition || this.section.condition(this.motion.at(q, v, t));
  }
  /** Takes a step; the crossings in it. */
  advance() {
    const due = this.ticks ? this.ticks.at(this.next) : Infinity, limit = due - this.t;
    for (;;) {
      const h = Math.min(this.h, limit), end = this.stepper.step(this.q, this.v, this.t, h);
      const factor = end ? Math.min(2, 0.9 * Math.pow(this.rough / (end.rough + 1e-300), 1 / (collocation.stages - 1)))
                         : 0.5;
      if (end && end.rough <= this.rough) {
        const found = this.ticks ? [] : this.crossings(end, h);
        this.t = h === limit ? due : this.t + h;
        this.q = end.q;
        this.v = end.v;
        if (h < limit || factor < 1) this.h = Math.min(h * Math.max(factor, 0.3), 10);
        if (h === limit) {
          ++this.next;
          if (this.kept(this.q, this.v, this.t)) found.push({q: this.q, v: this.v, t: this.t});
        }
        ++this.steps;
        this.energy = this.motion.energy(this.q, this.v, this.t);
        this.energyError = Math.max(this.energyError, Math.abs(this.energy - this.firstEnergy));
        const model = this.motion.model;
        if (model.domain && !(model.domain(this.motion.at(this.q, this.v, this.t)) > 0)) this.status = "left the domain";
        return found;
      }
      this.h = h * Math.max(0.2, Math.min(factor, 0.7));
      if (!(this.h > 1e-9)) {
        this.status = "step too small";
        return [];
      }
    }
  }
  /** Between which nodes of the step the section lies, and there by secants. */
  crossings(end, h) {
    const {nodes, stages} = collocation, {places, speeds} = this.stepper, heights = [];
    if (!this.section) return [];
    // A start on the section is no crossing: what counts is where the first node lies.
    heights.push([0, this.steps === 0 ? NaN : this.height(this.q, this.v, this.t)]);
    for (let i = 0; i < stages; ++i) heights.push([nodes[i], this.height(places[i], speeds[i], this.t + nodes[i] * h)]);
    heights.push([1, this.height(end.q, end.v, this.t + h)]);
    const found = [], near = this.turns ? 2 : Infinity, brackets = [];
    for (let i = 1; i < heights.length; ++i) {
      const [from, below] = heights[i - 1], [to, above] = heights[i];
      const sense = below < 0 && above >= 0 ? 1 : below >= 0 && above < 0 ? -1 : 0;
      if (sense === 0 || Math.abs(below) > near || Math.abs(above) > near) continue;
      if (this.section.direction === 0 || sense === this.section.direction) brackets.push([from, below, to, above]);
    }
    for (const bracket of brackets) {
      const state = this.onSection(...bracket, h);
      if (state && this.kept(state.q, state.v, state.t)) found.push(state);
    }
    return found;
  }
  onSection(from, below, to, above, h) {
    let a = from, fa = below, b = to, fb = above, state = null;
    for (let iteration = 0; iteration < 30; ++iteration) {
      let c = b - fb * (b - a) / (fb - fa);
      if (!(c >= Math.max(0, from - 0.1) && c <= Math.min(1, to + 0.1))) c = (from + to) / 2;
      state = this.stepper.step(this.q, this.v, this.t, c * h);
      if (!state) return null;
      const fc = this.height(state.q, state.v, this.t + c * h);
      state.t = this.t + c * h;
      const moved = Math.abs(c - b) * h;
      [a, fa, b, fb] = [b, fb, c, fc];
      if (fc === 0 || moved < 1e-15 || fb === fa) break;
    }
    return state;
  }
}

/** The state on the section whose columns are the values given, at an energy; null where there is none. The section's
 *  coordinate has its value; what is left over, one velocity, follows from the energy as in a deck: the energy is a
 *  quadratic of it, the larger root that the section takes is the start. */
function startOn(model, parameters, given, energy) {
  const motion = new Motion(model, parameters), n = motion.dim, section = model.section || {}, names = [];
  for (const c of model.coordinates) names.push(c.name);
  for (const c of model.coordinates) names.push(c.name + "_dot");
  const state = new Float64Array(2 * n), known = new Array(2 * n).fill(false);
  const t = 0;
  let across = names.indexOf(section.where);
  if (across >= n || section.every) across = -1;
  if (across >= 0) state[across] = section.value, known[across] = true;
  const momenta = [];
  for (const [name, value] of Object.entries(given)) {
    const at = names.indexOf(name);
    if (at >= 0) {
      if (at === across) return null;
      state[at] = value;
      known[at] = true;
    } else {
      const i = model.coordinates.findIndex(c => "p_" + c.name === name);
      if (i < 0) return null;
      momenta.push([i, value]);
      known[n + i] = true;
    }
  }
  const q = state.subarray(0, n), v = state.subarray(n);
  // Momenta are linear in the velocities, or nearly: each gives its own velocity.
  const meet = () => {
    for (let pass = 0; pass < 8; ++pass)
      for (const [i, value] of momenta) {
        motion.momenta(q, v, t);
        v[i] += (value - motion.d[1 + i]) / motion.d[1 + n + i * n + i];
      }
  };
  const accept = () => {
    const x = motion.at(q, v, t);
    if (across >= 0 && section.direction !== 0 && v[across] * section.direction < 0) return null;
    if (section.condition && !section.condition(x)) return null;
    if (model.domain && !(model.domain(x) > 0)) return null;
    return {q: Array.from(q), v: Array.from(v), t};
  };
  const missing = known.flatMap((is, i) => is ? [] : [i]);
  if (missing.length === 0) {
    meet();
    return accept();
  }
  if (missing.length > 1 || missing[0] < n) return null;
  const left = missing[0] - n;
  const excess = speed => {
    v[left] = speed;
    meet();
    return motion.energy(q, v, t) - energy;
  };
  const atZero = excess(0), atOne = excess(1), atMinus = excess(-1);
  const a = (atOne + atMinus) / 2 - atZero, b = (atOne - atMinus) / 2, discriminant = b * b - 4 * a * atZero;
  if (!(discriminant >= 0) || !(a > 0)) return null;
  const far = -0.5 * (b + (b < 0 ? -1 : 1) * Math.sqrt(discriminant));
  const roots = [far / a, far !== 0 ? atZero / far : -far / a].sort((one, other) => other - one);
  for (let root of roots) {
    for (let iteration = 0; iteration < 4; ++iteration) {
      const slope = 2 * a * root + b, next = root - excess(root) / slope;
      if (!Number.isFinite(next) || Math.abs(slope) < 1e-9) break;
      root = next;
    }
    excess(root);
    const start = accept();
    if (start) return start;
  }
  return null;
}
