// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// Colours and patterns of slices. A pattern shows the category, so that no meaning depends on colour:
// waits are hatched (of fibers, for locks, at objects), sleeping and searching workers are dotted,
// and names differ in lines, too.

const FILLS = 8;
const TILE = 8;

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue("--" + name).trim();
  const theme = {fills: [], styles: new Map()};
  for (const name of ["page", "panel", "text", "weak", "line", "track", "accent", "mark", "range", "idle", "dense"]) theme[name] = read(name);
  for (let i = 0; i < FILLS; ++i) theme.fills.push(read("fill" + i));
  return theme;
}

const DRAW_PATTERN = {
  hatched(tile) {
    for (const shift of [-TILE, 0, TILE]) {
      tile.moveTo(shift - 1, TILE + 1);
      tile.lineTo(shift + TILE + 1, -1);
    }
  },
  lined(tile) {
    tile.moveTo(0, 6.5);
    tile.lineTo(TILE, 6.5);
  },
  barred(tile) {
    tile.moveTo(6.5, 0);
    tile.lineTo(6.5, TILE);
  },
  dotted(tile) {
    tile.rect(1, 1, 1, 1);
    tile.rect(5, 5, 1, 1);
  },
};

function patternOf(fill, ink, kind) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = TILE;
  const tile = canvas.getContext("2d");
  tile.fillStyle = fill;
  tile.fillRect(0, 0, TILE, TILE);
  tile.strokeStyle = ink;
  tile.globalAlpha = kind === "hatched" ? 0.45 : 0.25;
  tile.beginPath();
  DRAW_PATTERN[kind](tile);
  tile.stroke();
  return tile.createPattern(canvas, "repeat");
}

function hashOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; ++i) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619) >>> 0;
  return (hash ^ (hash >>> 15)) >>> 0;
}

function makeStyle(theme, category, name) {
  const hash = hashOf(name);
  const fill = theme.fills[hash % FILLS];
  if (category === "wait" || category === "waiter" || category === "lock") return {paint: patternOf(theme.page, theme.text, "hatched"), plain: theme.page};
  if (category === "worker") return {paint: patternOf(theme.idle, theme.text, "dotted"), plain: theme.page};
  if (category === "fiber") return {paint: fill, plain: fill};
  const kind = ["", "lined", "barred"][(hash >>> 8) % 3];
  return {paint: kind === "" ? fill : patternOf(fill, theme.text, kind), plain: fill};
}

// Returns the fill of a slice with that name, `paint`, and the fill behind its label, `plain`.
function styleOf(theme, recording, name) {
  let style = theme.styles.get(name);
  if (style === undefined) {
    style = makeStyle(theme, recording.categories[name], recording.names[name]);
    theme.styles.set(name, style);
  }
  return style;
}
