// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// Keys. The table is also the text of the help.

const PAGE = 0.8;

const KEYS = [
  {keys: ["w", "W"], help: ["W", "zoom in"], run: (moves) => moves.zoom(1 / 1.5)},
  {keys: ["s", "S"], help: ["S", "zoom out"], run: (moves) => moves.zoom(1.5)},
  {keys: ["a", "A"], help: ["A", "earlier"], run: (moves) => moves.pan(-0.2)},
  {keys: ["d", "D"], help: ["D", "later"], run: (moves) => moves.pan(0.2)},
  {keys: ["ArrowLeft"], help: ["\u2190", "slice before"], run: (moves) => moves.moveInRow(-1)},
  {keys: ["ArrowRight"], help: ["\u2192", "next slice"], run: (moves) => moves.moveInRow(1)},
  {keys: ["ArrowUp"], help: ["\u2191", "row above"], run: (moves) => moves.moveToRow(-1)},
  {keys: ["ArrowDown"], help: ["\u2193", "row below"], run: (moves) => moves.moveToRow(1)},
  {keys: ["PageUp"], help: ["Page Up", "scroll up"], run: (moves) => moves.scroll(-PAGE * (moves.view.height - moves.view.top))},
  {keys: ["PageDown"], help: ["Page Down", "scroll down"], run: (moves) => moves.scroll(PAGE * (moves.view.height - moves.view.top))},
  {keys: ["/"], help: ["/", "search a name"], run: () => document.getElementById("search").focus()},
  {keys: ["n"], help: ["N", "next match; with Shift the one before"], run: (moves) => moves.next(1)},
  {keys: ["N"], run: (moves) => moves.next(-1)},
  {keys: ["j", "J"], help: ["J", "next wait of the selected fiber"], run: (moves) => moves.nextWait()},
  {keys: ["f", "F"], help: ["F", "from the thread to the fiber that ran, and back"], run: (moves) => moves.toggleFiber()},
  {keys: ["o", "O"], help: ["O", "from a wait to its object, and from an object to the fiber"], run: (moves) => moves.toggleObject()},
  {keys: ["g"], help: ["G", "along the arrow to the selection: to the code that spawned or woke it; with Shift along an arrow that leaves it"], run: (moves) => moves.followArrow(-1)},
  {keys: ["G"], run: (moves) => moves.followArrow(1)},
  {keys: ["r", "R"], help: ["R", "all arrows of the time that is shown, or those of the selection"], run: (moves) => moves.toggleArrows()},
  {keys: ["z", "Z", "Enter"], help: ["Z", "zoom to the selection"], run: (moves) => moves.zoomToSelection()},
  {keys: ["["], help: ["[", "range begins at the selection"], run: (moves) => moves.setRangeEnd("begin")},
  {keys: ["]"], help: ["]", "range ends at the selection"], run: (moves) => moves.setRangeEnd("end")},
  {keys: ["t", "T"], help: ["T", "totals of the time that is shown"], run: (moves) => moves.setRange(moves.view.begin, moves.view.end)},
  {keys: ["0", "Home"], help: ["0", "show all"], run: (moves) => moves.showAll()},
  {keys: ["Escape"], help: ["Esc", "select nothing, close the help"], run: (moves) => isHelpOpen() ? toggleHelp() : moves.clear()},
  {keys: ["?"], help: ["?", "this help"], run: () => toggleHelp()},
];

const HELP_OF_MOUSE = [
  ["click", "select a slice"], ["drag", "move the view"], ["Shift + drag", "select a range of time"],
  ["Ctrl + wheel", "zoom"], ["wheel", "scroll; with Shift earlier or later"],
];

const HELP_OF_SHAPES = [
  ["bars above", "frames: a bar is as high as its frame is long, the line is the median; ! marks frames above 1.5 medians"],
  ["hatched", "a fiber waits"], ["empty frame", "a fiber that has not started"], ["dotted", "a worker searches or sleeps"], ["\u25bc", "a theft"], ["\u25c6", "a message"], ["\u25cb", "a timer"], ["\u25a0", "page faults"],
  ["solid arrow", "a spawn, to the begin of the job"], ["dashed arrow", "a wake-up, to the end of the wait or of the sleep"], ["dotted arrow", "a theft, from its victim"],
  ["grey columns", "many slices in one pixel; dark: busy"],
];

function isHelpOpen() {
  return !document.getElementById("help").hidden;
}

function toggleHelp() {
  const help = document.getElementById("help");
  help.hidden = !help.hidden;
  document.getElementById("helpButton").setAttribute("aria-expanded", String(!help.hidden));
}

function helpTable(lines, tag) {
  const table = document.createElement("table");
  for (const [left, right] of lines) {
    const row = table.insertRow();
    const key = document.createElement(tag);
    key.textContent = left;
    row.insertCell().append(key);
    row.insertCell().textContent = right;
  }
  return table;
}

function fillHelp() {
  const keys = KEYS.filter(({help}) => help).map(({help}) => help);
  document.getElementById("help").append(helpTable(keys, "kbd"), helpTable(HELP_OF_MOUSE, "kbd"), helpTable(HELP_OF_SHAPES, "b"));
}

function onKey(moves, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
  if (event.key === "Enter" && event.target.tagName === "BUTTON") return;
  const entry = KEYS.find(({keys}) => keys.includes(event.key));
  if (!entry) return;
  event.preventDefault();
  entry.run(moves);
}

function onSearchKey(moves, event) {
  if (event.key === "Enter") moves.next(event.shiftKey ? -1 : 1);
  if (event.key === "Escape") moves.search(event.target.value = "");
  if (event.key === "Enter" || event.key === "Escape") document.getElementById("timeline").focus();
}

function listenToKeys(moves) {
  fillHelp();
  const search = document.getElementById("search");
  document.addEventListener("keydown", (event) => onKey(moves, event));
  search.addEventListener("keydown", (event) => onSearchKey(moves, event));
  search.addEventListener("input", () => moves.search(search.value));
  document.getElementById("all").addEventListener("click", () => moves.showAll());
  document.getElementById("helpButton").addEventListener("click", toggleHelp);
}
