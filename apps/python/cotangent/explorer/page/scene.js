// SPDX-License-Identifier: BSD-3-Clause
// A scene of triangles, segments and points, drawn by WebGL, or far ones first into a canvas where there is none.
// What a surface hides is drawn faintly.
"use strict";

/** Whole numbers of `bytes` bytes each. */
function wholes({data, bytes}) {
  const packed = bytesOf(data), count = packed.length / bytes, numbers = new Uint32Array(count);
  for (let i = 0; i < count; ++i) for (let b = bytes; b-- > 0;) numbers[i] = numbers[i] * 256 + packed[i * bytes + b];
  return numbers;
}
/** Numbers packed between low and high; of rows of several columns, each column between its own. */
function reals(packed) {
  const numbers = wholes(packed), {low, high, bytes} = packed, width = low.length, result = new Float32Array(numbers.length);
  const scale = low.map((l, k) => (high[k] - l) / (2 ** (8 * bytes) - 1));
  for (let i = 0; i < result.length; ++i) result[i] = low[i % width] + scale[i % width] * numbers[i];
  return result;
}

/** Directions at the vertices: means over their triangles. */
function normalsOf(places, triangles) {
  const normals = new Float32Array(places.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const u = [0, 1, 2].map(k => places[b + k] - places[a + k]), w = [0, 1, 2].map(k => places[c + k] - places[a + k]);
    for (let k = 0; k < 3; ++k) {
      const n = u[(k + 1) % 3] * w[(k + 2) % 3] - u[(k + 2) % 3] * w[(k + 1) % 3];
      normals[a + k] += n, normals[b + k] += n, normals[c + k] += n;
    }
  }
  for (let i = 0; i < normals.length; i += 3) {
    const size = Math.hypot(normals[i], normals[i + 1], normals[i + 2]) || 1;
    for (let k = 0; k < 3; ++k) normals[i + k] /= size;
  }
  return normals;
}

/** From where the scene is seen: orthographic, turned by two angles. */
class Eye {
  constructor(low, high, flat) {
    this.centre = low.map((l, k) => (l + high[k]) / 2);
    this.size = Math.hypot(...low.map((l, k) => high[k] - l)) / 2 || 1;
    this.low = low, this.high = high, this.flat = flat;
    this.home();
  }
  home() {
    Object.assign(this, {azimuth: this.flat ? 0 : -0.6, elevation: this.flat ? Math.PI / 2 : 0.6, zoom: 1, shift: [0, 0]});
  }
  /** Rows: to the right, up, towards the eye. */
  get rows() {
    const [ca, sa, ce, se] = [Math.cos(this.azimuth), Math.sin(this.azimuth), Math.cos(this.elevation), Math.sin(this.elevation)];
    return [[ca, sa, 0], [-sa * se, ca * se, ce], [sa * ce, -ca * ce, se]];
  }
  /** Pixels for a unit of length. */
  scale(width, height) {
    if (!this.flat) return this.zoom * 0.5 * Math.min(width, height) * 0.95 / this.size;
    const [dx, dy] = [0, 1].map(k => this.high[k] - this.low[k] || 1e-9);
    return this.zoom * 0.9 * Math.min(width / dx, height / dy);
  }
}

const sceneVertex = `
attribute vec3 place; attribute vec3 normal; attribute vec4 colour;
uniform mat3 turn; uniform vec3 centre; uniform vec2 scale; uniform vec2 shift; uniform float depth; uniform float size;
uniform float lit; uniform float fade;
varying vec4 shade;
void main() {
  vec3 p = turn * (place - centre);
  gl_Position = vec4(p.xy * scale + shift, -p.z * depth, 1.0);
  gl_PointSize = size;
  float light = mix(1.0, 0.35 + 0.65 * abs(dot(turn * normal, vec3(-0.35, 0.45, 0.82))), lit);
  shade = vec4(colour.rgb * light, fade);
}`;
const sceneFragment = `
precision mediump float; varying vec4 shade; uniform float round;
void main() {
  if (round > 0.5 && length(gl_PointCoord - 0.5) > 0.5) discard;
  gl_FragColor = vec4(shade.rgb * shade.a, shade.a);
}`;

