// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// OdeThreading: the workers of a scheduler step the rigid bodies of the Open Dynamics Engine.
//
//   jobs::interop::OdeThreading threading(world);   // to be destroyed before the world
//   dWorldQuickStep(world, 0.01);                   // as before, from any thread
//
// Opt-in: not part of jobs/jobs.hpp. Whoever includes it links libode; written for ODE 0.16.
//
// Islands (bodies that touch or are jointed, and those that touch these) are stepped by different workers at the same time, each
// island by ODE's code for one thread. ODE takes one number for two things, how many islands to step at the same time and how many
// threads to give to each. The second divides an island into calls of half a microsecond with several atomic operations for each row
// of each iteration: a pile of 650 boxes took 6 times as long that way with two threads, by ODE's pool as by us, and 64 stacks of 12
// boxes twice as long on one. Rows that share a body race there, too: quickstep.cpp orders each after the later one of its two
// predecessors only. So ODE hears of several threads when it allocates the memory of the steppers, and of one when it starts them;
// the call that starts one is then made as often as ODE would have made it for so many threads, with the same arguments. Each of them
// runs steppers until no island is left, so if ODE should start several after all, one is made, for which there is always memory.
//
// Same bits: an island comes out as without threads, whichever worker has it. But from the 9th iteration on dWorldQuickStep shuffles
// rows by one random sequence for all islands, so who comes first changes the result. With dWorldSetQuickStepNumIterations(world, 8),
// or by dWorldStep, the world depends on nothing but its input, and is the same as without OdeThreading.
#pragma once

#include <ode/ode.h>
#include <ode/threading.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <new>
#include <utility>

#include "jobs/base/atomic.hpp"
#include "jobs/base/error.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/thread_safety.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/queue/spin_lock.hpp"
#include "jobs/runtime/job.hpp"
#include "jobs/runtime/lane.hpp"
#include "jobs/runtime/spawned_job.hpp"
#include "jobs/runtime/submit.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/spin_lock.hpp"

namespace jobs::inline JOBS_ABI::interop {

namespace ode_order {
JOBS_ORDER(kArrive, acq_rel);  // what a call did is seen by the one that waits for it; partner: itself, kLastToArrive
JOBS_ORDER(kLastToArrive, acquire);  // partner: kArrive
JOBS_ORDER(kOwn, relaxed);           // nobody else knows the call yet; or what it says travels with kArrive
}  // namespace ode_order

// A step runs on the scheduler of the job that makes it; that of an unbound thread on the default scheduler. The stepping fiber
// waits meanwhile, its worker does not. What a step needs is allocated in the first steps and kept. dWorldQuickStep and dWorldStep
// return 0 if memory or stacks for that are missing; nothing has been stepped then. After shutdown_default() they run in the unbound
// thread that calls them. dWorldSetStepIslandsProcessingMaxThreadCount limits how many workers take part. Of worlds that share their
// memory (dWorldUseSharedWorkingMemory) all must have an OdeThreading, or none.
//
// ODE's callbacks (dBodySetMovedCallback) come from workers. They may wait, but must not throw (std::terminate), and must call
// dAllocateODEDataForThread themselves before they collide shapes.
class OdeThreading {
 public:
  // From its next step on the world runs on workers. Starts nothing. Neither this nor the destructor while the world is stepped.
  explicit OdeThreading(dWorldID world) noexcept : world_(world) {
    dWorldSetStepThreadingImplementation(world, functions(), id());
  }
  // Gives the world back to ODE's own default, which is no threads.
  ~OdeThreading();
  OdeThreading(const OdeThreading&) = delete;
  OdeThreading& operator=(const OdeThreading&) = delete;

  // What the constructor hands to ODE, for those who put something between.
  static const dThreadingFunctionsInfo* functions() noexcept;
  dThreadingImplementationID id() noexcept { return reinterpret_cast<dThreadingImplementationID>(this); }

 private:
  struct Call;
  // Steps shorter than that are not worth a worker that has to be woken, which takes some 10 us itself.
  static constexpr os::Nanoseconds kLongStep = 30'000;
  static constexpr os::Nanoseconds kShortStep = 20'000;  // it is a little faster with more workers: no back and forth
  // What the stepping thread waits for: never run, only finished and joined.
  struct CallWait : detail::Job {
    CallWait() noexcept : Job([](Job&) {}) {}
  };

