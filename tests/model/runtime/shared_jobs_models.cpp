// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SharedJobs: each job is taken once and by a thread that may run it, the counts of
// critical, high and lower jobs cover each waiting one, and one thread at a time measures the
// sample.
#include "jobs/runtime/worker/shared_jobs.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using detail::CountedJob;
using detail::Job;
using detail::Plain;
using detail::SharedJobs;

class Game {
 public:
  // `counter`: of the job; null: none.
  void push(std::size_t i, const Counter* counter = nullptr) {
    jobs_[i].counter_of_push = counter;
    jobs_[i].written = 1;
    queues_.push(jobs_[i].for_counter(counter), counter != nullptr);
    pushed_.fetch_add(1, std::memory_order_relaxed);
  }
  void push(std::size_t i, Priority priority, bool not_main) {
    jobs_[i].is_for_main = !not_main;
    jobs_[i].written = 1;
    queues_.push_with(jobs_[i].for_counter(nullptr), not_main, priority);
    pushed_.fetch_add(1, std::memory_order_relaxed);
  }
  bool take(bool not_main) { return count(queues_.take(not_main), not_main); }
  bool take(Priority priority, bool not_main) {
    Job* const job = queues_.take(priority, not_main);
    if (priority == Priority::kCritical)
      check(queues_.critical().load(std::memory_order_relaxed) < 10, "never below zero");
    return count(job, not_main);
  }
  bool take_of(const Counter* counter) {
    Job* const job = queues_.take_of(counter);
    if (job != nullptr) check(entry(*job).counter_of_push == counter, "a job of this wait");
    return count(job, false);
  }
  // Whether the last job that was taken is one that the bound thread may run.
  bool took_for_main() const { return took_for_main_; }
  void finish() {
    for (const Priority priority : {Priority::kCritical, Priority::kHigh, Priority::kNormal,
                                    Priority::kLow, Priority::kBackground}) {
      while (take(priority, true)) {
      }
    }
    check(taken_.load(std::memory_order_relaxed) == pushed_.load(std::memory_order_relaxed),
          "no job is lost");
    check(!queues_.has_upper() && !queues_.has_lower(), "no queue counts as filled");
    check(queues_.critical().load(std::memory_order_relaxed) == 0, "no critical job waits");
    check(!queues_.waits(Priority::kHigh), "no high job waits");
    check(queues_.longest_wait() >= 0, "the sample is measured from its push");
  }

 private:
  struct Entry {
    struct Of : CountedJob {
      Of(Entry& all, const Counter* counter)
          : CountedJob([](Job&) {}, const_cast<Counter*>(counter)), entry(all) {}
      Entry& entry;
    };
    CountedJob& for_counter(const Counter* counter) { return job.emplace(*this, counter); }
    std::optional<Of> job;
    const Counter* counter_of_push = nullptr;
    bool is_for_main = true;
    Plain<int> written{0};
    Plain<int> taken{0};
  };

  static Entry& entry(Job& job) { return static_cast<Entry::Of&>(job).entry; }
  bool count(Job* job, bool not_main) {
    if (job == nullptr) return false;
    Entry& taken = entry(*job);
    check(taken.written == 1, "the taker sees the job");
    check(taken.taken == 0, "a job is taken once");
    check(not_main || taken.is_for_main, "the taker may run the job");
    taken.taken = 1;
    took_for_main_ = taken.is_for_main;
    taken_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  SharedJobs queues_;
  std::array<Entry, 4> jobs_;
  detail::Atomic<int> pushed_{0};
  detail::Atomic<int> taken_{0};
  bool took_for_main_ = false;
};

void sample_changes_hands() {
  Game game;
  run_threads(
      [&] {
        game.push(0);
        game.take(true);
        game.push(1);
      },
      [&] {
        game.take(true);
        game.push(2);
        game.take(true);
      });
  game.finish();
}

void bound_thread_and_worker_take() {
  Game game;
  run_threads(
      [&] {
        game.push(0, Priority::kNormal, true);
        game.push(1);
      },
      [&] {
        game.take(true);
        game.take(true);
      },
      [&] {
        game.take(false);
        game.take(false);
      });
  game.finish();
}

// A flood of one kind starves no job of the other kind.
void kinds_take_turns() {
  Game game;
  run_threads([&] {
    game.push(0);
    game.push(1);
    game.push(2, Priority::kNormal, true);
    game.push(3, Priority::kNormal, true);
    game.take(true);
    bool before = game.took_for_main();
    for (int i = 0; i < 3; ++i) {
      check(game.take(true) && game.took_for_main() != before, "the other kind follows");
      before = game.took_for_main();
    }
  });
  game.finish();
}

void jobs_are_counted(Priority priority) {
  Game game;
  run_threads(
      [&] {
        game.push(0, priority, false);
        game.push(1, priority, true);
      },
      [&] {
        game.take(priority, false);
        game.take(priority, false);
      },
      [&] { game.take(priority, true); });
  game.finish();
}

void critical_jobs_are_counted() { jobs_are_counted(Priority::kCritical); }
void low_jobs_are_counted() { jobs_are_counted(Priority::kLow); }

void waiter_takes_the_jobs_of_its_counter() {
  Game game;
  const char counters[2]{};  // only their addresses count
  const auto* const mine = reinterpret_cast<const Counter*>(&counters[0]);
  const auto* const other = reinterpret_cast<const Counter*>(&counters[1]);
  run_threads(
      [&] {
        game.push(0, other);
        game.push(1, mine);
        game.take_of(mine);
      },
      [&] {
        game.push(2);
        game.take(true);
      });
  game.finish();
}

}  // namespace

const Subject& subject() {
  static const Options kSampled = {
      .search = Search::kPriorities, .max_executions = 20'000, .seconds = 100};
  static const Subject shared_jobs = {
      .headers = {"jobs/runtime/worker/shared_jobs.hpp"},
      .not_shown = {},
      .models =
          {
              {"sample_changes_hands", sample_changes_hands, {.preemptions = 2}},
              {"waiter_takes_the_jobs_of_its_counter",
               waiter_takes_the_jobs_of_its_counter,
               {.preemptions = 2}},
              {"kinds_take_turns", kinds_take_turns, {.preemptions = 1}},
              {"bound_thread_and_worker_take", bound_thread_and_worker_take, kSampled},
              {"critical_jobs_are_counted", critical_jobs_are_counted, kSampled},
              {"low_jobs_are_counted", low_jobs_are_counted, kSampled},
          },
  };
  return shared_jobs;
}

}  // namespace jobs::model
