// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// What a user does: moves the view, the selection and the range, and searches. The keyboard and the
// mouse call these functions.

class Moves {
  constructor(recording, view, painter) {
    this.recording = recording;
    this.view = view;
    this.painter = painter;
    this.panel = new Panel(recording, (name) => this.searchFor(name));
    this.state = {selection: null, range: null, matches: null, showsArrows: false};
    this.isDrawing = false;
  }

  // Draws before the next picture of the screen, once for all changes until then.
  redraw() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      this.painter.draw(this.state);
    });
  }

  zoom(factor, at = this.center()) {
    this.view.zoom(factor, at);
    this.redraw();
  }

  pan(share) {
    this.view.pan(share);
    this.redraw();
  }

  scroll(pixels) {
    this.view.scrollBy(pixels);
    this.redraw();
  }

  showAll() {
    this.view.show(0, this.recording.length);
    this.redraw();
  }

  // The middle of the selection if it can be seen, otherwise that of the view.
  center() {
    const {view, state} = this;
    const middle = state.selection ? this.focusTime() : (view.begin + view.end) / 2;
    return middle >= view.begin && middle <= view.end ? middle : (view.begin + view.end) / 2;
  }

  // The middle of the part of the selection that can be seen.
  focusTime() {
    const {view, state: {selection}} = this;
    if (selection === null) return (view.begin + view.end) / 2;
    const begin = selection.row.begin[selection.index], end = selection.row.end[selection.index];
    const left = Math.max(begin, view.begin), right = Math.min(end, view.end);
    return left <= right ? (left + right) / 2 : (begin + end) / 2;
  }

  select(selection) {
    this.state.selection = selection;
    if (selection) {
      this.view.reveal(selection);
      this.panel.showSlice(selection, this.state.range);
    }
    this.redraw();
  }

  zoomToSelection() {
    const {selection} = this.state;
    if (selection === null) return;
    const begin = selection.row.begin[selection.index];
    const length = Math.max(selection.row.end[selection.index] - begin, SHORTEST_VIEW);
    this.view.show(begin - length, begin + 2 * length);
    this.redraw();
  }

  setRange(begin, end) {
    const first = Math.max(Math.min(begin, end), 0), last = Math.min(Math.max(begin, end), this.recording.length);
    this.state.range = {begin: first, end: last};
    this.panel.showRange(this.state.range);
    this.redraw();
  }

  // One end of the range becomes the begin or the end of the selection.
  setRangeEnd(side) {
    const {selection, range} = this.state;
    if (selection === null) return this.panel.say("Select a slice first.");
    const time = selection.row[side][selection.index];
    const other = side === "begin" ? (range ? range.end : selection.row.end[selection.index]) : range ? range.begin : selection.row.begin[selection.index];
    this.setRange(time, other);
  }

  clear() {
    this.state = {...this.state, selection: null, range: null, matches: null};
    document.getElementById("search").value = "";
    document.getElementById("matches").textContent = "";
    this.panel.showLines([], "");
    this.panel.say("Nothing is selected.");
    this.redraw();
  }

  // The next slice of the row, or the one before.
  moveInRow(step) {
    const {selection} = this.state;
    if (selection === null) return this.selectFirst();
    const index = selection.index + step;
    if (index < 0 || index >= selection.row.count) return this.panel.say("There is no slice further on this row.");
    this.select({...selection, index});
  }

  // The row above or below, at the same time. Rows without slices are left out.
  moveToRow(step) {
    const {selection} = this.state;
    if (selection === null) return this.selectFirst();
    const rows = this.selectableRows();
    const place = rows.findIndex(({row}) => row === selection.row) + step;
    if (place < 0 || place >= rows.length) return this.panel.say("There is no row further.");
    const time = this.focusTime();
    const {lane, row} = rows[place];
    this.select({lane, row, index: Math.min(firstEndingAfter(row, time), row.count - 1)});
  }

  selectableRows() {
    return [...this.recording.frames, ...this.view.lanes].flatMap((lane) => lane.rows.map((row) => ({lane, row}))).filter(({row}) => row.count > 0);
  }

  selectFirst() {
    const rows = this.selectableRows().filter(({lane}) => lane.group !== "frame");
    if (rows.length === 0) return this.panel.say("The recording has no slices.");
    const {lane, row} = rows[0];
    this.select({lane, row, index: Math.min(firstEndingAfter(row, this.view.begin), row.count - 1)});
  }

  // The lane of the selected fiber: of the selection itself, or of the fiber that ran there.
  selectedFiber() {
    const {selection} = this.state;
    if (selection === null) return null;
    if (selection.lane.group === "fiber") return selection.lane;
    return selection.lane.group === "thread" ? fiberAt(selection.lane, this.focusTime()) : null;
  }

  nextWait() {
    const lane = this.selectedFiber();
    if (lane === null) return this.panel.say("No fiber is selected: select a slice in which one runs.");
    const row = lane.rows[0], {selection} = this.state;
    const from = selection.row === row ? selection.index + 1 : firstEndingAfter(row, this.focusTime());
    for (let index = from; index < row.count; ++index)
      if (this.recording.categories[row.name[index]] === "wait") return this.select({lane, row, index});
    this.panel.say("The fiber " + lane.title + " has no further wait.");
  }

  // From a wait to the object, and from an object to the fiber that holds it or waits.
  toggleObject() {
    const {selection} = this.state;
    if (selection === null) return this.panel.say("Select a wait first.");
    const time = this.focusTime();
    if (selection.lane.group === "object") return this.selectRunOf(selection, time);
    const lane = objectOf(this.recording, selection);
    if (lane === null) return this.panel.say("No object with a track is waited for there.");
    const row = lane.rows.slice(lane.hasHolds ? 1 : 0).concat(lane.rows).find((other) => {
      const i = firstEndingAfter(other, time);
      return i < other.count && other.begin[i] <= time;
    }) || lane.rows[0];
    this.select({lane, row, index: Math.min(firstEndingAfter(row, time), row.count - 1)});
  }

  // The fiber of a slice of an object: that whose wait ends, or that which releases the lock.
  selectRunOf(selection, time) {
    const thread = threadOf(this.recording, trackOf(selection));
    if (thread === null) return this.panel.say("The thread is not known.");
    const isWait = this.recording.categories[selection.row.name[selection.index]] === "waiter";
    const end = selection.row.end[selection.index];
    const lane = isWait ? this.recording.fibers.find((fiber) => fiber.thread === thread && endsWaitAt(fiber, end)) : fiberAt(thread, end);
    const to = lane || thread;
    const row = lane ? lane.rows[0] : rowAt(thread, time);
    this.select({lane: to, row, index: Math.min(firstEndingAfter(row, time), row.count - 1)});
  }

  // To the other end of an arrow: step -1: the code that has spawned, woken or lost the selection.
  followArrow(step) {
    const {selection} = this.state;
    if (selection === null) return this.panel.say("Select a slice first.");
    const {arrows} = this.recording;
    const [arrow] = step < 0 ? arrowsInto(this.recording, selection) : arrowsOutOf(this.recording, selection);
    if (arrow === undefined) return this.panel.say(step < 0 ? "No arrow leads to the selection." : "No arrow leaves the selection.");
    const thread = threadOf(this.recording, step < 0 ? arrows.fromTrack[arrow] : arrows.toTrack[arrow]);
    const time = step < 0 ? arrows.from[arrow] : arrows.to[arrow];
    const target = thread && innermostAt(thread, time);
    if (target) return this.select(target);
    const lane = thread && fiberAt(thread, time);
    if (!lane) return this.panel.say("There is no slice at the other end of the arrow.");
    this.select({lane, row: lane.rows[0], index: Math.min(firstEndingAfter(lane.rows[0], time), lane.rows[0].count - 1)});
  }

  toggleArrows() {
    this.state.showsArrows = !this.state.showsArrows;
    const {length} = this.painter.arrows.visibleArrows();
    this.panel.say(!this.state.showsArrows ? "Arrows of the selection only."
      : length > 0 ? plural(length, "arrow") + " in the time that is shown." : "Zoom in: at most " + MOST_ARROWS + " arrows are shown.");
    this.redraw();
  }

  // From a slice of a thread to the fiber that ran it, and back.
  toggleFiber() {
    const {selection} = this.state;
    const lane = this.selectedFiber();
    if (lane === null) return this.panel.say("No fiber with waits ran there.");
    const to = selection.lane === lane ? lane.thread : lane;
    if (!to || to.rows.length === 0) return this.panel.say("No thread ran this fiber.");
    const time = this.focusTime();
    const row = to === lane ? lane.rows[0] : to.rows.find((other) => !other.isMarks) || to.rows[0];
    this.select({lane: to, row, index: Math.min(firstEndingAfter(row, time), row.count - 1)});
  }

  search(text) {
    this.state.matches = text === "" ? null : matchingNames(this.recording, text);
    const count = text === "" ? 0 : countMatches(this.recording, this.state.matches);
    document.getElementById("matches").textContent = text === "" ? "" : countText(count) + (count === 1 ? " match" : " matches");
    this.redraw();
  }

  searchFor(name) {
    document.getElementById("search").value = name;
    this.search(name);
    this.next(1);
  }

  next(step) {
    const {matches, selection} = this.state;
    if (matches === null) return this.panel.say("Search first: press the slash key.");
    const isSearched = selection !== null && (selection.lane.group === "thread" || selection.lane.group === "object" || selection.row === selection.lane.rows[0]) && selection.lane.group !== "frame";
    const found = nextMatch(this.recording, matches, isSearched ? selection : null, step);
    if (found === null) return this.panel.say("There is no further match.");
    this.select(found);
  }
}

// Returns whether the fiber waits until that time, or a little earlier: it runs before it has the lock.
function endsWaitAt({rows: [row]}, end) {
  const i = firstEndingAfter(row, end) - 1;
  return i >= 0 && row.detail !== null && row.detail[i] !== 0 && end - row.end[i] < 50000;
}
