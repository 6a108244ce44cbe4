// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// The start of the page.

function resize(canvas, moves) {
  const {clientWidth, clientHeight} = canvas, ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(clientWidth * ratio);
  canvas.height = Math.round(clientHeight * ratio);
  moves.view.resize(clientWidth, clientHeight);
  moves.painter.draw(moves.state);
}

function followTheme(moves) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    moves.painter.theme = readTheme();
    moves.redraw();
  });
}

// The element has a copy of all data, which is not needed any more.
function takeRecording() {
  const element = document.getElementById("recording");
  const recording = readRecording(element.textContent);
  element.remove();
  return recording;
}

function describe(recording) {
  const parts = [plural(recording.sliceCount, "slice"), plural(recording.threads.length, "thread"), plural(recording.fibers.length, "fiber")];
  document.getElementById("title").textContent = timeText(recording.length) + " recorded: " + parts.join(", ");
}

// Milliseconds from the begin of the navigation to the first picture, for tests.
function reportOpening(recording) {
  document.body.dataset.slices = recording.sliceCount;
  document.body.dataset.openMs = Math.round(performance.now());
}

function start() {
  const canvas = document.getElementById("timeline");
  const recording = takeRecording();
  const view = new View(recording);
  const moves = new Moves(recording, view, new Painter(canvas, view));
  describe(recording);
  listenToKeys(moves);
  listenToMouse(moves, canvas);
  followTheme(moves);
  new ResizeObserver(() => resize(canvas, moves)).observe(canvas);
  resize(canvas, moves);
  canvas.focus();
  reportOpening(recording);
  return moves;
}

const viewer = start();
