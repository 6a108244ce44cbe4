// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernel says about this process and this machine.
#pragma once

#include <cstdint>

namespace bench {

// Resident memory of this process in KiB.
double resident_kib();

// CPU time of all its threads so far, in ns.
double cpu_time_ns();

// Context switches, voluntary or not, of all live threads but the calling one.
std::uint64_t switches_of_other_threads();

// Waits, at most 100 ms, until no thread of this process computes any more: the idle threads of one runtime spin for a while
// after its last work and would take the processor from the other side.
void settle();

// Who used the processors: compare two readings, see disturbed().
struct ProcessorTime {
  double all_ns;     // everybody's on this machine, to the clock tick
  double own_ns;     // of this process
  double stolen_ns;  // by the hypervisor
  static ProcessorTime now();
};
// True if others had a noticeable share of the machine between the two readings. Involuntary context switches would not tell: a
// worker that is woken may push its waker off the processor for a moment.
bool disturbed(const ProcessorTime& before, const ProcessorTime& after);

}  // namespace bench
