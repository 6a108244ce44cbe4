// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// OdeThreading: the workers of a scheduler step the rigid bodies of the Open Dynamics Engine.
//
//   jobs::interop::OdeThreading threading(world);   // destroyed before the world
//   dWorldQuickStep(world, 0.01);                   // unchanged, from any thread
//
// Optional: not part of `jobs/jobs.hpp`. A program that includes it links libode. Written for ODE
// 0.16. The object belongs to the program; ODE calls its functions from the stepping thread and
// from workers.
//
// **Islands.** An island is a set of bodies that touch each other or are connected by joints,
// directly or through other bodies. Workers step different islands at the same time, each island by
// ODE's code for one thread.
//
// **Why one thread per island.** ODE uses one number for two purposes: the number of islands that
// are stepped at the same time, and the number of threads per island. More threads per island
// divide it into calls of half a microsecond, with several atomic operations for each row of each
// iteration. Two threads took 6 times as long for a pile of 650 boxes, by ODE's pool as well as by
// this class. 64 stacks of 12 boxes took twice as long on one thread. Rows that share a body race
// there, too: quickstep.cpp orders each row only after the later one of its two predecessors.
//
// Therefore ODE receives a number of several threads when it allocates the memory of the steppers,
// and 1 when it starts the steppers. This class then makes the call that starts a stepper as often
// as ODE would have made it for several threads, with the same arguments. Each of these calls runs
// steppers until no island is left. If ODE does start several steppers, the class makes one call,
// because there is always memory for one.
//
// **Reproducibility.** An island has the same result as without threads, on any worker. From the
// 9th iteration on, however, dWorldQuickStep shuffles rows by one random sequence for all islands,
// so the order of the islands changes the result. With dWorldSetQuickStepNumIterations(world, 8),
// or with dWorldStep, the world depends only on its input, and equals the world without
// OdeThreading.
#pragma once

#include <ode/ode.h>
#include <ode/threading.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <new>
#include <utility>

#include "jobs/base/atomic.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/thread_safety.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/queue/raw_spin_lock.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/scheduler/spawned_job.hpp"
#include "jobs/runtime/worker/submit.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/spin_lock.hpp"

namespace jobs::inline JOBS_ABI::interop {

namespace ode_order {
// [ode.1] Publishes the effects of a call to the call that waits for it. Partner: kArrive,
//   kLastToArrive.
JOBS_ORDER(kArrive, acq_rel);
// [ode.1] Partner: kArrive.
JOBS_ORDER(kLastToArrive, acquire);
// No other thread knows the call yet, or kArrive publishes the value.
JOBS_ORDER(kOwn, relaxed);
}  // namespace ode_order

/// Steps the islands of an ODE world on the workers of a scheduler.
///
/// A step runs on the scheduler of the calling job, or on the default scheduler if an external
/// thread calls it. The stepping fiber is suspended meanwhile; its worker continues with other
/// jobs. The first steps allocate the memory that a step needs, and later steps reuse it. If memory
/// or a stack for it is missing, dWorldQuickStep and dWorldStep return 0 and have stepped nothing.
/// After shutdown_default(), steps run in the calling external thread.
/// dWorldSetStepIslandsProcessingMaxThreadCount limits the number of participating workers. Worlds
/// that share their memory (dWorldUseSharedWorkingMemory) must either all have an OdeThreading or
/// none.
///
/// Workers call ODE's callbacks (dBodySetMovedCallback). A callback may wait. It must not throw: an
/// exception calls std::terminate(). It must call dAllocateODEDataForThread before it collides
/// shapes.
///
/// `samples/tumble` is a program that uses this class.
///
/// @thread_safety no constructor, destructor or other step of the same world during a step;
///   different worlds may be stepped concurrently
class OdeThreading {
 public:
  /// Steps the world on workers from its next step on; starts no thread.
  ///
  /// @param world  world that outlives this object; no step of it is running
  /// @thread_safety any thread
  explicit OdeThreading(dWorldID world) noexcept : world_(world) {
    dWorldSetStepThreadingImplementation(world, functions(), id());
  }
  /// Restores ODE's default for the world: no threads.
  ~OdeThreading();
  OdeThreading(const OdeThreading&) = delete;
  OdeThreading& operator=(const OdeThreading&) = delete;

