// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// Questions about the recording: positions, totals, percentiles, matches.

// Index of the first value that is not less than `least`.
function lowerBound(values, least, first = 0, last = values.length) {
  while (first < last) {
    const middle = (first + last) >> 1;
    if (values[middle] < least) first = middle + 1;
    else last = middle;
  }
  return first;
}

// Index of the first slice of a row that ends after that time.
function firstEndingAfter(row, time) {
  const next = lowerBound(row.begin, time, 0, row.count);
  return next > 0 && row.end[next - 1] > time ? next - 1 : next;
}

// Calls visit(row, index) for each slice that overlaps the range: those of threads, the waits of
// fibers, and what objects have.
function forEachSlice(recording, range, visit) {
  const visitRow = (row, isWanted) => {
    for (let i = firstEndingAfter(row, range.begin); i < row.count && row.begin[i] < range.end; ++i)
      if (isWanted(row.name[i])) visit(row, i);
  };
  for (const lane of recording.threads) for (const row of lane.rows) visitRow(row, () => true);
  for (const lane of recording.fibers) visitRow(lane.rows[0], (name) => recording.categories[name] === "wait");
  for (const lane of recording.objects) for (const row of lane.rows) visitRow(row, () => true);
}

function quantile(sorted, share) {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

// Returns a line for each name, the largest total first. `only`: the only name, or null.
function totalsOf(recording, range, only = null) {
  const lengths = new Map(), inRange = new Map();
  forEachSlice(recording, range, (row, i) => {
    const name = row.name[i];
    if (only !== null && name !== only) return;
    if (!lengths.has(name)) lengths.set(name, []);
    lengths.get(name).push(row.end[i] - row.begin[i]);
    const part = Math.min(row.end[i], range.end) - Math.max(row.begin[i], range.begin);
    inRange.set(name, (inRange.get(name) || 0) + part);
  });
  const lines = [];
  for (const [name, list] of lengths) {
    const sorted = Float64Array.from(list).sort();
    lines.push({name, count: sorted.length, total: inRange.get(name), p50: quantile(sorted, 0.5), p90: quantile(sorted, 0.9),
      p99: quantile(sorted, 0.99), longest: sorted[sorted.length - 1]});
  }
  return lines.sort((a, b) => b.total - a.total);
}

// The names that contain a text, as a table of 0 and 1.
function matchingNames(recording, text) {
  const wanted = text.toLowerCase();
  return Uint8Array.from(recording.names, (name) => name.toLowerCase().includes(wanted) ? 1 : 0);
}

// The rows in which the search looks: each slice occurs in one of them.
function searchedRows(recording) {
  const rows = [];
  for (const lane of recording.threads) lane.rows.forEach((row) => rows.push({lane, row}));
  for (const lane of recording.objects) lane.rows.forEach((row) => rows.push({lane, row}));
  for (const lane of recording.fibers) rows.push({lane, row: lane.rows[0]});
  return rows;
}

function countMatches(recording, matches) {
  let count = 0;
  for (const {row} of searchedRows(recording))
    for (let i = 0; i < row.count; ++i) count += matches[row.name[i]];
  return count;
}

// Returns the matching slice that begins next after `from`, a selection or null; step -1: before.
function nextMatch(recording, matches, from, step) {
  let best = null;
  const rows = searchedRows(recording);
  if (step < 0) rows.reverse();
  const place = from ? rows.findIndex(({row}) => row === from.row) : -1;
  const time = from ? from.row.begin[from.index] : step > 0 ? -1 : recording.length + 1;
  rows.forEach(({lane, row}, order) => {
    let i = step > 0 ? lowerBound(row.begin, time, 0, row.count) : lowerBound(row.begin, time + 1, 0, row.count) - 1;
    for (; i >= 0 && i < row.count; i += step) {
      if (best && (row.begin[i] - best.row.begin[best.index]) * step >= 0) return;
      // Slices that begin at the same time come in the order of the rows.
      if (matches[row.name[i]] && (row.begin[i] !== time || order > place)) break;
    }
    if (i >= 0 && i < row.count) best = {lane, row, index: i};
  });
  return best;
}
