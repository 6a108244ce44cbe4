// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Several parties at once: schedulers that submit to each other, threads that bind and unbind
// themselves, limits of the machine that change meanwhile, chains of jobs beside jobs from outside,
// jobs beside a busy bound thread, and participants that take turns.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "jobs/jobs.hpp"
#include "tests/sim/ledger.hpp"
#include "tests/sim/scenarios.hpp"

namespace jobs::test {

namespace {

using testing::check;
using testing::choose;
using testing::Thread;
using namespace std::chrono_literals;

bool one_in(std::uint32_t n) { return choose(n) == 0; }
std::chrono::nanoseconds brief() {
  return std::chrono::nanoseconds(choose(1u << (4 + choose(16))));
}

void check_at_rest(const Scheduler& scheduler) {
  const Stats stats = scheduler.stats();
  check(stats.fibers == stats.fibers_idle, "a fiber has not ended");
}

void shut_down(Scheduler& scheduler) {
  if (one_in(2)) {
    while (!scheduler.shutdown_for(brief())) testing::pass(choose(50));
  } else {
    scheduler.shutdown();
  }
}

// Ignores a refusal of the call as a whole.
template <class F>
void unless_stopped(F&& call) {
  try {
    call();
  } catch (const Error& error) {
    check(error.code() == ErrorCode::kStopped, "another error than kStopped");
  }
}

// --- several schedulers -------------------------------------------------------------------------

class Neighbours {
 public:
  Neighbours() {
    for (unsigned more = 2 + choose(2); more > 0; --more) {
      schedulers_.push_back(std::make_unique<Scheduler>(
          SchedulerOptions{.worker_count = 1 + choose(2), .stack_size = 64 * 1024}));
    }
  }

  void run() {
    std::vector<Thread> threads;
    for (unsigned more = 1 + choose(2); more > 0; --more) {
      threads.emplace_back([this] {
        while (!is_over_) {
          if (one_in(3)) {
            take_part();
          } else {
            visit(2);
          }
          testing::pass(choose(20));
        }
      });
    }
    testing::pass(choose(3000));
    for (const auto& scheduler : schedulers_) {
      if (one_in(2)) {
        threads.emplace_back([&scheduler] { shut_down(*scheduler); });
      } else {
        shut_down(*scheduler);
      }
      testing::pass(choose(500));
    }
    is_over_ = true;
    for (Thread& thread : threads) thread.join();
    ledger_.check_all();
    for (const auto& scheduler : schedulers_) check_at_rest(*scheduler);
  }

 private:
  Scheduler& any() { return *schedulers_[choose(static_cast<std::uint32_t>(schedulers_.size()))]; }

  // A thread or job uses another scheduler. `depth` bounds the further visits of its jobs.
  void visit(unsigned depth) {
    if (depth == 0 || one_in(2)) return send(any(), depth);
    unless_stopped([&] {  // a wait for another scheduler
      any().run([&] {
        visit(depth - 1);
        if (one_in(2)) parallel_for(0, 3, [&](int) { send(any(), depth - 1); }, Grain{1});
      });
    });
  }

  // An external thread takes part in a loop of one scheduler, which submits to all of them.
  void take_part() {
    unless_stopped([&] {
      const SchedulerScope scope(any());
      parallel_for(0, 3, [&](int) { send(any(), 1); }, Grain{1});
    });
  }

  void send(Scheduler& scheduler, unsigned depth) {
    ledger_.submit([&](auto note) {
      scheduler.spawn([this, note, depth] {
        note();
        if (one_in(6)) this_fiber::sleep_for(brief());
        if (depth > 0 && one_in(2)) visit(depth - 1);
      });
    });
  }

  bool is_over_ = false;
  Ledger ledger_;
  std::vector<std::unique_ptr<Scheduler>> schedulers_;
};

// --- threads that bind themselves ---------------------------------------------------------------

// Threads come and go, as external participants and as bound threads, for about `length`.
class Visitors {
 public:
  Visitors(const SchedulerOptions& options, std::chrono::nanoseconds length)
      : length_(length), scheduler_(options) {}

  void run() {
    const unsigned count = 2 + choose(3);
    std::vector<Thread> threads;
    for (unsigned i = 0; i < count; ++i) {
      threads.emplace_back([this] {
        for (unsigned turn = 1 + choose(4); turn > 0; --turn) visit();
      });
    }
    for (unsigned i = choose(6); i > 0; --i) {
      send_somewhere();
      if (one_in(3)) testing::pass(choose(200));
    }
    for (Thread& thread : threads) thread.join();
    shut_down(scheduler_);
    ledger_.check_all();
    check_at_rest(scheduler_);
  }

