// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberControl: what a Fiber, its FiberRefs and its fiber share. Submitted like a job; the worker that takes it runs it on the
// stack of its loop, or on one of its own if it wants a larger one. Destroyed by the last of its owners (fiber_owners.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "jobs/base/counters.hpp"
#include "jobs/fiber/stack_class.hpp"
#include "jobs/fiber_options.hpp"
#include "jobs/runtime/fibers/fiber_owners.hpp"
#include "jobs/runtime/worker/submit.hpp"
#include "jobs/sync/core/fiber_signals.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

namespace fiber_order {
JOBS_ORDER(kRecall, acq_rel);  // [F2] the second to come sees what the first has done
}  // namespace fiber_order

class StackFiber;
struct FiberOrigin;

// One value of one FiberLocal, of any type.
struct LocalValue {
  virtual ~LocalValue() = default;
};

class JOBS_EXPORT FiberControl : public Job, public FiberAttachment {
 public:
  static constexpr unsigned kNoWorker = ~0u;

  virtual ~FiberControl() = default;

  // Of the Fiber that runs there; null: a fiber that serves jobs, or a thread.
  static FiberControl* of(const FiberCore& fiber) noexcept { return static_cast<FiberControl*>(fiber.control); }

  // From the blocks of the calling thread's lane, if it has one.
  static void* operator new(std::size_t size) {
    Lane* const lane = this_context();
    if (size > Lane::kLargeFiber) return ::operator new(size);
    if (lane != nullptr) return (size > Lane::kSmallFiber ? lane->large_fibers : lane->small_fibers).allocate();
    return ::operator new(size > Lane::kSmallFiber ? Lane::kLargeFiber : Lane::kSmallFiber);
  }
  static void operator delete(void* memory, std::size_t size) noexcept {
    Lane* const lane = this_context();
    if (size > Lane::kLargeFiber || lane == nullptr) return ::operator delete(memory);
    (size > Lane::kSmallFiber ? lane->large_fibers : lane->small_fibers).deallocate(memory);
  }
  static void* operator new(std::size_t size, std::align_val_t alignment) { return ::operator new(size, alignment); }
  static void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept {
    ::operator delete(memory, alignment);
  }

  // Once, by whoever made it. Throws Error(kStopped), Error(kNoStack), std::bad_alloc: both references are gone then.
  void launch(Shared& shared);
  // Waits for its end. Throws what Event::wait() throws, and Error(kForked).
  void wait();
  // From the process that this one was forked from.
  bool is_inherited() const noexcept;
  void add_owner() noexcept { owners_.add(); }
  void release() noexcept {
    if (owners_.drop()) delete this;
  }
  // The Fiber's, after finished.
  void release_joined() noexcept {
    if (owners_.drop_both()) delete this;
  }
  // The Fiber's, in place of that: nobody will ask for the result, an exception goes to the scheduler's on_unhandled.
  void detach() noexcept;

  // --- any thread; what Mailbox says, and a fiber that was created suspended starts, or ends ---
  bool schedule(std::unique_ptr<ResumeValue> value);
  bool interrupt(std::exception_ptr exception) noexcept;
  bool request_stop() noexcept;

  std::string name() const;
  // Only the fiber itself.
  void rename(std::string new_name);
  unsigned worker() const noexcept { return worker_.load(std::memory_order_relaxed); }
  bool belongs_to(const Shared& shared) const noexcept { return shared_ == &shared; }
  std::chrono::nanoseconds run_time() const noexcept {
    return std::chrono::nanoseconds(account ? static_cast<std::int64_t>(account->run_time.read()) : 0);
  }
  bool is_daemon() const noexcept { return daemon_; }
  // True: its end will be awaited though it is a daemon. Once. False: it has ended.
  bool recall() noexcept;
  // As of now: recall() would be false.
  bool is_recalled() const noexcept { return recalled_.load(std::memory_order_relaxed); }

  // For the message about an overflow: of a fiber that is no Fiber nothing.
  static FiberOrigin origin_of(const FiberCore& fiber) noexcept;

  // Only the fiber itself: its value of the FiberLocal `key`, null if there is none yet.
  std::unique_ptr<LocalValue>& local(std::uint64_t key);

  // The order leaves no gaps: a million of these may be there at a time.
  [[no_unique_address]] Event finished;

 private:
  StackClass stack_class_;
  const FiberStart start_;
  const bool daemon_ : 1;
  bool measured_ : 1 = false;           // its use of the stack is to be
  Atomic<unsigned> worker_{kNoWorker};  // for observers

 public:
  const std::uint64_t id;
  Mailbox mailbox;
  struct Account {
    Tally run_time;                  // nanoseconds
    os::Nanoseconds resumed_at = 0;  // the home only
  };
  std::unique_ptr<Account> account;  // from launch() on; null: the scheduler does not keep any
  struct {
    FiberControl* next = nullptr;
    FiberControl* previous = nullptr;
  } links;  // of the registry

 protected:
  FiberControl(FiberOptions&& options, const std::source_location& site);

  // The user's function; the result stays in the derived class.
  virtual void execute_body() = 0;

  std::exception_ptr exception_;  // before finished

 private:
  void note();
  static void execute(Job& job) noexcept;
  static StackFiber* main(void* self) noexcept;
  void run_body() noexcept;
  void execute_measured(const FiberCore& fiber);
  void end() noexcept;
  void never_run(std::exception_ptr exception) noexcept;
  void finish() noexcept;
  [[nodiscard]] bool die() noexcept;
  JOBS_COLD void receive_unlocked(SpinLock& lock, unsigned signals) noexcept;
  void pass_on_exception() noexcept;

  void destroy_locals() noexcept;

  using Locals = std::vector<std::pair<std::uint64_t, std::unique_ptr<LocalValue>>>;
  std::unique_ptr<Locals> locals_;           // in the order of their first use; null: none
  std::unique_ptr<const std::string> name_;  // null: none
  Shared* shared_ = nullptr;
  const std::source_location site_;
  [[no_unique_address]] FiberOwners owners_;  // the lock is that of its bucket
  Atomic<bool> recalled_{false};              // or no daemon, or ended: the second to come counts
  mutable SpinLock name_lock_;
};

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
