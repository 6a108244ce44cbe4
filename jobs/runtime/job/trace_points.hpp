// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceObserver: receives the events of schedulers. The component jobs::trace defines one for all
// schedulers, and each JobHooks has one for its schedulers. A scheduler without an observer has
// workers that run loops without trace points.
//
// Shared reads trace_observer() once, before SchedulerCore creates the workers. trace() may be
// called by any thread, which is the thread of the event.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "jobs/base/config.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/fiber/stack_fiber.hpp"
#include "jobs/runtime/job/probes.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Events, with their two values.
enum class TraceEvent : std::uint8_t {
  kNone,
  kJobBegin,     // address of the job's function; address of the Job
  kJobEnd,       //
  kSteal,        // number of jobs; index of the victim, or kExternal
  kSearchBegin,  // a worker has no work
  kSearchEnd,    //
  kPark,         // 1: the worker retires, 0: it has no work
  kWake,         // address of the FiberHost of the worker
  kFiberCreate,  // id of the fiber; line of its creation site
  kFiberEnd,     // id of the fiber
  kSuspend,      // id of the fiber; packed wait: pack_wait()
  kResume,       // id of the fiber, which may begin; address of its FiberCore
  // Of the program; the component records them.
  kZoneBegin,  // address of the name
  kZoneEnd,    //
  kCounter,    // address of the name; bits of the value
  kMessage,    // its text follows
  kFrame,      // address of the name
  kText,       // a part of the text of the event before
  // Of the library again. `key`: trace_key() of a fiber.
  kSpawn,          // address of the detached Job; address of its function
  kReady,          // key, Signal bits: on its home, a suspended fiber becomes ready
  kWakeFiber,      // key, Signal bits: another thread sends the wake-up
  kLockWait,       // address of the Mutex; identity of its owner, or 0: lock() begins to wait
  kLockHeld,       // address of the Mutex: the wait has ended, and the caller owns the mutex
  kLockLost,       // address of the Mutex: the wait has ended without the mutex
  kLockFree,       // address of the Mutex: the owner unlocks a mutex that was waited for
  kChunkBegin,     // address of the loop; offset of the first index, or kTraceLeaf | offset. It
                   // ends the chunk before
  kChunkEnd,       // address of the loop
  kNodeBegin,      // address of the run; index of the node. Its name follows as a text
  kNodeEnd,        // address of the run; index of the node
  kStageBegin,     // address of the run; pack_stage()
  kStageEnd,       // address of the run
  kTimer,          // key, or 0: a call; lateness in nanoseconds: a worker serves a deadline
  kBlockingBegin,  // address of the function of a call of blocking(), on the thread of the pool
  kBlockingEnd,    //
  // If a recorder shows forks. The parent may run its fork itself; otherwise it is a job.
  kFork,       // address of the Job; address of its function
  kForkBegin,  // the same: the parent runs it
  kForkEnd,    //
  // Of all recorders again.
  kLoopBegin,  // address of the loop. Its caller, if another thread may run the first chunk
  kLoopEnd,    // address of the loop. Its caller continues
  kPartCode,  // address of the function of the node or stage that has just begun, if it has no name
  kCallBegin,   // address of a function of the program that a job of the C interface calls
  kCallEnd,     //
  kWakeWorker,  // address of the FiberHost of a worker: another thread sends it a token or a
                // message
  // The recorder itself finds them, before another event of the thread.
  kPageFaults,  // number since the last look; bytes of the running stack in memory, or 0: unknown
};

// Victim of a theft: an external participant.
inline constexpr std::uint64_t kTraceExternal = ~std::uint64_t{0};
// Kind of a wait: the fiber is ready, and yields.
inline constexpr unsigned kTraceYield = 0xff;

// Packs the kind of a wait and its object, whose address has at most 56 bits.
constexpr std::uint64_t pack_wait(unsigned kind, std::uint64_t object) noexcept {
  return std::uint64_t{kind} << 56 | (object & ((std::uint64_t{1} << 56) - 1));
}

// Packs the number of a stage and that of a token.
constexpr std::uint64_t pack_stage(std::uint64_t stage, std::uint64_t token) noexcept {
  return stage << 48 | (token & ((std::uint64_t{1} << 48) - 1));
}

