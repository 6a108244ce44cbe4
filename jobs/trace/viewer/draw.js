// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// Draws the timeline. Levels of detail: slices that are narrower than a pixel become one column, whose
// shade is the busy share of that pixel. Sums and binary search find it without a visit of each
// slice, so that a frame takes time for the pixels of the canvas, not for the slices.

const FONT = "11px ui-monospace, monospace";
const SHADES = 6;

class Painter {
  constructor(canvas, view) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.view = view;
    this.recording = view.recording;
    this.theme = readTheme();
    this.context.font = FONT;
    this.arrows = new ArrowPainter(this);
    this.charWidth = this.context.measureText("0000000000").width / 10;
  }

  // `state`: {selection, range, matches, showsArrows}; the first three may be null.
  draw(state) {
    const {context, view, theme} = this;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = FONT;
    context.textBaseline = "middle";
    context.fillStyle = theme.page;
    context.fillRect(0, 0, view.width, view.height);
    this.state = state;
    this.drawLanes();
    this.arrows.draw(state);
    this.drawTop();
    this.drawRange();
    this.drawSelection();
  }

  drawLanes() {
    const {view} = this;
    for (const lane of view.lanes) {
      const y = lane.top - view.scroll + view.top;
      if (y + lane.height < view.top) continue;
      if (y > view.height) break;
      this.drawLane(lane, y);
    }
  }

  drawLane(lane, y) {
    const {context, view, theme} = this;
    context.fillStyle = theme.track;
    context.fillRect(GUTTER, y, view.width - GUTTER, lane.height - LANE_GAP);
    if (lane.curve) this.drawCurve(lane.curve, y);
    if (lane.group === "fiber") this.drawLife(lane, y);
    let top = y;
    for (const row of lane.rows) {
      if (row.isMarks) this.drawMarks(row, top);
      else this.drawRow(row, top);
      top += rowHeight(row);
    }
    this.drawTitle(lane, y);
  }

  drawTitle(lane, y) {
    const {context, theme} = this;
    context.fillStyle = theme.page;
    context.fillRect(0, y, GUTTER - 1, lane.height);
    this.drawText(lane.title, 8, y + ROW / 2, GUTTER - 16, theme.text);
    const under = lane.curve ? "up to " + lane.curve.high.toPrecision(4) : lane.thread ? "fiber, on " + lane.thread.title
      : lane.hasHolds ? "held, and waited for" : lane.group === "object" ? "waited for" : "";
    if (lane.height > 2 * ROW) this.drawText(under, 8, y + 1.5 * ROW, GUTTER - 16, theme.weak);
    context.fillStyle = theme.line;
    context.fillRect(0, y + lane.height - LANE_GAP / 2, this.view.width, 1);
  }

  drawText(text, x, y, width, color) {
    const most = Math.floor(width / this.charWidth);
    if (most < 2 || text === "") return;
    this.context.fillStyle = color;
    this.context.fillText(text.length <= most ? text : text.slice(0, most - 1) + "\u2026", x, y);
  }

  drawLife(lane, y) {
    const {context, view, theme} = this;
    const left = Math.max(view.xOf(lane.begin), GUTTER), right = Math.min(view.xOf(lane.end), view.width);
    context.strokeStyle = theme.weak;
    if (right > left) context.strokeRect(left + 0.5, y + 0.5, Math.max(right - left - 1, 1), ROW - 1);
  }

  drawRow(row, y) {
    const {view} = this;
    let i = firstEndingAfter(row, view.begin);
    while (i < row.count && row.begin[i] < view.end) {
      const left = view.xOf(row.begin[i]), right = view.xOf(row.end[i]);
      if (right - left >= 1.5) {
        this.drawSlice(row, i, left, right, y);
        ++i;
      } else {
        i = this.drawColumn(row, i, left, y);
      }
    }
  }

  drawSlice(row, i, left, right, y) {
    const {context, view, theme, recording} = this;
    const name = row.name[i];
    const from = Math.max(left, GUTTER), to = Math.min(right, view.width);
    context.globalAlpha = this.isDimmed(name) && !this.isSelected(row, i) ? 0.25 : 1;
    const style = styleOf(theme, recording, name);
    context.fillStyle = style.paint;
    context.fillRect(from, y, Math.max(to - from - (to - from > 3 ? 1 : 0), 1), ROW - 1);
    if (to - from > 20) this.drawLabel(recording.labels[name], style, from + 4, y, to - from - 8);
    context.globalAlpha = 1;
  }

  // A label over a pattern has a plain background.
  drawLabel(text, style, x, y, width) {
    const {context, theme} = this;
    if (style.paint !== style.plain) {
      const most = Math.min(text.length, Math.floor(width / this.charWidth));
      if (most < 2) return;
      context.fillStyle = style.plain;
      context.fillRect(x - 2, y + 2, most * this.charWidth + 4, ROW - 5);
    }
    this.drawText(text, x, y + ROW / 2, width, theme.text);
  }

  isSelected(row, i) {
    const {selection} = this.state;
    return selection !== null && selection.row === row && selection.index === i;
  }

  isDimmed(name) {
    return this.state.matches !== null && !this.state.matches[name];
  }

  // Draws the pixel in which slice i begins, and returns the first slice after it. A slice that reaches
  // over the pixel and is wide enough for itself ends the column.
  drawColumn(row, i, left, y) {
    const {context, view, theme} = this;
    const pixel = Math.max(Math.floor(left), GUTTER);
    const begin = view.timeOf(pixel), end = view.timeOf(pixel + 1);
    let next = Math.max(lowerBound(row.begin, end, i, row.count), i + 1);
    if (next > i + 1 && (row.end[next - 1] - row.begin[next - 1]) * view.scale() >= 1.5) --next;
    const share = Math.min(1, (row.sum[next] - row.sum[i]) / (end - begin));
    const shade = Math.max(1, Math.ceil(share * SHADES)) / SHADES;
    const found = this.hasMatch(row, i, next);
    context.globalAlpha = found ? 0.25 + 0.75 * shade : 0.12;
    context.fillStyle = found && this.state.matches !== null ? theme.accent : theme.dense;
    context.fillRect(pixel, y, 1, ROW - 1);
    context.globalAlpha = 1;
    return next;
  }

  hasMatch(row, first, last) {
    const {matches} = this.state;
    if (matches === null) return true;
    for (let i = first; i < last; ++i) if (matches[row.name[i]]) return true;
    return false;
  }

  drawMarks(row, y) {
    const {context, view, theme, recording} = this;
    let last = -Infinity;
    for (let i = lowerBound(row.begin, view.begin, 0, row.count); i < row.count && row.begin[i] <= view.end; ++i) {
      const x = view.xOf(row.begin[i]);
      const next = i + 1 < row.count ? view.xOf(row.begin[i + 1]) : view.width;
      if (x - last < 2) {
        i = Math.max(i, lowerBound(row.begin, view.timeOf(last + 2), i, row.count) - 1);
        continue;
      }
      last = x;
      this.drawMark(x, y, recording.categories[row.name[i]], this.isDimmed(row.name[i]));
      if (next - x > 40) this.drawText(recording.names[row.name[i]], x + 7, y + MARK_ROW / 2, next - x - 12, theme.weak);
    }
    context.globalAlpha = 1;
  }

  // A triangle for a theft, a ring for a timer, a square for page faults, and a diamond for a message.
  drawMark(x, y, category, isDimmed) {
    const {context, theme} = this;
    const isTheft = category === "steal";
    context.globalAlpha = isDimmed ? 0.25 : 1;
    context.fillStyle = isTheft ? theme.weak : theme.accent;
    context.beginPath();
    if (category === "timer") {
      context.arc(x, y + 5.5, 3.5, 0, 2 * Math.PI);
      context.strokeStyle = theme.weak;
      context.lineWidth = 1.5;
      context.stroke();
      context.lineWidth = 1;
      return;
    }
    if (category === "faults") {
      context.fillStyle = theme.weak;
      context.fillRect(x - 3, y + 2.5, 6, 6);
      return;
    }
    context.moveTo(x, y + (isTheft ? 9 : 10));
    context.lineTo(x - 4, isTheft ? y + 2 : y + 5.5);
    if (!isTheft) context.lineTo(x, y + 1);
    context.lineTo(x + 4, isTheft ? y + 2 : y + 5.5);
    context.fill();
  }

  drawCurve(curve, y) {
    const {context, view, theme} = this;
    const heightOf = (value) => y + 2 + (CURVE - 4) * (curve.high - value) / (curve.high - curve.low || 1);
    let i = Math.max(0, lowerBound(curve.times, view.begin) - 1);
    let pixel = -1;
    context.beginPath();
    for (; i < curve.times.length && curve.times[i] <= view.end; ++i) {
      const x = Math.max(view.xOf(curve.times[i]), GUTTER), height = heightOf(curve.values[i]);
      const isNew = pixel < 0;
      if (isNew) context.moveTo(x, height);
      else if (x - pixel >= 0.5) context.lineTo(x, this.lastHeight);
      context.lineTo(x, height);
      pixel = x;
      this.lastHeight = height;
    }
    if (pixel >= 0) context.lineTo(Math.min(view.xOf(this.recording.length), view.width), this.lastHeight);
    context.strokeStyle = theme.accent;
    context.lineWidth = 1.5;
    context.stroke();
    context.lineWidth = 1;
  }

  drawTop() {
    const {context, view, theme} = this;
    context.fillStyle = theme.page;
    context.fillRect(0, 0, view.width, view.top);
    this.recording.frames.forEach((lane, i) => this.drawFrames(lane, i * FRAME_BAR));
    this.drawAxis(view.top - AXIS);
    context.fillStyle = theme.line;
    context.fillRect(GUTTER - 1, 0, 1, view.height);
    context.fillRect(0, view.top - 1, view.width, 1);
  }

  // The height of a bar is the length of its frame; a line shows the median.
  drawFrames(lane, y) {
    const {context, view, theme} = this;
    const row = lane.rows[0];
    context.fillStyle = theme.weak;
    context.fillRect(GUTTER, y + FRAME_BAR / 2, view.width - GUTTER, 1);
    let i = firstEndingAfter(row, view.begin);
    while (i < row.count && row.begin[i] < view.end) {
      const left = view.xOf(row.begin[i]);
      const next = view.xOf(row.end[i]) - left >= 2 ? i + 1 : Math.max(i + 1, lowerBound(row.begin, view.timeOf(left + 2), i, row.count));
      let longest = 0;
      for (let j = i; j < next; ++j) longest = Math.max(longest, row.end[j] - row.begin[j]);
      this.drawFrame(lane, i, Math.max(left, GUTTER), Math.min(view.xOf(row.end[next - 1]), view.width), longest, y);
      i = next;
    }
    this.drawText(lane.title, 8, y + FRAME_BAR / 2, GUTTER - 16, theme.text);
  }

  drawFrame(lane, i, left, right, longest, y) {
    const {context, theme} = this;
    const room = FRAME_BAR - 4, isLong = longest > 1.5 * lane.median;
    const height = Math.min(room, Math.max(3, room * longest / (2 * lane.median || 1)));
    context.fillStyle = isLong ? theme.mark : i % 2 === 0 ? theme.fills[0] : theme.fills[4];
    context.fillRect(left, y + 2 + room - height, Math.max(right - left - (right - left > 3 ? 1 : 0), 1), height);
    if (right - left < 50) return;
    const label = (isLong ? "! " : "") + timeText(longest);
    this.drawText(label, left + 4, y + 2 + room - Math.min(height, room) / 2, right - left - 8, isLong ? theme.page : theme.text);
  }

  drawAxis(y) {
    const {context, view, theme} = this;
    const step = axisStep((view.end - view.begin) * 110 / (view.width - GUTTER));
    for (let time = Math.ceil(view.begin / step) * step; time <= view.end; time += step) {
      const x = view.xOf(time);
      context.fillStyle = theme.line;
      context.fillRect(x, y + 14, 1, view.height);
      this.drawText(pointText(time, step), x + 3, y + 10, 100, theme.weak);
    }
    this.drawText(timeText(view.end - view.begin) + " shown", 8, y + 10, GUTTER - 16, theme.weak);
  }

  drawRange() {
    const {context, view, theme, state} = this;
    if (state.range === null) return;
    const left = Math.max(view.xOf(state.range.begin), GUTTER), right = Math.min(view.xOf(state.range.end), view.width);
    if (right < left) return;
    context.fillStyle = theme.range;
    context.fillRect(left, 0, right - left, view.height);
    context.fillStyle = theme.accent;
    context.fillRect(left, 0, 1, view.height);
    context.fillRect(right - 1, 0, 1, view.height);
  }

  drawSelection() {
    const {context, view, theme, state} = this;
    if (state.selection === null) return;
    const {lane, row, index} = state.selection;
    if ((lane.group === "fiber" || lane.group === "object") && !view.lanes.includes(lane)) return;
    const isFrame = lane.group === "frame";
    const y = isFrame ? this.recording.frames.indexOf(lane) * FRAME_BAR + 2 : view.yOf(lane, row);
    if (!isFrame && y < view.top - ROW) return;
    const left = Math.max(view.xOf(row.begin[index]), GUTTER), right = Math.min(view.xOf(row.end[index]), view.width);
    if (right < GUTTER || left > view.width) return;
    const height = (isFrame ? FRAME_BAR - 2 : rowHeight(row)) - 1;
    context.lineWidth = 4;
    context.strokeStyle = theme.page;
    context.strokeRect(left - 1, y - 1, Math.max(right - left, 4) + 1, height + 2);
    context.lineWidth = 2;
    context.strokeStyle = theme.text;
    context.strokeRect(left - 1, y - 1, Math.max(right - left, 4) + 1, height + 2);
    context.lineWidth = 1;
  }
}

// The next larger of 1, 2 and 5 with zeros.
function axisStep(least) {
  const power = Math.pow(10, Math.floor(Math.log10(Math.max(least, 1))));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least) || 10 * power;
}
