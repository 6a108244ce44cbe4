// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// The panel below the timeline: the selected slice in words, which a screen reader speaks, and totals by name.

const MOST_LINES = 200;

class Panel {
  constructor(recording, onName) {
    this.recording = recording;
    this.onName = onName;  // called with a name that the user chooses in the table
    this.details = document.getElementById("details");
    this.table = document.getElementById("totals");
    this.caption = document.getElementById("caption");
    this.body = document.getElementById("rows");
    this.totals = new Map();  // by key of the question
  }

  say(text) {
    this.details.textContent = text;
  }

  sliceText({lane, row, index}) {
    const {names, categories} = this.recording;
    const name = row.name[index], category = categories[name];
    if (lane.group === "object") return this.objectText(lane, row, index);
    const where = lane.group === "fiber" ? "fiber " + lane.title + (lane.thread ? " on " + lane.thread.title : "") : lane.title;
    const kind = category === "wait" || category === "worker" || names[name].startsWith(category) ? "" : category + " ";
    let text = kind + names[name];
    if (row.detail && names[row.detail[index]]) text += ", object " + names[row.detail[index]];
    text += "; " + where + "; begins " + pointText(row.begin[index], (row.end[index] - row.begin[index]) / 10);
    if (!row.isMarks) text += ", takes " + timeText(row.end[index] - row.begin[index]);
    return text + arrowText(this.recording, {lane, row, index}) + ".";
  }

  objectText(lane, row, index) {
    const {labels, categories} = this.recording;
    const thread = threadOf(this.recording, row.track[index]);
    const does = categories[row.name[index]] === "holder" ? " holds " : " waits for ";
    return labels[row.name[index]] + does + lane.title + (thread ? ", on " + thread.title : "") + "; begins " +
      pointText(row.begin[index], (row.end[index] - row.begin[index]) / 10) + ", takes " + timeText(row.end[index] - row.begin[index]) +
      arrowText(this.recording, {lane, row, index}) + ".";
  }

  showSlice(selection, range) {
    this.say(this.sliceText(selection));
    const {lane, row, index} = selection;
    if (lane.group === "frame") {
      this.showLines([frameTotals(lane.rows[0], row.name[index])], "Frames of the recording");
      return;
    }
    const name = row.name[index];
    const lines = this.linesOf(range, name);
    this.showLines(lines, "Slices of this name in " + (range ? "the range" : "the recording"));
  }

  showRange(range) {
    const lines = this.linesOf(range, null);
    const length = range.end - range.begin;
    const count = lines.reduce((sum, line) => sum + line.count, 0);
    this.say("Range from " + pointText(range.begin, length / 10) + " to " + pointText(range.end, length / 10) + ", " + timeText(length) + " long; " +
      plural(count, "slice") + " of " + plural(lines.length, "name") + ".");
    this.showLines(lines, "Slices that overlap the range, on all threads, and waits of fibers");
  }

  linesOf(range, name) {
    const whole = range || {begin: -1, end: this.recording.length + 1};
    const key = [whole.begin, whole.end, name].join();
    if (!this.totals.has(key)) {
      if (this.totals.size > 50) this.totals.clear();
      this.totals.set(key, totalsOf(this.recording, whole, name));
    }
    return this.totals.get(key);
  }

  showLines(lines, caption) {
    this.table.hidden = lines.length === 0;
    this.caption.textContent = caption + (lines.length > MOST_LINES ? "; the largest " + MOST_LINES : "");
    this.body.replaceChildren(...lines.slice(0, MOST_LINES).map((line) => this.makeLine(line)));
  }

  makeLine(line) {
    const tr = document.createElement("tr");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = this.recording.labels[line.name];
    button.title = "search: " + this.recording.names[line.name];
    button.addEventListener("click", () => this.onName(this.recording.names[line.name]));
    tr.insertCell().append(button);
    tr.insertCell().textContent = countText(line.count);
    for (const time of [line.total, line.p50, line.p90, line.p99, line.longest]) tr.insertCell().textContent = timeText(time);
    return tr;
  }
}

function frameTotals(row, name) {
  const sorted = row.end.map((end, i) => end - row.begin[i]).sort();
  return {name, count: row.count, total: row.sum[row.count], p50: quantile(sorted, 0.5), p90: quantile(sorted, 0.9),
    p99: quantile(sorted, 0.99), longest: quantile(sorted, 1)};
}
