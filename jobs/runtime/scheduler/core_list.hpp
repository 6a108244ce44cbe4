// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CoreList: the schedulers of the process that run, for reports. Who makes one holds the lock, so that none of them ends meanwhile;
// two workers that make one at the same time wait for each other for the patience of the first, not longer.
#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

#include "jobs/base/thread.hpp"

namespace jobs::inline JOBS_ABI::detail {

class SchedulerCore;

class CoreList {
 public:
  // The only one; never destroyed, as the default scheduler is not.
  static CoreList& instance();

  // Throws std::bad_alloc.
  void add(SchedulerCore& core) {
    const std::scoped_lock lock(mutex_);
    cores_.push_back(&core);
  }
  // Waits for a report that is under way.
  void remove(SchedulerCore& core) noexcept {
    const std::scoped_lock lock(mutex_);
    std::erase(cores_, &core);
  }
  // Around a fork(); in the child all that were inherited go.
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }
  void forget_all() noexcept { cores_.clear(); }
  // visit(SchedulerCore&) for each.
  template <class Visit>
  void for_each(Visit&& visit) {
    const std::scoped_lock lock(mutex_);
    for (SchedulerCore* const core : cores_) visit(*core);
  }

 private:
  ThreadMutex mutex_;
  std::vector<SchedulerCore*> cores_;
};

}  // namespace jobs::inline JOBS_ABI::detail
