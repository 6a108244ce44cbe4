// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// Lanes of objects: the first row of a lock has its owners, the rows below have the fibers that wait.

// Waits overlap: each goes to the first row that is free.
function waitRows([begins, lengths, names, tracks]) {
  const rows = [];
  for (let i = 0; i < begins.length; ++i) {
    let row = rows.find((other) => other.end[other.count - 1] <= begins[i]);
    if (!row) {
      row = new Row(begins.length);
      row.track = new Uint32Array(begins.length);
      rows.push(row);
    }
    row.track[row.count] = tracks[i];
    row.add(begins[i], begins[i] + lengths[i], names[i]);
  }
  return rows;
}

function holdRow([begins, lengths, names, tracks]) {
  const row = new Row(begins.length);
  row.track = Uint32Array.from(tracks);
  for (let i = 0; i < begins.length; ++i) row.add(begins[i], begins[i] + lengths[i], names[i]);
  return row;
}

// "Mutex 0x12" and "Mutex 0x12 its name": the address of an object, and the title of its lane.
function readObjectName(text) {
  const [kind, address, ...name] = text.split(" ");
  return {address, title: name.length > 0 ? kind + " " + name.join(" ") : text};
}

function objectLane(object) {
  const holds = holdRow(unpack(object.holds, 4));
  const waits = waitRows(unpack(object.waits, 4));
  const rows = holds.count > 0 ? [holds, ...waits] : waits;
  const begin = Math.min(...rows.map((row) => row.begin[0]));
  const end = Math.max(...rows.map((row) => row.end[row.count - 1]));
  return {group: "object", ...readObjectName(object.name), rows, begin, end, hasHolds: holds.count > 0};
}

function objectLanes(objects) {
  return objects.map(objectLane).filter((lane) => lane.rows.length > 0).sort((a, b) => a.begin - b.begin);
}

// Returns the lane of the object that a fiber waits for in that slice, or null.
function objectOf(recording, {row, index}) {
  if (!row.detail) return null;
  const [address] = recording.names[row.detail[index]].split(" ");  // and a name
  return address ? recording.objects.find((lane) => lane.address === address) || null : null;
}

// The first row of a lane that has a slice at that time, or the first row.
function rowAt(lane, time) {
  return lane.rows.find((row) => {
    const i = firstEndingAfter(row, time);
    return i < row.count && row.begin[i] <= time;
  }) || lane.rows[0];
}
