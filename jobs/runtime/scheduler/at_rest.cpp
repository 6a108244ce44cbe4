// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// is_at_rest() and is_inherited().
#include "jobs/runtime/scheduler/at_rest.hpp"

#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI::detail {

bool is_at_rest(const Shared& shared) noexcept {
  return !shared.is_forked() && shared.outstanding() == 0;
}

bool is_inherited(const Shared& shared) noexcept { return shared.is_forked(); }

}  // namespace jobs::inline JOBS_ABI::detail
