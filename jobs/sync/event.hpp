// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::Event, a flag that fibers and threads can wait for.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/sync/core/event_core.hpp"
#include "jobs/sync/core/selection.hpp"
#include "jobs/sync/select.hpp"

namespace jobs::inline JOBS_ABI {

/// Lets fibers and threads wait until something has happened.
///
/// An event is set or not set. With manual reset, the default, signal() sets the event, and each
/// wait passes until reset(). With automatic reset, each signal lets exactly one wait pass.
///
/// A waiter that passes, and a caller for which is_set() returns true, see the effects that precede
/// signal(). Waiters resume in FIFO order.
///
/// Destruction while a fiber waits aborts. The event may be destroyed as soon as wait() has
/// returned to every waiter, even if signal() has not returned yet.
///
/// @snippet sync.cpp event
class JOBS_EXPORT Event {
 public:
  /// Selects how an event returns to "not set".
  enum class Reset : bool {
    /// Stays set until reset(): for an event that happens once, and for many waiters.
    kManual,
    /// The wait that passes resets the event: each signal lets one wait pass.
    ///
    /// Signals do not add up while the event is set; a jobs::Semaphore adds them up.
    kAutomatic,
  };

  /// Creates an event with manual reset that is not set.
  ///
  /// @complexity O(1), no allocation
  Event() noexcept = default;

  /// Creates an event that is not set.
  ///
  /// @param reset  kind of the reset
  /// @complexity O(1), no allocation
  explicit Event(Reset reset) noexcept : reset_(reset) {}

  /// Destroys the event; aborts while a fiber waits.
  ///
  /// @complexity O(1)
  ~Event() {
    if (core_.state().flags() != 0) [[unlikely]]
      destroyed_in_use();
  }

  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Sets the event: wakes all waiters in FIFO order; later waits return at once.
  ///
  /// With automatic reset the call lets one wait pass: the oldest waiter, or the next caller of
  /// wait() if no fiber waits.
  ///
  /// @complexity O(waiters), no allocation; one compare-and-swap if no fiber waits, also if the
  /// event is set already. The call may spin while a waiter links itself to the list.
  /// @thread_safety any thread or fiber, concurrently
  void signal() noexcept { reset_ == Reset::kManual ? core_.open() : core_.release_one(); }

  /// Clears the event: later calls to wait() block.
  ///
  /// Fibers that waited when signal() was called pass nevertheless. To wait for the next of several
  /// signals: call reset(), check whether there is work, and only then call wait().
  ///
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  void reset() noexcept { core_.close(); }

  /// Checks whether the event is set.
  ///
  /// The result may be outdated as soon as the call returns.
  ///
  /// @returns true if the event is set
  /// @complexity O(1), one load
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool is_set() const noexcept { return core_.is_open(); }

  /// Suspends the calling fiber until the event is set.
  ///
  /// An external thread is parked instead. If the event is set, the call returns at once.
  ///
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation; if the event is set, one load, or with automatic reset one
  /// compare-and-swap
  /// @thread_safety any thread or fiber, concurrently
  void wait() {
    if (reset_ == Reset::kManual ? !core_.is_open() : !core_.try_consume()) wait_on_core({});
  }

  /// Waits as wait() does, until a stop is requested.
  ///
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the event was set, false if the stop came first
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool wait(const std::stop_token& stop) { return wait_before(os::kNever, stop); }

  /// Waits as wait() does, until a point in time or a stop request.
  ///
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the event was set, false if the deadline or the stop came first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration>& when,
                                const std::stop_token& stop = {}) {
    return wait_before(detail::to_deadline(when), stop);
  }

  /// Waits as wait_until() does, for a duration from the call on.
  ///
  /// @param timeout  duration; zero or less makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the event was set, false if the deadline or the stop came first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& timeout,
                              const std::stop_token& stop = {}) {
    return wait_before(detail::to_deadline(timeout), stop);
  }

  class OnSignal;

  /// Makes an alternative for select() that waits for this event.
  ///
  /// An alternative is used for one call of select(), as in `select(ready.on_signal(),
  /// quit.on_signal())`.
  ///
  /// @returns the alternative; it refers to this event
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] OnSignal on_signal() noexcept;

  /// Waits until one of several events is set.
  ///
  /// The call is select() with on_signal() of each event. select_for(), select_until() and the
  /// select() with a stop token limit such a wait.
  ///
  /// @snippet sync.cpp event_any
  ///
  /// @param events  events; of several that are set, the first one counts
  /// @returns index of the event, from 0; an event with automatic reset is not set any more
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(events), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <std::same_as<Event>... Events>
    requires(sizeof...(Events) > 0)
  static std::size_t any(Events&... events) {
    return select(events.on_signal()...);
  }

 private:
  detail::WaitStatus wait_on_core(detail::WaitLimit limit) {
    return reset_ == Reset::kManual ? core_.wait(limit) : core_.wait_and_consume(limit);
  }
  bool wait_before(os::Nanoseconds deadline, const std::stop_token& stop);
  [[noreturn]] JOBS_COLD void destroyed_in_use() const noexcept;

  detail::EventCore core_{1};
  const Reset reset_ = Reset::kManual;
};

/// Alternative of select(): a wait for an event.
///
/// Event::on_signal() makes it.
class JOBS_EXPORT Event::OnSignal final : public detail::Alternative {
 private:
  friend class Event;
  explicit OnSignal(Event& event) noexcept : event_(event) {}

  bool try_now() noexcept override;
  bool link() noexcept override;
  bool unlink_self() noexcept override { return event_.core_.unlink(*this); }
  detail::WaitSite site() const noexcept override { return {WaitKind::kEvent, &event_}; }

  Event& event_;
};

inline Event::OnSignal Event::on_signal() noexcept { return OnSignal(*this); }

}  // namespace jobs::inline JOBS_ABI
