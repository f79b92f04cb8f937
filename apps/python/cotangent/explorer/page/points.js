// SPDX-License-Identifier: BSD-3-Clause
// Many points in a plane, drawn by WebGL, or dot by dot into a canvas where there is none.
"use strict";

/** Bytes of a base64 text. */
function bytesOf(text) {
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Pairs of numbers that are packed as whole numbers of `bytes` bytes each between low and high. */
function unpacked({data, bytes, low, high}) {
  const packed = bytesOf(data), count = packed.length / (2 * bytes), points = new Float32Array(2 * count);
  const scale = [0, 1].map(k => (high[k] - low[k]) / (2 ** (8 * bytes) - 1));
  for (let i = 0, at = 0; i < 2 * count; ++i, at += bytes) {
    let whole = 0;
    for (let b = bytes; b-- > 0;) whole = whole * 256 + packed[at + b];
    points[i] = low[i & 1] + scale[i & 1] * whole;
  }
  return points;
}

const vertexSource = `
attribute vec2 place; attribute vec4 colour;
uniform vec4 window; uniform float size; uniform vec4 paint;
varying vec4 shade;
void main() {
  gl_Position = vec4((place - window.xy) * window.zw, 0.0, 1.0);
  gl_PointSize = size;
  shade = vec4(mix(colour.rgb, paint.rgb, paint.a), 1.0);
}`;
const fragmentSource = `
precision mediump float; varying vec4 shade;
void main() { gl_FragColor = shade; }`;

/** Draws ranges of points: draw(window, ranges), a range being { first, count, size, paint } with paint a colour and
 *  how much of it is mixed in. */
class PointsByWebGL {
  constructor(canvas, points) {
    const gl = canvas.getContext("webgl", {antialias: false, preserveDrawingBuffer: true});
    if (!gl) throw new Error("no WebGL");
    this.name = "WebGL";
    this.gl = gl;
    this.canvas = canvas;
    const program = useProgram(gl, vertexSource, fragmentSource);
    this.uniform = name => gl.getUniformLocation(program, name);
    this.places = this.buffer(program, "place", 2, gl.FLOAT, false);
    gl.bufferData(gl.ARRAY_BUFFER, points, gl.STATIC_DRAW);
    this.colours = this.buffer(program, "colour", 4, gl.UNSIGNED_BYTE, true);
  }
  buffer(program, name, width, type, normalised) {
    const {gl} = this, buffer = gl.createBuffer(), at = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, width, type, normalised, 0, 0);
    return buffer;
  }
  /** Four bytes a point. */
  colour(colours) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.colours);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, colours, this.gl.STATIC_DRAW);
  }
  draw([x0, x1, y0, y1], ranges) {
    const {gl, canvas} = this;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(1, 1, 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform4f(this.uniform("window"), (x0 + x1) / 2, (y0 + y1) / 2, 2 / (x1 - x0), 2 / (y1 - y0));
    for (const {first, count, size, paint} of ranges) {
      gl.uniform1f(this.uniform("size"), size);
      gl.uniform4fv(this.uniform("paint"), paint);
      gl.drawArrays(gl.POINTS, first, count);
    }
  }
  /** Waits until all is drawn. */
  finish() {
    this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4));
  }
}

class PointsByCanvas {
  constructor(canvas, points) {
    this.name = "canvas";
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.points = points;
  }
  colour(colours) {
    this.colours = colours;
  }
  draw([x0, x1, y0, y1], ranges) {
    const {width, height} = this.canvas, {points, colours} = this, words = new Uint32Array(colours.buffer);
    if (!this.image || this.image.width !== width || this.image.height !== height) {
      this.image = this.context.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    const {pixels} = this, across = width / (x1 - x0), up = height / (y1 - y0);
    pixels.fill(0xffffffff);
    for (const {first, count, size, paint} of ranges) {
      const side = Math.max(1, Math.round(size)), shift = (side - 1) >> 1, mix = paint[3], keep = 1 - mix;
      const [red, green, blue] = paint.map(c => 255 * c * mix), last = 2 * (first + count);
      const right = width - side, bottom = height - side;
      for (let i = 2 * first; i < last; i += 2) {
        const u = (points[i] - x0) * across - shift, w = (y1 - points[i + 1]) * up - shift;
        if (!(u >= 0 && w >= 0 && u < right && w < bottom)) continue;
        const at = 2 * i, word = mix === 0 ? words[i >> 1]
          : 0xff000000 | (colours[at + 2] * keep + blue) << 16 | (colours[at + 1] * keep + green) << 8
            | (colours[at] * keep + red);
        let pixel = (w | 0) * width + (u | 0);
        for (let v = 0; v < side; ++v, pixel += width)
          for (let k = 0; k < side; ++k) pixels[pixel + k] = word;
      }
    }
    this.context.putImageData(this.image, 0, 0);
  }
  finish() {}
}

/** How long a frame takes, judged by some of the points. */
function secondsOf(painter, points) {
  const all = points.length / 2, some = Math.min(all, 50000), trial = [{first: 0, count: some, size: 1, paint: [0, 0, 0, 0]}];
  let begin = 0;
  painter.colour(new Uint8Array(4 * all));
  for (let turn = 0; turn < 2; ++turn) {  // the first one compiles
    begin = performance.now();
    painter.draw([-1, 1, -1, 1], trial);
    painter.finish();
  }
  return (performance.now() - begin) / 1000 * all / Math.max(1, some);
}

/** By WebGL where there is some that takes less than a tenth of a second for a frame: on a processor alone the canvas
 *  is faster. The address's #canvas and #webgl insist. `first` colours and draws all that there is. */
function pointsOn(canvas, points, first) {
  if (location.hash !== "#canvas") {
    try {
      const painter = new PointsByWebGL(canvas, points);
      if (location.hash === "#webgl" || secondsOf(painter, points) < 0.1) {
        first(painter);
        return painter;
      }
      painter.gl.getExtension("WEBGL_lose_context")?.loseContext();
    } catch (error) {
      if (location.hash === "#webgl") throw error;
    }
    const fresh = canvas.cloneNode();  // one that has given its context once gives no other
    canvas.replaceWith(fresh);
    canvas = fresh;
  }
  const painter = new PointsByCanvas(canvas, points);
  first(painter);
  return painter;
}
