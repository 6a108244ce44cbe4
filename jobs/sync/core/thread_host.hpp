// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `ThreadHost`, an external thread as the home of one fiber that never switches; to
// suspend means to park the thread on its inbox.
//
// Owner: the frame of a wait (WaitingThread), or an external participant of a loop, which keeps
// it for longer. Any thread may call post(); the remaining members are for the thread itself.
//
// Because of this class every primitive has one kind of waiter.
#pragma once

#include <optional>

#include "jobs/base/heap.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/fiber/fiber_core.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/queue/inbox.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JOBS_EXPORT ThreadHost final : public FiberHost {
 public:
  JOBS_HEAP_OPERATORS

  ThreadHost() noexcept : fiber_(this) {
    current_ = &fiber_;
    if (WaitObserver* const observer = wait_observer()) [[unlikely]]
      observer_ = &observer->thread_switches;
  }

  void arm(Deadline& deadline) noexcept override;
  void disarm(Deadline& deadline) noexcept override;
  void post(Wakeup& wakeup) noexcept override {
    if (WaitObserver* const observer = wait_observer()) [[unlikely]]
      observer->on_wake(*this, wakeup);
    inbox_.push(wakeup);
  }
  const char* describe() const noexcept override { return "external thread"; }

 private:
  void switch_away() noexcept override;

  Inbox<Wakeup> inbox_;
  FiberCore fiber_;
  Deadline* deadline_ = nullptr;  // one fiber, one wait, one deadline
};

// The host of the calling thread, for the length of a wait. Makes a ThreadHost if the thread has no
// host.
class WaitingThread {
 public:
  WaitingThread() noexcept {
    if (this_thread().host == nullptr) this_thread().host = &own_.emplace();
  }
  ~WaitingThread() {
    if (own_) this_thread().host = nullptr;
  }
  WaitingThread(const WaitingThread&) = delete;
  WaitingThread& operator=(const WaitingThread&) = delete;

  FiberHost& host() const noexcept { return *this_thread().host; }

 private:
  std::optional<ThreadHost> own_;
};

// wait() on a thread without a host. It is a function of its own, because otherwise the ThreadHost
// would enlarge the frame of every wait.
template <class Wait>
JOBS_COLD auto as_external_thread(Wait&& wait) {
  const WaitingThread here;
  return wait();
}

}  // namespace jobs::inline JOBS_ABI::detail
