// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Dependent jobs and pipes on two workers. Each job runs once, after the jobs that it waits for,
// and sees their effects. Jobs of a pipe never overlap. No thread accesses a job after its last
// owner has released it, or a scheduler after its last job has ended.
#include <memory>
#include <optional>

#include "jobs/pipe.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/spawn_after.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using detail::Atomic;
using detail::Plain;
using detail::Shared;

// Effects of jobs, as plain data: an overlap or a missing order is a data race.
using Effect = Plain<int>;

// A job that starts when its dependency is removed.
JobHandle spawn_held(auto function) { return spawn_after(DependencyCount{1}, function); }

// A creator links a job to one that ends meanwhile.
void link_and_end() {
  Shared shared(2);
  Effect first, second;
  const JobHandle before = spawn_after({}, [&] { first = 1; });
  run_threads([&] { shared.serve(0); },
              [&] {
                static_cast<void>(spawn_after(before, [&] {
                  check(first == 1, "the job sees its predecessor");
                  second += 1;
                }));
              });
  check(second == 1, "the job runs once");
}

// Two predecessors end on two workers.
void two_ends() {
  Shared shared(3);
  Effect left, right, sum;
  const JobHandle a = spawn_held([&] { left = 1; });
  const JobHandle b = spawn_held([&] { right = 2; });
  static_cast<void>(spawn_after({a, b}, [&] { sum += left + right; }));
  const auto serve = [&](std::size_t index, const JobHandle& own) {
    detail::this_thread().context = &shared.context(index);
    own.remove_dependency();
    shared.serve(index);
  };
  run_threads([&] { serve(0, a); }, [&] { serve(1, b); });
  check(sum == 3, "the job runs once, after both");
}

// The same while the creator links the job.
void two_ends_and_a_link() {
  Shared shared(3);
  Effect left, right, sum;
  const JobHandle a = spawn_held([&] { left = 1; });
  const JobHandle b = spawn_held([&] { right = 2; });
  const auto serve = [&](std::size_t index, const JobHandle& own) {
    detail::this_thread().context = &shared.context(index);
    own.remove_dependency();
    shared.serve(index);
  };
  run_threads([&] { serve(0, a); }, [&] { serve(1, b); },
              [&] { static_cast<void>(spawn_after({a, b}, [&] { sum += left + right; })); });
  check(sum == 3, "the job runs once, after both");
}

// Two creators link jobs to one that ends meanwhile.
void two_links_and_an_end() {
  Shared shared(3);
  Effect first, second, third;
  const JobHandle before = spawn_after({}, [&] { first = 1; });
  run_threads([&] { shared.serve(0); },
              [&] { static_cast<void>(spawn_after(before, [&] { second += first; })); },
              [&] { static_cast<void>(spawn_after(before, [&] { third += first; })); });
  check(second == 1 && third == 1, "each job runs once");
}

// Two external threads remove dependencies; a third part of the count is a predecessor.
void two_removals() {
  Shared shared(2);
  Effect one, two, sum;
  const JobHandle before = spawn_after({}, [] {});
  const JobHandle job = spawn_after(DependencyCount{2}, [&] { sum += one + two; });
  job.add_dependency(before);
  run_threads([&] { shared.serve(0); },
              [&] {
                one = 1;
                job.remove_dependency();
              },
              [&] {
                two = 2;
                job.remove_dependency();
              });
  check(sum == 3, "the job runs once, after all");
}

// A dependency is added while the predecessor ends.
void add_and_end() {
  Shared shared(2);
  Effect first, second;
  const JobHandle before = spawn_after({}, [&] { first = 1; });
  const JobHandle job = spawn_held([&] { second += first; });
  run_threads([&] { shared.serve(0); },
              [&] {
                job.add_dependency(before);
                job.remove_dependency();
              });
  check(second == 1, "the job runs once");
}

// The scheduler is destroyed when its last job has ended; an external thread has submitted it.
void scheduler_dies_after_the_submission() {
  auto shared = std::make_unique<Shared>(1);
  Effect effect;
  const JobHandle job = spawn_held([&] { effect = 1; });
  run_threads(
      [&] {
        shared->serve(0);
        shared.reset();
      },
      [&] { job.remove_dependency(); });
  check(effect == 1, "the job runs");
}

// The last handle goes while the job ends.
void handle_dies_with_the_job() {
  Shared shared(1);
  Effect effect;
  std::optional<JobHandle> job = spawn_after({}, [&] { effect = 1; });
  run_threads([&] { shared.serve(0); },
              [&] {
                static_cast<void>(job->is_done());
                job.reset();
              });
  check(effect == 1, "the job runs");
}

