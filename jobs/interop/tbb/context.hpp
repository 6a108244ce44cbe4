// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// task_group_context: the flag by which somebody cancels what was started with it. Differs from oneTBB's: contexts do not nest.
// What a body starts without this context is not cancelled with it.
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::tbb {

namespace detail {
JOBS_ORDER(kCancel, relaxed);  // only cuts work short: exceptions and results travel with the joins
}  // namespace detail

class task_group_context {
 public:
  enum kind_type { isolated, bound };
  enum traits_type { fp_settings = 1 << 1, concurrent_wait = 1 << 2, default_traits = 0 };

  // The arguments make no difference here.
  task_group_context(kind_type = bound, std::uintptr_t = default_traits) {}
  task_group_context(const task_group_context&) = delete;
  task_group_context& operator=(const task_group_context&) = delete;

  // What has not begun will not. Any thread. post: true: it was not cancelled before.
  bool cancel_group_execution() { return !cancelled_.exchange(true, detail::kCancel); }
  bool is_group_execution_cancelled() const { return cancelled_.load(detail::kCancel); }
  // Not while anything runs with it.
  void reset() { cancelled_.store(false, detail::kCancel); }

 private:
  jobs::detail::Atomic<bool> cancelled_{false};
};

}  // namespace jobs::inline JOBS_ABI::tbb
