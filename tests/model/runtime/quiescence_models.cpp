// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Quiescence: a drain ends, and only after all accepted work. Each piece of work writes `memory`,
// and the thread that shuts down frees it after the drain: work that the drain has left behind is a
// race.
#include "jobs/runtime/worker/quiescence.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include "jobs/base/counters.hpp"
#include "jobs/sync/core/thread_host.hpp"
#include "tests/model/sync/waiting.hpp"

namespace jobs::model {
namespace {

using detail::Atomic;
using detail::Plain;
using detail::Quiescence;

// The counters of a worker.
struct Context {
  detail::SingleWriterCounter spawned, finished;
};

// A scheduler of up to two workers. It has one participant slot and at most two daemons.
class Scheduler {
 public:
  Quiescence quiescence;
  std::array<Context, 2> contexts;
  std::array<Plain<int>, 2> memory;

  auto each_context() const {
    return [this](const auto& visit) {
      for (const Context& context : contexts) visit(context);
    };
  }

  // --- workers ---
  void spawn(std::size_t worker) { contexts[worker].spawned.add(1); }
  void run(std::size_t worker) {
    memory[worker] = 1;
    contexts[worker].finished.add(1);
  }
  void park() {
    quiescence.before_park([this] { return has_ended(); });
  }
  void end_turn() {
    quiescence.between_turns([this] { park(); });
  }

  // --- threads outside ---
  // As Shared::admit().
  bool submit() {
    if (quiescence.admit()) return true;
    quiescence.refuse();
    park();
    return false;
  }
  // As Shared::admit() on the thread of a blocking call.
  void submit_in_blocking_call() {
    if (!quiescence.admit()) quiescence.accept();
  }
  // As Shared::enter_participant() and ParticipantSlots.
  bool enter() {
    if (slot_.exchange(true, std::memory_order_seq_cst)) fail("the slot is taken");
    if (quiescence.is_open()) return true;
    leave();
    return false;
  }
  void leave() { slot_.store(false, std::memory_order_release); }

  // --- a daemon on worker 0 ---
  void register_daemon(std::size_t daemon) {
    daemons_[daemon].lives.store(true, std::memory_order_relaxed);
  }
  bool is_stop_requested() const { return is_stop_requested_.load(std::memory_order_relaxed); }
  void await_stop() const {
    while (!is_stop_requested()) detail::cpu_relax();
  }
  // As FiberControl::end(): the second of the end and mark_counted() counts the end.
  void end_daemon(std::size_t daemon) {
    if (daemons_[daemon].counted.exchange(true, std::memory_order_acq_rel))
      contexts[0].finished.add(1);
    daemons_[daemon].lives.store(false, std::memory_order_release);
  }

  // --- threads that shut down ---
  bool drain(os::Nanoseconds deadline = os::kNever) { return quiescence.drain(deadline, *this); }
  void free_memory() {
    for (Plain<int>& piece : memory) piece = 2;
  }
  // As SchedulerCore::shutdown_before().
  bool shut_down(os::Nanoseconds deadline = os::kNever) {
    quiescence.close();
    const detail::WaitingThread here;
    if (!quiescence.take_turn(deadline)) return false;
    const bool is_stopped = quiescence.is_stopped() || drain(deadline);
    if (is_stopped && !quiescence.is_stopped()) {
      free_memory();
      quiescence.stop();
    }
    quiescence.give_turn();
    return is_stopped;
  }

  // --- the work that a drain observes ---
  // A participant leaves without a signal. The model spins here, because a wait with a time limit
  // could be repeated for ever.
  bool has_participants() const {
    while (slot_.load(std::memory_order_seq_cst)) detail::cpu_relax();
    return false;
  }
  bool has_ended() const { return quiescence.has_ended(each_context()); }
  std::uint64_t submitted() const { return quiescence.submitted(each_context()); }
  bool before_wait() const { return false; }
  // As SchedulerCore::stop_daemons().
  void stop_daemons() {
    for (Daemon& daemon : daemons_) {
      if (!daemon.lives.load(std::memory_order_acquire) ||
          daemon.counted.load(std::memory_order_relaxed))
        continue;
      quiescence.admit();
      if (daemon.counted.exchange(true, std::memory_order_acq_rel)) quiescence.refuse();
      is_stop_requested_.store(true, std::memory_order_relaxed);
    }
  }

