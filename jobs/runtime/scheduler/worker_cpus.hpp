// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WorkerCpus: the CPUs that the program chooses for each worker (SchedulerOptions::worker_cpus).
// The thread that constructs a scheduler reads and checks them. SchedulerCore owns them, and calls
// read_worker_cpus() by a pointer: a program that sets no options does not contain the code.
#pragma once

#include <memory>
#include <vector>

#include "jobs/base/heap.hpp"
#include "jobs/scheduler_options.hpp"

namespace jobs::inline JOBS_ABI::detail {

// One set for each worker; an empty set restricts nothing.
using WorkerCpus = HeapArray<std::vector<unsigned>>;

// Reads the sets of `count` workers. Throws the exceptions of the option, Error(kBadArgument),
// std::system_error, std::bad_alloc. pre: the option is set.
WorkerCpus read_worker_cpus(const SchedulerOptions& options, unsigned count);
using ReadWorkerCpus = WorkerCpus (*)(const SchedulerOptions&, unsigned);

}  // namespace jobs::inline JOBS_ABI::detail