  static OdeThreading& from(dThreadingImplementationID id) noexcept { return *reinterpret_cast<OdeThreading*>(id); }
  static Call& from(dCallReleaseeID id) noexcept { return *reinterpret_cast<Call*>(id); }
  static jobs::SpinLock* from(dMutexGroupID id) noexcept { return reinterpret_cast<jobs::SpinLock*>(id); }
  static CallWait& from(dCallWaitID id) noexcept { return *reinterpret_cast<CallWait*>(id); }

  // ODE's twelve.
  static dMutexGroupID alloc_mutexes(dThreadingImplementationID, dmutexindex_t count, const char* const*) noexcept;
  static void free_mutexes(dThreadingImplementationID, dMutexGroupID group) noexcept { delete[] from(group); }
  static void lock(dThreadingImplementationID, dMutexGroupID group,
                   dmutexindex_t index) noexcept JOBS_NO_THREAD_SAFETY_ANALYSIS;
  static void unlock(dThreadingImplementationID, dMutexGroupID group,
                     dmutexindex_t index) noexcept JOBS_NO_THREAD_SAFETY_ANALYSIS;
  static dCallWaitID alloc_wait(dThreadingImplementationID) noexcept;
  static void reset_wait(dThreadingImplementationID id, dCallWaitID wait) noexcept;
  static void free_wait(dThreadingImplementationID, dCallWaitID wait) noexcept { delete &from(wait); }
  static void post(dThreadingImplementationID id, int* fault, dCallReleaseeID* call_id, ddependencycount_t dependencies,
                   dCallReleaseeID dependent, dCallWaitID wait, dThreadedCallFunction* function, void* context,
                   dcallindex_t index, const char* name) noexcept;
  static void alter(dThreadingImplementationID id, dCallReleaseeID call, ddependencychange_t change) noexcept;
  static void wait(dThreadingImplementationID id, int* status, dCallWaitID wait, const dThreadedWaitTime* time,
                   const char* name) noexcept;
  static unsigned count_threads(dThreadingImplementationID id) noexcept;
  static int preallocate(dThreadingImplementationID id, ddependencycount_t calls) noexcept;

  Call& make_call(Call* dependent, dThreadedCallFunction* function, void* context, dcallindex_t index) noexcept;
  void start_step() noexcept;
  unsigned choose_starts() const noexcept;
  void make_ready(Call& call) noexcept;
  Call* take_refused() noexcept;
  static void execute(detail::Job& job) noexcept;
  void run_all(Call* calls) noexcept;
  Call* finish(Call& call) noexcept;
  Call* complete(Call& call) noexcept;

  const dWorldID world_;

  // The stepping thread's; workers read them while it waits.
  bool has_asked_ = false;   // in this step ODE has been told for how many steppers to have memory
  unsigned steppers_ = 1;    // ... namely for so many
  Call* step_ = nullptr;     // the call that completes with the step
  bool is_posting_ = false;  // ODE posts the starts of steppers, all alike
  dThreadedCallFunction* start_ = nullptr;
  void* start_context_ = nullptr;
  os::Nanoseconds last_step_ = kLongStep;
  bool was_shared_ = true;

  detail::SpinLock lock_;    // of all below
  Call* spare_ = nullptr;    // records that are not in use
  std::size_t records_ = 0;  // all there are
  detail::Atomic<Call*> refused_{
      nullptr};  // ready, but the scheduler did not take them; may be looked at without the lock
};

// A call that ODE has posted.
//
//   waits for others --the last of them has completed--> ready --> runs --> has returned --and what it posted has completed-->
//   complete: tells its dependent, and goes back to the spare records
//
// `missing` counts what the next of these steps waits for; while it runs, its own return is one of them. A thread that has finished a
// call owns no part of the step, which may be over and the world gone, unless it has another one to run.
struct OdeThreading::Call : detail::Job {
  Call() noexcept : Job(&execute) {}

  // The last one needs no read-modify-write, for only those who have not arrived may announce more.
  bool arrive() noexcept {
    return missing.load(ode_order::kLastToArrive) == 1 || missing.fetch_sub(1, ode_order::kArrive) == 1;
  }

