// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// Texts for times and numbers.

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];

// "1.25 ms": three significant digits at least.
function timeText(nanoseconds) {
  const size = Math.abs(nanoseconds);
  const [scale, unit] = UNITS.find(([least]) => size >= least) || UNITS[3];
  const value = nanoseconds / scale;
  const digits = scale === 1 ? 0 : Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return value.toFixed(digits) + " " + unit;
}

// A point in time, with as many digits as a step needs: of the axis, or a tenth of a length.
function pointText(nanoseconds, step) {
  const [scale, unit] = UNITS.find(([least]) => Math.max(nanoseconds, step) >= least) || UNITS[3];
  const digits = Math.max(0, Math.ceil(Math.log10(scale / Math.max(step, 1)) - 1e-9));
  return (nanoseconds / scale).toFixed(digits) + " " + unit;
}

function countText(number) {
  return number.toLocaleString("en");
}

function plural(number, noun) {
  return countText(number) + " " + noun + (number === 1 ? "" : "s");
}