  /// Returns the functions that the constructor passes to ODE.
  ///
  /// For programs that wrap these functions in functions of their own.
  ///
  /// @returns ODE's table of functions
  /// @thread_safety any thread
  static const dThreadingFunctionsInfo* functions() noexcept;
  /// Returns the identifier that the constructor passes to ODE.
  ///
  /// @returns the first argument of the functions of functions()
  /// @thread_safety any thread
  dThreadingImplementationID id() noexcept {
    return reinterpret_cast<dThreadingImplementationID>(this);
  }

 private:
  struct Call;
  // Steps shorter than kLongStep do not justify a wake-up of a worker, which takes about 10 us
  // itself.
  static constexpr os::Nanoseconds kLongStep = 30'000;
  // A step is slightly faster with more workers; the distance between both limits prevents
  // oscillation.
  static constexpr os::Nanoseconds kShortStep = 20'000;
  // The event that the stepping thread waits for: never run, only finished and joined.
  struct CallWait : detail::Job {
    CallWait() noexcept : Job([](Job&) {}) {}
  };

  static OdeThreading& from(dThreadingImplementationID id) noexcept {
    return *reinterpret_cast<OdeThreading*>(id);
  }
  static Call& from(dCallReleaseeID id) noexcept { return *reinterpret_cast<Call*>(id); }
  static jobs::SpinLock* from(dMutexGroupID id) noexcept {
    return reinterpret_cast<jobs::SpinLock*>(id);
  }
  static CallWait& from(dCallWaitID id) noexcept { return *reinterpret_cast<CallWait*>(id); }

  // The twelve functions of ODE's interface.
  static dMutexGroupID alloc_mutexes(dThreadingImplementationID, dmutexindex_t count,
                                     const char* const*) noexcept;
  static void free_mutexes(dThreadingImplementationID, dMutexGroupID group) noexcept {
    delete[] from(group);
  }
  static void lock(dThreadingImplementationID, dMutexGroupID group,
                   dmutexindex_t index) noexcept JOBS_NO_THREAD_SAFETY_ANALYSIS;
  static void unlock(dThreadingImplementationID, dMutexGroupID group,
                     dmutexindex_t index) noexcept JOBS_NO_THREAD_SAFETY_ANALYSIS;
  static dCallWaitID alloc_wait(dThreadingImplementationID) noexcept;
  static void reset_wait(dThreadingImplementationID id, dCallWaitID wait) noexcept;
  static void free_wait(dThreadingImplementationID, dCallWaitID wait) noexcept {
    delete &from(wait);
  }
  static void post(dThreadingImplementationID id, int* fault, dCallReleaseeID* call_id,
                   ddependencycount_t dependencies, dCallReleaseeID dependent, dCallWaitID wait,
                   dThreadedCallFunction* function, void* context, dcallindex_t index,
                   const char* name) noexcept;
  static void alter(dThreadingImplementationID id, dCallReleaseeID call,
                    ddependencychange_t change) noexcept;
  static void wait(dThreadingImplementationID id, int* status, dCallWaitID wait,
                   const dThreadedWaitTime* time, const char* name) noexcept;
  static unsigned count_threads(dThreadingImplementationID id) noexcept;
  static int preallocate(dThreadingImplementationID id, ddependencycount_t calls) noexcept;

  Call& make_call(Call* dependent, dThreadedCallFunction* function, void* context,
                  dcallindex_t index) noexcept;
  void start_step() noexcept;
  unsigned choose_starts() const noexcept;
  void make_ready(Call& call) noexcept;
  Call* take_refused() noexcept;
  static void execute(detail::Job& job) noexcept;
  void run_all(Call* calls) noexcept;
  Call* finish(Call& call) noexcept;
  Call* complete(Call& call) noexcept;

  const dWorldID world_;

  // State of the stepping thread. Workers read it while this thread waits.
  // True if ODE has asked in this step for the number of steppers to allocate memory for.
  bool has_asked_ = false;
  // The number of steppers that ODE has allocated memory for.
  unsigned steppers_ = 1;
  // The call that completes with the step.
  Call* step_ = nullptr;
  // True while ODE posts the starts of steppers, which are all alike.
  bool is_posting_ = false;
  dThreadedCallFunction* start_ = nullptr;
  void* start_context_ = nullptr;
  os::Nanoseconds last_step_ = kLongStep;
  bool was_shared_ = true;