  OdeThreading* threading = nullptr;
  dThreadedCallFunction* function = nullptr;
  void* context = nullptr;
  dcallindex_t index = 0;
  detail::Atomic<std::size_t> missing{0};
  Call* dependent = nullptr;
  Call* below = nullptr;  // link of the list that it is on
  int* fault = nullptr;   // null: nobody wants to know
  CallWait* wait = nullptr;
  bool has_started = false;
  detail::Atomic<bool> has_failed{false};
};

// --- a step -------------------------------------------------------------------------------------------------------------

// ODE asks twice in a step: for how many steppers to have memory, and how many to start. A step that could not have its memory asks once;
// the next one then gets memory for one stepper, and is told to start several.
inline unsigned OdeThreading::count_threads(dThreadingImplementationID id) noexcept {
  OdeThreading& threading = from(id);
  threading.has_asked_ = !threading.has_asked_;
  if (!threading.has_asked_) return 1;
  unsigned workers = 1;
  JOBS_TRY { workers = jobs::worker_count(); }
  JOBS_CATCH_ALL {  // stopped
  }
  const unsigned limit = dWorldGetStepIslandsProcessingMaxThreadCount(threading.world_);
  threading.steppers_ = limit == dWORLDSTEP_THREADCOUNT_UNLIMITED ? workers : std::min(limit, workers);
  return workers;
}

// The last moment at which a step can fail, and the only one: the wait needs a fiber for its worker to go on with.
inline int OdeThreading::preallocate(dThreadingImplementationID id, ddependencycount_t calls) noexcept {
  OdeThreading& threading = from(id);
  JOBS_TRY {
    if (detail::FiberHost* const host = detail::this_thread().host) host->prepare_wait();
  }
  JOBS_CATCH(Error) { return 0; }
  // ODE has estimated what one stepper needs.
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
                               ddependencycount_t dependencies, dCallReleaseeID dependent, dCallWaitID wait,
                               dThreadedCallFunction* function, void* context, dcallindex_t index,
                               const char*) noexcept {
  OdeThreading& threading = from(id);
  if (threading.is_posting_) {  // how many there are is for start_step() to say
    threading.start_ = function;
    threading.start_context_ = context;
    return;
  }
  Call& call = threading.make_call(dependent != nullptr ? &from(dependent) : nullptr, function, context, index);
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

// `change` may bring a call to its start, but not to its end: whoever takes part in that returns from a call.
inline void OdeThreading::alter(dThreadingImplementationID id, dCallReleaseeID call_id,
                                ddependencychange_t change) noexcept {
  Call& call = from(call_id);
  const auto by = static_cast<std::size_t>(change);  // modulo 2^64, as the count
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
  } else {  // ODE itself never does that
    const auto seconds = static_cast<os::Nanoseconds>(time->wait_sec);
    const os::Nanoseconds until = start + seconds * 1'000'000'000 + static_cast<os::Nanoseconds>(time->wait_nsec);
    while (!waited.is_done() && os::now() < until) os::yield_thread();
  }
  threading.last_step_ = os::now() - start;
  if (status != nullptr) *status = waited.is_done() ? 1 : 0;
}

// Each start runs steppers until no island is left, so any number from 1 to what there is memory for is right.
inline unsigned OdeThreading::choose_starts() const noexcept {
  // ODE starts several after all: so there is memory for one.
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

// --- calls --------------------------------------------------------------------------------------------------------------

inline OdeThreading::Call& OdeThreading::make_call(Call* dependent, dThreadedCallFunction* function, void* context,
                                                   dcallindex_t index) noexcept {
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
  // More than ODE has announced to preallocate(). It cannot be told that there is no memory.
  if (call == nullptr) call = new (std::nothrow) Call;
  if (call == nullptr) detail::breach("OdeThreading", this, "no memory for a call within a step");
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
    if (detail::Lane* const lane = detail::worker_lane()) {
      lane->push_detached(call);
    } else {
      detail::submit(detail::current_core(), call);
    }
  }
  JOBS_CATCH_ALL {  // stopped, or no memory: the caller runs it when it has returned, or waits
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
  detail::this_thread().lane->finished.add(1);
}

// Runs a list of calls, what they make ready by their end, and what nobody else takes.
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

// Returns the call that is ready now because this one has ended, if any.
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

// Returns the call that has waited for it, if any.
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
  if (found != records_) detail::breach("OdeThreading", this, "destroyed while the world is stepped");
}

// --- the other callbacks ------------------------------------------------------------------------------------------------

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

// ODE's sections are a few instructions long and never wait.
inline dMutexGroupID OdeThreading::alloc_mutexes(dThreadingImplementationID, dmutexindex_t count,
                                                 const char* const*) noexcept {
  return reinterpret_cast<dMutexGroupID>(new (std::nothrow) jobs::SpinLock[count]);
}
inline void OdeThreading::lock(dThreadingImplementationID, dMutexGroupID group, dmutexindex_t index) noexcept {
  from(group)[index].lock();
}
inline void OdeThreading::unlock(dThreadingImplementationID, dMutexGroupID group, dmutexindex_t index) noexcept {
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
