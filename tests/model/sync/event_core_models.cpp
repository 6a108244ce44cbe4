// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// EventCore, used as Event and as stop source. No waiter is lost, no thread accesses a gate that a
// waiter has destroyed, and a waiter that passes sees everything before the opening.
#include <optional>

#include "jobs/sync/core/event_core.hpp"
#include "jobs/sync/core/thread_host.hpp"
#include "jobs/sync/event.hpp"
#include "tests/model/sync/waiting.hpp"

namespace jobs::model {
namespace {

using detail::EventCore;
using detail::Plain;
using detail::WaitStatus;

void signal_and_destroy() {
  std::optional<Event> event(std::in_place);
  Plain<int> data;
  run_threads(
      [&] {
        event->wait();
        check(data == 7, "the waiter sees what was done before the signal");
        event.reset();
      },
      [&] {
        data = 7;
        event->signal();
      });
}

// If a signal finds the event set, a thread that resets the event afterwards must still see that
// signal.
void reset_look_wait() {
  Event event;
  event.signal();
  detail::Atomic<bool> ready{false};
  run_threads(
      [&] {
        for (;;) {
          event.reset();
          if (ready.load(std::memory_order_relaxed)) break;
          event.wait();
        }
      },
      [&] {
        ready.store(true, std::memory_order_relaxed);
        event.signal();
      });
}

void reset_right_after_signal() {
  Event event;
  run_threads([&] { event.wait(); },
              [&] {
                event.signal();
                event.reset();
                event.signal();
              });
}

void reset_with_two_waiters() {
  Event event;
  run_threads(
      [&] {
        event.signal();
        event.reset();
        event.signal();
      },
      [&] { event.wait(); }, [&] { event.wait(); });
}

// The late waiter finds the gate closed again, but its wake-up is under way.
void late_waiter_after_reset() {
  Event event;
  run_threads(
      [&] {
        if (!event.wait_until(kSoon)) event.wait();
      },
      [&] {
        event.signal();
        event.reset();
        event.signal();
      });
}

// Another thread resets and opens again, while the opener has opened the gate but has not yet woken
// the waiter.
void reset_races_the_opener() {
  Event event;
  run_threads([&] { event.wait(); }, [&] { event.signal(); },
              [&] {
                event.reset();
                event.signal();
              });
}

// With automatic reset, one signal lets one thread pass: the waiter or, if the waiter is late, a
// later thread.
void automatic_signal_passes_one() {
  constexpr std::chrono::steady_clock::time_point kPast{};
  Event event(Event::Reset::kAutomatic);
  detail::Atomic<unsigned> passed{0};
  const auto wait_until = [&](std::chrono::steady_clock::time_point when) {
    if (event.wait_until(when)) passed.fetch_add(1, std::memory_order_relaxed);
  };
  run_threads([&] { wait_until(kSoon); }, [&] { wait_until(kPast); }, [&] { event.signal(); });
  check(passed.load(std::memory_order_relaxed) + (event.is_set() ? 1 : 0) == 1,
        "one has passed, or may pass");
}

void automatic_events_wake_one() {
  std::optional<Event> ping(std::in_place, Event::Reset::kAutomatic);
  Event pong(Event::Reset::kAutomatic);
  Plain<int> data;
  run_threads(
      [&] {
        data = 7;
        ping->signal();
        pong.wait();
        check(data == 8, "the first one sees what the second one did");
        ping->signal();
      },
      [&] {
        ping->wait();
        check(data == 7, "the second one sees what the first one did");
        data = 8;
        pong.signal();
        ping->wait();
        ping.reset();
      });
}

void stop_and_open_race() {
  std::optional<EventCore> event(std::in_place, 1);
  std::optional<EventCore> stop(std::in_place, 1);
  Plain<int> data;
  Arrivals openers(2);
  run_threads(
      [&] {
        const WaitStatus status = event->wait({.stop = &*stop});
        if (status == WaitStatus::kCancelled) {
          // The opener of a gate has finished with the gate once its waiter has passed.
          stop.reset();
          event->wait({});
        }
        event.reset();
        check(data == 7, "the waiter sees what was done before the gate opened");
      },
      [&] {
        data = 7;
        event->open();
      },
      [&] { stop->open(); });
}

// The deadline or stop of this wait must not affect the next wait.
void alarms_end_with_their_wait() {
  EventCore first(1);
  EventCore second(1);
  EventCore stop(1);
  EventCore other_stop(1);
  run_threads(
      [&] {
        const detail::WaitingThread guest;  // one host for both waits, as a fiber has
        first.wait({.deadline = 5, .stop = &stop});
        check(second.wait({.stop = &other_stop}) == WaitStatus::kOk,
              "only the gate ends the second wait");
      },
      [&] {
        stop.open();
        first.open();
        second.open();
      });
}

}  // namespace

const Subject& subject() {
  static const Subject event = {
      .headers = {"jobs/sync/core/event_core.hpp"},
      .not_shown = {},
      .models =
          {
              {"signal_and_destroy", signal_and_destroy, {.preemptions = 4}},
              {"automatic_events_hand_over", automatic_events_wake_one, {.preemptions = 2}},
              {"automatic_signal_passes_one", automatic_signal_passes_one, {.preemptions = 1}},
              {"reset_look_wait", reset_look_wait, {.preemptions = 3}},
              {"reset_right_after_signal", reset_right_after_signal, {.preemptions = 3}},
              {"late_waiter_after_reset", late_waiter_after_reset, {.preemptions = 2}},
              {"alarms_end_with_their_wait", alarms_end_with_their_wait, {.preemptions = 2}},
              {"stop_and_open_race", stop_and_open_race, {.preemptions = 1}},
              {"reset_races_the_opener", reset_races_the_opener, {.preemptions = 2}},
              {"reset_with_two_waiters", reset_with_two_waiters, {.preemptions = 1}},
          },
  };
  return event;
}

}  // namespace jobs::model