 private:
  Atomic<bool> slot_{false};
  struct Daemon {
    Atomic<bool> lives{false};
    Atomic<bool> counted{false};
  };
  std::array<Daemon, 2> daemons_;
  Atomic<bool> is_stop_requested_{false};
};

void last_job_ends() {
  Scheduler scheduler;
  scheduler.spawn(0);
  run_threads(
      [&] {
        scheduler.run(0);
        scheduler.park();
      },
      [&] { check(scheduler.shut_down(), "a shutdown without a deadline stops"); });
}

void two_workers_end_the_last_jobs() {
  Scheduler scheduler;
  scheduler.spawn(0);
  scheduler.spawn(1);
  const auto work = [&](std::size_t worker) {
    scheduler.run(worker);
    scheduler.park();
  };
  run_threads([&] { work(0); }, [&] { work(1); }, [&] { scheduler.shut_down(); });
}

// The job spawns a second job before it ends. The second job is counted on another worker.
void job_spawns_a_job() {
  Scheduler scheduler;
  scheduler.spawn(0);
  Atomic<bool> is_spawned{false};
  run_threads(
      [&] {
        scheduler.spawn(0);
        is_spawned.store(true, std::memory_order_release);
        scheduler.run(0);
        scheduler.park();
      },
      [&] {
        while (!is_spawned.load(std::memory_order_acquire)) detail::cpu_relax();
        scheduler.run(1);
        scheduler.park();
      },
      [&] { scheduler.shut_down(); });
}

// A job from outside is refused, or runs before the end.
void submission_during_a_shutdown() {
  Scheduler scheduler;
  run_threads(
      [&] {
        if (!scheduler.submit()) return;
        scheduler.run(0);
        scheduler.park();
      },
      [&] { scheduler.shut_down(); });
}

// The participant is refused, or the drain waits for it, and for the job that it submits.
void participant_during_a_shutdown() {
  Scheduler scheduler;
  Atomic<int> job{0};  // 1: submitted, 2: there is none
  run_threads(
      [&] {
        if (!scheduler.enter()) return job.store(2, std::memory_order_release);
        scheduler.memory[1] = 1;
        scheduler.quiescence.admit();  // never refused
        job.store(1, std::memory_order_release);
        scheduler.leave();
      },
      [&] {
        while (job.load(std::memory_order_acquire) == 0) detail::cpu_relax();
        if (job.load(std::memory_order_relaxed) == 2) return;
        scheduler.run(0);
        scheduler.park();
      },
      [&] { scheduler.shut_down(); });
}

// The daemon submits a job when it ends, which the drain may not have counted yet.
void daemon_submits_a_job() {
  Scheduler scheduler;
  scheduler.register_daemon(0);
  run_threads(
      [&] {
        scheduler.spawn(0);
        scheduler.end_daemon(0);
        scheduler.run(0);
        scheduler.park();
      },
      [&] { scheduler.shut_down(); });
}

// A daemon that submits a job, which starts another daemon. The drain may look for daemons after
// the end of the first one and before the start of the second one.
void daemon_is_followed_by_another_one() {
  Scheduler scheduler;
  scheduler.register_daemon(0);
  run_threads(
      [&] {
        scheduler.spawn(0);
        scheduler.end_daemon(0);
        scheduler.register_daemon(1);
        scheduler.spawn(0);
        scheduler.contexts[0].finished.add(1);  // the job
        scheduler.contexts[0].finished.add(1);  // the second daemon, which begins
        scheduler.memory[0] = 1;
        scheduler.end_daemon(1);
        scheduler.park();
      },
      [&] { scheduler.shut_down(); });
}

// As the model above, but a blocking call of the first daemon starts the second one. The drain may
// look for the second daemon before it exists, and for the first one after its end.
void blocking_call_starts_a_daemon() {
  Scheduler scheduler;
  scheduler.register_daemon(1);
  run_threads(
      [&] {
        scheduler.register_daemon(0);
        scheduler.submit_in_blocking_call();
        scheduler.end_daemon(1);
        scheduler.contexts[0].finished.add(1);  // the second daemon begins
        scheduler.memory[0] = 1;
        scheduler.end_daemon(0);
        scheduler.park();
      },
      [&] { scheduler.shut_down(); });
}

// A blocking call of a daemon submits a job and runs it itself. It ends when it is stopped.
void blocking_call_runs_its_job() {
  Scheduler scheduler;
  scheduler.register_daemon(0);
  run_threads(
      [&] {
        scheduler.submit_in_blocking_call();
        scheduler.run(1);
        scheduler.park();
        scheduler.await_stop();
        scheduler.memory[0] = 1;
        scheduler.end_daemon(0);
        scheduler.park();
      },
      [&] { scheduler.shut_down(); });
}

// The last job ends, and its worker signals the drain. The drain then waits for the daemon.
void daemon_is_stopped() {
  Scheduler scheduler;
  scheduler.spawn(0);
  scheduler.register_daemon(0);
  run_threads(
      [&] {
        scheduler.run(0);
        scheduler.park();
        scheduler.await_stop();
        scheduler.memory[1] = 1;
        scheduler.end_daemon(0);
        scheduler.park();
      },
      [&] { scheduler.shut_down(); });
}

// The daemon yields until its stop is requested, so its worker never parks before that.
void daemon_yields() {
  Scheduler scheduler;
  scheduler.spawn(0);
  scheduler.register_daemon(0);
  run_threads(
      [&] {
        scheduler.run(0);
        while (!scheduler.is_stop_requested()) {
          scheduler.end_turn();
          detail::cpu_relax();
        }
        scheduler.memory[1] = 1;
        scheduler.end_daemon(0);
        scheduler.park();
      },
      [&] { scheduler.shut_down(); });
}

// The last job ends on another worker, which may have parked before. The daemon submits a job each
// time that it finds its stop not requested.
void daemon_yields_beside_the_last_job() {
  Scheduler scheduler;
  scheduler.spawn(1);
  scheduler.register_daemon(0);
  run_threads(
      [&] {
        scheduler.spawn(0);
        scheduler.run(0);
        while (!scheduler.is_stop_requested()) {
          scheduler.end_turn();
          detail::cpu_relax();
        }
        scheduler.end_daemon(0);
        scheduler.park();
      },
      [&] {
        scheduler.run(1);
        scheduler.park();
      },
      [&] { scheduler.shut_down(); });
}

// Each call returns after the end, and one of them frees the memory. One gives up at any moment.
void two_threads_shut_down(os::Nanoseconds deadline) {
  Scheduler scheduler;
  scheduler.spawn(0);
  const auto shut_down = [&](os::Nanoseconds first) {
    if (!scheduler.shut_down(first)) scheduler.shut_down();
    check(scheduler.memory[0] == 2, "the call returns after the end");
  };
  run_threads(
      [&] {
        scheduler.run(0);
        scheduler.park();
      },
      [&] { shut_down(os::kNever); }, [&] { shut_down(deadline); });
}
void two_shutdowns() { two_threads_shut_down(os::kNever); }
void two_shutdowns_one_with_a_deadline() {
  two_threads_shut_down(kSoon.time_since_epoch().count());
}

void shutdown_with_a_deadline_is_repeated() {
  Scheduler scheduler;
  scheduler.spawn(0);
  run_threads(
      [&] {
        scheduler.run(0);
        scheduler.park();
      },
      [&] {
        if (!scheduler.shut_down(kSoon.time_since_epoch().count())) {
          check(!scheduler.submit(), "refused after the deadline");
          scheduler.shut_down();
        }
      });
}

}  // namespace

const Subject& subject() {
  static const Options kSampled = {.search = Search::kPriorities, .max_executions = 5'000};
  static const Subject quiescence = {
      .headers = {"jobs/runtime/worker/quiescence.hpp", "jobs/base/counters.hpp"},
      .not_shown = {},
      .models =
          {
              {"last_job_ends", last_job_ends, {.preemptions = 2}},
              {"submission_during_a_shutdown", submission_during_a_shutdown, {.preemptions = 2}},
              {"daemon_submits_a_job", daemon_submits_a_job, {.preemptions = 2}},
              {"daemon_is_stopped", daemon_is_stopped, {.preemptions = 2}},
              {"daemon_yields", daemon_yields, {.preemptions = 2}},
              {"daemon_yields_beside_the_last_job",
               daemon_yields_beside_the_last_job,
               {.preemptions = 1}},
              {"daemon_is_followed_by_another_one",
               daemon_is_followed_by_another_one,
               {.preemptions = 2}},
              {"blocking_call_starts_a_daemon", blocking_call_starts_a_daemon, {.preemptions = 2}},
              {"blocking_call_runs_its_job", blocking_call_runs_its_job, {.preemptions = 2}},
              {"participant_during_a_shutdown", participant_during_a_shutdown, {.preemptions = 1}},
              {"job_spawns_a_job", job_spawns_a_job, {.preemptions = 1}},
              {"shutdown_with_a_deadline_is_repeated",
               shutdown_with_a_deadline_is_repeated,
               {.preemptions = 1}},
              {"two_workers_end_the_last_jobs", two_workers_end_the_last_jobs, {.preemptions = 1}},
              // Too large to exhaust.
              {"two_shutdowns", two_shutdowns, kSampled},
              {"two_shutdowns_one_with_a_deadline", two_shutdowns_one_with_a_deadline, kSampled},
          },
  };
  return quiescence;
}

}  // namespace jobs::model