class SceneByWebGL {
  constructor(canvas) {
    const gl = canvas.getContext("webgl", {antialias: true, preserveDrawingBuffer: true});
    if (!gl) throw new Error("no WebGL");
    Object.assign(this, {name: "WebGL", gl, canvas});
    const program = useProgram(gl, sceneVertex, sceneFragment);
    this.u = name => gl.getUniformLocation(program, name);
    this.at = Object.fromEntries(["place", "normal", "colour"].map(name => [name, gl.getAttribLocation(program, name)]));
    this.wide = gl.getExtension("OES_element_index_uint");
    this.buffers = {place: gl.createBuffer(), normal: gl.createBuffer(), colour: gl.createBuffer(), index: gl.createBuffer()};
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }
  load(name, data, width, type, normalised) {
    const {gl} = this;
    if (!data) {
      gl.disableVertexAttribArray(this.at[name]);
      return gl.vertexAttrib3f(this.at[name], 0, 0, 1);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(this.at[name]);
    gl.vertexAttribPointer(this.at[name], width, type, normalised, 0, 0);
  }
  draw(eye, {mesh, segments, points}) {
    const {gl, canvas} = this, {width, height} = canvas, scale = eye.scale(width, height), rows = eye.rows;
    gl.viewport(0, 0, width, height);
    gl.clearColor(1, 1, 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix3fv(this.u("turn"), false, [0, 1, 2].flatMap(k => rows.map(row => row[k])));
    gl.uniform3fv(this.u("centre"), eye.centre);
    gl.uniform2f(this.u("scale"), 2 * scale / width, 2 * scale / height);
    gl.uniform2f(this.u("shift"), 2 * eye.shift[0] * devicePixelRatio / width, -2 * eye.shift[1] * devicePixelRatio / height);
    gl.uniform1f(this.u("depth"), 0.4 / eye.size);
    gl.uniform1f(this.u("fade"), 1);
    gl.uniform1f(this.u("round"), 0);
    if (mesh) {
      this.load("place", mesh.places, 3, gl.FLOAT, false);
      this.load("normal", mesh.normals, 3, gl.FLOAT, false);
      this.load("colour", mesh.colours, 4, gl.UNSIGNED_BYTE, true);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers.index);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.triangles, gl.STATIC_DRAW);
      gl.uniform1f(this.u("lit"), 1);
      gl.enable(gl.DEPTH_TEST);
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(1, 4);
      if (mesh.inside) gl.enable(gl.CULL_FACE);  // one looks through the wall into what it encloses
      gl.drawElements(gl.TRIANGLES, mesh.triangles.length, gl.UNSIGNED_INT, 0);
      gl.disable(gl.CULL_FACE);
      gl.disable(gl.POLYGON_OFFSET_FILL);
    }
    gl.uniform1f(this.u("lit"), 0);
    for (const [what, kind] of [[segments, gl.LINES], [points, gl.POINTS]]) {
      if (!what || what.places.length === 0) continue;
      this.load("place", what.places, 3, gl.FLOAT, false);
      this.load("normal", null);
      this.load("colour", what.colours, 4, gl.UNSIGNED_BYTE, true);
      gl.uniform1f(this.u("size"), (what.size || 1) * devicePixelRatio);
      gl.uniform1f(this.u("round"), kind === gl.POINTS ? 1 : 0);
      for (const hidden of mesh ? [true, false] : [false]) {  // all faintly, then what is seen
        gl.uniform1f(this.u("fade"), hidden ? 0.15 : 1);
        if (hidden) gl.disable(gl.DEPTH_TEST); else gl.enable(gl.DEPTH_TEST);
        gl.depthMask(!hidden);
        gl.drawArrays(kind, 0, what.places.length / 3);
      }
    }
    gl.depthMask(true);
  }
  finish() {
    this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4));
  }
}

