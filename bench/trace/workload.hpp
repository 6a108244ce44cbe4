// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// trace_off, trace_on: what the recorder of traces costs. Two workers run 20,000 jobs of 1 us from
// a job. Unit: ns per job, the median of 9 runs. trace_on_frames: the picture of the row `frames`.
// Unit: ns per picture.
//
// A program that links jobs::trace has another loop of workers, so each side is a program of its
// own: bench_traced links the component, and bench_untraced does not. They differ in nothing else,
// and print their figure. A program without the component executes no instruction for it
// (bench/instructions.txt).
#pragma once

#include "bench/support/contender.hpp"

namespace bench::trace {

inline constexpr int kJobs = 20'000;

// The name of the work in the arguments of the programs.
inline constexpr const char* kSmallJobs = "jobs";
inline constexpr const char* kPicture = "frames";

Figures not_linked(const Conditions& conditions);
Figures linked(const Conditions& conditions);
Figures recorded(const Conditions& conditions);
Figures frames_not_linked(const Conditions& conditions);
Figures frames_recorded(const Conditions& conditions);

}  // namespace bench::trace
