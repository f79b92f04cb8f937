// SPDX-License-Identifier: BSD-3-Clause
// The page of what moves in space: turned by hand, played in time.
"use strict";

const water = look.water.map(rgb);
const between = (stops, share) => {
  const at = Math.min(1, Math.max(0, share)) * (stops.length - 1), k = Math.min(Math.floor(at), stops.length - 2);
  return [0, 1, 2].map(c => stops[k][c] + (at - k) * (stops[k + 1][c] - stops[k][c]));
};

class SpacePage {
  constructor(data) {
    this.data = data;
    this.times = data.times;
    this.frame = 0;
    this.box = byId("space");
    this.canvas = byId("scene");
    if (data.mesh) {
      const places = reals(data.mesh.vertices), triangles = Uint32Array.from(wholes(data.mesh.triangles));
      const colours = new Uint8Array(4 * places.length / 3).fill(255);
      for (let i = 0; i < colours.length; i += 4) colours.set([198, 205, 214], i);
      this.mesh = {places, triangles, colours, normals: normalsOf(places, triangles), closed: data.mesh.closed, inside: data.mesh.inside};
      this.ground = Float32Array.from(places);
    }
    if (data.points) {
      this.places = reals(data.points);
      this.count = data.points.count;
      const stops = viridis.map(rgb);
      this.tints = Array.from({length: this.count}, (_, k) => this.count <= palette.length ? rgb(palette[k])
        : this.count <= 400 ? between(stops, 0.85 * k / this.count) : [29, 74, 140]);
    }
    if (data.field) this.field = reals(data.field);
    this.links = data.links ? wholes(data.links) : null;
    this.outline = (data.outline || []).flatMap(loop => loop.slice(1).flatMap((p, k) => [...loop[k], 0, ...p, 0]));
    this.eye = new Eye(data.low, data.high, data.flat);
    this.painter = this.chosenPainter();
    this.controls();
    new ResizeObserver(() => this.redraw()).observe(this.box);
    this.redraw();
  }
  chosenPainter() {
    if (location.hash !== "#canvas") {
      try {
        const painter = this.painter = new SceneByWebGL(this.canvas);
        this.draw();
        painter.finish();
        const begin = performance.now();
        this.draw();
        painter.finish();
        if (performance.now() - begin < 100 || location.hash === "#webgl") return painter;
        painter.gl.getExtension("WEBGL_lose_context")?.loseContext();
      } catch (error) {
        if (location.hash === "#webgl") throw error;
      }
      const fresh = this.canvas.cloneNode();
      this.canvas.replaceWith(fresh);
      this.canvas = fresh;
    }
    return new SceneByCanvas(this.canvas);
  }

  // --- the scene at a time ------------------------------------------------------------------------------------------

  /** The places of all points at the time of this frame, between two where the motion is sampled finely. */
  placesAt(frame) {
    const {count, places} = this, low = Math.floor(frame), part = this.data.smooth ? frame - low : 0;
    const next = Math.min(low + 1, this.times.length - 1), result = new Float32Array(3 * count);
    for (let i = 0; i < 3 * count; ++i)
      result[i] = places[3 * count * low + i] * (1 - part) + places[3 * count * next + i] * part;
    return result;
  }
  scene() {
    const {mesh, data, frame} = this, low = Math.floor(frame), segments = [], tints = [];
    let points = null;
    const segment = (from, to, tint) => {
      segments.push(...from, ...to);
      tints.push(...tint, 255, ...tint, 255);
    };
    for (let i = 0; i < this.outline.length; i += 6)
      segment(this.outline.slice(i, i + 3), this.outline.slice(i + 3, i + 6), [27, 27, 31]);
    if (this.places) {
      const here = this.placesAt(frame), at = k => [here[3 * k], here[3 * k + 1], here[3 * k + 2]];
      if (data.moving) {
        mesh.places = here;
        mesh.normals = normalsOf(here, mesh.triangles);
      } else if (this.links) {
        for (let i = 0; i < this.links.length; i += 2) segment(at(this.links[i]), at(this.links[i + 1]), [0, 70, 130]);
      } else if (data.trails) {
        const back = Math.round(Number(byId("tail").value) * (this.times.length - 1));
        for (let k = 0; k < this.count; ++k)
          for (let f = Math.max(0, low - back); f < low; ++f) {
            const from = 3 * (this.count * f + k), to = from + 3 * this.count;
            segment(this.places.subarray(from, from + 3), this.places.subarray(to, to + 3), this.tints[k]);
            if (f === low - 1 && data.smooth) segment(this.places.subarray(to, to + 3), at(k), this.tints[k]);
          }
      }
      if (!data.moving && data.dot > 0) {
        const colours = new Uint8Array(4 * this.count).fill(255);
        this.tints.forEach((tint, k) => colours.set(tint, 4 * k));
        points = {places: here, colours, size: data.dot};
      }
    }
    if (this.field) this.flood(low);
    return {mesh, points, segments: {places: Float32Array.from(segments), colours: Uint8Array.from(tints)}};
  }
  /** Water over the land: its depth in colour, its surface above the bed. */
  flood(frame) {
    const {mesh, ground, field, data} = this, count = ground.length / 3, next = Math.min(frame + 1, this.times.length - 1);
    const part = this.frame - frame;
    for (let i = 0; i < count; ++i) {
      const depth = field[count * frame + i] * (1 - part) + field[count * next + i] * part;
      mesh.places[3 * i + 2] = ground[3 * i + 2] + depth * data.field.raise;
      const share = depth / data.field.high[0];
      mesh.colours.set(share > 1e-3 ? between(water, Math.sqrt(share)) : [214, 203, 178], 4 * i);
    }
    mesh.normals = normalsOf(mesh.places, mesh.triangles);
  }
  draw() {
    const scale = devicePixelRatio, {clientWidth, clientHeight} = this.box;
    this.canvas.width = Math.max(1, Math.round(clientWidth * scale));
    this.canvas.height = Math.max(1, Math.round(clientHeight * scale));
    this.painter.draw(this.eye, this.scene());
    this.frames = (this.frames || 0) + 1;
  }
  redraw() {
    if (this.due) return;
    this.due = requestAnimationFrame(() => { this.due = 0; this.draw(); });
  }

