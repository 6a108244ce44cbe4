// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Semaphore: no permit is lost or doubled, and each goes to the oldest waiter. An acquiring thread
// sees everything before the release and may destroy the semaphore.
#include <optional>

#include "jobs/sync/core/event_core.hpp"
#include "jobs/sync/core/semaphore_core.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/select.hpp"
#include "jobs/sync/semaphore.hpp"
#include "tests/model/sync/waiting.hpp"

namespace jobs::model {
namespace {

using detail::EventCore;
using detail::Plain;
using detail::SemaphoreCore;
using detail::WaitStatus;

void acquirer_destroys() {
  std::optional<Semaphore> semaphore(std::in_place, 0);
  Plain<int> data{0};
  run_threads(
      [&] {
        semaphore->acquire();
        check(data == 7, "it sees what was done before the release");
        semaphore.reset();
      },
      [&] {
        data = 7;
        semaphore->release();
      });
}

// Two permits at once, for two waiters or for later threads.
void two_permits_for_two() {
  std::optional<Semaphore> semaphore(std::in_place, 0);
  Plain<int> data{0};
  Arrivals acquirers(2);
  const auto acquire = [&] {
    semaphore->acquire();
    check(data == 7, "each sees what was done before the release");
    if (!acquirers.is_last()) return;
    check(!semaphore->try_acquire(), "both permits are taken");
    semaphore.reset();
  };
  run_threads(acquire, acquire, [&] {
    data = 7;
    semaphore->release(2);
  });
}

void passes_a_permit_around() {
  Semaphore semaphore(1);
  Plain<int> inside{0};
  const auto once = [&] {
    semaphore.acquire();
    inside = inside + 1;
    check(inside == 1, "one at a time");
    inside = inside - 1;
    semaphore.release();
  };
  run_threads(
      [&] {
        once();
        once();
      },
      once);
  check(semaphore.try_acquire() && !semaphore.try_acquire(), "one permit, as before");
}

// While a thread waits, no other thread takes a released permit.
void waiter_is_not_overtaken() {
  SemaphoreCore core(0);
  run_threads([&] { core.acquire({}); },
              [&] {
                const bool waits = core.state().flags() == detail::WaitState::kWaiters;
                core.release_fifo(1);
                if (waits) check(!core.try_acquire(), "it was handed over");
                if (!waits && core.try_acquire()) core.release_fifo(1);
              });
  check(core.state().word == 0, "the one permit is taken");
}

void late_waiter_loses_no_permit() {
  Semaphore semaphore(0);
  run_threads(
      [&] {
        if (semaphore.try_acquire_until(kSoon)) semaphore.release();
      },
      [&] {
        semaphore.release();
        semaphore.acquire();
      });
  check(!semaphore.try_acquire(), "the one permit is with the second thread");
}

void cancelled_waiter_loses_no_permit() {
  SemaphoreCore core(0);
  EventCore stop(1);
  run_threads(
      [&] {
        if (core.acquire({.stop = &stop}) == WaitStatus::kOk) core.release_fifo(1);
      },
      [&] {
        stop.open();
        core.release_fifo(1);
      });
  check(core.try_acquire(), "the permit is there again");
}

// A selection acquires one of two permits; the other one stays free.
void selection_acquires_one_permit() {
  Semaphore one(0);
  Semaphore two(0);
  bool by_two = false;
  run_threads([&] { by_two = select(one.on_acquire(), two.on_acquire()) == 1; },
              [&] {
                one.release();
                two.release();
              });
  check(one.try_acquire() == by_two && two.try_acquire() != by_two, "the other permit is free");
}

// The permit arrives while the selection is linked, links itself, or leaves for the event.
void selection_leaves_a_permit() {
  Semaphore semaphore(0);
  Event event;
  run_threads(
      [&] {
        if (select(event.on_signal(), semaphore.on_acquire()) == 1) semaphore.release();
      },
      [&] {
        event.signal();
        semaphore.release();
        semaphore.acquire();
      });
  check(!semaphore.try_acquire(), "the one permit is with the second thread");
}

void late_selection_loses_no_permit() {
  Semaphore semaphore(0);
  Event never;
  run_threads(
      [&] {
        if (select_until(kSoon, never.on_signal(), semaphore.on_acquire())) semaphore.release();
      },
      [&] {
        semaphore.release();
        semaphore.acquire();
      });
  check(!semaphore.try_acquire(), "the one permit is with the second thread");
}

}  // namespace

const Subject& subject() {
  static const Subject semaphore = {
      .headers = {"jobs/sync/core/semaphore_core.hpp"},
      .not_shown = {},
      .models =
          {
              {"acquirer_destroys", acquirer_destroys, {.preemptions = 3}},
              {"waiter_is_not_overtaken", waiter_is_not_overtaken, {.preemptions = 3}},
              {"passes_a_permit_around", passes_a_permit_around, {.preemptions = 2}},
              {"cancelled_waiter_loses_no_permit",
               cancelled_waiter_loses_no_permit,
               {.preemptions = 2}},
              {"selection_acquires_one_permit", selection_acquires_one_permit, {.preemptions = 2}},
              {"selection_leaves_a_permit", selection_leaves_a_permit, {.preemptions = 2}},
              {"late_selection_loses_no_permit",
               late_selection_loses_no_permit,
               {.preemptions = 1}},
              {"two_permits_for_two", two_permits_for_two, {.preemptions = 1}},
              {"late_waiter_loses_no_permit",
               late_waiter_loses_no_permit,
               {.preemptions = 2, .seconds = 100}},
          },
  };
  return semaphore;
}

}  // namespace jobs::model
