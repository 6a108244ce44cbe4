// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/base/process_generation.hpp"

#include "jobs/error.hpp"

namespace jobs::inline JOBS_ABI::detail {

constinit unsigned process_generation = 0;

void ProcessGeneration::throw_forked() {
  throw Error(ErrorCode::kForked,
              "a child process has no threads of the scheduler of its parent: make another one");
}

}  // namespace jobs::inline JOBS_ABI::detail
