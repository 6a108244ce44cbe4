// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// The recording: unpacks what the library has written, and arranges it in lanes.
//
// A lane is a track of the view: {group, title, rows, curve}. A row has slices that do not
// overlap, in ascending order; the slices of row n + 1 lie within those of row n.

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function countOfNumbers(bytes) {
  let count = 0;
  for (let i = 0; i < bytes.length; ++i) count += bytes[i] < 128;
  return count;
}

// Returns the columns of a list of rows. The first column has differences between times; the
// result has the times.
function unpack(base64, width) {
  const bytes = bytesOf(base64);
  const count = countOfNumbers(bytes) / width;
  const columns = Array.from({length: width}, () => new Float64Array(count));
  let value = 0, scale = 1, row = 0, column = 0;
  for (let i = 0; i < bytes.length; ++i) {
    value += (bytes[i] & 127) * scale;
    scale *= 128;
    if (bytes[i] >= 128) continue;
    columns[column][row] = value;
    value = 0;
    scale = 1;
    if (++column === width) column = 0, ++row;
  }
  for (let i = 1; i < count; ++i) columns[0][i] += columns[0][i - 1];
  return columns;
}

// The slices of one depth. `sum`: time in the slices before each one. `detail`: index of a name
// that says more, such as the object of a wait. `track`: number of the thread, for objects.
class Row {
  constructor(capacity) {
    this.count = 0;
    this.begin = new Float64Array(capacity);
    this.end = new Float64Array(capacity);
    this.sum = new Float64Array(capacity + 1);
    this.name = new Uint32Array(capacity);
    this.detail = null;
    this.track = null;
    this.isMarks = false;
  }

  add(begin, end, name) {
    const i = this.count++;
    this.begin[i] = begin;
    this.end[i] = end;
    this.name[i] = name;
    this.sum[i + 1] = this.sum[i] + end - begin;
  }
}

function rowsOf(begins, lengths, names, depths) {
  const counts = [];
  for (let i = 0; i < depths.length; ++i) counts[depths[i]] = (counts[depths[i]] || 0) + 1;
  const rows = counts.map((count) => new Row(count));
  for (let i = 0; i < begins.length; ++i) rows[depths[i]].add(begins[i], begins[i] + lengths[i], names[i]);
  return rows;
}

// Marks, such as messages, are a row of slices without a length.
function markRow(at, names) {
  const row = new Row(at.length);
  row.isMarks = true;
  for (let i = 0; i < at.length; ++i) row.add(at[i], at[i], names[i]);
  return row;
}

function threadLane(track) {
  const rows = rowsOf(...unpack(track.slices, 4));
  const marks = markRow(...unpack(track.marks, 2));
  if (marks.count > 0) rows.unshift(marks);
  return {group: "thread", title: track.name, number: track.number, rows, runs: []};
}

function frameLane(part, names) {
  const [begins, lengths] = unpack(part.frames, 2);
  const row = new Row(begins.length);
  for (let i = 0; i < begins.length; ++i) row.add(begins[i], begins[i] + lengths[i], part.name);
  const sorted = lengths.slice().sort();
  return {group: "frame", title: names[part.name], rows: [row], median: sorted[sorted.length >> 1] || 0};
}

function curveLane(part, names) {
  const [times] = unpack(part.times, 1);
  const values = part.values.map((value) => value === null ? NaN : value);
  const finite = values.filter((value) => !Number.isNaN(value));
  const low = finite.reduce((a, b) => Math.min(a, b), 0);
  const high = finite.reduce((a, b) => Math.max(a, b), low);
  return {group: "counter", title: names[part.name], rows: [], curve: {times, values, low, high}};
}

// The function of a job without the class around it and without namespaces that say nothing.
function labelOf(name) {
  const inner = /^jobs::(?:\w+::)?detail::\w+<(.*)>::execute\(.*\)$/.exec(name);
  return (inner ? inner[1] : name).replaceAll("(anonymous namespace)::", "").replace(/\bjobs::v\d+::/g, "jobs::");
}

// "worker 10" comes after "worker 9", and threads after workers.
function byTitle(a, b) {
  const isWorker = (lane) => lane.title.startsWith("worker ") ? 0 : 1;
  return isWorker(a) - isWorker(b) || a.title.localeCompare(b.title, "en", {numeric: true});
}

function sliceCountOf(lanes) {
  let count = 0;
  for (const lane of lanes) for (const row of lane.rows) if (!row.isMarks) count += row.count;
  return count;
}

function readRecording(text) {
  const data = JSON.parse(text);
  const {names, categories} = data;
  const addName = (category, name) => {
    categories.push(category);
    return names.push(name) - 1;
  };
  const threads = data.tracks.map(threadLane).sort(byTitle);
  const fibers = fiberLanes(data.fibers, threads, addName);
  const objects = objectLanes(data.objects);
  const frames = data.frames.map((part) => frameLane(part, names));
  const curves = data.curves.map((part) => curveLane(part, names));
  return {
    length: Math.max(data.length, 1), names, labels: names.map(labelOf), categories, frames, threads, objects, fibers,
    arrows: readArrows(data.arrows),
    lanes: [...curves, ...threads, ...objects, ...fibers],
    sliceCount: sliceCountOf(threads),
  };
}
