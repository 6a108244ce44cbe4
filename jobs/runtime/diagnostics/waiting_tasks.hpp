// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WaitingTasks: the tasks of the process that wait, for reports. WaitingTask: one of them, a part
// of its wait.
//
// A task is listed from the publication of its wait until it is resumed, if its scheduler makes
// reports by itself (Shared::records_jobs()). Otherwise a wait costs one load here. The tasks
// contain the links, so that a wait never allocates.
//
// Any thread may call the functions. One lock guards the list. A task leaves the list before it
// continues, so a report may read it and the tasks that await it under the lock.
//
// Rejected: a list without the condition. A wait of a task takes about 100 ns, and two sections
// under a lock that all workers share would be the greater part of it.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <source_location>

#include "jobs/fiber/wait_site.hpp"
#include "jobs/queue/raw_spin_lock.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

// What a report says about a task.
struct TaskFacts {
  // Awaiting tasks beyond this number are left out.
  static constexpr std::size_t kMostSites = 8;

  WaitSite wait;
  // Innermost first: the co_await of the task, then that of the task that awaits it.
  std::array<std::source_location, kMostSites> sites;
  std::size_t depth = 0;
};

class WaitingTask {
 public:
  WaitingTask() = default;
  WaitingTask(const WaitingTask&) = delete;
  WaitingTask& operator=(const WaitingTask&) = delete;

 protected:
  ~WaitingTask() = default;

 private:
  friend class WaitingTasks;

  // Called under the lock of the list. The task waits.
  virtual TaskFacts facts() const noexcept = 0;
  virtual const Shared* scheduler() const noexcept = 0;

  WaitingTask* next_ = nullptr;
  WaitingTask* previous_ = nullptr;
};

class WaitingTasks {
 public:
  // Returns the only list.
  static WaitingTasks& instance() noexcept { return only_; }

  // Each is O(1).
  void add(WaitingTask& task) noexcept;
  void remove(WaitingTask& task) noexcept;

  // Calls visit(const TaskFacts&) for the first `most` tasks of the scheduler, oldest last, under
  // the lock. `visit` must not wait or allocate. Returns the number of all its tasks.
  template <class Visit>
  std::size_t for_each(const Shared& scheduler, std::size_t most, Visit&& visit) {
    const std::scoped_lock lock(lock_);
    std::size_t count = 0;
    for (const WaitingTask* task = first_; task != nullptr; task = task->next_) {
      if (task->scheduler() == &scheduler && count++ < most) visit(task->facts());
    }
    return count;
  }

  std::size_t count(const Shared& scheduler) {
    return for_each(scheduler, 0, [](const TaskFacts&) {});
  }

  // In a forked child: the tasks belong to the parent, and so does the owner of the lock.
  void forget_all() noexcept {
    lock_.unlock();
    first_ = nullptr;
  }

 private:
  RawSpinLock lock_;
  WaitingTask* first_ = nullptr;

  static WaitingTasks only_;
};

// WaitingTasks::forget_all(). A weak symbol: null in a static program without tasks and reports.
[[gnu::weak]] void forget_waiting_tasks() noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
