// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Gate, as Counter, as Event and as stop source: no waiter is lost, nobody touches a gate that a waiter has destroyed, and what
// was done before it opened is seen by those who pass.
#include <optional>

#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/gate.hpp"
#include "jobs/sync/thread_host.hpp"
#include "tests/model/sync/waiting.hpp"

namespace jobs::model {
namespace {

using detail::Gate;
using detail::Outcome;
using detail::Plain;

// Jobs that each leave a result, and what a waiter has to find.
struct Jobs {
  explicit Jobs(std::size_t count) : counter(std::in_place, count) {}

  void run(std::size_t job) {
    results[job] = 7;
    counter->done();
  }
  void destroy_and_check(std::size_t count) {
    counter.reset();
    for (std::size_t job = 0; job < count; ++job) check(results[job] == 7, "the waiter sees what the job did");
  }

  std::optional<Counter> counter;
  Plain<int> results[2];
};

void waiter_destroys_after_one_job() {
  Jobs jobs(1);
  run_threads(
      [&] {
        jobs.counter->wait();
        jobs.destroy_and_check(1);
      },
      [&] { jobs.run(0); });
}

void waiter_destroys_after_two_jobs() {
  Jobs jobs(2);
  run_threads(
      [&] {
        jobs.counter->wait();
        jobs.destroy_and_check(2);
      },
      [&] { jobs.run(0); }, [&] { jobs.run(1); });
}

void last_of_two_waiters_destroys() {
  Jobs jobs(1);
  Arrivals waiters(2);
  const auto wait = [&] {
    jobs.counter->wait();
    check(jobs.results[0] == 7, "each waiter sees what the job did");
    if (waiters.is_last()) jobs.counter.reset();
  };
  run_threads(wait, wait, [&] { jobs.run(0); });
}

void late_waiter_waits_again() {
  Jobs jobs(1);
  run_threads(
      [&] {
        if (!jobs.counter->wait_until(kSoon)) jobs.counter->wait();
        jobs.destroy_and_check(1);
      },
      [&] { jobs.run(0); });
}

void late_waiter_and_two_jobs() {
  Jobs jobs(2);
  run_threads(
      [&] {
        if (!jobs.counter->wait_until(kSoon)) jobs.counter->wait();
        jobs.destroy_and_check(2);
      },
      [&] { jobs.run(0); }, [&] { jobs.run(1); });
}

void late_waiter_leaves_another() {
  Jobs jobs(1);
  Arrivals waiters(2);
  run_threads(
      [&] {
        static_cast<void>(jobs.counter->wait_until(kSoon));
        if (waiters.is_last()) jobs.counter.reset();
      },
      [&] {
        jobs.counter->wait();
        check(jobs.results[0] == 7, "the other waiter sees what the job did");
        if (waiters.is_last()) jobs.counter.reset();
      },
      [&] { jobs.run(0); });
}

void job_adds_another() {
  Jobs jobs(2);
  run_threads(
      [&] {
        jobs.counter->wait();
        jobs.destroy_and_check(2);
      },
      [&] {
        jobs.counter->add();
        jobs.counter->done();
        jobs.run(0);
      },
      [&] { jobs.run(1); });
}

void exception_travels_with_done() {
  Counter counter(2);
  bool caught = false;
  const auto fail = [&] {
    counter.fail(std::make_exception_ptr(0));
    counter.done();
  };
  run_threads(
      [&] {
        try {
          counter.wait();
        } catch (int) {
          caught = true;
        }
        check(counter.dropped_exceptions() == 1, "the other one is counted");
      },
      fail, fail);
  check(caught, "the waiter got an exception");
}

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

// A signal that finds the event set must still be found by whoever resets it afterwards.
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

// The late waiter finds the gate closed again, but its wake-up is on its way.
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

// Another thread resets, and opens again, while the opener is between opening the gate and waking the waiter.
void reset_races_the_opener() {
  Event event;
  run_threads([&] { event.wait(); }, [&] { event.signal(); },
              [&] {
                event.reset();
                event.signal();
              });
}

void stop_and_open_race() {
  std::optional<Gate> gate(std::in_place, 1);
  std::optional<Gate> stop(std::in_place, 1);
  Plain<int> data;
  Arrivals openers(2);
  run_threads(
      [&] {
        const Outcome outcome = gate->wait({.stop = &*stop});
        if (outcome == Outcome::kCancelled) {
          stop.reset();  // the opener of a gate that has let its waiter go is done with it
          gate->wait({});
        }
        gate.reset();
        check(data == 7, "the waiter sees what was done before the gate opened");
      },
      [&] {
        data = 7;
        gate->open();
      },
      [&] { stop->open(); });
}

// The next wait must not hear of the deadline or the stop of this one.
void alarms_end_with_their_wait() {
  Gate first(1);
  Gate second(1);
  Gate stop(1);
  Gate other_stop(1);
  run_threads(
      [&] {
        const detail::WaitingThread guest;  // one host for both waits, as a fiber has
        first.wait({.deadline = 5, .stop = &stop});
        check(second.wait({.stop = &other_stop}) == Outcome::kOk, "only the gate ends the second wait");
      },
      [&] {
        stop.open();
        first.open();
        second.open();
      });
}

}  // namespace

const Subject& subject() {
  static const Subject gate = {
      .headers = {"jobs/sync/gate.hpp"},
      .not_shown = {},
      .models =
          {
              {"waiter_destroys_after_one_job", waiter_destroys_after_one_job, {.preemptions = 4}},
              {"signal_and_destroy", signal_and_destroy, {.preemptions = 4}},
              {"reset_look_wait", reset_look_wait, {.preemptions = 3}},
              {"reset_right_after_signal", reset_right_after_signal, {.preemptions = 3}},
              {"late_waiter_after_reset", late_waiter_after_reset, {.preemptions = 2}},
              {"late_waiter_waits_again", late_waiter_waits_again, {.preemptions = 3}},
              {"waiter_destroys_after_two_jobs", waiter_destroys_after_two_jobs, {.preemptions = 2}},
              {"exception_travels_with_done", exception_travels_with_done, {.preemptions = 2}},
              {"job_adds_another", job_adds_another, {.preemptions = 2}},
              {"late_waiter_and_two_jobs", late_waiter_and_two_jobs, {.preemptions = 2}},
              {"alarms_end_with_their_wait", alarms_end_with_their_wait, {.preemptions = 2}},
              {"last_of_two_waiters_destroys", last_of_two_waiters_destroys, {.preemptions = 2}},
              {"late_waiter_leaves_another", late_waiter_leaves_another, {.preemptions = 1}},
              {"stop_and_open_race", stop_and_open_race, {.preemptions = 1}},
              {"reset_races_the_opener", reset_races_the_opener, {.preemptions = 2}},
              {"reset_with_two_waiters", reset_with_two_waiters, {.preemptions = 1}},
          },
  };
  return gate;
}

}  // namespace jobs::model
