// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// task_group_context: the cancellation flag of algorithms and task groups. Any thread may set it.
//
// Differences from oneTBB: contexts do not nest. Work that a body starts without this context is
// not cancelled with it.
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::tbb {

namespace detail {
// Cancellation only cuts work short; the joins publish exceptions and results.
JOBS_ORDER(kCancel, relaxed);
}  // namespace detail

/// A flag that cancels the algorithms and task groups that use it. Unlike oneTBB's, contexts do not
/// nest.
class task_group_context {
 public:
  /// Kinds of oneTBB, without effect.
  enum kind_type { isolated, bound };
  /// Traits of oneTBB, without effect.
  enum traits_type { fp_settings = 1 << 1, concurrent_wait = 1 << 2, default_traits = 0 };

  /// Creates a context that is not cancelled. The arguments have no effect.
  task_group_context(kind_type = bound, std::uintptr_t = default_traits) {}
  task_group_context(const task_group_context&) = delete;
  task_group_context& operator=(const task_group_context&) = delete;

  /// Cancels work that has not begun. Any thread may call it. Returns true if the context was not
  /// cancelled before.
  bool cancel_group_execution() { return !cancelled_.exchange(true, detail::kCancel); }
  /// Returns true if the context is cancelled.
  bool is_group_execution_cancelled() const { return cancelled_.load(detail::kCancel); }
  /// Clears the flag. No algorithm or group may be using the context.
  void reset() { cancelled_.store(false, detail::kCancel); }

 private:
  jobs::detail::Atomic<bool> cancelled_{false};
};

}  // namespace jobs::inline JOBS_ABI::tbb
