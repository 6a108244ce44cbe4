// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `FiberSignals`, the messages to one fiber: values that resume it, an exception that it
// throws, and the request to stop.
//
// Owner: the control block of the fiber. Any thread may send. Senders never switch and never
// wait.
//
// State: a queue of values, and at most one message of each other kind, until the fiber reads them.
// Two wake-ups notify the fiber. They are members of FiberSignals, and each is under way at most
// once.
//
// Queue of values: the first value announces itself by kResume. Later values are only appended: the
// fiber takes one value per wait, and sets kResume for itself while values remain. The last value
// and the number of values stand in the first value, so a fiber without values pays nothing. A
// wake-up without a value is first in the queue, or it is refused: of several such wake-ups that no
// wait has read, one is kept.
//
// A spin lock guards all members. It is the lock of the registry, so that a fiber leaves both in
// one section. A wake-up is sent after the lock has been released: the fiber does not end before it
// has received each promised wake-up (close()). Therefore fiber and signals outlive the wake-up.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <stop_token>
#include <utility>

#include "jobs/base/atomic.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/base/type_identity.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/queue/raw_spin_lock.hpp"
#include "jobs/sync/core/event_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

// A value that is sent to a fiber, and its place in the queue.
struct ResumeValue : HeapObject<ResumeValue> {
  // The largest number of values that wait for one fiber.
  static constexpr unsigned kMaxWaiting = 64;

  explicit ResumeValue(const TypeIdentity& type_of_value) noexcept : type(type_of_value) {}
  // Destroys the following values one after the other: nested calls could overflow a small stack.
  // Not inline, because the destructor of each fiber would save registers for it.
  JOBS_EXPORT virtual ~ResumeValue();
  ResumeValue(const ResumeValue&) = delete;
  ResumeValue& operator=(const ResumeValue&) = delete;

  const TypeIdentity& type;
  std::unique_ptr<ResumeValue> next;
  // Valid in the first value of the queue.
  ResumeValue* last = this;
  unsigned waiting = 1;
};

template <class T>
struct TypedResumeValue final : ResumeValue {
  template <class U>
  explicit TypedResumeValue(U&& v) : ResumeValue(kTypeIdentity<T>), value(std::forward<U>(v)) {}
  T value;
};

// Registers an event for the end of a fiber: one of several waits of wait_any().
struct DeathWatch {
  // The end of the fiber opens this gate.
  EventCore* gate = nullptr;
  DeathWatch* next = nullptr;
};

class JOBS_EXPORT FiberSignals : public SignalSource {
 public:
  enum class Phase : std::uint8_t {
    kUnstarted,  // created suspended: the fiber starts when it is scheduled for the first time
    kQueued,     // the fiber waits for a worker
    kLive,
    kDead,
  };
  enum class Sent : std::uint8_t {
    kRefused,  // too late, or there is such a message already, or the queue is full
    kStored,
    kStarts,  // kUnstarted before, kQueued now: the caller starts the fiber
    kEnds,    // kUnstarted before, kDead now: the fiber never runs
  };

  // `lock` guards all members; it may guard other data, too.
  FiberSignals(Phase phase, RawSpinLock& lock) noexcept : lock_(lock), phase_(phase) {}

  // --- any thread ---

  // Resumes the fiber with `value` (null: none), or appends the value to the queue. Throws
  // Error(kBadArgument) if the fiber waits for a value of another type.
  Sent resume(std::unique_ptr<ResumeValue> value);
  // Makes the current wait of the fiber, or its next one, throw `exception`. Takes the exception
  // only if it keeps it, so that the exception has one owner at a time.
  Sent interrupt(std::exception_ptr&& exception) noexcept;
  // Makes the waits of the fiber throw Cancelled from the call on. kRefused: a stop was requested
  // before.
  Sent request_stop() noexcept;

  // Registers `watch` until unwatch(), which takes O(watches). Returns false if the fiber is dead:
  // nothing will be signalled.
  [[nodiscard]] bool watch(DeathWatch& watch) noexcept;
  void unwatch(DeathWatch& watch) noexcept;

  FiberState state() const noexcept;
  std::uint64_t switches() const noexcept;

  // --- the fiber itself ---

  // The fiber starts to run.
  void open(FiberCore& fiber) noexcept;
  // The fiber ends, or never begins; called under the lock. Result 0: all later messages are
  // refused. Otherwise the result holds the signals that are under way: receive() them without the
  // lock, and call close() again. Each signal arrives once.
  [[nodiscard]] unsigned close() noexcept;
  void receive(FiberHost& host, unsigned signals) noexcept;
  // Waits until the fiber is scheduled. Returns false if that did not happen before `deadline`.
  // Throws Error(kBadArgument) if the value is not of `type`; the value is lost then.
  bool await(FiberHost& host, const TypeIdentity& type, os::Nanoseconds deadline,
             std::unique_ptr<ResumeValue>& value);
  [[noreturn]] void throw_interrupt(FiberCore& fiber);
  // Returns the stop token of the fiber. The first call creates it.
  std::stop_token stop_token();

 private:
  // Called under the lock.
  void set_dead() noexcept;
  // Appends a value to a queue that has messages. Returns false if the queue is full, or if `value`
  // is null.
  bool append(std::unique_ptr<ResumeValue>& value) noexcept;
  // Takes the first message of the queue, whose kResume the fiber has consumed. The result is null
  // for a message without a value.
  std::unique_ptr<ResumeValue> take_first(FiberCore& fiber) noexcept;
  const ResumeValue* first_value() const noexcept { return is_bare_ ? nullptr : value_.get(); }

  RawSpinLock& lock_;
  Plain<Phase> phase_;
  Plain<bool> stop_requested_{false};
  // The queue is not empty: kResume is under way, or the fiber has it.
  Plain<bool> has_resume_{false};
  // The first message of the queue has no value.
  Plain<bool> is_bare_{false};
  // The message is under way, or it has arrived and has not been read.
  Plain<bool> interrupt_sent_{false};
  // Type of the await() that is under way.
  Plain<const TypeIdentity*> awaited_{nullptr};
  // Valid in phase kLive.
  Plain<FiberCore*> fiber_{nullptr};
  // Before kDead: the switches of earlier fibers on that stack. In kDead: the switches of this
  // fiber.
  std::uint64_t switches_ = 0;
  DeathWatch* watches_ = nullptr;
  std::unique_ptr<ResumeValue> value_;  // The first value of the queue.
  std::exception_ptr exception_;
  std::stop_source stop_{std::nostopstate};
  Wakeup resume_message_{nullptr, kResume};
  Wakeup interrupt_message_{nullptr, kInterrupt};
};

}  // namespace jobs::inline JOBS_ABI::detail
