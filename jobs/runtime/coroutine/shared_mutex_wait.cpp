// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/coroutine/shared_mutex_wait.hpp"

namespace jobs::inline JOBS_ABI::detail {

bool RwLockWait::link() noexcept {
  link_again(false);
  expect_wakeup();
  return !core_.link(claim_) || is_over() || arrive();
}

}  // namespace jobs::inline JOBS_ABI::detail
