// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/call_once.hpp"

namespace jobs::inline JOBS_ABI {

bool OnceFlag::begin() {
  if (caller_.is_self())
    detail::contract_violation("OnceFlag", this, "call_once() from within its own function");
  turn_.acquire({}, WaitKind::kOnceFlag);
  caller_.set_self();
  if (!is_done()) return true;
  end(true);
  return false;
}

void OnceFlag::end(bool succeeded) noexcept {
  if (succeeded) done_.store(true, detail::once_order::kDone);
  caller_.clear();
  turn_.release();
}

void OnceFlag::destroyed_in_use() const noexcept {
  detail::contract_violation("OnceFlag", this, "destroyed inside call_once()");
}

}  // namespace jobs::inline JOBS_ABI
