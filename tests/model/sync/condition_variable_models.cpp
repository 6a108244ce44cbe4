// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ConditionVariable: no notification is lost, whether the waiter is linked, about to lock the
// mutex, or late.
#include <mutex>
#include <optional>

#include "jobs/sync/condition_variable.hpp"
#include "jobs/sync/core/cond_var_queue.hpp"
#include "jobs/sync/core/semaphore_core.hpp"
#include "jobs/sync/core/thread_host.hpp"
#include "tests/model/sync/waiting.hpp"

namespace jobs::model {
namespace {

using detail::CondVarQueue;
using detail::Plain;
using detail::SemaphoreCore;
using detail::WaitLimit;
using detail::WaitStatus;

struct Shared {
  Mutex mutex;
  std::optional<ConditionVariable> changed{std::in_place};
  Plain<bool> ready{false};

  void wait_until_ready() {
    std::unique_lock lock(mutex);
    while (!ready) changed->wait(lock);
  }
  void get_ready() {
    const std::scoped_lock lock(mutex);
    ready = true;
  }
};

void one_waiter() {
  Shared shared;
  run_threads([&] { shared.wait_until_ready(); },
              [&] {
                shared.get_ready();
                shared.changed->notify_one();
              });
}

void notified_under_the_lock() {
  Shared shared;
  run_threads([&] { shared.wait_until_ready(); },
              [&] {
                const std::scoped_lock lock(shared.mutex);
                shared.ready = true;
                shared.changed->notify_one();
              });
}

void late_waiter() {
  Shared shared;
  run_threads(
      [&] {
        std::unique_lock lock(shared.mutex);
        if (!shared.ready) static_cast<void>(shared.changed->wait_until(lock, kSoon));
        while (!shared.ready) shared.changed->wait(lock);
      },
      [&] {
        shared.get_ready();
        shared.changed->notify_one();
      });
}

void destroyed_after_notify_all() {
  Shared shared;
  run_threads([&] { shared.wait_until_ready(); },
              [&] {
                const std::scoped_lock lock(shared.mutex);
                shared.ready = true;
                shared.changed->notify_all();
                shared.changed.reset();
              });
}

// For larger models: the same three steps as ConditionVariable::wait(), on a mutex without a lock
// owner. The owner is no part of the protocol and doubles the number of steps.
struct Bare {
  SemaphoreCore mutex{1};
  const detail::LockOwner owner{};
  CondVarQueue list;
  Plain<bool> ready{false};

  // Called under the mutex. True: the waiter was notified.
  bool wait(WaitLimit limit) {
    detail::WaitingThread thread;
    CondVarQueue::Notifiable self(thread.host().current(), mutex, owner);
    list.link(self);
    mutex.release();
    return list.await(thread.host(), self, limit) == WaitStatus::kOk;
  }
  void get_ready() {
    mutex.acquire({});
    ready = true;
    mutex.release();
  }
};

void two_waiters() {
  Bare bare;
  const auto wait = [&] {
    bare.mutex.acquire({});
    while (!bare.ready) bare.wait({});
    bare.mutex.release();
  };
  run_threads(wait, wait, [&] {
    bare.get_ready();
    bare.list.notify_all();
  });
}

// A notified waiter returns true although it is late: otherwise the notification would be lost to
// the other waiter.
void late_waiter_loses_no_notification() {
  Bare bare;
  run_threads(
      [&] {
        bare.mutex.acquire({});
        const bool notified = bare.ready || bare.wait({.deadline = 5});
        bare.mutex.release();
        if (notified) bare.list.notify_one();
      },
      [&] {
        bare.mutex.acquire({});
        if (!bare.ready) bare.wait({});
        bare.mutex.release();
      },
      [&] {
        bare.get_ready();
        bare.list.notify_one();
      });
}

}  // namespace

const Subject& subject() {
  static const Subject condition_variable = {
      .headers = {"jobs/sync/core/wait_queue.hpp"},
      .not_shown = {},
      .models =
          {
              {"one_waiter", one_waiter, {.preemptions = 2}},
              {"notified_under_the_lock", notified_under_the_lock, {.preemptions = 2}},
              {"destroyed_after_notify_all", destroyed_after_notify_all, {.preemptions = 2}},
              {"late_waiter", late_waiter, {.preemptions = 2}},
              {"two_waiters", two_waiters, {.preemptions = 1, .seconds = 100}},
              {"late_waiter_loses_no_notification",
               late_waiter_loses_no_notification,
               {.preemptions = 0}},
          },
  };
  return condition_variable;
}

}  // namespace jobs::model
