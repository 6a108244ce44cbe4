// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Raids: when a thief may share a deque whose owner was asked to and does not look at it. For workers. Not often: it disturbs all
// threads of the process.
//
// JOBS_RAID=eager in the environment, for tests: at once and as often as there is something hidden. The two other ways in which jobs
// are stolen are the default, and JOBS_FENCED=1, with which nothing is hidden (base/asymmetric_fence.hpp).
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Raids {
 public:
  // Looks at the environment.
  Raids() noexcept;

  // Whether to raid now. `asked`: when the owner was.
  bool may_begin(os::Nanoseconds asked, os::Nanoseconds now) noexcept;

 private:
  const bool eager_;
  Atomic<os::Nanoseconds> next_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
