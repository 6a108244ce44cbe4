// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// The mouse: click selects, drag moves, Shift and drag select a range, the wheel scrolls and zooms.

const CLICK = 4;  // pixels: a shorter move is a click
const NEAR = 3;   // pixels beside a slice that still hit it

// Returns the selection at a place of the canvas, or null.
function sliceAt(view, x, y) {
  const {recording} = view;
  if (x < GUTTER) return null;
  if (y < view.top) {
    const lane = recording.frames[Math.floor(y / FRAME_BAR)];
    return lane ? sliceOfRow(view, lane, lane.rows[0], x) : null;
  }
  const lane = view.laneAt(y);
  if (lane === null) return null;
  const row = lane.rows.find((other) => y >= view.yOf(lane, other) && y < view.yOf(lane, other) + rowHeight(other));
  return row ? sliceOfRow(view, lane, row, x) : null;
}

function sliceOfRow(view, lane, row, x) {
  const time = view.timeOf(x), near = NEAR / view.scale();
  const next = firstEndingAfter(row, time);
  let best = null, least = near;
  for (const index of [next - 1, next]) {
    if (index < 0 || index >= row.count) continue;
    const distance = Math.max(row.begin[index] - time, time - row.end[index], 0);
    if (distance < least) best = {lane, row, index}, least = distance || Number.MIN_VALUE;
  }
  return best;
}

class Drag {
  constructor(moves, event) {
    this.moves = moves;
    this.isRange = event.shiftKey;
    this.first = this.last = {x: event.offsetX, y: event.offsetY};
    this.hasMoved = false;
  }

  move(event) {
    const {moves, last} = this;
    const now = {x: event.offsetX, y: event.offsetY};
    this.hasMoved ||= Math.hypot(now.x - this.first.x, now.y - this.first.y) >= CLICK;
    if (!this.hasMoved) return;
    if (this.isRange) {
      this.showRange(now.x);
    } else {
      const step = (last.x - now.x) / moves.view.scale();
      moves.view.show(moves.view.begin + step, moves.view.end + step);
      moves.view.scrollBy(last.y - now.y);
    }
    this.last = now;
    moves.redraw();
  }

  // Totals come at the end of the drag.
  showRange(x) {
    const {view, state} = this.moves;
    const times = [view.timeOf(this.first.x), view.timeOf(x)].sort((a, b) => a - b);
    state.range = {begin: Math.max(times[0], 0), end: Math.min(times[1], view.recording.length)};
  }

  end() {
    const {moves} = this;
    if (this.isRange && this.hasMoved) moves.setRange(moves.state.range.begin, moves.state.range.end);
    if (this.hasMoved) return;
    const selection = sliceAt(moves.view, this.first.x, this.first.y);
    if (selection) moves.select(selection);
  }
}

function onWheel(moves, event) {
  event.preventDefault();
  const amount = event.deltaY || event.deltaX;
  if (event.ctrlKey || event.metaKey) moves.zoom(Math.pow(1.002, amount), moves.view.timeOf(event.offsetX));
  else if (event.shiftKey || event.deltaX !== 0) moves.pan(amount / 1000);
  else moves.scroll(amount);
}

function listenToMouse(moves, canvas) {
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    drag = new Drag(moves, event);
  });
  canvas.addEventListener("pointermove", (event) => drag && drag.move(event));
  canvas.addEventListener("pointerup", () => {
    if (drag) drag.end();
    drag = null;
  });
  canvas.addEventListener("pointercancel", () => drag = null);
  canvas.addEventListener("wheel", (event) => onWheel(moves, event), {passive: false});
}
