// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The shutdown of a scheduler by several threads, with and without deadlines, while external
// threads take part, bind themselves and leave.
#include <chrono>
#include <cstdint>
#include <vector>

#include "jobs/jobs.hpp"
#include "tests/sim/scenarios.hpp"

namespace jobs::test {

namespace {

using testing::check;
using testing::choose;
using testing::Thread;

bool one_in(std::uint32_t n) { return choose(n) == 0; }
std::chrono::nanoseconds brief() {
  return std::chrono::nanoseconds(choose(1u << (4 + choose(16))));
}

// The members are plain, because no two virtual threads run between two steps.
class Shutdown {
 public:
  explicit Shutdown(const SchedulerOptions& options)
      : has_slots_(options.bound_threads != 0), scheduler_(options) {}

  // The life of an external thread: it calls free functions until the scheduler refuses one.
  void call_until_refused() {
    for (;;) {
      try {
        if (has_slots_ && one_in(3)) {
          call_as_bound_thread();
        } else {
          const SchedulerScope scope(scheduler_);
          call();
        }
      } catch (const Error& error) {
        // kBadArgument: all slots are taken.
        if (error.code() == ErrorCode::kBadArgument) continue;
        check(error.code() == ErrorCode::kStopped, "another error than kStopped");
        return;
      }
    }
  }

  void shut_down() {
    // A scheduler may not be shut down while a thread is bound.
    is_closing_ = true;
    while (bound_ != 0) testing::pass(choose(20));
    if (one_in(2)) {
      while (!scheduler_.shutdown_for(brief())) testing::pass(choose(50));
    } else {
      scheduler_.shutdown();
    }
    check_all_ended();
  }

  void check_all_ended() const {
    check(ran_ == submitted_, "shutdown: a job was left behind");
    check(inside_ == 0, "shutdown: a participant was left behind");
  }

 private:
  void call_as_bound_thread() {
    if (is_closing_) return testing::pass(1 + choose(5));
    ++bound_;
    struct AtEnd {
      unsigned& bound;
      ~AtEnd() { --bound; }
    } at_end{bound_};
    const ThreadBinding binding = scheduler_.bind_current_thread();
    call();
  }

  // Runs a call with several parts. It runs fully, or throws kStopped and runs nothing.
  void call() {
    const unsigned kind = choose(4);
    const unsigned expected = kind == 0 ? 2 + choose(8) : 4 - kind;
    unsigned begun = 0, ended = 0;
    const auto part = [&] {
      if (begun++ == 0) ++inside_;
      if (one_in(3)) submit();
      if (one_in(8)) this_fiber::sleep_for(brief());
      if (one_in(4)) testing::pass(choose(20));
      if (++ended == expected) --inside_;
    };
    try {
      if (kind == 0) {
        parallel_for(0u, expected, [&](unsigned) { part(); }, Grain{1});
      } else if (kind == 1) {
        fork_join(part, part, part);
      } else if (kind == 2) {
        TaskGraph graph;
        graph.node(part).precede(graph.node(part));
        graph.run();
      } else {
        scheduler_.run(part);
      }
    } catch (const Error&) {
      check(begun == 0, "a call was refused in the middle");
      throw;
    }
    check(ended == expected, "a part of a call did not run once");
  }

  // A part of a call that was accepted may submit jobs, whatever the state of the scheduler.
  void submit() {
    ++submitted_;
    const SpawnOptions options =
        one_in(3) ? SpawnOptions{.on = worker(choose(scheduler_.worker_count()))} : SpawnOptions{};
    spawn(
        [this] {
          if (one_in(4)) this_fiber::sleep_for(brief());
          if (one_in(6)) submit();
          ++ran_;
        },
        options);
  }

  const bool has_slots_;
  bool is_closing_ = false;
  unsigned bound_ = 0, inside_ = 0;
  unsigned submitted_ = 0, ran_ = 0;
  Scheduler scheduler_;
};

}  // namespace

void shutdown_of_participants() {
  const unsigned bound = choose(3);
  Shutdown shutdown(
      {.worker_count = bound + 1 + choose(3), .bound_threads = bound, .stack_size = 64 * 1024});
  std::vector<Thread> threads;
  for (unsigned more = 1 + choose(3); more > 0; --more)
    threads.emplace_back([&] { shutdown.call_until_refused(); });
  testing::pass(choose(4000));
  for (unsigned more = choose(3); more > 0; --more)
    threads.emplace_back([&] { shutdown.shut_down(); });
  shutdown.shut_down();
  for (Thread& thread : threads) thread.join();
  shutdown.check_all_ended();
}

}  // namespace jobs::test
