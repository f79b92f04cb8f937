// SPDX-License-Identifier: BSD-3-Clause
// A window on a plane: axes, pan and zoom by mouse, wheel, touch and keys.
"use strict";

/** Round numbers between two, about so many. */
function ticks(from, to, about) {
  const rough = (to - from) / about, decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(m => m * decade).find(s => s >= rough), found = [];
  const first = Math.ceil(from / step), count = Math.floor(to / step + 1e-9) - first + 1;
  for (let k = 0; k < Math.min(count, 100); ++k) found.push((first + k) * step);  // more are round-off's
  return {places: found, digits: Math.min(100, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))};
}
/** The least and the greatest of numbers, of however many; those that aren't finite are none. */
function reachOf(numbers) {
  let low = Infinity, high = -Infinity;
  for (const x of numbers) {
    if (!Number.isFinite(x)) continue;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return [low, high];
}
/** Whether numbers between two can be told apart. */
const isResolved = (low, high) => high - low >= 1e-12 * Math.max(Math.abs(low), Math.abs(high)) && high > low;
/** An interval about the same middle whose numbers can be told apart. */
function resolved(low, high) {
  if (isResolved(low, high)) return [low, high];
  const middle = (low + high) / 2, half = 1e-12 * Math.abs(middle) || 1e-12;
  return [middle - half, middle + half];
}
const minus = text => text.replace(/^-/, "\u2212");
/** A number as people write it. */
function written(value, digits = 6) {
  if (typeof value !== "number") return String(value);
  if (!Number.isFinite(value)) return "\u2013";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    const [mantissa, exponent] = value.toExponential(Math.min(digits - 1, 3)).split("e");
    const raised = [...String(Number(exponent))].map(c => c === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[c]);
    return minus(`${mantissa}\u00b710${raised.join("")}`);
  }
  return minus(String(Number(value.toPrecision(digits))));
}

