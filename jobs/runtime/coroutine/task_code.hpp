// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// code_of_job(): the function that stands for a job in recordings and profiles. A recorder calls
// it at the begin of a job, on the thread that runs the job.
#pragma once

#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

// `entry`, `job`: the values of TraceEvent::kJobBegin. Returns the address of the function of the
// coroutine, if the job begins or resumes a coroutine; otherwise `entry`.
JOBS_EXPORT std::uint64_t code_of_job(std::uint64_t entry, std::uint64_t job) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
