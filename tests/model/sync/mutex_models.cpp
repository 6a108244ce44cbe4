// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Mutex: one owner at a time, and each sees the effects of its predecessor. No waiter is lost or
// overtaken twice, and the last owner may destroy the mutex.
#include <optional>

#include "jobs/sync/core/event_core.hpp"
#include "jobs/sync/core/semaphore_core.hpp"
#include "jobs/sync/mutex.hpp"
#include "tests/model/sync/waiting.hpp"

namespace jobs::model {
namespace {

using detail::EventCore;
using detail::Plain;
using detail::SemaphoreCore;
using detail::WaitStatus;

struct Shared {
  std::optional<Mutex> mutex{std::in_place};
  Plain<int> value{0};

  void lock_and_count() {
    mutex->lock();
    count_and_unlock();
  }
  void count_and_unlock() {
    value = value + 1;
    mutex->unlock();
  }
};

void two_threads_twice() {
  Shared shared;
  const auto twice = [&] {
    shared.lock_and_count();
    shared.lock_and_count();
  };
  run_threads(twice, twice);
  check(shared.value == 4, "no update is lost");
}

void last_of_two_destroys() {
  Shared shared;
  const auto once = [&] {
    shared.mutex->lock();
    shared.value = shared.value + 1;
    const bool last = shared.value == 2;
    shared.mutex->unlock();
    if (last) shared.mutex.reset();
  };
  run_threads(once, once);
}

void late_waiter() {
  Shared shared;
  run_threads(
      [&] {
        if (shared.mutex->try_lock_until(kSoon)) shared.count_and_unlock();
      },
      [&] { shared.lock_and_count(); });
}

// For larger models: a mutex without a lock owner. The owner is no part of the protocol and doubles
// the number of steps.
struct Bare {
  std::optional<SemaphoreCore> core{std::in_place, 1};
  Plain<int> value{0};

  void acquire_and_count() {
    core->acquire({});
    count_and_release();
  }
  void count_and_release() {
    value = value + 1;
    core->release();
  }
  void last_of_three_destroys() {
    core->acquire({});
    value = value + 1;
    const bool last = value == 3;
    core->release();
    if (last) core.reset();
  }
};

// Three cycles suffice: a waiter is overtaken, and after that it receives the permit directly.
void two_threads_thrice() {
  Bare bare;
  const auto thrice = [&] {
    for (int round = 0; round < 3; ++round) bare.acquire_and_count();
  };
  run_threads(thrice, thrice);
  check(bare.value == 6, "no update is lost");
}

// The second thread can be overtaken once; after that it receives the permit directly and destroys
// the permit's source.
void overtaken_waiter_destroys() {
  Bare bare;
  const auto once = [&] { bare.last_of_three_destroys(); };
  run_threads(
      [&] {
        once();
        once();
      },
      once);
}

void three_threads() {
  Bare bare;
  const auto once = [&] { bare.acquire_and_count(); };
  run_threads(once, once, once);
  check(bare.value == 3, "no update is lost");
}

void last_of_three_destroys() {
  Bare bare;
  const auto once = [&] { bare.last_of_three_destroys(); };
  run_threads(once, once, once);
}

void late_waiter_and_two_others() {
  Bare bare;
  run_threads(
      [&] {
        if (bare.core->acquire({.deadline = 5}) == WaitStatus::kOk) bare.count_and_release();
      },
      [&] { bare.acquire_and_count(); }, [&] { bare.acquire_and_count(); });
}

// If the permit is under way to a waiter that times out, the other waiter receives it.
void late_waiter_loses_no_permit() {
  SemaphoreCore core(0);
  run_threads(
      [&] {
        if (core.acquire({.deadline = 5}) == WaitStatus::kOk) core.release();
      },
      [&] { core.acquire({}); }, [&] { core.release(); });
  check(!core.try_acquire(), "the one permit is with the second thread");
}

void cancelled_waiter_loses_no_permit() {
  SemaphoreCore core(0);
  EventCore stop(1);
  run_threads(
      [&] {
        if (core.acquire({.stop = &stop}) == WaitStatus::kOk) core.release();
      },
      [&] {
        stop.open();
        core.release();
      });
  check(core.try_acquire(), "the permit is there again");
}

}  // namespace

const Subject& subject() {
  static const Subject mutex = {
      .headers = {"jobs/sync/core/semaphore_core.hpp", "jobs/sync/core/wait_queue.hpp"},
      .not_shown = {},
      .models =
          {
              {"last_of_two_destroys", last_of_two_destroys, {.preemptions = 3}},
              {"two_threads_twice", two_threads_twice, {.preemptions = 2}},
              {"late_waiter", late_waiter, {.preemptions = 3}},
              {"overtaken_waiter_destroys", overtaken_waiter_destroys, {.preemptions = 3}},
              {"two_threads_thrice", two_threads_thrice, {.preemptions = 2}},
              {"cancelled_waiter_loses_no_permit",
               cancelled_waiter_loses_no_permit,
               {.preemptions = 2}},
              {"three_threads", three_threads, {.preemptions = 2}},
              {"last_of_three_destroys", last_of_three_destroys, {.preemptions = 2}},
              {"late_waiter_loses_no_permit", late_waiter_loses_no_permit, {.preemptions = 1}},
              {"late_waiter_and_two_others", late_waiter_and_two_others, {.preemptions = 1}},
          },
  };
  return mutex;
}

}  // namespace jobs::model
