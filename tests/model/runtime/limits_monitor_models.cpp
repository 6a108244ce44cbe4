// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LimitsMonitor: workers retire and return. A change of the limits that happens while a worker is
// awake is observed, although that worker never checks the limits.
#include "jobs/runtime/worker/limits_monitor.hpp"

#include <array>
#include <cstddef>

#include "jobs/runtime/parking/coalesced_message.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using detail::Atomic;

// As the part of Shared and Worker that retires. Workers 0 and 1 sleep at first; worker 2 is the
// monitor: it has retired, since the machine allows two workers.
class Machine {
 public:
  // The machine allows one more worker.
  void grow() { limit_.store(3, std::memory_order_relaxed); }

  // A worker wakes up. It then runs a job that never checks the limits.
  void wake(std::size_t worker) {
    parked_[worker].store(false, std::memory_order_relaxed);
    monitor_.after_park([this] { message_.post(inbox_); });
  }

  // As Worker::retire(), until the monitor may work again.
  void retire() {
    while (active_.load(std::memory_order_relaxed) < 3) {
      if (monitor_.keeps_checking([this] { return is_awake(); })) {
        detail::cpu_relax();  // a sleep with a time limit
      } else {
        inbox_.park(os::kNever);
      }
      for (detail::Wakeup* message = inbox_.drain(); message != nullptr;) {
        detail::Wakeup* const next = message->next;
        check(message_.is(message), "no other message");
        message_.receive();
        message = next;
      }
      active_.store(limit_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
  }

 private:
  bool is_awake() const {
    for (const Atomic<bool>& parked : parked_) {
      if (!parked.load(std::memory_order_relaxed)) return true;
    }
    return false;
  }

  detail::LimitsMonitor monitor_;
  detail::CoalescedMessage message_;
  detail::Inbox<detail::Wakeup> inbox_;
  std::array<Atomic<bool>, 2> parked_{true, true};
  Atomic<unsigned> limit_{2};
  Atomic<unsigned> active_{2};
};

void worker_wakes_while_the_monitor_falls_asleep() {
  Machine machine;
  run_threads([&] { machine.retire(); },
              [&] {
                machine.wake(0);
                machine.grow();
              });
}

// The change precedes the wake-up; no later change would wake the monitor.
void machine_grows_before_the_worker_wakes() {
  Machine machine;
  run_threads([&] { machine.retire(); },
              [&] {
                machine.grow();
                machine.wake(0);
              });
}

void two_workers_wake() {
  Machine machine;
  run_threads([&] { machine.retire(); }, [&] { machine.wake(0); },
              [&] {
                machine.wake(1);
                machine.grow();
              });
}

// The machine allows two workers instead of three, and worker 0 observes it. So worker 2 retires,
// and is the monitor instead of worker 3.
class ShrinkingMachine {
 public:
  // Worker 0 checks the limits, and parks.
  void check_limits() {
    active_.store(limit_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    for (const std::size_t worker : {2, 3}) notify(worker);
    parked_[0].store(true, std::memory_order_seq_cst);
  }

  // Worker 1 wakes up. It then runs a job that never checks the limits.
  void wake() {
    parked_[1].store(false, std::memory_order_relaxed);
    monitor_.after_park([this] { notify(active_.load(std::memory_order_relaxed)); });
  }
  void grow() { limit_.store(3, std::memory_order_relaxed); }

  // Worker 2 sleeps. If it is an excess worker after the check, it retires until it may work again.
  void serve() {
    receive();
    while (active_.load(std::memory_order_relaxed) == 2) {
      if (monitor_.keeps_checking([this] { return is_awake(); })) {
        detail::cpu_relax();  // a sleep with a time limit
      } else {
        receive();
      }
      active_.store(limit_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
  }

 private:
  void notify(std::size_t worker) { messages_[worker - 2].post(inboxes_[worker - 2]); }
  void receive() {
    inboxes_[0].park(os::kNever);
    for (detail::Wakeup* message = inboxes_[0].drain(); message != nullptr;) {
      detail::Wakeup* const next = message->next;
      messages_[0].receive();
      message = next;
    }
  }
  bool is_awake() const {
    for (const Atomic<bool>& parked : parked_) {
      if (!parked.load(std::memory_order_relaxed)) return true;
    }
    return false;
  }

  detail::LimitsMonitor monitor_;
  std::array<detail::CoalescedMessage, 2> messages_;  // of the workers 2 and 3
  std::array<detail::Inbox<detail::Wakeup>, 2> inboxes_;
  std::array<Atomic<bool>, 2> parked_{false, true};
  Atomic<unsigned> limit_{2};
  Atomic<unsigned> active_{3};
};

void worker_wakes_the_present_monitor() {
  ShrinkingMachine machine;
  run_threads([&] { machine.serve(); }, [&] { machine.check_limits(); },
              [&] {
                machine.wake();
                machine.grow();
              });
}

}  // namespace

const Subject& subject() {
  static const Subject monitor = {
      .headers = {"jobs/runtime/worker/limits_monitor.hpp"},
      .not_shown = {},
      .models =
          {
              {"worker_wakes_while_the_monitor_falls_asleep",
               worker_wakes_while_the_monitor_falls_asleep,
               {.preemptions = 3}},
              {"machine_grows_before_the_worker_wakes",
               machine_grows_before_the_worker_wakes,
               {.preemptions = 3}},
              {"worker_wakes_by_fences",
               worker_wakes_while_the_monitor_falls_asleep,
               {.preemptions = 2, .membarrier = Membarrier::kRefused}},
              {"worker_wakes_one_by_one",
               worker_wakes_while_the_monitor_falls_asleep,
               {.preemptions = 2, .membarrier = Membarrier::kOneByOne}},
              {"two_workers_wake", two_workers_wake, {.preemptions = 2}},
              {"worker_wakes_the_present_monitor",
               worker_wakes_the_present_monitor,
               {.preemptions = 2}},
          },
  };
  return monitor;
}

}  // namespace jobs::model