// A waiting thread sees the effects, and frees the job.
void wait_and_release() {
  Shared shared(1);
  Effect effect;
  std::optional<JobHandle> job = spawn_after({}, [&] { effect = 1; });
  run_threads([&] { shared.serve(0); },
              [&] {
                job->wait();
                check(effect == 1, "the wait sees the job");
                job.reset();
              });
}

// A creator links a job to one that fails meanwhile: the job is left out.
void link_and_failure() {
  Shared shared(2);
  std::optional<JobHandle> fails = spawn_after({}, [] { throw 7; });
  bool caught = false;
  run_threads([&] { shared.serve(0); },
              [&] {
                const JobHandle job =
                    spawn_after(*fails, [] { check(false, "the job is left out"); });
                fails.reset();
                try {
                  job.wait();
                } catch (int value) {
                  caught = value == 7;
                }
              });
  check(caught, "the failure reaches the successor");
}

// Two jobs share a failure. One thread receives it by a wait, and the other one releases it last.
void shared_failure() {
  Shared shared(2);
  std::optional<JobHandle> fails = spawn_after({}, [] { throw 7; });
  std::optional<JobHandle> left_out = spawn_after(*fails, [] {});
  shared.serve(0);
  run_threads(
      [&] {
        try {
          left_out->wait();
        } catch (int) {
          left_out.reset();
        }
      },
      [&] { fails.reset(); });
  check(!left_out, "the wait throws");
}

// --- pipes ---------------------------------------------------------------------------------------

// Two threads append while a worker runs the jobs.
void two_appends() {
  Shared shared(2);
  Pipe pipe;
  Effect turns;
  const auto append = [&] { static_cast<void>(pipe.spawn([&] { turns += 1; })); };
  run_threads([&] { shared.serve(0); }, append, append);
  check(turns == 2, "each job runs once");
}

// Two workers append, and each runs the job that it starts.
void two_workers_append() {
  Shared shared(2);
  Pipe pipe;
  Effect turns;
  const auto serve = [&](std::size_t index) {
    detail::this_thread().context = &shared.context(index);
    static_cast<void>(pipe.spawn([&] { turns += 1; }));
    shared.serve(index);
  };
  run_threads([&] { serve(0); }, [&] { serve(1); });
  check(turns == 2, "each job runs once");
}

// One thread appends, and two workers could run the jobs.
void appends_in_order() {
  Shared shared(3);
  Pipe pipe;
  Effect turns;
  const JobHandle first = pipe.spawn([&] { turns += 1; });
  run_threads([&] { shared.serve(0); },
              [&] {
                detail::this_thread().context = &shared.context(1);
                static_cast<void>(pipe.spawn([&] { check(turns++ == 1, "second"); }));
                static_cast<void>(pipe.spawn([&] { check(turns++ == 2, "third"); }));
                shared.serve(1);
              });
  check(turns == 3, "each job runs once");
}

// The pipe dies before its jobs.
void pipe_dies() {
  Shared shared(2);
  auto pipe = std::make_unique<Pipe>();
  Effect turns;
  static_cast<void>(pipe->spawn([&] { turns += 1; }));
  run_threads([&] { shared.serve(0); },
              [&] {
                static_cast<void>(pipe->spawn([&] { turns += 1; }));
                pipe.reset();
              });
  check(turns == 2, "each job runs once");
}

}  // namespace

const Subject& subject() {
  static const Options kTwice = {.preemptions = 2, .seconds = 100};
  static const Options kOnce = {.preemptions = 1, .seconds = 100};
  static const Subject dependent_job = {
      .headers = {"jobs/runtime/scheduler/dependent_job.hpp",
                  "jobs/runtime/scheduler/job_failure.hpp", "jobs/pipe.hpp"},
      .not_shown = {},
      .models =
          {
              {"link_and_end", link_and_end, kTwice},
              {"handle_dies_with_the_job", handle_dies_with_the_job, kTwice},
              {"scheduler_dies_after_the_submission", scheduler_dies_after_the_submission, kTwice},
              {"add_and_end", add_and_end, kTwice},
              {"wait_and_release", wait_and_release, kTwice},
              {"link_and_failure", link_and_failure, kTwice},
              {"shared_failure", shared_failure, kTwice},
              {"two_workers_append", two_workers_append, kTwice},
              {"two_ends", two_ends, kTwice},
              {"pipe_dies", pipe_dies, kTwice},
              {"appends_in_order", appends_in_order, kOnce},
              {"two_removals", two_removals, kOnce},
              {"two_links_and_an_end", two_links_and_an_end, kOnce},
              {"two_appends", two_appends, kOnce},
              {"two_ends_and_a_link", two_ends_and_a_link, kOnce},
          },
  };
  return dependent_job;
}

}  // namespace jobs::model