class SceneByCanvas {
  constructor(canvas) {
    Object.assign(this, {name: "canvas", canvas, context: canvas.getContext("2d")});
  }
  draw(eye, {mesh, segments, points}) {
    const {canvas, context} = this, {width, height} = canvas, scale = eye.scale(width, height), rows = eye.rows;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = look.paper;
    context.fillRect(0, 0, width, height);
    const [cx, cy] = [width / 2 + eye.shift[0] * devicePixelRatio, height / 2 + eye.shift[1] * devicePixelRatio];
    const project = places => {
      const seen = new Float32Array(places.length);
      for (let i = 0; i < places.length; i += 3) {
        const [x, y, z] = [places[i] - eye.centre[0], places[i + 1] - eye.centre[1], places[i + 2] - eye.centre[2]];
        const [right, up, near] = rows.map(r => r[0] * x + r[1] * y + r[2] * z);
        seen[i] = cx + scale * right, seen[i + 1] = cy - scale * up, seen[i + 2] = near;
      }
      return seen;
    };
    const items = [];  // [how near, kind, which]
    const ofMesh = mesh && project(mesh.places), ofSegments = segments && project(segments.places), ofPoints = points && project(points.places);
    const front = 1e-3 * eye.size;
    if (mesh) for (let t = 0; t < mesh.triangles.length; t += 3) {
      const [a, b, c] = [3 * mesh.triangles[t], 3 * mesh.triangles[t + 1], 3 * mesh.triangles[t + 2]];
      const facing = (ofMesh[b] - ofMesh[a]) * (ofMesh[c + 1] - ofMesh[a + 1]) - (ofMesh[b + 1] - ofMesh[a + 1]) * (ofMesh[c] - ofMesh[a]);
      if (mesh.closed && facing > 0) continue;
      items.push([(ofMesh[a + 2] + ofMesh[b + 2] + ofMesh[c + 2]) / 3, 0, t]);
    }
    if (segments) for (let i = 0; i < ofSegments.length; i += 6) items.push([(ofSegments[i + 2] + ofSegments[i + 5]) / 2 + 20 * front, 1, i]);
    if (points) for (let i = 0; i < ofPoints.length; i += 3) items.push([ofPoints[i + 2] + 20 * front, 2, i]);
    items.sort((one, other) => one[0] - other[0]);
    for (const [, kind, i] of items) {
      context.beginPath();
      if (kind === 0) {
        const [a, b, c] = [mesh.triangles[i], mesh.triangles[i + 1], mesh.triangles[i + 2]];
        const n = [0, 1, 2].map(k => mesh.normals[3 * a + k] + mesh.normals[3 * b + k] + mesh.normals[3 * c + k]), size = Math.hypot(...n) || 1;
        const [u, w, near] = rows.map(r => (r[0] * n[0] + r[1] * n[1] + r[2] * n[2]) / size);
        const light = 0.35 + 0.65 * Math.min(1, Math.abs(-0.35 * u + 0.45 * w + 0.82 * near));
        context.fillStyle = context.strokeStyle = `rgb(${[0, 1, 2].map(k => Math.round(light * mesh.colours[4 * a + k])).join(",")})`;
        for (const corner of [a, b, c]) context.lineTo(ofMesh[3 * corner], ofMesh[3 * corner + 1]);
        context.closePath();
        context.fill();
        context.lineWidth = 0.7;
        context.stroke();
      } else {
        const {colours, size} = kind === 1 ? segments : points, at = kind === 1 ? 4 * i / 3 : 4 * i / 3;
        context.strokeStyle = context.fillStyle = `rgb(${colours[at]},${colours[at + 1]},${colours[at + 2]})`;
        if (kind === 1) {
          context.lineWidth = 1.2;
          context.moveTo(ofSegments[i], ofSegments[i + 1]);
          context.lineTo(ofSegments[i + 3], ofSegments[i + 4]);
          context.stroke();
        } else {
          context.arc(ofPoints[i], ofPoints[i + 1], (size || 1) / 2 * devicePixelRatio, 0, 7);
          context.fill();
        }
      }
    }
  }
  finish() {}
}
