// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberControl: the object that a Fiber, its FiberRefs and the running fiber share. The last of its
// owners destroys it (fiber_owners.hpp).
//
// It is submitted like a job. The worker that takes it runs it on the stack of its loop, or on a
// stack of another size if the options require one. Any thread may send it messages; some functions
// are for the fiber itself only.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "jobs/base/counters.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/base/heap_vector.hpp"
#include "jobs/fiber/stack_class.hpp"
#include "jobs/fiber_options.hpp"
#include "jobs/runtime/fibers/fiber_owners.hpp"
#include "jobs/runtime/worker/submit.hpp"
#include "jobs/sync/core/fiber_signals.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

namespace fiber_order {
// [fiber_control.1] The second caller sees the writes of the first. Partner: itself.
JOBS_ORDER(kCount, acq_rel);
}  // namespace fiber_order

class StackFiber;
struct FiberOrigin;

// A value of a FiberLocal, of any type.
struct LocalValue : HeapObject<LocalValue> {
  virtual ~LocalValue() = default;
};

class JOBS_EXPORT FiberControl : public Job, public FiberAttachment {
 public:
  static constexpr unsigned kNoWorker = ~0u;

  virtual ~FiberControl() = default;

  // Returns the control of the Fiber that runs on `fiber`. Returns null for a fiber that serves
  // jobs, and for a thread.
  static FiberControl* of(const FiberCore& fiber) noexcept {
    return static_cast<FiberControl*>(fiber.control);
  }

  // Allocates from the blocks of the calling thread's context, if it has one.
  static void* operator new(std::size_t size) {
    WorkerContext* const context = this_context();
    if (size > WorkerContext::kLargeFiber) return heap_allocate(size);
    if (context != nullptr)
      return (size > WorkerContext::kSmallFiber ? context->large_fibers : context->small_fibers)
          .allocate();
    return heap_allocate(block_size(size));
  }
  static void operator delete(void* memory, std::size_t size) noexcept {
    WorkerContext* const context = this_context();
    if (size > WorkerContext::kLargeFiber) return heap_deallocate(memory, size);
    if (context == nullptr) return heap_deallocate(memory, block_size(size));
    (size > WorkerContext::kSmallFiber ? context->large_fibers : context->small_fibers)
        .deallocate(memory);
  }
  static void* operator new(std::size_t size, std::align_val_t alignment) {
    return heap_allocate_aligned(size, static_cast<std::size_t>(alignment));
  }
  static void operator delete(void* memory, std::align_val_t alignment) noexcept {
    heap_deallocate_aligned(memory, static_cast<std::size_t>(alignment));
  }

  // Starts the fiber. Its creator calls it once. Throws Error(kStopped), Error(kNoStack) or
  // std::bad_alloc; if it throws, both references are released.
  void launch(Shared& shared);
  // Waits for the end of the fiber. Throws as Event::wait() does, and Error(kForked).
  void wait();
  // Returns true if the fiber belongs to the parent process of a fork.
  bool is_inherited() const noexcept;
  void add_owner() noexcept { owners_.add(); }
  void release() noexcept {
    if (owners_.drop()) delete this;
  }
  // Called by the Fiber, after the signal of `finished`.
  void release_joined() noexcept {
    if (owners_.drop_both()) delete this;
  }
  // Called by the Fiber instead of release_joined(). No thread will read the result, so an
  // exception goes to on_unhandled of the scheduler.
  void detach() noexcept;

  // --- any thread ---
  // As the functions of FiberSignals. In addition, a fiber that was created suspended starts, or
  // ends.
  bool schedule(std::unique_ptr<ResumeValue> value);
  bool interrupt(std::exception_ptr exception) noexcept;
  bool request_stop() noexcept;

  std::string name() const;
  // The call site of the constructor.
  const std::source_location& site() const noexcept { return site_; }
  // Called by the fiber itself only.
  void rename(std::string_view new_name);
  unsigned worker() const noexcept { return worker_.load(std::memory_order_relaxed); }
  bool plays_thread() const noexcept { return plays_thread_; }
  bool belongs_to(const Shared& shared) const noexcept { return shared_ == &shared; }
  std::chrono::nanoseconds run_time() const noexcept {
    return std::chrono::nanoseconds(account ? static_cast<std::int64_t>(account->run_time.read())
                                            : 0);
  }
  bool is_daemon() const noexcept { return daemon_; }
  // Makes the shutdown wait for the end of this daemon. Called once. Returns false if the fiber has
  // ended.
  bool mark_counted() noexcept;
  // Returns true if mark_counted() would return false at present. The result may be stale.
  bool is_counted() const noexcept { return counted_.load(std::memory_order_relaxed); }

