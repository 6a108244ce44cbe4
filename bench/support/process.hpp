// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel's figures about this process and this machine.
#pragma once

#include <cstdint>

namespace bench {

// Returns the resident memory of this process in KiB.
double resident_kib();

// Returns the CPU time of all threads of the process so far, in ns.
double cpu_time_ns();

// Returns the context switches, voluntary or not, of all live threads except the calling one.
std::uint64_t switches_of_other_threads();

// Waits, at most 100 ms, until no thread of this process computes. Idle threads of one runtime spin
// for a while after its last work and would take the processor from the other side.
void settle();

// The use of the processors; disturbed() compares two readings.
struct ProcessorTime {
  // Of all processes on this machine, to the clock tick.
  double all_ns;
  double own_ns;     // of this process, and of its children that have ended
  double stolen_ns;  // by the hypervisor
  static ProcessorTime now();
};
// Returns true if other processes had a noticeable share of the machine between the two readings.
// Involuntary context switches do not show it: a woken worker may push its waker off the processor
// for a moment.
bool disturbed(const ProcessorTime& before, const ProcessorTime& after);

}  // namespace bench