  // --- hands --------------------------------------------------------------------------------------------------------

  controls() {
    const {data, box, eye} = this, slider = byId("time"), last = this.times.length - 1;
    Object.assign(slider, {min: 0, max: last, step: data.smooth || this.field ? last / 1000 : 1, value: 0});
    byId("time-row").hidden = byId("clock").hidden = byId("speed-row").hidden = last < 1;
    byId("tail-row").hidden = !data.trails;
    byId("space-legend").textContent = data.legend;
    slider.oninput = () => this.show(Number(slider.value));
    byId("tail").oninput = () => this.redraw();
    byId("play").onclick = () => this.play(!this.playing);
    const pointers = new Map();
    const view = box;
    view.addEventListener("pointerdown", event => {
      view.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    });
    view.addEventListener("pointermove", event => {
      const before = pointers.get(event.pointerId), here = [event.offsetX, event.offsetY];
      if (!before) return;
      pointers.set(event.pointerId, here);
      const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const [dx, dy] = [here[0] - before[0], here[1] - before[1]];
      if (others.length > 0) {
        const apart = at => Math.max(10, Math.hypot(at[0] - others[0][0], at[1] - others[0][1]));
        eye.zoom *= apart(here) / apart(before);
      } else if (event.shiftKey !== Boolean(data.flat)) {
        eye.shift = [eye.shift[0] + dx, eye.shift[1] + dy];
      } else {
        this.turn(-dx / 150, dy / 150);
      }
      this.redraw();
    });
    for (const end of ["pointerup", "pointercancel"]) view.addEventListener(end, event => pointers.delete(event.pointerId));
    view.addEventListener("wheel", event => {
      event.preventDefault();
      eye.zoom *= Math.exp(-Math.max(-1, Math.min(1, event.deltaY / 300)));
      this.redraw();
    }, {passive: false});
    view.addEventListener("keydown", event => {
      const turn = {ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1]}[event.key];
      if (turn) this.turn(...turn);
      else if (event.key === "+" || event.key === "=") eye.zoom *= 1.25;
      else if (event.key === "-") eye.zoom *= 0.8;
      else if (event.key === "0" || event.key === "Home") eye.home();
      else if (event.key === " ") this.play(!this.playing);
      else if (event.key === ",") this.show(Math.ceil(this.frame) - 1);
      else if (event.key === ".") this.show(Math.floor(this.frame) + 1);
      else return;
      event.preventDefault();
      this.redraw();
    });
    this.show(data.trails || last < 1 ? last : Math.round(last / 2));
  }
  turn(azimuth, elevation) {
    this.eye.azimuth += azimuth;
    this.eye.elevation = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, this.eye.elevation + elevation));
    this.redraw();
  }
  show(frame) {
    const last = this.times.length - 1;
    this.frame = Math.min(Math.max(frame, 0), last);
    byId("time").value = this.frame;
    const low = Math.floor(this.frame), part = this.frame - low, next = this.times[Math.min(low + 1, last)];
    const time = this.times[low] + (this.data.smooth || this.field ? part * (next - this.times[low]) : 0);
    byId("clock").textContent = `t = ${written(time, 5)}${this.data.unit}`;
    this.redraw();
  }
  /** Plays from here to the end in about twelve seconds, or stops. */
  play(on) {
    this.playing = on;
    byId("play").textContent = on ? "stop" : "play";
    if (!on) return;
    const last = this.times.length - 1;
    if (this.frame >= last) this.show(0);
    let before = performance.now();
    const step = now => {
      if (!this.playing) return;
      this.show(this.frame + (now - before) / 12000 * last * 10 ** (Number(byId("speed").value) / 2));
      before = now;
      if (this.frame >= last) this.play(false);
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}

pages.space = SpacePage;