  // For the message about a stack overflow. The result is empty if `fiber` runs no Fiber.
  static FiberOrigin origin_of(const FiberCore& fiber) noexcept;

  // Returns its value of the FiberLocal `key`, which is null if there is none yet. Called by the
  // fiber itself only.
  std::unique_ptr<LocalValue>& local(std::uint64_t key);

  // The order of the members leaves no gaps, because a million of these objects may exist at a
  // time.
  [[no_unique_address]] Event finished;

 private:
  StackClass stack_class_;
  const FiberStart start_;
  const Priority priority_;
  // Whether the life of the fiber differs from that of a job: it has another FiberStart, another
  // priority, or is a daemon. Other fibers pay one test for all of it.
  const bool is_special_;
  const bool daemon_;
  bool wraps_body_ : 1 = false;         // True if one of the following members is true.
  bool measured_ : 1 = false;           // True if its use of the stack is measured.
  bool plays_thread_ : 1 = false;       // True if a thread plays the fiber.
  bool hooked_ : 1 = false;             // True if JobHooks::around_fiber() calls its function.
  Atomic<unsigned> worker_{kNoWorker};  // For observers.

 public:
  const std::uint64_t id;
  FiberSignals fiber_signals;
  struct Account : HeapObject<Account> {
    SingleWriterCounter run_time;    // In nanoseconds.
    os::Nanoseconds resumed_at = 0;  // Accessed by the home only.
  };
  // Set by launch(). Null if the scheduler does not account run times.
  std::unique_ptr<Account> account;
  struct {
    FiberControl* next = nullptr;
    FiberControl* previous = nullptr;
  } links;  // Accessed by the registry.

 protected:
  FiberControl(FiberOptions&& options, const std::source_location& site);

  // For a thread that plays the fiber (ThreadControl). `fiber`: the one of the calling thread.
  JOBS_COLD void begin_on_thread(Shared& shared, FiberCore& fiber) noexcept;
  JOBS_COLD void end_on_thread(FiberCore& fiber) noexcept;

  // Calls the function of the user; the derived class keeps the result.
  virtual void execute_body() = 0;

  std::exception_ptr exception_;  // Written before the signal of `finished`.

 private:
  static constexpr std::size_t block_size(std::size_t size) noexcept {
    return size > WorkerContext::kSmallFiber ? WorkerContext::kLargeFiber
                                             : WorkerContext::kSmallFiber;
  }

  void start_accounting();
  JOBS_COLD void launch_special(Shared& shared);
  JOBS_COLD void submit_to(Shared& shared);
  JOBS_COLD void begin_special(FiberCore& fiber) noexcept;
  JOBS_COLD void end_special() noexcept;
  JOBS_COLD std::uint8_t rank() const noexcept;
  static void execute(Job& job) noexcept;
  static StackFiber* main(void* self) noexcept;
  void run_body() noexcept;
  void execute_wrapped(const FiberCore& fiber);
  void execute_measured(const FiberCore& fiber);
  void end() noexcept;
  void finish_unstarted(std::exception_ptr exception) noexcept;
  void finish() noexcept;
  [[nodiscard]] bool mark_dead() noexcept;
  JOBS_COLD void receive_unlocked(RawSpinLock& lock, unsigned signals) noexcept;
  JOBS_COLD void fail(std::exception_ptr exception) noexcept;
  void report_exception() noexcept;

  void destroy_locals() noexcept;

  // What few fibers have.
  struct Extras : HeapObject<Extras> {
    // In the order of their first use.
    HeapVector<std::pair<std::uint64_t, std::unique_ptr<LocalValue>>> locals;
    // A copy of the hook of the scheduler, if the fiber has failed. The Fiber may end in any
    // thread, and after the scheduler.
    std::function<void(std::exception_ptr)> on_unhandled;
  };
  std::unique_ptr<Extras> extras_;  // null if there are none
  HeapArray<char> name_;            // Ends with a null character; empty if there is no name.
  Shared* shared_ = nullptr;
  const std::source_location site_;
  [[no_unique_address]] FiberOwners owners_;  // Its lock is the lock of the bucket in the registry.
  // Set by mark_counted(), and by the end of a daemon. The second of the two counts the end.
  Atomic<bool> counted_{false};
  mutable RawSpinLock name_lock_;
};

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
