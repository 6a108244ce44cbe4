// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CountdownCore, used as Counter. No waiter is lost, no thread accesses a gate that a waiter has
// destroyed, and a waiter that passes sees everything before the opening.
#include <optional>

#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/select.hpp"
#include "tests/model/sync/waiting.hpp"

namespace jobs::model {
namespace {

using detail::Plain;

// Jobs that each leave a result, and the results that a waiter must find.
struct Jobs {
  explicit Jobs(std::size_t count) : counter(std::in_place, count) {}

  void run(std::size_t job) {
    results[job] = 7;
    counter->done();
  }
  void destroy_and_check(std::size_t count) {
    counter.reset();
    for (std::size_t job = 0; job < count; ++job)
      check(results[job] == 7, "the waiter sees what the job did");
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

// A waiter of the next cycle knows the opener of this cycle only through the gate's word.
void counter_is_used_again() {
  Jobs jobs(1);
  detail::Atomic<bool> again{false};
  run_threads(
      [&] {
        jobs.counter->wait();
        jobs.counter->add();
        again.store(true, std::memory_order_relaxed);
        jobs.counter->done();
      },
      [&] { jobs.run(0); },
      [&] {
        if (again.load(std::memory_order_relaxed)) jobs.counter->wait();
      });
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

// A selection ends with either counter. The counters may be destroyed after their last waits.
void selection_of_two_counters() {
  std::optional<Counter> counters[2];
  Plain<int> results[2];
  for (auto& counter : counters) counter.emplace(1u);
  const auto run = [&](std::size_t job) {
    results[job] = 7;
    counters[job]->done();
  };
  run_threads(
      [&] {
        const std::size_t first = select(counters[0]->on_zero(), counters[1]->on_zero());
        check(results[first] == 7, "the selection sees what the job did");
        counters[first].reset();
        counters[1 - first]->wait();
        counters[1 - first].reset();
      },
      [&] { run(0); }, [&] { run(1); });
}

void late_selection() {
  Jobs jobs(1);
  Event never;
  run_threads(
      [&] {
        if (!select_until(kSoon, never.on_signal(), jobs.counter->on_zero())) jobs.counter->wait();
        jobs.destroy_and_check(1);
      },
      [&] { jobs.run(0); });
}

// --- CountThreshold ------------------------------------------------------------------------------

struct ModelBucket {
  ModelBucket() { detail::CountThreshold::model_bucket = &bucket; }
  detail::CountThreshold::Bucket bucket;
};

// The waiter goes on at one outstanding job, then waits for the last one and destroys the counter.
void waiter_passes_at_one() {
  ModelBucket bucket;
  Jobs jobs(2);
  run_threads(
      [&] {
        jobs.counter->wait_until_at_most(1);
        jobs.counter->wait();
        jobs.destroy_and_check(2);
      },
      [&] { jobs.run(0); }, [&] { jobs.run(1); });
}

// A waiter for zero does not pass before the mark of the other waiter is gone.
void waiters_for_one_and_for_zero() {
  ModelBucket bucket;
  Jobs jobs(2);
  Arrivals waiters(2);
  run_threads(
      [&] {
        jobs.counter->wait_until_at_most(1);
        if (waiters.is_last()) jobs.counter.reset();
      },
      [&] {
        jobs.counter->wait();
        check(jobs.results[0] == 7 && jobs.results[1] == 7, "both have ended");
        if (waiters.is_last()) jobs.counter.reset();
      },
      [&] {
        jobs.run(0);
        jobs.run(1);
      });
}

// The thread that removes the last threshold removes the mark at zero, and wakes the other waiter.
void both_kinds_of_waiters_for_zero() {
  ModelBucket bucket;
  Jobs jobs(1);
  Arrivals waiters(2);
  run_threads(
      [&] {
        jobs.counter->wait_until_at_most(0);
        if (waiters.is_last()) jobs.counter.reset();
      },
      [&] {
        jobs.counter->wait();
        check(jobs.results[0] == 7, "the job has ended");
        if (waiters.is_last()) jobs.counter.reset();
      },
      [&] { jobs.run(0); });
}

void late_waiter_for_zero_jobs() {
  ModelBucket bucket;
  Jobs jobs(1);
  run_threads(
      [&] {
        if (!jobs.counter->wait_until_at_most(0, kSoon)) jobs.counter->wait();
        jobs.destroy_and_check(1);
      },
      [&] { jobs.run(0); });
}

// The first waiter leaves, and takes the mark with it only if it is the last one.
void late_threshold_leaves_another() {
  ModelBucket bucket;
  Jobs jobs(1);
  Arrivals waiters(2);
  run_threads(
      [&] {
        static_cast<void>(jobs.counter->wait_until_at_most(0, kSoon));
        if (waiters.is_last()) jobs.counter.reset();
      },
      [&] {
        jobs.counter->wait_until_at_most(0);
        check(jobs.results[0] == 7, "the other waiter sees what the job did");
        if (waiters.is_last()) jobs.counter.reset();
      },
      [&] { jobs.run(0); });
}

// A done() may come late to the bucket. The counter is gone by then, and another counter is in its
// place, whose waiter stays.
void late_done_meets_another_counter() {
  ModelBucket bucket;
  std::optional<Counter> counter(std::in_place, 2u);
  run_threads(
      [&] {
        static_cast<void>(counter->wait_until_at_most(1, kSoon));
        counter->done();
        counter->wait();
        counter.reset();
        counter.emplace(2u);
        check(!counter->wait_until_at_most(1, kSoon), "no job of this counter has ended");
        counter->done();
        counter->done();
        counter.reset();
      },
      [&] { counter->done(); });
}

// Another job comes while the producer waits.
void job_adds_another_above_the_threshold() {
  ModelBucket bucket;
  Jobs jobs(2);
  run_threads(
      [&] {
        jobs.counter->wait_until_at_most(1);
        jobs.counter->wait();
        jobs.destroy_and_check(2);
      },
      [&] {
        jobs.counter->add();
        jobs.run(0);
        jobs.counter->done();
        jobs.run(1);
      });
}

}  // namespace

const Subject& subject() {
  static const Subject count_gate = {
      .headers = {"jobs/sync/core/countdown_core.hpp"},
      .not_shown = {},
      .models =
          {
              {"waiter_destroys_after_one_job", waiter_destroys_after_one_job, {.preemptions = 4}},
              {"late_waiter_waits_again", late_waiter_waits_again, {.preemptions = 3}},
              {"waiter_passes_at_one", waiter_passes_at_one, {.preemptions = 1}},
              {"late_waiter_for_zero_jobs", late_waiter_for_zero_jobs, {.preemptions = 3}},
              {"waiters_for_one_and_for_zero", waiters_for_one_and_for_zero, {.preemptions = 1}},
              {"both_kinds_of_waiters_for_zero",
               both_kinds_of_waiters_for_zero,
               {.preemptions = 1}},
              {"late_threshold_leaves_another", late_threshold_leaves_another, {.preemptions = 1}},
              {"late_done_meets_another_counter",
               late_done_meets_another_counter,
               {.preemptions = 2}},
              {"job_adds_another_above_the_threshold",
               job_adds_another_above_the_threshold,
               {.preemptions = 2}},
              {"waiter_destroys_after_two_jobs",
               waiter_destroys_after_two_jobs,
               {.preemptions = 2}},
              {"counter_is_used_again", counter_is_used_again, {.preemptions = 2}},
              {"exception_travels_with_done", exception_travels_with_done, {.preemptions = 2}},
              {"late_selection", late_selection, {.preemptions = 2}},
              {"selection_of_two_counters", selection_of_two_counters, {.preemptions = 1}},
              {"job_adds_another", job_adds_another, {.preemptions = 2}},
              {"late_waiter_and_two_jobs", late_waiter_and_two_jobs, {.preemptions = 2}},
              {"last_of_two_waiters_destroys", last_of_two_waiters_destroys, {.preemptions = 2}},
              {"late_waiter_leaves_another", late_waiter_leaves_another, {.preemptions = 1}},
          },
  };
  return count_gate;
}

}  // namespace jobs::model
