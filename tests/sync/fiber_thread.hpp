// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberThread: a host of several fibers without a scheduler. It tests the primitives on fibers with
// a known order of events. The fibers start in the given order, ready fibers run in FIFO order, and
// no thread steals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "jobs/base/annotate.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/fiber/fiber_pool.hpp"
#include "jobs/queue/inbox.hpp"

namespace jobs::test {

using Body = std::function<void()>;

class FiberThread final : public detail::FiberHost {
 public:
  FiberThread() : stacks_(256 * 1024, 0), pool_(*this, stacks_, 1), thread_(*this) {
    current_ = &thread_;
    detail::this_thread().host = this;
  }
  ~FiberThread() { detail::this_thread().host = nullptr; }

  // Runs each body as a fiber; returns after all bodies have returned.
  void run(std::vector<Body> bodies) {
    std::vector<Start> starts;
    starts.reserve(bodies.size());
    for (Body& body : bodies) starts.push_back({*this, std::move(body)});
    alive_ = starts.size();
    for (Start& start : starts) {
      detail::sanitizer::annotate_release(&start);
      push_ready(pool_.acquire(enter, &start));
    }
    if (alive_ == 0) return;
    thread_.suspended = true;
    switch_away();
    detail::sanitizer::annotate_acquire(static_cast<FiberHost*>(this));
    if (!deadlines_.empty())
      detail::contract_violation("FiberThread", this, "a wait has left its deadline armed");
  }

  void arm(detail::Deadline& deadline) noexcept override {
    [[maybe_unused]] const detail::sanitizer::IgnoreWrites own;
    deadline.armed = true;
    deadlines_.push_back(&deadline);
  }
  void disarm(detail::Deadline& deadline) noexcept override {
    if (!deadline.armed) return;
    [[maybe_unused]] const detail::sanitizer::IgnoreWrites own;
    deadline.armed = false;
    std::erase(deadlines_, &deadline);
  }
  void post(detail::Wakeup& wakeup) noexcept override { inbox_.push(wakeup); }
  const char* describe() const noexcept override { return "test thread"; }

 private:
  struct Start {
    FiberThread& host;
    Body body;
  };

  static detail::StackFiber* enter(void* argument) {
    Start& start = *static_cast<Start*>(argument);
    detail::sanitizer::annotate_acquire(&start);
    start.body();
    FiberThread& host = start.host;
    if (--host.alive_ == 0) host.deliver(host.thread_, 0);
    return &host.take_next();
  }

  void switch_away() noexcept override {
    auto& self = static_cast<detail::StackFiber&>(*current_);
    detail::StackFiber& next = take_next();
    if (&next != &self) switch_to(self, next, registers_);
  }

  detail::StackFiber& take_next() noexcept {
    for (;;) {
      fire_deadlines();
      for (detail::Wakeup* message = inbox_.drain(); message != nullptr;) {
        detail::Wakeup* next = message->next;
        deliver(*message->fiber, message->signal);
        message = next;
      }
      if (detail::FiberCore* ready = pop_ready()) {
        current_ = ready;
        return static_cast<detail::StackFiber&>(*ready);
      }
      os::Nanoseconds nearest = os::kNever;
      for (const detail::Deadline* deadline : deadlines_) nearest = std::min(nearest, deadline->at);
      inbox_.park(nearest);
    }
  }

  void fire_deadlines() noexcept {
    const os::Nanoseconds now = os::now();
    [[maybe_unused]] const detail::sanitizer::IgnoreWrites own;
    std::ranges::sort(deadlines_, {}, &detail::Deadline::at);
    while (!deadlines_.empty() && deadlines_.front()->at <= now) {
      detail::Deadline& due = *deadlines_.front();
      disarm(due);
      deliver(*due.fiber, detail::kTimeout);
    }
  }

  detail::StackPool stacks_;
  detail::FiberPool pool_;
  detail::AdoptedFiber thread_;
  detail::ThreadRegisters registers_;
  detail::Inbox<detail::Wakeup> inbox_;
  std::vector<detail::Deadline*> deadlines_;
  std::size_t alive_ = 0;
};

// Runs the bodies as fibers of the calling thread.
inline void run_fibers(std::vector<Body> bodies) { FiberThread().run(std::move(bodies)); }

}  // namespace jobs::test
