// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BoundSlots: threads bind themselves to workers and leave while jobs arrive. A worker has one
// owner at a time, a job that its submitter waits for runs, and no job for a worker is lost. The
// state of a worker is plain: two owners at a time would be a data race.
#include "jobs/runtime/scheduler/bound_slots.hpp"

#include <array>

#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using detail::Atomic;
using detail::BoundSlots;
using detail::Plain;

// A scheduler whose workers are slots.
class Scheduler {
 public:
  explicit Scheduler(unsigned count, bool is_first_taken = false) : slots_(count, is_first_taken) {}

  // --- threads of the program ---
  // As SchedulerCore::bind_current_thread(). kNone: no slot is vacant, or the scheduler is closed.
  unsigned bind() {
    return slots_.take([&] { return bool{is_open_}; },
                       [&](unsigned i) {
                         check(is_open_, "no thread is bound after a shutdown");
                         own(i);
                       });
  }
  // As SchedulerCore::unbind_current_thread().
  void unbind(unsigned index) {
    do {
      run_pinned(index);
    } while (!slots_.stop_serving(index, [&] { return !has_pinned(index); }));
    workers_[index].has_owner = false;
    slots_.release(index);
  }
  void bind_and_leave() {
    const unsigned index = bind();
    if (index != BoundSlots::kNone) unbind(index);
  }

  // --- submitters ---
  // As a job of a graph with a place: it waits for the next owner.
  void push(unsigned index) { workers_[index].arrived.fetch_add(1, std::memory_order_release); }
  // As trim(): the submitter waits for its job, unless the worker has no thread.
  void push_and_wait(unsigned index) {
    int number = 0;
    if (!slots_.submit(index, [&] {
          number = workers_[index].arrived.fetch_add(1, std::memory_order_release) + 1;
        }))
      return;
    while (workers_[index].ended.load(std::memory_order_acquire) < number) detail::cpu_relax();
  }

  // --- the thread that shuts down ---
  // Returns false if a thread is bound.
  bool close(unsigned first = 0) {
    return slots_.refuse_threads(
        first, [&] { return bool{is_open_}; },
        [&] {
          for (unsigned i = first; i < slots_.count(); ++i)
            check(!workers_[i].has_owner, "no thread is bound at a shutdown");
          is_open_ = false;
        });
  }
  // The calling thread stands for the threads that the scheduler starts.
  void serve_vacant_slots() {
    unsigned started = 0;
    check(slots_.take_all([&](unsigned i) {
      started |= 1u << i;
      return true;
    }),
          "all threads start");
    for (unsigned i = 0; i < slots_.count(); ++i) {
      if ((started >> i & 1) == 0) continue;
      own(i);
      run_pinned(i);
    }
  }
  // After the end of all threads.
  void finish(unsigned first = 0) {
    check(close(first), "no thread is bound");
    serve_vacant_slots();
    for (unsigned i = first; i < slots_.count(); ++i) check(!has_pinned(i), "no job is lost");
  }

 private:
  struct Worker {
    Atomic<int> arrived{0};  // jobs in the inbox, and those that have run
    Atomic<int> ended{0};
    Plain<int> ran{0};
    Plain<bool> has_owner{false};
  };

  bool has_pinned(unsigned index) const {
    return workers_[index].arrived.load(std::memory_order_acquire) != workers_[index].ran;
  }
  void own(unsigned index) {
    check(!workers_[index].has_owner, "a worker has one owner");
    workers_[index].has_owner = true;
  }
  void run_pinned(unsigned index) {
    Worker& worker = workers_[index];
    while (has_pinned(index)) {
      worker.ran = worker.ran + 1;
      worker.ended.store(worker.ran, std::memory_order_release);
    }
  }

  BoundSlots slots_;
  Plain<bool> is_open_{true};
  std::array<Worker, 2> workers_;
};

void two_threads_and_one_slot() {
  Scheduler scheduler(1);
  run_threads([&] { scheduler.bind_and_leave(); }, [&] { scheduler.bind_and_leave(); });
  scheduler.finish();
}

void two_threads_and_two_slots() {
  Scheduler scheduler(2);
  const auto bind = [&] {
    const unsigned index = scheduler.bind();
    check(index != BoundSlots::kNone, "a slot is vacant");
    scheduler.unbind(index);
  };
  run_threads(bind, bind);
  scheduler.finish();
}

void thread_leaves_while_a_submitter_waits() {
  Scheduler scheduler(1);
  run_threads([&] { scheduler.bind_and_leave(); }, [&] { scheduler.push_and_wait(0); });
  scheduler.finish();
}

void thread_follows_another_one_while_a_submitter_waits() {
  Scheduler scheduler(1);
  run_threads(
      [&] {
        scheduler.bind_and_leave();
        scheduler.bind_and_leave();
      },
      [&] { scheduler.push_and_wait(0); });
  scheduler.finish();
}

void job_for_a_worker_that_may_have_no_thread() {
  Scheduler scheduler(1);
  run_threads([&] { scheduler.bind_and_leave(); }, [&] { scheduler.push(0); });
  scheduler.finish();
}

// The shutdown is a misuse while the thread is bound; otherwise the thread is refused, or has left.
void shutdown_meets_a_thread() {
  Scheduler scheduler(1);
  run_threads([&] { scheduler.bind_and_leave(); },
              [&] {
                if (scheduler.close()) scheduler.serve_vacant_slots();
              });
  scheduler.finish();
}

// The second shutdown finds the slots taken by threads of the first one.
void two_shutdowns() {
  Scheduler scheduler(2, true);
  const auto shut_down = [&] {
    check(scheduler.close(1), "no thread of the program is bound");
    scheduler.serve_vacant_slots();
  };
  run_threads(shut_down, shut_down);
  scheduler.finish(1);
}

}  // namespace

const Subject& subject() {
  static const Subject bound_slots = {
      .headers = {},
      .not_shown = {},
      .models =
          {
              {"two_threads_and_one_slot", two_threads_and_one_slot, {}},
              {"two_threads_and_two_slots", two_threads_and_two_slots, {}},
              {"thread_leaves_while_a_submitter_waits", thread_leaves_while_a_submitter_waits, {}},
              {"thread_follows_another_one_while_a_submitter_waits",
               thread_follows_another_one_while_a_submitter_waits,
               {.preemptions = 3}},
              {"shutdown_meets_a_thread", shutdown_meets_a_thread, {}},
              {"two_shutdowns", two_shutdowns, {}},
              {"job_for_a_worker_that_may_have_no_thread",
               job_for_a_worker_that_may_have_no_thread,
               {}},
          },
  };
  return bound_slots;
}

}  // namespace jobs::model
