// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ParticipantSlots: a participant owns its worker context alone, a shutdown waits for it or refuses
// it, and workers find its jobs. ParticipantContext: it runs no job of another wait. A model has
// two slots.
#include "jobs/runtime/worker/participant_slots.hpp"

#include <memory>
#include <utility>

#include "jobs/fiber/current.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using detail::Atomic;
using detail::Job;
using detail::Plain;
using detail::Shared;
using detail::WorkerContext;

struct Task : detail::Job {
  Task()
      : Job([](Job& job) { static_cast<Task&>(job).ran.store(true, std::memory_order_relaxed); }) {}
  void await() const {
    while (!ran.load(std::memory_order_relaxed)) detail::cpu_relax();
  }

  Atomic<bool> ran{false};
};

// The deque of a context has plain members: two owners at a time would be a data race.
void use(WorkerContext& context, Task& task) {
  context.push(task);
  check(context.pop() == &task, "no other thread uses the context");
}

// Threads that take part once. Returns whether the thread was admitted.
bool take_part(Shared& shared, Task& task) {
  WorkerContext* const context = shared.enter_participant();
  if (context == nullptr) return false;
  use(*context, task);
  shared.leave_participant(*context);
  return true;
}

void finish(Shared& shared) {
  check(!shared.participants().has_taken(1), "all slots are free");
  check(shared.participants().count() == 0, "all slots are free");
}

void two_threads_twice() {
  Shared shared(0, 0);
  Task tasks[2];
  run_threads([&] { check(take_part(shared, tasks[0]), "a slot is free"); },
              [&] {
                check(take_part(shared, tasks[1]), "a slot is free");
                check(take_part(shared, tasks[1]), "a slot is free");
              });
  finish(shared);
}

void more_threads_than_slots() {
  Shared shared(0, 0);
  Task tasks[3];
  bool admitted[3]{};
  run_threads([&] { admitted[0] = take_part(shared, tasks[0]); },
              [&] { admitted[1] = take_part(shared, tasks[1]); },
              [&] { admitted[2] = take_part(shared, tasks[2]); });
  check(admitted[0] + admitted[1] + admitted[2] >= 2, "a thread is refused if two are inside");
  finish(shared);
}

// As Quiescence::drain() of a scheduler without workers.
void shut_down(Shared& shared) {
  shared.quiescence().close();
  while (shared.participants().has_taken(1)) detail::cpu_relax();
}

// The participant uses memory that is freed after the shutdown.
void take_part_with(Shared& shared, Plain<int>& memory) {
  WorkerContext* const context = shared.enter_participant();
  if (context == nullptr) return;
  memory = 1;
  shared.leave_participant(*context);
}

void shutdown_meets_a_participant() {
  Shared shared(0, 0);
  Plain<int> memory;
  run_threads([&] { take_part_with(shared, memory); },
              [&] {
                shut_down(shared);
                memory = 2;
              });
  finish(shared);
}

void shutdown_meets_two_participants() {
  Shared shared(0, 0);
  Plain<int> memory[2];
  run_threads([&] { take_part_with(shared, memory[0]); },
              [&] { take_part_with(shared, memory[1]); },
              [&] {
                shut_down(shared);
                memory[0] = memory[1] = 2;
              });
  finish(shared);
}

void shutdown_meets_a_second_turn() {
  Shared shared(0, 0);
  Plain<int> memory;
  run_threads(
      [&] {
        take_part_with(shared, memory);
        take_part_with(shared, memory);
      },
      [&] {
        shut_down(shared);
        memory = 2;
      });
  finish(shared);
}

// A closed scheduler refuses participants, except for a thread in a blocking call: the drain waits
// for the fiber that has made the call.
void blocking_call_takes_part_in_a_drain() {
  Shared shared(0, 0);
  Task task;
  run_threads([&] {
    shared.quiescence().close();
    check(!take_part(shared, task), "the scheduler is closed");
    detail::this_thread().blocking_for = &shared;
    check(take_part(shared, task), "the drain waits for the call");
    detail::this_thread().blocking_for = nullptr;
    check(!take_part(shared, task), "the call has ended");
  });
  finish(shared);
}

// The scheduler is destroyed as soon as the shutdown has seen that the participant has left.
void scheduler_ends_after_the_last_participant() {
  auto shared = std::make_unique<Shared>(0, 0);
  WorkerContext* context = nullptr;
  Task task;
  Atomic<bool> is_inside{false};
  run_threads(
      [&] {
        Shared& inside = *shared;
        context = inside.enter_participant();
        is_inside.store(true, std::memory_order_release);
        use(*context, task);
        inside.leave_participant(*context);
      },
      [&] {
        while (!is_inside.load(std::memory_order_acquire)) detail::cpu_relax();
        shut_down(*shared);
        shared.reset();
      });
}

