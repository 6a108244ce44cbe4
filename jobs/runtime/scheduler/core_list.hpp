// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CoreList: the running schedulers of the process, for reports. Any thread may call it.
//
// A thread that creates a report holds the lock, so that no scheduler ends meanwhile. If two
// workers create a report at the same time, the second waits for the first, at most for its time
// limit.
#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

#include "jobs/base/heap_vector.hpp"
#include "jobs/base/thread.hpp"

namespace jobs::inline JOBS_ABI::detail {

class SchedulerCore;

class CoreList {
 public:
  // Returns the only list. It is never destroyed, as the default scheduler is never destroyed.
  JOBS_EXPORT static CoreList& instance();

  // Throws std::bad_alloc.
  void add(SchedulerCore& core) {
    const std::scoped_lock lock(mutex_);
    cores_.push_back(&core);
  }
  // Waits for a report in progress.
  void remove(SchedulerCore& core) noexcept {
    const std::scoped_lock lock(mutex_);
    std::erase(cores_, &core);
    if (cores_.empty()) cores_.shrink_to_fit();  // The list itself is never destroyed.
  }
  // Around a fork(). In the child, forget_all() removes all inherited schedulers.
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }
  void forget_all() noexcept { cores_.clear(); }
  // Calls visit(SchedulerCore&) for each scheduler, under the lock.
  template <class Visit>
  void for_each(Visit&& visit) {
    const std::scoped_lock lock(mutex_);
    for (SchedulerCore* const core : cores_) visit(*core);
  }

 private:
  ThreadMutex mutex_;
  HeapVector<SchedulerCore*> cores_;
};

}  // namespace jobs::inline JOBS_ABI::detail
