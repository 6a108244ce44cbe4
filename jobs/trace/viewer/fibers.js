// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// Lanes of fibers: a fiber is followed through its waits. The first row has its runs and its waits.
// The rows below have the slices of its thread during its runs.

const JOBS_OF_THREAD = 3n << 62n;  // jobs that an external thread runs while it waits
const FIRST_JOB_FIBER = 1n << 52n;  // FiberPool::kFirstId

// Merges runs and waits, both in ascending order, into one row.
function lifeRow(runs, waits, runName) {
  const row = new Row(runs[0].length + waits[0].length);
  row.detail = new Uint32Array(row.begin.length);
  let run = 0, wait = 0;
  while (run < runs[0].length || wait < waits[0].length) {
    if (wait === waits[0].length || runs[0][run] < waits[0][wait]) {
      row.add(runs[0][run], runs[0][run] + runs[1][run], runName);
      ++run;
    } else {
      row.detail[row.count] = waits[3][wait];
      row.add(waits[0][wait], waits[0][wait] + waits[1][wait], waits[2][wait]);
      ++wait;
    }
  }
  return row;
}

// Copies the slices of a row that begin in one of the runs.
function copyRuns(from, runs) {
  const ranges = [];
  let count = 0;
  for (let i = 0; i < runs[0].length; ++i) {
    const first = lowerBound(from.begin, runs[0][i]);
    const last = lowerBound(from.begin, runs[0][i] + runs[1][i], first);
    if (first < last) ranges.push([first, last]);
    count += last - first;
  }
  const row = new Row(count);
  row.isMarks = from.isMarks;
  for (const [first, last] of ranges)
    for (let i = first; i < last; ++i) row.add(from.begin[i], from.end[i], from.name[i]);
  return row;
}

// The fibers of jobs and of threads have no name of their own.
function fiberTitle(fiber, thread) {
  const id = BigInt(fiber.id);
  if (id >= JOBS_OF_THREAD) return "jobs on " + (thread ? thread.title : "a thread");
  if (id >= 1n << 63n) return "stack of " + (thread ? thread.title : "a thread");
  if (id >= FIRST_JOB_FIBER) return "jobs' fiber " + (id - FIRST_JOB_FIBER);
  return fiber.name;
}

function fiberLane(fiber, thread, runName) {
  const runs = unpack(fiber.runs, 2);
  const waits = unpack(fiber.waits, 4);
  const lane = {group: "fiber", title: fiberTitle(fiber, thread), thread, begin: fiber.begin, end: fiber.end};
  lane.rows = [lifeRow(runs, waits, runName)];
  if (!thread) return lane;
  for (const row of thread.rows) {
    const copy = copyRuns(row, runs);
    if (copy.count > 0) lane.rows.push(copy);
  }
  for (let i = 0; i < runs[0].length; ++i) thread.runs.push({begin: runs[0][i], end: runs[0][i] + runs[1][i], lane});
  return lane;
}

function fiberLanes(fibers, threads, addName) {
  const byNumber = new Map(threads.map((thread) => [thread.number, {thread, runName: addName("fiber", "on " + thread.title)}]));
  const lanes = fibers.map((fiber) => {
    const {thread, runName} = byNumber.get(fiber.track) || {thread: null, runName: 0};
    return fiberLane(fiber, thread, runName);
  });
  for (const thread of threads) thread.runs.sort((a, b) => a.begin - b.begin);
  return lanes.sort((a, b) => a.begin - b.begin);
}

// Returns the lane of the fiber that ran on that thread, or null.
function fiberAt(thread, time) {
  const run = thread.runs.findLast(({begin}) => begin <= time);
  return run && run.end >= time ? run.lane : null;
}
