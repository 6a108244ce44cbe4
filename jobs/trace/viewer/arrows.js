// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// Arrows between threads: from the spawn of a job to its begin, from a wake-up to the fiber or the
// worker that runs again, and from the victim of a theft to the thief. The line shows the kind:
// spawns are solid, wake-ups dashed, thefts dotted.

const ARROW_NAMES = ["spawn", "wake", "steal"];
const ARROW_WORDS = ["spawned by", "woken by", "stolen from"];
const ARROW_DASHES = [[], [6, 4], [2, 3]];
const WAKE = 1;
const MOST_ARROWS = 300;  // that are drawn at a time
const HEAD = 6;           // pixels

// {from, to, fromTrack, toTrack, kind}: columns by the end; `byFrom`: the order of the begins.
function readArrows(packed) {
  const [to, length, fromTrack, toTrack, kind] = unpack(packed, 5);
  const from = to.map((time, i) => time - length[i]);
  const byFrom = Uint32Array.from(to.keys()).sort((a, b) => from[a] - from[b]);
  return {from, to, fromTrack, toTrack, kind, byFrom, fromSorted: Float64Array.from(byFrom, (i) => from[i])};
}

// The number of the thread of a slice.
function trackOf({lane, row, index}) {
  if (row.track) return row.track[index];
  if (lane.group === "thread") return lane.number;
  return lane.thread ? lane.thread.number : -1;
}

// Arrows to a slice: the begin of a job or of a run, or the end of a wait. At most 20.
function arrowsInto(recording, selection) {
  const {arrows, categories} = recording, {row, index, lane} = selection;
  const track = trackOf(selection), category = categories[row.name[index]];
  const isWait = category === "wait" || category === "waiter";
  const begin = isWait ? row.end[index] : row.begin[index];
  const end = isWait || lane.group !== "thread" ? begin : row.end[index];
  const found = [];
  for (let i = lowerBound(arrows.to, begin); i < arrows.to.length && arrows.to[i] <= end && found.length < 20; ++i)
    if (arrows.toTrack[i] === track && (!isWait || arrows.kind[i] === WAKE)) found.push(i);
  return found;
}

// Arrows that leave a slice. At most 20.
function arrowsOutOf(recording, selection) {
  const {arrows} = recording, {row, index} = selection, track = trackOf(selection), found = [];
  for (let i = lowerBound(arrows.fromSorted, row.begin[index]); i < arrows.byFrom.length && found.length < 20; ++i) {
    if (arrows.fromSorted[i] > row.end[index]) break;
    const arrow = arrows.byFrom[i];
    if (arrows.fromTrack[arrow] === track) found.push(arrow);
  }
  return found;
}

// The innermost slice of a thread at that time, as a selection; null: there is none.
function innermostAt(lane, time) {
  for (const row of lane.rows.slice().reverse()) {
    if (row.isMarks) continue;
    const index = firstEndingAfter(row, time);
    if (index < row.count && row.begin[index] <= time) return {lane, row, index};
  }
  return null;
}

function threadOf(recording, number) {
  return recording.threads.find((thread) => thread.number === number) || null;
}

// "; woken by worker 1 in job f, 3.20 us before"
function arrowText(recording, selection) {
  const into = arrowsInto(recording, selection);
  if (into.length === 0) return "";
  const {arrows, labels} = recording, arrow = into[0];
  const thread = threadOf(recording, arrows.fromTrack[arrow]);
  const source = thread && innermostAt(thread, arrows.from[arrow]);
  return "; " + ARROW_WORDS[arrows.kind[arrow]] + " " + (thread ? thread.title : "a thread") +
    (source ? " in " + labels[source.row.name[source.index]] : "") + ", " + timeText(arrows.to[arrow] - arrows.from[arrow]) + " before";
}

class ArrowPainter {
  constructor(painter) {
    this.painter = painter;
  }

  draw(state) {
    const {recording} = this.painter;
    const shown = new Set(state.showsArrows ? this.visibleArrows() : []);
    const own = new Set(state.selection ? [...arrowsInto(recording, state.selection), ...arrowsOutOf(recording, state.selection)] : []);
    for (const arrow of shown) if (!own.has(arrow)) this.drawArrow(arrow, null, false);
    for (const arrow of own) this.drawArrow(arrow, state.selection, true);
  }

  // None if there are too many: the view has to be zoomed.
  visibleArrows() {
    const {view, recording: {arrows}} = this.painter;
    const first = lowerBound(arrows.to, view.begin), last = lowerBound(arrows.to, view.end);
    return last - first > MOST_ARROWS ? [] : Array.from({length: last - first}, (_, i) => first + i);
  }

  // The middle of the lane of a thread; lanes outside of the canvas are at its edge.
  yOfTrack(number) {
    const {view, recording} = this.painter;
    const lane = threadOf(recording, number);
    if (!lane) return null;
    const row = lane.rows.find((other) => !other.isMarks) || lane.rows[0];
    return Math.min(Math.max(view.yOf(lane, row) + ROW / 2, view.top + 4), view.height - 4);
  }

  drawArrow(arrow, selection, isOwn) {
    const {context, view, theme, recording: {arrows}} = this.painter;
    const isInto = selection !== null && selection.lane.group !== "thread" && trackOf(selection) === arrows.toTrack[arrow] &&
      (arrows.to[arrow] === selection.row.begin[selection.index] || arrows.to[arrow] === selection.row.end[selection.index]);
    const fromY = this.yOfTrack(arrows.fromTrack[arrow]);
    const toY = isInto ? Math.max(view.yOf(selection.lane, selection.row) + ROW / 2, view.top + 4) : this.yOfTrack(arrows.toTrack[arrow]);
    if (fromY === null || toY === null) return;
    const clamp = (x) => Math.min(Math.max(x, GUTTER), view.width);
    const fromX = clamp(view.xOf(arrows.from[arrow])), toX = clamp(view.xOf(arrows.to[arrow]));
    context.globalAlpha = isOwn ? 1 : 0.55;
    for (const [width, color, dashes] of [[isOwn ? 5 : 0, theme.page, []], [isOwn ? 2 : 1, theme.text, ARROW_DASHES[arrows.kind[arrow]]]]) {
      if (width === 0) continue;
      context.lineWidth = width;
      context.strokeStyle = color;
      context.setLineDash(dashes);
      context.beginPath();
      context.moveTo(fromX, fromY);
      context.lineTo(toX, toY);
      context.stroke();
    }
    context.setLineDash([]);
    context.lineWidth = 1;
    this.drawHead(fromX, fromY, toX, toY);
    if (isOwn) this.drawName(ARROW_NAMES[arrows.kind[arrow]], (fromX + toX) / 2, (fromY + toY) / 2);
    context.globalAlpha = 1;
  }

  drawHead(fromX, fromY, toX, toY) {
    const {context, theme} = this.painter;
    const angle = Math.atan2(toY - fromY, toX - fromX);
    context.fillStyle = theme.text;
    context.beginPath();
    context.moveTo(toX, toY);
    for (const side of [-0.45, 0.45]) context.lineTo(toX - HEAD * 1.6 * Math.cos(angle + side), toY - HEAD * 1.6 * Math.sin(angle + side));
    context.fill();
  }

  drawName(name, x, y) {
    const {context, theme, charWidth} = this.painter;
    context.fillStyle = theme.page;
    context.fillRect(x + 4, y - 7, name.length * charWidth + 4, 14);
    context.fillStyle = theme.text;
    context.fillText(name, x + 6, y);
  }
}
