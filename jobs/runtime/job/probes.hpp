// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Probes for bpftrace, perf and SystemTap (USDT), provider `jobs`. A probe is one nop instruction
// and a note in the ELF file; a tool replaces the nop while it listens. The library has
// probes with the CMake option JOBS_USDT. docs/tracing.md lists them.
//
// The notes keep their functions, also the traced loop of workers, which a static program without
// jobs::trace does not need otherwise.
#pragma once

#if defined(JOBS_USDT)
#include <sys/sdt.h>

#define JOBS_PROBE0(name) DTRACE_PROBE(jobs, name)
#define JOBS_PROBE1(name, first) DTRACE_PROBE1(jobs, name, first)
#define JOBS_PROBE2(name, first, second) DTRACE_PROBE2(jobs, name, first, second)
#define JOBS_PROBE3(name, first, second, third) DTRACE_PROBE3(jobs, name, first, second, third)
#else
#define JOBS_PROBE0(name) static_cast<void>(0)
#define JOBS_PROBE1(name, first) static_cast<void>(first)
#define JOBS_PROBE2(name, first, second) (static_cast<void>(first), static_cast<void>(second))
#define JOBS_PROBE3(name, first, second, third) \
  (static_cast<void>(first), static_cast<void>(second), static_cast<void>(third))
#endif
