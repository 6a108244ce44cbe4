// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ThreadHost: an external thread as the home of one fiber that never switches; to suspend is to park the thread on its own inbox.
// So every primitive knows one kind of waiter only. A thread has one just while it waits (WaitingThread); a guest of the runtime
// may keep one for longer.
#pragma once

#include <optional>

#include "jobs/fiber/current.hpp"
#include "jobs/fiber/fiber_core.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/queue/inbox.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JOBS_EXPORT ThreadHost final : public FiberHost {
 public:
  ThreadHost() noexcept : fiber_(this) { current_ = &fiber_; }

  void arm(Deadline& deadline) noexcept override;
  void disarm(Deadline& deadline) noexcept override;
  void post(Wakeup& wakeup) noexcept override { inbox_.push(wakeup); }
  const char* describe() const noexcept override { return "external thread"; }

 private:
  void switch_away() noexcept override;

  Inbox<Wakeup> inbox_;
  FiberCore fiber_;
  Deadline* deadline_ = nullptr;  // one fiber, one wait, one deadline
};

// For the length of a wait: the host of the calling thread, made here if it has none.
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

// wait() on a thread without a host. In a function of its own, as the ThreadHost would lie in the frame of every wait.
template <class Wait>
JOBS_COLD auto as_external_thread(Wait&& wait) {
  const WaitingThread here;
  return wait();
}

}  // namespace jobs::inline JOBS_ABI::detail
