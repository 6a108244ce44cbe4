// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// AffineJobs: the affine jobs of one worker, which only that worker may run. They travel as
// messages through its inbox, so that a push wakes exactly that worker, and wait here for their
// turn. Jobs of one priority run in FIFO order. Only the worker that owns the inbox calls it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/fiber_core.hpp"
#include "jobs/priority.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Job;

inline constexpr std::size_t kPriorities = 5;

// The message that carries a job to its worker. It is a part of the job, so sending it allocates
// nothing and cannot fail.
struct JobMessage : Wakeup {
  static constexpr unsigned kSignal = 0;  // No fiber is ever woken by signal 0.

  JobMessage() noexcept : Wakeup(nullptr, kSignal) {}
  static bool is_one(const Wakeup& message) noexcept {
    return message.fiber == nullptr && message.signal == kSignal;
  }

  Plain<Job*> job{nullptr};
  Plain<Priority> priority{Priority::kNormal};
  Plain<bool> is_counted{false};  // The job is a CountedJob with a counter.
};

class AffineJobs {
 public:
  AffineJobs() = default;
  AffineJobs(const AffineJobs&) = delete;
  AffineJobs& operator=(const AffineJobs&) = delete;

  void push(JobMessage& message) noexcept {
    const Priority priority = message.priority;
    lists_[static_cast<std::size_t>(priority)].push(message);
    ++(priority < Priority::kLow ? upper_ : lower_);
  }
  bool empty() const noexcept { return (upper_ | lower_) == 0; }
  // Returns whether there is a job of a priority above kLow.
  bool has_upper() const noexcept { return upper_ != 0; }
  bool has(Priority priority) const noexcept {
    return lists_[static_cast<std::size_t>(priority)].first != nullptr;
  }
  // Returns the message that pop() would return, or null.
  const JobMessage* first(Priority priority) const noexcept {
    return lists_[static_cast<std::size_t>(priority)].first;
  }
  // Returns the oldest message of that priority, or null. The job may destroy its message.
  JobMessage* pop(Priority priority) noexcept {
    JobMessage* const message = lists_[static_cast<std::size_t>(priority)].pop();
    if (message != nullptr) --(priority < Priority::kLow ? upper_ : lower_);
    return message;
  }

 private:
  struct List {
    void push(JobMessage& message) noexcept {
      message.next = nullptr;
      if (first == nullptr) {
        first = &message;
      } else {
        last->next = &message;
      }
      last = &message;
    }
    JobMessage* pop() noexcept {
      JobMessage* const message = first;
      if (message != nullptr) first = static_cast<JobMessage*>(static_cast<Wakeup*>(message->next));
      return message;
    }

    Plain<JobMessage*> first{nullptr};
    Plain<JobMessage*> last{nullptr};  // Meaningless while `first` is null.
  };

  std::array<List, kPriorities> lists_;
  // The number of jobs of the priorities above kLow, and of the other ones.
  std::uint32_t upper_ = 0;
  std::uint32_t lower_ = 0;
};

}  // namespace jobs::inline JOBS_ABI::detail
