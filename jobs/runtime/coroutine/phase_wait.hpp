// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// OnPhaseEnd: the wait for the end of a phase of a Barrier, as an alternative of a selection.
//
// Owner: the frame of the coroutine. Any thread may end the phase.
#pragma once

#include <cstdint>

#include "jobs/sync/core/barrier_core.hpp"
#include "jobs/sync/core/selection.hpp"

namespace jobs::inline JOBS_ABI::detail {

class OnPhaseEnd final : public Alternative {
 public:
  OnPhaseEnd(BarrierCore& core, std::uint64_t phase) noexcept : core_(core), phase_(phase) {}

  bool try_now() noexcept override { return core_.has_ended(phase_); }
  bool link() noexcept override {
    if (core_.link(*this, phase_)) return true;
    static_cast<void>(selection->claim(*this));
    return false;
  }
  bool unlink_self() noexcept override { return core_.unlink(*this); }
  WaitSite site() const noexcept override { return {WaitKind::kBarrier, &core_}; }

 private:
  BarrierCore& core_;
  const std::uint64_t phase_;
};

}  // namespace jobs::inline JOBS_ABI::detail