class Plane {
  /** `box` holds the canvases; `redraw` is called when the window has changed, `pointed`, `clicked` with a place. */
  constructor(box, overlay, labels, home, {redraw, pointed, clicked}) {
    Object.assign(this, {box, overlay, labels, home, redraw, pointed, clicked});
    this.window = [...this.home];
    this.margin = {left: 62, right: 14, top: 12, bottom: 46};
    this.pointers = new Map();
    overlay.addEventListener("wheel", event => this.wheel(event), {passive: false});
    overlay.addEventListener("pointerdown", event => this.down(event));
    overlay.addEventListener("pointermove", event => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) overlay.addEventListener(end, event => this.up(event));
    overlay.addEventListener("pointerleave", () => this.pointed(null));
    overlay.addEventListener("dblclick", event => event.preventDefault());
  }
  /** The window at first, wide enough for round-off. */
  get home() { return this.whole; }
  set home([x0, x1, y0, y1]) { this.whole = [...resolved(x0, x1), ...resolved(y0, y1)]; }
  /** In pixels of the page, of the plot within its margins. */
  get frame() {
    const {left, right, top, bottom} = this.margin, {clientWidth, clientHeight} = this.box;
    return {x: left, y: top, width: clientWidth - left - right, height: clientHeight - top - bottom};
  }
  toPixels(x, y) {
    const [x0, x1, y0, y1] = this.window, f = this.frame;
    return [f.x + (x - x0) / (x1 - x0) * f.width, f.y + (y1 - y) / (y1 - y0) * f.height];
  }
  toPlace(px, py) {
    const [x0, x1, y0, y1] = this.window, f = this.frame;
    return [x0 + (px - f.x) / f.width * (x1 - x0), y1 - (py - f.y) / f.height * (y1 - y0)];
  }
  show(window) {
    const wide = window[1] - window[0], whole = this.home[1] - this.home[0];
    if (!(wide > 1e-6 * whole && wide < 20 * whole && isResolved(window[0], window[1]) && isResolved(window[2], window[3]))) return;
    this.window = window;
    this.redraw();
  }
  zoom(factor, px, py) {
    const f = this.frame, [x, y] = this.toPlace(px ?? f.x + f.width / 2, py ?? f.y + f.height / 2);
    const [x0, x1, y0, y1] = this.window;
    this.show([x + (x0 - x) * factor, x + (x1 - x) * factor, y + (y0 - y) * factor, y + (y1 - y) * factor]);
  }
  pan(dx, dy) {  // in pixels
    const f = this.frame, [x0, x1, y0, y1] = this.window;
    const u = -dx / f.width * (x1 - x0), w = dy / f.height * (y1 - y0);
    this.show([x0 + u, x1 + u, y0 + w, y1 + w]);
  }
  wheel(event) {
    event.preventDefault();
    this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), event.offsetX, event.offsetY);
  }
  down(event) {
    this.overlay.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    this.moved = 0;
    this.gathered = Math.max(this.gathered || 0, this.pointers.size);
  }
  move(event) {
    const before = this.pointers.get(event.pointerId), here = [event.offsetX, event.offsetY];
    if (!before) return this.pointed(here);
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    this.moved += Math.hypot(here[0] - before[0], here[1] - before[1]);
    this.pointers.set(event.pointerId, here);
    if (this.moved < 4) return;
    if (others.length > 0) {  // two fingers: zoom about the other, by how far they are apart
      const [o] = others, apart = at => Math.max(10, Math.hypot(at[0] - o[0], at[1] - o[1]));
      this.zoom(apart(before) / apart(here), o[0], o[1]);
    } else {
      this.pan(here[0] - before[0], here[1] - before[1]);
    }
  }
  up(event) {
    const was = this.pointers.delete(event.pointerId);
    if (was && this.pointers.size === 0) {
      if (event.type === "pointerup" && this.moved < 4 && this.gathered === 1)
        this.clicked([event.offsetX, event.offsetY], event);
      this.gathered = 0;
    }
  }
  /** Whether the key was one that moves the window. */
  key(name) {
    const f = this.frame, by = {ArrowLeft: [f.width / 8, 0], ArrowRight: [-f.width / 8, 0], ArrowUp: [0, f.height / 8],
                                ArrowDown: [0, -f.height / 8]}[name];
    if (by) this.pan(...by);
    else if (name === "+" || name === "=") this.zoom(0.8);
    else if (name === "-") this.zoom(1.25);
    else if (name === "0" || name === "Home") this.show([...this.home]);
    else return false;
    return true;
  }
  /** Axes, on a cleared overlay; returns its context, clipped to the frame. */
  axes() {
    const scale = devicePixelRatio, context = this.overlay.getContext("2d"), f = this.frame;
    if (this.clipped) context.restore();
    context.save();
    this.clipped = true;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, this.box.clientWidth, this.box.clientHeight);
    context.strokeStyle = context.fillStyle = look.ink;
    context.lineWidth = 0.8;
    context.font = `13px ${look.font}`;
    context.strokeRect(f.x, f.y, f.width, f.height);
    const [x0, x1, y0, y1] = this.window;
    context.textAlign = "center";
    context.textBaseline = "top";
    context.beginPath();
    const across = ticks(x0, x1, f.width / 90), up = ticks(y0, y1, f.height / 70);
    for (const x of across.places) {
      const [px] = this.toPixels(x, 0);
      context.moveTo(px, f.y + f.height), context.lineTo(px, f.y + f.height - 6);
      context.moveTo(px, f.y), context.lineTo(px, f.y + 6);
      context.fillText(minus(x.toFixed(across.digits)), px, f.y + f.height + 5);
    }
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const y of up.places) {
      const [, py] = this.toPixels(0, y);
      context.moveTo(f.x, py), context.lineTo(f.x + 6, py);
      context.moveTo(f.x + f.width, py), context.lineTo(f.x + f.width - 6, py);
      context.fillText(minus(y.toFixed(up.digits)), f.x - 6, py);
    }
    context.stroke();
    context.font = `italic 16px ${look.font}`;
    context.textAlign = "center";
    context.fillText(this.labels[0], f.x + f.width / 2, f.y + f.height + 33);
    context.save();
    context.translate(13, f.y + f.height / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(this.labels[1], 0, 0);
    context.restore();
    context.beginPath();
    context.rect(f.x, f.y, f.width, f.height);
    context.clip();
    return context;
  }
  /** What to do where there is nothing to see yet, amid the frame. */
  say(context, text) {
    const f = this.frame;
    context.fillStyle = look.muted;
    context.fillText(text, f.x + f.width / 2, f.y + f.height / 2);
  }
  /** Fits a canvas of points to the frame, and the overlay to the box. */
  fit(canvas) {
    const scale = devicePixelRatio, f = this.frame, size = (c, width, height) => {
      const w = Math.max(1, Math.round(width * scale)), h = Math.max(1, Math.round(height * scale));
      if (c.width !== w || c.height !== h) c.width = w, c.height = h;
      c.style.width = width + "px", c.style.height = height + "px";
    };
    size(canvas, f.width, f.height);
    canvas.style.left = f.x + "px", canvas.style.top = f.y + "px";
    if (this.overlay.width !== Math.round(this.box.clientWidth * scale) ||
        this.overlay.height !== Math.round(this.box.clientHeight * scale))
      size(this.overlay, this.box.clientWidth, this.box.clientHeight);
  }
}
