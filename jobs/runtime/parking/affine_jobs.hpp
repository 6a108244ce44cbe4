// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// AffineJobs: the affine jobs of one worker, which only that worker may run. They travel as
// messages through its inbox, so that a push wakes exactly that worker, and wait here for their
// turn. Urgent jobs run first; jobs of one kind run in FIFO order. Only the worker that owns the
// inbox calls it.
#pragma once

#include <cstddef>

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/fiber_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Job;

// The message that carries a job to its worker. It is a part of the job, so sending it allocates
// nothing and cannot fail.
struct JobMessage : Wakeup {
  static constexpr unsigned kSignal = 0;  // No fiber is ever woken by signal 0.

  JobMessage() noexcept : Wakeup(nullptr, kSignal) {}
  static bool is_one(const Wakeup& message) noexcept {
    return message.fiber == nullptr && message.signal == kSignal;
  }

  Plain<Job*> job{nullptr};
  Plain<bool> urgent{false};
};

class AffineJobs {
 public:
  AffineJobs() = default;
  AffineJobs(const AffineJobs&) = delete;
  AffineJobs& operator=(const AffineJobs&) = delete;

  void push(JobMessage& message) noexcept {
    (message.urgent ? urgent_ : normal_).push(message);
    ++size_;
  }
  bool empty() const noexcept { return size_ == 0; }
  // Returns the oldest message, or null. The job may destroy its message.
  JobMessage* pop_urgent() noexcept { return pop(urgent_); }
  JobMessage* pop_normal() noexcept { return pop(normal_); }

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

  JobMessage* pop(List& list) noexcept {
    JobMessage* const message = list.pop();
    if (message != nullptr) --size_;
    return message;
  }

  std::size_t size_ = 0;
  List urgent_;
  List normal_;
};

}  // namespace jobs::inline JOBS_ABI::detail