 private:
  void visit() {
    if (one_in(2)) {
      const SchedulerScope scope(scheduler_);
      return take_part();
    }
    try {
      const ThreadBinding binding = scheduler_.bind_current_thread();
      take_part();
    } catch (const Error& error) {
      check(error.code() == ErrorCode::kBadArgument, "another error than kBadArgument");
      testing::pass(1 + choose(20));  // all slots are taken
    }
  }

  void take_part() {
    Counter done;
    for (unsigned i = choose(4); i > 0; --i) {
      ledger_.submit([&](auto note) {
        spawn(
            done,
            [this, note] {
              note();
              if (one_in(3)) this_fiber::sleep_for(pause());
            },
            one_in(3) ? SpawnOptions{.on = not_main_thread} : SpawnOptions{});
      });
    }
    if (one_in(2)) {
      unsigned ran = 0;
      parallel_for(0, 8, [&](int) { ++ran; }, Grain{1});
      check(ran == 8, "an iteration did not run once");
    }
    if (one_in(2)) this_fiber::sleep_for(pause());
    send_somewhere();
    done.wait();
  }

  // A job for one worker, which may be vacant until the shutdown.
  void send_somewhere() {
    ledger_.submit([&](auto note) {
      scheduler_.spawn(
          [this, note] {
            note();
            if (one_in(4)) this_fiber::sleep_for(pause());
          },
          {.on = worker(choose(scheduler_.worker_count())),
           .priority = one_in(4) ? jobs::Priority::kCritical : jobs::Priority::kNormal});
    });
  }

  std::chrono::nanoseconds pause() {
    return one_in(2) ? brief() : std::chrono::nanoseconds(length_.count() * choose(100) / 100);
  }

  const std::chrono::nanoseconds length_;
  Ledger ledger_;
  Scheduler scheduler_;
};

void visit(std::chrono::nanoseconds length) {
  const unsigned bound = 1 + choose(2);
  Visitors({.worker_count = bound + 1 + choose(3), .bound_threads = bound, .stack_size = 64 * 1024},
           length)
      .run();
}

}  // namespace

void neighbours() { Neighbours().run(); }
void visitors() { visit(1us); }
// Long enough that the limits of the machine are read several times.
void visitors_of_changing_machine() { visit(150ms); }

// The bound thread is busy, and submits jobs that it may not run. No other event wakes the workers.
void off_main() {
  Scheduler scheduler(
      {.worker_count = 2 + choose(2), .bind_caller = true, .stack_size = 64 * 1024});
  for (unsigned more = 1 + choose(8); more > 0; --more) {
    bool has_run = false;
    spawn([&] { has_run = true; }, {.on = not_main_thread});
    while (!has_run) testing::pass(1 + choose(10));
    testing::pass(choose(300));
  }
}

// A participant forks, and waits until another thread has begun its second function. While both
// participants hold seats, the fork wakes no worker: the leaving participant must wake one.
void seats() {
  Scheduler scheduler({.worker_count = 2, .stack_size = 64 * 1024});
  Thread other([&] {
    const SchedulerScope scope(scheduler);
    for (unsigned more = 1 + choose(8); more > 0; --more) {
      parallel_for(
          0, 2,
          [](int) {
            if (one_in(2)) testing::pass(choose(60));
          },
          Grain{2});
    }
  });
  {
    const SchedulerScope scope(scheduler);
    for (unsigned more = 1 + choose(8); more > 0; --more) {
      bool has_begun = false;
      fork_join(
          [&] {
            while (!has_begun) testing::pass(1 + choose(4));
          },
          [&] { has_begun = true; });
      testing::pass(choose(200));
    }
  }
  other.join();
}

// Each worker runs a chain of jobs, which ends only after all other jobs: those from outside, and
// those below the links in the deques.
void ages() {
  Scheduler scheduler({.worker_count = 1 + choose(3), .stack_size = 64 * 1024});
  Ledger ledger;
  Counter done;
  bool has_sent = false;
  const auto is_over = [&] { return has_sent && ledger.ran() == ledger.accepted(); };
  std::function<void()> link = [&] {
    testing::pass(choose(40));
    if (!is_over()) spawn(done, [&] { link(); });
  };
  for (unsigned i = 0; i < scheduler.worker_count(); ++i) {
    scheduler.spawn(done,
                    [&] {
                      if (one_in(2)) ledger.submit([&](auto note) { spawn(done, note); });
                      link();
                    },
                    {.on = worker(i)});
  }
  testing::pass(choose(500));
  for (unsigned i = 1 + choose(3); i > 0; --i)
    ledger.submit([&](auto note) {
      scheduler.spawn(
          done, note,
          {.priority = one_in(4) ? jobs::Priority::kCritical : jobs::Priority::kNormal});
    });
  has_sent = true;
  done.wait();
  ledger.check_all();
  // The rules say 5 ms. Stalls and late wake-ups of the machine add to that.
  check(ledger.oldest() < 50ms, "a job waited for too long");
}

}  // namespace jobs::test
