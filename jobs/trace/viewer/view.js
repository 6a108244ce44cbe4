// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// The part of the recording that the canvas shows, and the places of the lanes.

const GUTTER = 150;  // pixels for titles
const ROW = 18;
const MARK_ROW = 11;
const LANE_GAP = 7;
const AXIS = 22;
const FRAME_BAR = 30;
const CURVE = 40;
const SHORTEST_VIEW = 20;  // nanoseconds

class View {
  constructor(recording) {
    this.recording = recording;
    this.begin = 0;
    this.end = recording.length;
    this.scroll = 0;
    this.anchor = null;  // a lane that keeps its place while other lanes come and go
    this.width = this.height = 1;
    this.top = AXIS + FRAME_BAR * recording.frames.length;
    this.placeLanes();
  }

  // A fiber has a lane while it lives in the visible time, and an object while it is waited for.
  placeLanes() {
    const before = this.anchor ? this.anchor.top : 0;
    this.lanes = this.recording.lanes.filter((lane) => (lane.group !== "fiber" && lane.group !== "object") || (lane.begin <= this.end && lane.end >= this.begin));
    let y = 0;
    for (const lane of this.lanes) {
      lane.top = y;
      lane.height = LANE_GAP + (lane.curve ? CURVE : lane.rows.reduce((sum, row) => sum + rowHeight(row), 0) || ROW);
      y += lane.height;
    }
    this.contentHeight = y;
    this.scrollBy(this.anchor ? this.anchor.top - before : 0);
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
    this.scrollBy(0);
  }

  scale() {
    return (this.width - GUTTER) / (this.end - this.begin);
  }

  xOf(time) {
    return GUTTER + (time - this.begin) * this.scale();
  }

  timeOf(x) {
    return this.begin + (x - GUTTER) / this.scale();
  }

  // Shows that range, moved and cut to the recording.
  show(begin, end) {
    const span = Math.min(Math.max(end - begin, SHORTEST_VIEW), this.recording.length);
    this.begin = Math.min(Math.max(begin, 0), this.recording.length - span);
    this.end = this.begin + span;
    this.placeLanes();
  }

  // The point in time `at` keeps its place.
  zoom(factor, at) {
    this.show(at - (at - this.begin) * factor, at + (this.end - at) * factor);
  }

  pan(share) {
    const step = (this.end - this.begin) * share;
    this.show(this.begin + step, this.end + step);
  }

  scrollBy(pixels) {
    const most = Math.max(0, this.contentHeight - (this.height - this.top));
    this.scroll = Math.min(Math.max(this.scroll + pixels, 0), most);
  }

  // Returns the top of a row of a lane on the canvas.
  yOf(lane, row) {
    let y = lane.top - this.scroll + this.top;
    for (const other of lane.rows) {
      if (other === row) break;
      y += rowHeight(other);
    }
    return y;
  }

  laneAt(y) {
    const place = y - this.top + this.scroll;
    return this.lanes.find((lane) => place >= lane.top && place < lane.top + lane.height) || null;
  }

  // Moves and scrolls as little as shows the slice.
  reveal({lane, row, index}) {
    const begin = row.begin[index], end = row.end[index], span = this.end - this.begin;
    const middle = begin + Math.min(end - begin, span) / 2;
    if (end < this.begin || begin > this.end) this.show(middle - span / 2, middle + span / 2);
    this.anchor = lane.group === "frame" ? null : lane;
    if (this.anchor === null) return;
    const y = this.yOf(lane, row) - this.top;
    const room = this.height - this.top;
    if (y < 0) this.scrollBy(y - LANE_GAP);
    if (y + ROW > room) this.scrollBy(y + ROW - room + LANE_GAP);
  }
}

function rowHeight(row) {
  return row.isMarks ? MARK_ROW : ROW;
}
