// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/submit.hpp"

#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI::detail {

bool runs_on(const Shared& shared) noexcept { return shared.is_own_worker(); }
void submit(Shared& shared, Job& job) {
  if (const auto submit_to_thread = shared.submit_to_thread()) [[unlikely]]
    return submit_to_thread(shared, job);
  shared.submit(job);
}

}  // namespace jobs::inline JOBS_ABI::detail
