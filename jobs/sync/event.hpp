// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Event: one tells others that something has happened. By default it stays set, and every wait passes, until reset(). With automatic
// reset each signal lets one wait pass.
#pragma once

#include <chrono>
#include <stop_token>

#include "jobs/base/deadline.hpp"
#include "jobs/sync/gate.hpp"
#include "jobs/sync/selection.hpp"

namespace jobs::inline JOBS_ABI {

// All members may be called by jobs, fibers and external threads alike. Whoever returns from wait(), or finds is_set(), sees what
// was done before signal(). Destruction while somebody waits aborts; after wait() has returned to all who called it the event may
// be destroyed even if signal() has not returned yet.
//
// A wait that has to suspend throws Error(kNoStack), before anything has changed, if its worker needs one more fiber to go on with
// and cannot have it (SchedulerOptions::max_fibers, memory).
class JOBS_EXPORT Event {
 public:
  enum class Reset : bool {
    kManual,  // set until reset(): for what happens once, and for many who wait for it
    kAutomatic,  // a wait that passes resets it: each signal lets one pass. Signals do not add up while it is set: Semaphore does that
  };

  // Not signalled. O(1), allocates nothing, here and everywhere below.
  Event() noexcept = default;
  explicit Event(Reset reset) noexcept : reset_(reset) {}
  ~Event() {
    if (gate_.state().flags() != 0) [[unlikely]]
      destroyed_in_use();
  }

  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  // Lets all who wait go on, in the order in which they came, and all who come later. With automatic reset: the first who waits,
  // else the first who comes. One compare-and-swap, also if it is set; it may spin while somebody links himself to the list.
  void signal() noexcept { reset_ == Reset::kManual ? gate_.open() : gate_.admit_one(); }

  // From here on waits wait. Those who were waiting when signal() came pass nevertheless. To wait for the next signal of many:
  // reset(), look whether there is something to do, and only then wait().
  void reset() noexcept { gate_.close(); }

  // One load. May be outdated at once.
  [[nodiscard]] bool is_set() const noexcept { return gate_.is_open(); }

  // Returns at once if the event is set, after one load or compare-and-swap; otherwise suspends the fiber (an external thread: parks
  // it) until it is.
  void wait() {
    if (reset_ == Reset::kManual ? !gate_.is_open() : !gate_.pass_one()) wait_until_admitted({});
  }

  // As wait(), but gives up when a stop is requested. post: false: it was not set.
  [[nodiscard]] bool wait(const std::stop_token& stop) { return wait_before(os::kNever, stop); }

  // As wait(), but gives up at `when`, or when a stop is requested. post: false: it was not set. A moment in the past only looks.
  // Throws Error for NaN.
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration>& when,
                                const std::stop_token& stop = {}) {
    return wait_before(detail::to_deadline(when), stop);
  }
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& timeout, const std::stop_token& stop = {}) {
    return wait_before(detail::to_deadline(timeout), stop);
  }

  // wait() as one of several things to wait for (select.hpp): `select(ready.on_signal(), quit.on_signal())`.
  class OnSignal;
  [[nodiscard]] OnSignal on_signal() noexcept;

 private:
  detail::Outcome wait_until_admitted(detail::Until until) {
    return reset_ == Reset::kManual ? gate_.wait(until) : gate_.wait_one(until);
  }
  bool wait_before(os::Nanoseconds deadline, const std::stop_token& stop);
  [[noreturn]] JOBS_COLD void destroyed_in_use() const noexcept;

  detail::Gate gate_{1};
  const Reset reset_ = Reset::kManual;
};

class JOBS_EXPORT Event::OnSignal final : public detail::Alternative {
 private:
  friend class Event;
  explicit OnSignal(Event& event) noexcept : event_(event) {}

  bool try_now() noexcept override;
  bool link() noexcept override;
  bool unlink_self() noexcept override { return event_.gate_.unlink(*this); }

  Event& event_;
};

inline Event::OnSignal Event::on_signal() noexcept { return OnSignal(*this); }

}  // namespace jobs::inline JOBS_ABI