// A thief sees the slot of the second participant while the first one creates its context.
void thief_looks_while_two_enter() {
  Shared shared(0, 0);
  Task tasks[2];
  run_threads([&] { take_part(shared, tasks[0]); }, [&] { take_part(shared, tasks[1]); },
              [&] {
                shared.participants().any_of(
                    [](const WorkerContext& context) { return !context.looks_empty(); });
              });
  finish(shared);
}

// The worker may sleep when the participant pushes. The participant holds the only seat, so the
// push leaves the worker asleep; the participant returns its seat before it parks.
void participant_parks() {
  Shared shared(1, 1);
  Task task;
  run_threads(
      [&] {
        WorkerContext* const context = shared.enter_participant();
        context->push(task);
        context->participant->hold_seat(*context, false);
        task.await();
        context->participant->hold_seat(*context, true);
        shared.leave_participant(*context);
      },
      [&] { shared.serve(0); });
  finish(shared);
}

// A job of the worker, which only the worker may run unless it serves the wait of the participant.
struct Child : detail::Job {
  Child() : Job([](Job& job) { static_cast<Child&>(job).execute(); }) {}
  void execute() {
    check(!std::exchange(ran, true), "no job runs twice");
    const WorkerContext* const context = detail::this_context();
    check(wait != nullptr || context == nullptr || !context->is_external(),
          "a participant runs no job of another wait");
  }

  const void* wait = nullptr;
  bool ran = false;
};

// The worker runs a job that serves the wait of the participant, and then another job. The
// participant may see the first job and rob the second one. The deque is public at first. The
// worker makes it private when it takes the child of the first job: then only the other case shows
// a theft from the second job.
void help_a_worker(bool first_job_has_child) {
  Shared shared(1, 0);
  const int awaited = 0;
  Child children[2];
  children[0].wait = &awaited;
  children[0].ran = !first_job_has_child;
  detail::Worker& worker = shared.worker(0);
  worker.keep_lineage();
  worker.serve(&awaited);
  worker.context().force_publish();
  run_threads(
      [&] {
        WorkerContext* const context = shared.enter_participant();
        context->participant->help(*context, &awaited);
        shared.leave_participant(*context);
      },
      [&] {
        const auto fork = [&](Child& child) {
          worker.context().push(child);
          if (Job* const own = worker.context().pop()) own->run();
        };
        if (first_job_has_child) fork(children[0]);
        worker.begin_job();
        fork(children[1]);
      });
  while (Job* const job = shared.pop_outside()) job->run();
  for (const Child& child : children) check(child.ran, "no job is lost");
  finish(shared);
}

// The participant leaves its job to the worker, without a wait for it.
void participant_leaves_a_job() {
  Shared shared(1, 1);
  Task task;
  run_threads(
      [&] {
        WorkerContext* const context = shared.enter_participant();
        context->push(task);
        shared.leave_participant(*context);
      },
      [&] { shared.serve(0); });
  check(task.ran.load(std::memory_order_relaxed), "the job has run");
  finish(shared);
}

}  // namespace

const Subject& subject() {
  static const Subject participants = {
      .headers = {"jobs/runtime/worker/participant_slots.hpp"},
      .not_shown = {},
      .models =
          {
              {"blocking_call_takes_part_in_a_drain",
               blocking_call_takes_part_in_a_drain,
               {.preemptions = 0}},
              {"two_threads_twice", two_threads_twice, {.preemptions = 2}},
              {"shutdown_meets_a_participant", shutdown_meets_a_participant, {.preemptions = 3}},
              {"shutdown_meets_a_second_turn", shutdown_meets_a_second_turn, {.preemptions = 2}},
              {"scheduler_ends_after_the_last_participant",
               scheduler_ends_after_the_last_participant,
               {.preemptions = 2}},
              {"more_threads_than_slots", more_threads_than_slots, {.preemptions = 1}},
              {"shutdown_meets_two_participants",
               shutdown_meets_two_participants,
               {.preemptions = 2}},
              {"thief_looks_while_two_enter", thief_looks_while_two_enter, {.preemptions = 2}},
              {"participant_parks", participant_parks, {.preemptions = 2}},
              {"participant_leaves_a_job", participant_leaves_a_job, {.preemptions = 2}},
              {"participant_helps_a_worker_that_forks",
               [] { help_a_worker(true); },
               {.preemptions = 2}},
              {"participant_helps_a_worker_that_changes_its_job",
               [] { help_a_worker(false); },
               {.preemptions = 2}},
          },
  };
  return participants;
}

}  // namespace jobs::model