// Identifies a fiber over all threads: its id, or its address if it has no id of its own.
inline std::uint64_t trace_key(const FiberCore& fiber) noexcept {
  const std::uint64_t id = fiber.id.load_remote();
  return id != 0 ? id : std::uint64_t{1} << 63 | reinterpret_cast<std::uintptr_t>(&fiber);
}

class TraceObserver {
 public:
  // Returns whether events are recorded. A hint: an event may be recorded after the end.
  bool is_on() const noexcept { return on_.load(std::memory_order_relaxed); }
  // Returns whether spawns and chunks are recorded: the events that profiles do not need. False for
  // the observer of JobHooks.
  bool has_details() const noexcept { return details_.load(std::memory_order_relaxed); }
  // Returns whether forks are recorded, also those that their parent runs itself.
  bool has_forks() const noexcept { return forks_.load(std::memory_order_relaxed); }
  // Called before a scheduler starts its workers. Returns the observer of their switches, which
  // forwards to `hooks` unless they are null. Throws Error(kBadEnvironment), std::bad_alloc.
  virtual SwitchObserver* scheduler_starts(SwitchObserver* hooks) = 0;
  virtual void record(TraceEvent event, std::uint64_t first, std::uint64_t second) noexcept = 0;
  // As record() of kFiberCreate. `name`: null: none.
  virtual void fiber_created(std::uint64_t id, const char* name, const char* file,
                             unsigned line) noexcept = 0;
  // As record() of the begin of a part: of a node, of a stage or of a call. `code`: the function of
  // the program. `name`: stands for the function in results, unless it is empty. The end is an
  // event of record(). The observer of JobHooks gets no parts.
  virtual void begin_part(TraceEvent event, std::uint64_t first, std::uint64_t second,
                          CodeAddress code, std::string_view name) noexcept = 0;

  // The loop of workers that records events. Only the component refers to its code.
  const FiberEntry loop;

 protected:
  constexpr explicit TraceObserver(FiberEntry traced_loop) noexcept : loop(traced_loop) {}
  ~TraceObserver() = default;

  // Relaxed: it publishes nothing; the rings of the recorder carry the events.
  std::atomic<bool> on_{false};
  std::atomic<bool> details_{false};
  std::atomic<bool> forks_{false};
};

// Defined by the component. The address is null in a program without it.
[[gnu::weak]] JOBS_EXPORT extern TraceObserver* const linked_trace_observer;

// Returns the observer of the program, or null.
inline TraceObserver* trace_observer() noexcept {
  return &linked_trace_observer != nullptr ? linked_trace_observer : nullptr;
}

// Returns whether a recorder wants the events that profiles do not need.
inline bool is_traced_in_detail() noexcept {
  const TraceObserver* const recorder = trace_observer();
  return recorder != nullptr && recorder->has_details();
}

// Returns the recorder if it wants nodes, stages and calls, which profiles need, too; otherwise
// null.
inline TraceObserver* observer_of_parts() noexcept {
  TraceObserver* const recorder = trace_observer();
  return recorder != nullptr && recorder->is_on() ? recorder : nullptr;
}

// The probe of an event of a worker. `event`: a constant, so that one probe remains.
JOBS_ALWAYS_INLINE void probe(TraceEvent event, std::uint64_t first,
                              std::uint64_t second) noexcept {
  switch (event) {
    case TraceEvent::kJobBegin:
      JOBS_PROBE1(job_begin, first);
      break;
    case TraceEvent::kJobEnd:
      JOBS_PROBE0(job_end);
      break;
    case TraceEvent::kSteal:
      JOBS_PROBE2(steal, first, second);
      break;
    case TraceEvent::kSearchBegin:
      JOBS_PROBE0(search_begin);
      break;
    case TraceEvent::kSearchEnd:
      JOBS_PROBE0(search_end);
      break;
    case TraceEvent::kPark:
      JOBS_PROBE0(park);
      break;
    case TraceEvent::kWake:
      JOBS_PROBE0(wake);
      break;
    default:
      break;
  }
}

// Records an event, if there is an observer and it records.
JOBS_ALWAYS_INLINE void trace(TraceObserver* observer, TraceEvent event, std::uint64_t first = 0,
                              std::uint64_t second = 0) noexcept {
  if (observer == nullptr) return;
  probe(event, first, second);
  if (observer->is_on()) [[unlikely]]
    observer->record(event, first, second);
}

}  // namespace jobs::inline JOBS_ABI::detail
