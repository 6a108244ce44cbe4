// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Mailbox: what others have to say to one fiber: a value to go on with, an exception to throw, the request to stop. One of each is
// kept at most, until the fiber looks. Senders never switch and never wait; the fiber is told by one of two messages, which live
// here and of which each is under way once at most.
//
// A spin lock guards everything; it is the registry's, so that a fiber leaves both in one section. A message is sent after it
// has been released: the fiber does not end before it has received what was promised (die()), so neither fiber nor mailbox can
// be gone.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <stop_token>
#include <utility>

#include "jobs/base/atomic.hpp"
#include "jobs/base/type_identity.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/queue/spin_lock.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI::detail {

// A value on its way to a fiber.
struct ResumeValue {
  explicit ResumeValue(const TypeIdentity& type_of_value) noexcept : type(type_of_value) {}
  virtual ~ResumeValue() = default;
  ResumeValue(const ResumeValue&) = delete;
  ResumeValue& operator=(const ResumeValue&) = delete;

  const TypeIdentity& type;
};

template <class T>
struct TypedResumeValue final : ResumeValue {
  template <class U>
  explicit TypedResumeValue(U&& v) : ResumeValue(kTypeIdentity<T>), value(std::forward<U>(v)) {}
  T value;
};

// Wants to know when a fiber dies, and perhaps others too: for wait_any().
struct DeathWatch {
  Event* event = nullptr;  // is signalled
  DeathWatch* next = nullptr;
};

class JOBS_EXPORT Mailbox {
 public:
  enum class Phase : std::uint8_t {
    kHeld,    // the fiber is to start when it is scheduled for the first time
    kQueued,  // it waits for a worker
    kLive,
    kDead,
  };
  enum class Sent : std::uint8_t {
    kRefused,  // too late, or one is there already
    kKept,
    kStarts,  // kHeld before, kQueued now: the caller starts the fiber
    kEnds,    // kHeld before, kDead now: the fiber never runs
  };

  // `lock`: guards everything; may guard other things too.
  Mailbox(Phase phase, SpinLock& lock) noexcept : lock_(lock), phase_(phase) {}

  // --- any thread ---

  // The fiber goes on with `value` (null: none). Throws Error(kBadArgument) if it waits for a value of another type.
  Sent resume(std::unique_ptr<ResumeValue> value);
  // Its current wait, or the next one, throws `exception`. Taken only if it is kept, so that it has one owner at a time.
  Sent interrupt(std::exception_ptr&& exception) noexcept;
  // From now on its waits throw Cancelled. kRefused: was requested before.
  Sent request_stop() noexcept;

  // Until unwatch(), which takes O(watches). post: false: it is dead, nothing will be signalled.
  [[nodiscard]] bool watch(DeathWatch& watch) noexcept;
  void unwatch(DeathWatch& watch) noexcept;

  FiberState state() const noexcept;
  std::uint64_t switches() const noexcept;

  // --- the fiber itself ---

  // It starts to run.
  void open(FiberCore& fiber) noexcept;
  // It ends, or never begins; under the lock. post: 0: from here on everything is refused. Otherwise signals that are under way:
  // receive() them without the lock, and try again. Each comes once.
  [[nodiscard]] unsigned die() noexcept;
  void receive(FiberHost& host, unsigned signals) noexcept;
  // Waits until it is scheduled. post: false: it was not, until `deadline`. Throws Error(kBadArgument) if what came is no `type`;
  // the value is lost then.
  bool await(FiberHost& host, const TypeIdentity& type, os::Nanoseconds deadline, std::unique_ptr<ResumeValue>& value);
  [[noreturn]] void throw_interrupt(FiberCore& fiber);
  // Made at the first call.
  std::stop_token stop_token();

 private:
  // Under the lock.
  void set_dead() noexcept;

  SpinLock& lock_;
  Plain<Phase> phase_;
  Plain<bool> stop_requested_{false};
  Plain<bool> has_resume_{false};
  Plain<bool> interrupt_sent_{false};            // the message is under way, or has arrived and not been read
  Plain<const TypeIdentity*> awaited_{nullptr};  // of the await() that is under way
  Plain<FiberCore*> fiber_{nullptr};             // while kLive
  std::uint64_t switches_ = 0;                   // of whoever ran on that stack before; once kDead: its own
  DeathWatch* watches_ = nullptr;
  std::unique_ptr<ResumeValue> value_;
  std::exception_ptr exception_;
  std::stop_source stop_{std::nostopstate};
  Wakeup resume_message_{nullptr, kResume};
  Wakeup interrupt_message_{nullptr, kInterrupt};
};

}  // namespace jobs::inline JOBS_ABI::detail