  // Protects all members below.
  detail::RawSpinLock lock_;
  // Records that are not in use.
  Call* spare_ = nullptr;
  // The number of all records.
  std::size_t records_ = 0;
  // Calls that are ready and that the scheduler refused. Readable without the lock.
  detail::Atomic<Call*> refused_{nullptr};
};

/// @cond
// A call that ODE has posted. Its states:
//
//   blocked --the last dependency has completed--> ready --> running --> returned
//   --the calls that it has posted have completed--> complete
//
// A complete call notifies its dependent and returns to the spare records.
//
// `missing` counts the events before the next state; while the call runs, its own return is one of
// them. A thread that has finished a call owns no part of the step any more, unless it has another
// call to run. The step may be over, and the world destroyed.
struct OdeThreading::Call : detail::Job {
  Call() noexcept : Job(&execute) {}

  // The last arrival needs no read-modify-write operation, because only calls that have not arrived
  // may increase `missing`.
  bool arrive() noexcept {
    return missing.load(ode_order::kLastToArrive) == 1 ||
           missing.fetch_sub(1, ode_order::kArrive) == 1;
  }

  OdeThreading* threading = nullptr;
  dThreadedCallFunction* function = nullptr;
  void* context = nullptr;
  dcallindex_t index = 0;
  detail::Atomic<std::size_t> missing{0};
  Call* dependent = nullptr;
  // The link of the list that contains the call.
  Call* below = nullptr;
  // Null if no caller needs the status.
  int* fault = nullptr;
  CallWait* wait = nullptr;
  bool has_started = false;
  detail::Atomic<bool> has_failed{false};
};
/// @endcond

// --- a step --------------------------------------------------------------------------------------

// ODE asks twice per step: for the number of steppers to allocate memory for, and for the number to
// start. A step that could not allocate its memory asks once. The next step then gets memory for
// one stepper, and the answer that it starts several.
inline unsigned OdeThreading::count_threads(dThreadingImplementationID id) noexcept {
  OdeThreading& threading = from(id);
  threading.has_asked_ = !threading.has_asked_;
  if (!threading.has_asked_) return 1;
  unsigned workers = 1;
  JOBS_TRY { workers = jobs::worker_count(); }
  JOBS_CATCH_ALL {  // the scheduler has stopped
  }
  const unsigned limit = dWorldGetStepIslandsProcessingMaxThreadCount(threading.world_);
  threading.steppers_ =
      limit == dWORLDSTEP_THREADCOUNT_UNLIMITED ? workers : std::min(limit, workers);
  return workers;
}

// This is the last and only point at which a step can fail: the wait needs a fiber on which its
// worker continues.
inline int OdeThreading::preallocate(dThreadingImplementationID id,
                                     ddependencycount_t calls) noexcept {
  OdeThreading& threading = from(id);
  JOBS_TRY {
    if (detail::FiberHost* const host = detail::this_thread().host) host->prepare_wait();
  }
  JOBS_CATCH(Error) { return 0; }
  // ODE's estimate is for one stepper.
  const std::size_t wanted = calls * threading.steppers_;
  const std::lock_guard guard(threading.lock_);
  for (; threading.records_ < wanted; ++threading.records_) {
    auto* const call = new (std::nothrow) Call;
    if (call == nullptr) return 0;
    call->below = std::exchange(threading.spare_, call);
  }
  return 1;
}

inline void OdeThreading::post(dThreadingImplementationID id, int* fault, dCallReleaseeID* call_id,
                               ddependencycount_t dependencies, dCallReleaseeID dependent,
                               dCallWaitID wait, dThreadedCallFunction* function, void* context,
                               dcallindex_t index, const char*) noexcept {
  OdeThreading& threading = from(id);
  // start_step() decides on their number.
  if (threading.is_posting_) {
    threading.start_ = function;
    threading.start_context_ = context;
    return;
  }
  Call& call = threading.make_call(dependent != nullptr ? &from(dependent) : nullptr, function,
                                   context, index);
  call.fault = fault;
  if (call_id != nullptr) *call_id = reinterpret_cast<dCallReleaseeID>(&call);
  if (wait != nullptr) {
    call.wait = &from(wait);
    threading.step_ = &call;
    threading.is_posting_ = true;
  }
  if (dependencies == 0) return threading.make_ready(call);
  call.missing.store(dependencies, ode_order::kOwn);
}

// `change` may start a call, but not complete it: a call completes only when a call returns.
inline void OdeThreading::alter(dThreadingImplementationID id, dCallReleaseeID call_id,
                                ddependencychange_t change) noexcept {
  Call& call = from(call_id);
  const auto by = static_cast<std::size_t>(change);  // modulo 2^64, like the count
  if (call.missing.fetch_add(by, ode_order::kArrive) + by == 0) from(id).make_ready(call);
}

inline void OdeThreading::wait(dThreadingImplementationID id, int* status, dCallWaitID wait,
                               const dThreadedWaitTime* time, const char*) noexcept {
  OdeThreading& threading = from(id);
  CallWait& waited = from(wait);
  const os::Nanoseconds start = os::now();
  if (threading.is_posting_) threading.start_step();
  if (Call* const calls = threading.take_refused()) threading.run_all(calls);
  if (time == nullptr) {
    waited.join();
  } else {  // ODE itself never passes a time
    const auto seconds = static_cast<os::Nanoseconds>(time->wait_sec);
    const os::Nanoseconds until =
        start + seconds * 1'000'000'000 + static_cast<os::Nanoseconds>(time->wait_nsec);
    while (!waited.is_done() && os::now() < until) os::yield_thread();
  }
  threading.last_step_ = os::now() - start;
  if (status != nullptr) *status = waited.is_done() ? 1 : 0;
}

// Each start runs steppers until no island is left, so any number from 1 to the number with memory
// is correct.
inline unsigned OdeThreading::choose_starts() const noexcept {
  // If ODE does start several steppers, there is memory for one.
  if (step_->missing.load(ode_order::kOwn) != 1) return 1;
  return last_step_ >= (was_shared_ ? kShortStep : kLongStep) ? steppers_ : 1;
}

inline void OdeThreading::start_step() noexcept {
  const unsigned starts = choose_starts();
  was_shared_ = starts > 1;
  is_posting_ = false;
  Call& step = *step_;
  step.missing.store(starts, ode_order::kOwn);
  for (unsigned i = 0; i < starts; ++i) make_ready(make_call(&step, start_, start_context_, i));
}

// --- calls ---------------------------------------------------------------------------------------

inline OdeThreading::Call& OdeThreading::make_call(Call* dependent, dThreadedCallFunction* function,
                                                   void* context, dcallindex_t index) noexcept {
  Call* call = nullptr;
  {
    const std::lock_guard guard(lock_);
    call = spare_;
    if (call != nullptr) {
      spare_ = call->below;
    } else {
      ++records_;
    }
  }
  // There are more calls than ODE announced to preallocate(). ODE has no way to handle missing
  // memory here.
  if (call == nullptr) call = new (std::nothrow) Call;
  if (call == nullptr)
    detail::contract_violation("OdeThreading", this, "no memory for a call within a step");
  call->threading = this;
  call->function = function;
  call->context = context;
  call->index = index;
  call->dependent = dependent;
  call->fault = nullptr;
  call->wait = nullptr;
  call->has_started = false;
  call->has_failed.store(false, ode_order::kOwn);
  return *call;
}

inline void OdeThreading::make_ready(Call& call) noexcept {
  call.missing.store(1, ode_order::kOwn);
  call.has_started = true;
  JOBS_TRY {
    if (detail::WorkerContext* const context = detail::worker_context()) {
      context->push_detached(call);
    } else {
      detail::submit(detail::current_shared(), call);
    }
  }
  JOBS_CATCH_ALL {
    // The scheduler has stopped or has no memory: the caller runs the call after its return, or
    // when it waits.
    const std::lock_guard guard(lock_);
    call.below = refused_.load(ode_order::kOwn);
    refused_.store(&call, ode_order::kOwn);
  }
}

inline OdeThreading::Call* OdeThreading::take_refused() noexcept {
  if (refused_.load(ode_order::kOwn) == nullptr) [[likely]]
    return nullptr;
  const std::lock_guard guard(lock_);
  return refused_.exchange(nullptr, ode_order::kOwn);
}

inline void OdeThreading::execute(detail::Job& job) noexcept {
  auto& call = static_cast<Call&>(job);
  call.below = nullptr;
  call.threading->run_all(&call);
  detail::this_context()->finished.add(1);
}

// Runs a list of calls, the calls that become ready by their end, and refused calls.
inline void OdeThreading::run_all(Call* calls) noexcept {
  while (calls != nullptr) {
    Call& call = *calls;
    calls = call.below;
    if (call.function(call.context, call.index, reinterpret_cast<dCallReleaseeID>(&call)) == 0)
      call.has_failed.store(true, ode_order::kOwn);
    for (Call* refused = take_refused(); refused != nullptr;) {
      Call& mine = *refused;
      refused = mine.below;
      mine.below = std::exchange(calls, &mine);
    }
    if (Call* const ready = finish(call)) ready->below = std::exchange(calls, ready);
  }
}

// Returns the call that is ready because this one has ended, or null.
inline OdeThreading::Call* OdeThreading::finish(Call& call) noexcept {
  Call* next = &call;
  while (next != nullptr && next->arrive()) {
    if (!next->has_started) {
      next->missing.store(1, ode_order::kOwn);
      next->has_started = true;
      return next;
    }
    next = complete(*next);
  }
  return nullptr;
}

// Completes a call and returns the call that depends on it, or null.
inline OdeThreading::Call* OdeThreading::complete(Call& call) noexcept {
  const bool has_failed = call.has_failed.load(ode_order::kOwn);
  Call* const dependent = call.dependent;
  CallWait* const wait = call.wait;
  if (dependent != nullptr && has_failed) dependent->has_failed.store(true, ode_order::kOwn);
  if (call.fault != nullptr) *call.fault = has_failed ? 1 : 0;
  {
    const std::lock_guard guard(lock_);
    call.below = std::exchange(spare_, &call);
  }
  if (wait != nullptr) wait->finish();
  return dependent;
}

inline OdeThreading::~OdeThreading() {
  dWorldSetStepThreadingImplementation(world_, nullptr, nullptr);
  std::size_t found = 0;
  for (; Call* const call = spare_; ++found) {
    spare_ = call->below;
    delete call;
  }
  if (found != records_)
    detail::contract_violation("OdeThreading", this, "destroyed while the world is stepped");
}

// --- the other callbacks -------------------------------------------------------------------------

inline const dThreadingFunctionsInfo* OdeThreading::functions() noexcept {
  static constexpr dThreadingFunctionsInfo all = {
      .struct_size = sizeof(dThreadingFunctionsInfo),
      .alloc_mutex_group = &alloc_mutexes,
      .free_mutex_group = &free_mutexes,
      .lock_group_mutex = &lock,
      .unlock_group_mutex = &unlock,
      .alloc_call_wait = &alloc_wait,
      .reset_call_wait = &reset_wait,
      .free_call_wait = &free_wait,
      .post_call = &post,
      .alter_call_dependencies_count = &alter,
      .wait_call = &wait,
      .retrieve_thread_count = &count_threads,
      .preallocate_resources_for_calls = &preallocate,
  };
  return &all;
}

// ODE's critical sections take a few instructions and never wait.
inline dMutexGroupID OdeThreading::alloc_mutexes(dThreadingImplementationID, dmutexindex_t count,
                                                 const char* const*) noexcept {
  return reinterpret_cast<dMutexGroupID>(new (std::nothrow) jobs::SpinLock[count]);
}
inline void OdeThreading::lock(dThreadingImplementationID, dMutexGroupID group,
                               dmutexindex_t index) noexcept {
  from(group)[index].lock();
}
inline void OdeThreading::unlock(dThreadingImplementationID, dMutexGroupID group,
                                 dmutexindex_t index) noexcept {
  from(group)[index].unlock();
}

inline dCallWaitID OdeThreading::alloc_wait(dThreadingImplementationID) noexcept {
  return reinterpret_cast<dCallWaitID>(new (std::nothrow) CallWait);
}
// ODE's last callback of a step.
inline void OdeThreading::reset_wait(dThreadingImplementationID id, dCallWaitID wait) noexcept {
  from(id).has_asked_ = false;
  CallWait& waited = from(wait);
  waited.~CallWait();
  ::new (&waited) CallWait;
}

}  // namespace jobs::inline JOBS_ABI::interop
