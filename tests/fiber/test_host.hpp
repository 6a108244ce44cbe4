// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TestHost: the smallest home of fibers. One thread runs its fibers in turn, in run(). When no
// fiber is ready, run() returns. Fibers cooperate by TestHost::yield() and by suspend() and wake().
#pragma once

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "jobs/base/annotate.hpp"
#include "jobs/base/sanitizer.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/fiber/fiber_pool.hpp"
#include "jobs/fiber/stack_fiber.hpp"
#include "jobs/fiber/stack_pool.hpp"

namespace jobs::detail::testing {

inline constexpr std::size_t kTestStackSize = 256 * 1024;

class TestHost final : public FiberHost {
 public:
  explicit TestHost(std::size_t stack_size = kTestStackSize, std::size_t max_stacks = 0,
                    std::uint64_t first_id = 1, std::size_t max_idle = SIZE_MAX)
      : stacks_(stack_size, max_stacks), fibers_(*this, stacks_, first_id, max_idle), root_(*this) {
    current_ = &root_;
    this_thread().host = this;
    sanitizer::annotate_fiber_local(&errno, sizeof errno);
  }
  ~TestHost() { this_thread().host = nullptr; }

  // Creates a fiber that runs `body` after the fibers that are ready already.
  StackFiber& spawn(std::function<void()> body) {
    auto owned = std::make_unique<std::function<void()>>(std::move(body));
    StackFiber& fiber = fibers_.acquire(&TestHost::entry, owned.get());
    sanitizer::annotate_release(owned.release());
    push_ready(fiber);
    return fiber;
  }

  // Runs fibers until all are finished or suspended.
  void run() {
    while (FiberCore* next = pop_ready()) go_to(*next);
    sanitizer::annotate_acquire(static_cast<FiberHost*>(this));
  }

  // Called by fibers: runs every other ready fiber first.
  void yield() {
    push_ready(current());
    switch_away();
  }

  FiberPool& fibers() { return fibers_; }
  StackPool& stacks() { return stacks_; }

  // The messages of other threads up to this call.
  std::vector<Wakeup*> posted() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(posted_, {});
  }

  void arm(Deadline&) noexcept override {}
  void disarm(Deadline&) noexcept override {}
  void post(Wakeup& wakeup) noexcept override {
    const std::scoped_lock lock(mutex_);
    posted_.push_back(&wakeup);
  }
  const char* describe() const noexcept override { return "worker 3"; }

 private:
  static StackFiber* entry(void* argument) {
    sanitizer::annotate_acquire(argument);
    {
      const std::unique_ptr<std::function<void()>> body(
          static_cast<std::function<void()>*>(argument));
      (*body)();
    }
    auto& host = *static_cast<TestHost*>(this_thread().host);
    FiberCore* next = host.pop_ready();
    host.current_ = next != nullptr ? next : &host.root_;
    return &static_cast<StackFiber&>(host.current());
  }

  void switch_away() noexcept override {
    FiberCore* next = pop_ready();
    go_to(next != nullptr ? *next : root_);
  }

  void go_to(FiberCore& next) {
    auto& from = static_cast<StackFiber&>(current());
    if (&next == &from) return;
    current_ = &next;
    switch_to(from, static_cast<StackFiber&>(next), registers_);
  }

  StackPool stacks_;
  FiberPool fibers_;
  AdoptedFiber root_;
  ThreadRegisters registers_;
  std::mutex mutex_;
  std::vector<Wakeup*> posted_;
};

}  // namespace jobs::detail::testing
