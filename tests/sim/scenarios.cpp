// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/scenarios.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "jobs/jobs.hpp"

namespace jobs::test {

namespace {

using testing::check;
using testing::choose;
using testing::Thread;
using namespace std::chrono_literals;

// The exception of a job with a planned failure.
struct Failure {};

bool one_in(std::uint32_t n) { return choose(n) == 0; }
std::chrono::nanoseconds brief() {
  return std::chrono::nanoseconds(choose(1u << (4 + choose(20))));
}

// Counts the runs of each of n pieces of work.
class Tally {
 public:
  explicit Tally(std::size_t n) : done_(n) {}
  void operator()(std::size_t i) { ++done_[i]; }
  bool once_each() const {
    return std::ranges::all_of(done_, [](unsigned times) { return times == 1; });
  }
  bool at_most_once() const {
    return std::ranges::all_of(done_, [](unsigned times) { return times <= 1; });
  }
  unsigned of(std::size_t i) const { return done_[i]; }

 private:
  std::vector<unsigned> done_;  // plain: no two virtual threads run between two steps
};

SchedulerOptions any_options() {
  return {.worker_count = 1 + choose(one_in(3) ? 8 : 4),
          .bind_caller = one_in(4),
          .stack_size = 64 * 1024,
          .max_idle_stacks = one_in(4) ? std::size_t{2} : std::size_t{1024},
          .trim_stacks = one_in(8),
          .on_unhandled = [](const std::exception_ptr&) {},
          .account_run_time = one_in(8)};
}

class SomeScheduler : public Scheduler {
 public:
  explicit SomeScheduler(const SchedulerOptions& options = any_options())
      : Scheduler(options), is_bound(options.bind_caller) {}
  const bool is_bound;
};

// Runs body() as a job, requested by this thread or by another one.
template <class F>
void run_somewhere(SomeScheduler& scheduler, F&& body) {
  if (!scheduler.is_bound && one_in(3)) {  // a bound thread must serve jobs meanwhile
    std::exception_ptr thrown;
    Thread([&] {
      try {
        scheduler.run(body);
      } catch (...) {
        thrown = std::current_exception();
      }
    }).join();
    if (thrown) std::rethrow_exception(thrown);
  } else {
    scheduler.run(body);
  }
}

// --- fork_join ----------------------------------------------------------------------------------

void fork_tree(unsigned depth, std::size_t leaf, Tally& leaves, bool fails) {
  if (depth == 0) {
    leaves(leaf);
    if (fails && one_in(16)) throw Failure();
    if (one_in(8)) testing::pass(choose(50));
    return;
  }
  const auto half = [&, depth, leaf](unsigned side) {
    fork_tree(depth - 1, 2 * leaf + side, leaves, fails);
  };
  fork_join([&] { half(0); }, [&] { half(1); });
}

void forks() {
  SomeScheduler scheduler;
  for (unsigned round = 1 + choose(3); round > 0; --round) {
    const unsigned depth = 2 + choose(4);
    const bool fails = one_in(2);
    Tally leaves(std::size_t{1} << depth);
    bool failed = false;
    try {
      run_somewhere(scheduler, [&] { fork_tree(depth, 0, leaves, fails); });
    } catch (const Failure&) {
      failed = true;
    }
    check(leaves.once_each() || (failed && leaves.at_most_once()),
          "fork_join: a leaf did not run once");
    check(fails || !failed, "fork_join: an exception from nowhere");
  }
}

// --- loops --------------------------------------------------------------------------------------

void loops() {
  SomeScheduler scheduler;
  for (unsigned round = 1 + choose(3); round > 0; --round) {
    const std::size_t n = choose(200);
    const std::size_t failing = one_in(3) && n > 0 ? choose(static_cast<std::uint32_t>(n)) : n;
    Tally calls(n);
    bool failed = false;
    try {
      run_somewhere(scheduler, [&] {
        parallel_for(std::size_t{0}, n, [&](std::size_t i) {
          calls(i);
          if (one_in(8)) testing::pass(choose(20));
          if (i == failing) throw Failure();
        });
      });
    } catch (const Failure&) {
      failed = true;
    }
    check(failed == (failing != n), "parallel_for: an exception was lost or made");
    check(failed ? calls.at_most_once() : calls.once_each(),
          "parallel_for: an iteration did not run once");

    const auto sum = scheduler.run([&] {
      return parallel_reduce(std::size_t{0}, n, std::size_t{0}, std::plus{},
                             [](std::size_t i) { return i; });
    });
    check(sum == (n == 0 ? 0 : n * (n - 1) / 2), "parallel_reduce: a wrong sum");
  }
}

// External threads take part in loops of the default scheduler.
void participants() {
  std::vector<Thread> threads;
  for (unsigned more = 1 + choose(3); more > 0; --more) {
    threads.emplace_back([] {
      Tally leaves(16);
      fork_tree(4, 0, leaves, false);
      check(leaves.once_each(), "an external participant's leaf did not run once");
      Tally calls(50);
      parallel_for(std::size_t{0}, std::size_t{50}, [&](std::size_t i) { calls(i); });
      check(calls.once_each(), "an external participant's iteration did not run once");
      Counter done;
      Tally jobs(5);
      for (std::size_t j = 0; j < 5; ++j) spawn(done, [&jobs, j] { jobs(j); });
      done.wait();
      check(jobs.once_each(), "a job from outside did not run once");
    });
  }
  for (Thread& thread : threads) thread.join();
}

// --- spawn --------------------------------------------------------------------------------------

SpawnOptions any_place(const Scheduler& scheduler) {
  if (one_in(2))
    return {.priority = one_in(3) ? jobs::Priority::kCritical : jobs::Priority::kNormal};
  return {.on = one_in(3) ? not_main_thread : worker(choose(scheduler.worker_count())),
          .priority = one_in(3) ? jobs::Priority::kCritical : jobs::Priority::kNormal};
}

struct SpawnTree {
  Scheduler& scheduler;
  Tally& runs;
  Counter& done;
  std::size_t next = 0;

  void grow(unsigned depth) {
    runs(next++);
    if (one_in(6)) yield();
    if (one_in(12)) this_fiber::sleep_for(brief());
    if (depth == 0) return;
    for (unsigned child = 0; child < 3; ++child)
      spawn(done, [this, depth] { grow(depth - 1); }, any_place(scheduler));
  }
};

void spawns() {
  SomeScheduler scheduler;
  constexpr unsigned kTree = 1 + 3 + 9;
  Tally runs(2 * kTree);
  Counter done;
  SpawnTree tree{scheduler, runs, done};
  scheduler.run([&] {
    spawn(done, [&] { tree.grow(2); });
    spawn(done, [&] { tree.grow(2); }, {.priority = jobs::Priority::kCritical});
    if (one_in(2)) done.wait();
  });
  done.wait();
  check(tree.next == 2 * kTree && runs.once_each(), "a job did not run once");
}

// Many jobs at once, from jobs and from threads.
void storms() {
  SomeScheduler scheduler;
  constexpr unsigned kThreads = 2;
  const unsigned from_inside = choose(300), from_outside = choose(60);
  Tally runs(from_inside + kThreads * from_outside);
  Counter done, ended(kThreads);
  std::vector<Thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < from_outside; ++i) {
        const std::size_t number = from_inside + t * from_outside + i;
        scheduler.run([&, number] { spawn(done, [&runs, number] { runs(number); }); });
      }
      ended.done();
    });
  }
  scheduler.run([&] {
    for (unsigned i = 0; i < from_inside; ++i) spawn(done, [&runs, i] { runs(i); });
    ended.wait();  // meanwhile a bound thread serves all of them
  });
  for (Thread& thread : threads) thread.join();
  done.wait();
  check(runs.once_each(), "a job did not run once");
}

// Jobs that compute until their children have run, and do not check their deques meanwhile: idle
// workers force publication and take the children.
void forced_publications() {
  SchedulerOptions options = any_options();
  options.bind_caller = false;
  options.worker_count = 2 + choose(3);
  Scheduler scheduler(options);
  scheduler.run([&] {
    Counter done;
    for (unsigned i = 1; i < options.worker_count; ++i) {
      spawn(done, [] {
        bool ran = false;
        const auto compute = [&] {
          while (!ran) testing::pass(1 + choose(50));
        };
        const auto child = [&] { ran = true; };
        if (one_in(2)) {
          fork_join(compute, child);
        } else {
          Counter child_done;
          spawn(child_done, child);
          compute();
          child_done.wait();
        }
      });
    }
    for (unsigned i = choose(10); i > 0; --i) {
      spawn(done, [] { testing::pass(choose(200)); });
    }
    done.wait();
  });
}

// --- waits --------------------------------------------------------------------------------------

// A mix of hosts: some of the n parties are fibers, some jobs, some threads.
template <class F>
void parties(Scheduler& scheduler, unsigned n, F&& party) {
  std::vector<Thread> threads;
  scheduler.run([&] {
    Counter done;
    std::vector<Fiber<>> fibers;
    for (unsigned i = 0; i < n; ++i) {
      switch (choose(3)) {
        case 0:
          spawn(done, [&party, i] { party(i); }, any_place(scheduler));
          break;
        case 1:
          fibers.emplace_back([&party, i] { party(i); });
          break;
        default:
          threads.emplace_back([&party, i] { party(i); });
      }
    }
    for (Fiber<>& fiber : fibers) fiber.join();
    done.wait();
  });
  for (Thread& thread : threads) thread.join();
}

void mutexes() {
  SomeScheduler scheduler;
  Mutex mutex;
  unsigned inside = 0, entered = 0, expected = 0;
  parties(scheduler, 2 + choose(5), [&](unsigned) {
    for (unsigned i = 0; i < 4; ++i) {
      if (one_in(3)) {
        const bool locked = one_in(2) ? mutex.try_lock_for(brief()) : mutex.try_lock();
        if (!locked) continue;
      } else {
        mutex.lock();
      }
      ++expected;
      check(++inside == 1, "Mutex: two inside");
      if (one_in(3)) testing::pass(choose(20));
      if (one_in(6)) this_fiber::sleep_for(brief());
      --inside;
      ++entered;
      mutex.unlock();
    }
  });
  check(entered == expected, "Mutex: a section was left out");
}

// Producers and consumers on a bounded buffer.
void conditions() {
  SomeScheduler scheduler;
  Mutex mutex;
  ConditionVariable not_full, not_empty;
  std::vector<unsigned> buffer;
  const unsigned pairs = 1 + choose(3), items = 5;
  const std::size_t capacity = 1 + choose(3);
  Tally taken(std::size_t{pairs} * items);
  parties(scheduler, 2 * pairs, [&](unsigned i) {
    for (unsigned k = 0; k < items; ++k) {
      std::unique_lock lock(mutex);
      if (i < pairs) {
        not_full.wait(lock, [&] { return buffer.size() < capacity; });
        buffer.push_back(i * items + k);
        not_empty.notify_one();
      } else {
        const auto has_item = [&] { return !buffer.empty(); };
        if (one_in(2)) {
          while (!not_empty.wait_for(lock, brief(), has_item)) testing::pass(choose(5));
        } else {
          not_empty.wait(lock, has_item);
        }
        taken(buffer.back());
        buffer.pop_back();
        not_full.notify_one();
      }
    }
  });
  check(taken.once_each(), "ConditionVariable: an item was lost");
}

void events() {
  SomeScheduler scheduler;
  Event start, tick(Event::Reset::kAutomatic);
  Semaphore permits(2);
  unsigned inside = 0, ticks = 0;
  const unsigned n = 2 + choose(4);
  Counter arrived(n);
  parties(scheduler, n + 1, [&](unsigned i) {
    if (i == n) {
      arrived.wait();
      start.signal();
      for (unsigned k = 0; k < n; ++k) {
        tick.signal();
        while (ticks <= k) this_fiber::sleep_for(1us);
      }
      return;
    }
    arrived.done();
    while (!start.wait_for(brief())) testing::pass(1);
    permits.acquire();
    check(++inside <= 2, "Semaphore: three inside");
    yield();
    --inside;
    permits.release();
    if (one_in(2)) {
      while (!tick.wait_for(brief())) testing::pass(1);
    } else {
      tick.wait();
    }
    ++ticks;
  });
  check(ticks == n, "Event: not one for each signal");
}

void channels() {
  SomeScheduler scheduler;
  const unsigned pushers = 1 + choose(3), poppers = 1 + choose(3), items = 5;
  Channel<unsigned> channel(choose(4));
  Tally popped(std::size_t{pushers} * items);
  unsigned pushing = pushers;
  parties(scheduler, pushers + poppers, [&](unsigned i) {
    if (i < pushers) {
      for (unsigned k = 0; k < items; ++k) {
        if (one_in(3)) {
          while (!channel.try_push_for(i * items + k, brief())) testing::pass(choose(5));
        } else {
          check(channel.push(i * items + k), "Channel: closed too soon");
        }
      }
      if (--pushing == 0) channel.close();
    } else {
      for (;;) {
        const std::optional<unsigned> item =
            one_in(3) ? channel.try_pop_for(brief()) : channel.pop();
        if (item) {
          popped(*item);
        } else if (channel.is_closed() && pushing == 0) {
          break;
        }
      }
    }
  });
  // Items that came after another popper's last check.
  while (const std::optional<unsigned> item = channel.pop()) popped(*item);
  check(popped.once_each(), "Channel: an item was lost");
}

// Items go through two channels, each through the channel with room; a signal announces the ends of
// both.
void selects() {
  SomeScheduler scheduler;
  const unsigned pushers = 1 + choose(3), poppers = 1 + choose(3), items = 4;
  Channel<unsigned> a(choose(3)), b(choose(3));
  Event over;
  Tally popped(std::size_t{pushers} * items);
  unsigned left = pushers * items;
  parties(scheduler, pushers + poppers, [&](unsigned i) {
    if (i < pushers) {
      for (unsigned k = 0; k < items; ++k) {
        std::optional<unsigned> item = i * items + k;
        while (item) {
          if (one_in(2)) {
            static_cast<void>(select_for(brief(), a.on_push(item), b.on_push(item)));
          } else {
            static_cast<void>(select(b.on_push(item), a.on_push(item)));
          }
        }
      }
    } else {
      for (;;) {
        std::optional<unsigned> from_a, from_b;
        const auto chosen =
            one_in(2) ? select_for(brief(), a.on_pop(from_a), b.on_pop(from_b), over.on_signal())
                      : std::optional(select(b.on_pop(from_b), a.on_pop(from_a), over.on_signal()));
        check(!(from_a && from_b) && (chosen || !(from_a || from_b)),
              "select: more than one was done");
        if (chosen == 2) break;
        for (const std::optional<unsigned>& item : {from_a, from_b}) {
          if (!item) continue;
          popped(*item);
          if (--left == 0) over.signal();
        }
      }
    }
  });
  check(popped.once_each(), "select: an item was lost");
}

void readers_and_writers() {
  SomeScheduler scheduler;
  SharedMutex mutex;
  unsigned readers = 0, writers = 0;
  parties(scheduler, 2 + choose(5), [&](unsigned i) {
    for (unsigned k = 0; k < 4; ++k) {
      const bool is_writer = i == 0 || one_in(4);
      if (is_writer) {
        if (!one_in(3)) {
          mutex.lock();
        } else if (!mutex.try_lock_for(brief())) {
          continue;
        }
      } else {
        if (!one_in(3)) {
          mutex.lock_shared();
        } else if (!mutex.try_lock_shared_for(brief())) {
          continue;
        }
      }
      ++(is_writer ? writers : readers);
      check(writers == 0 || (writers == 1 && readers == 0), "SharedMutex: a writer is not alone");
      if (one_in(3)) testing::pass(choose(20));
      if (one_in(6)) this_fiber::sleep_for(brief());
      --(is_writer ? writers : readers);
      if (is_writer) {
        mutex.unlock();
      } else {
        mutex.unlock_shared();
      }
    }
  });
}

// --- fibers -------------------------------------------------------------------------------------

// The fibers wait in all kinds of ways until their stop is requested, at any step.
void fibers() {
  SomeScheduler scheduler;
  Event never;
  Mutex mutex;
  const unsigned n = 1 + choose(6);
  unsigned ended = 0;
  run_somewhere(scheduler, [&] {
    std::vector<Fiber<unsigned>> all;
    for (unsigned i = 0; i < n; ++i) {
      const auto start = one_in(3) ? FiberStart::kNow : FiberStart::kLater;
      all.emplace_back(
          [&, i](std::stop_token stop) -> unsigned {
            struct AtEnd {
              unsigned& count;
              ~AtEnd() { ++count; }
            } at_end{ended};
            const std::scoped_lock lock(mutex);
            switch (choose(5)) {
              case 0:
                never.wait();
                break;
              case 1:
                static_cast<void>(never.wait_for(brief()));
                break;
              case 2:
                this_fiber::sleep_for(brief());
                break;
              case 3:
                while (!stop.stop_requested()) yield();
                break;
              default:
                if (one_in(2)) throw Failure();
            }
            return i;
          },
          FiberOptions{.stack_size = one_in(3) ? std::size_t{16 * 1024} : std::size_t{0},
                       .start = start});
    }
    for (unsigned i = 0; i < n; ++i) {
      testing::pass(choose(200));
      Fiber<unsigned>& fiber = all[i];
      if (one_in(4)) {
        // Requests its stop and waits, unless it throws an exception that no code would catch.
        fiber = {};
        continue;
      }
      if (!fiber.join_for(brief())) fiber.request_stop();
      try {
        check(fiber.join() == i, "Fiber: another's result");
      } catch (const Cancelled&) {
      } catch (const Failure&) {
      }
    }
  });
  check(ended == n, "Fiber: one did not end");
}

// Fibers that wake each other by name, with values and exceptions, while they end.
void messages() {
  SomeScheduler scheduler;
  unsigned received = 0;
  constexpr unsigned kMessages = 6;
  run_somewhere(scheduler, [&] {
    Fiber<> receiver([&] {
      for (unsigned i = 0; i < kMessages; ++i) {
        try {
          this_fiber::suspend<>();
        } catch (const Failure&) {
        }
        ++received;
      }
    });
    const FiberRef to = receiver;
    Fiber<> sender([&, to] {
      while (to.state() != FiberState::kDead) {
        if (one_in(4)) {
          static_cast<void>(to.schedule_exception(std::make_exception_ptr(Failure())));
        } else {
          static_cast<void>(to.schedule());
        }
        if (one_in(3)) this_fiber::sleep_for(brief());
        yield();
      }
    });
    receiver.join();
    sender.join();
  });
  check(received == kMessages, "a message was lost");
}

// A member fails, a time limit passes, or a stop of all members is requested, at any step.
// Afterwards every started fiber has ended.
void cancels() {
  SomeScheduler scheduler;
  Mutex mutex;
  Semaphore permits(1);
  Channel<unsigned> channel(1);
  Event never;
  Counter nobody(1);
  unsigned begun = 0, ended = 0;
  struct AtEnd {
    unsigned& count;
    ~AtEnd() { ++count; }
  };
  const bool fails = one_in(3);
  const auto wait_somehow = [&] {
    switch (choose(6)) {
      case 0: {
        const std::scoped_lock lock(mutex);
        never.wait();
        break;
      }
      case 1:
        permits.acquire();
        if (one_in(2)) permits.release();  // otherwise the next ones wait for ever
        break;
      case 2:
        static_cast<void>(channel.pop());
        break;
      case 3:
        static_cast<void>(channel.push(1u));
        break;
      case 4:
        nobody.wait();
        break;
      default:
        this_fiber::sleep_for(brief());
    }
  };
  bool failed = false;
  try {
    run_somewhere(scheduler, [&] {
      FiberGroup group;
      for (unsigned more = 1 + choose(6); more > 0; --more) {
        ++begun;
        group.start([&] {
          const AtEnd at_end{ended};
          try {
            cancel_after(brief(), wait_somehow);
          } catch (const Cancelled&) {
          }
          if (fails && one_in(4)) throw Failure();
          wait_somehow();
        });
      }
      if (one_in(2)) {
        testing::pass(choose(300));
        group.request_stop();
        group.wait();
      } else {
        move_on_after(brief(), [&] { return group.wait(), true; }, false);
      }
    });
  } catch (const Failure&) {
    failed = true;
  }
  check(begun == ended, "FiberGroup: a member goes on");
  check(fails || !failed, "FiberGroup: an exception from nowhere");
  check(mutex.try_lock(), "Mutex: kept by one that has ended");
  mutex.unlock();
  nobody.done();
}

// --- further parts ------------------------------------------------------------------------------

void graphs() {
  SomeScheduler scheduler;
  const unsigned n = 2 + choose(10);
  std::vector<unsigned> ran(n);
  std::vector<std::vector<unsigned>> before(n);
  TaskGraph graph;
  std::vector<TaskGraph::Node> nodes;
  bool fails = one_in(4);
  for (unsigned i = 0; i < n; ++i) {
    nodes.push_back(graph.node([&, i] {
      for (const unsigned other : before[i])
        check(ran[other] == ran[i] + 1, "TaskGraph: a node came too early");
      if (one_in(6)) yield();
      ++ran[i];
      if (fails && one_in(8)) throw Failure();
    }));
    for (unsigned j = 0; j < i; ++j) {
      if (!one_in(3)) continue;
      nodes[j].precede(nodes[i]);
      before[i].push_back(j);
    }
  }
  for (unsigned round = 1; round <= 2; ++round) {
    try {
      run_somewhere(scheduler, [&] { graph.run(); });
      check(std::ranges::all_of(ran, [&](unsigned times) { return times == round; }),
            "TaskGraph: a node did not run once");
    } catch (const Failure&) {
      return;
    }
    fails = false;
  }
}

void pipelines() {
  SomeScheduler scheduler;
  const unsigned n = choose(20);
  Tally written(n);
  unsigned next = 0, in_order_next = 0;
  run_somewhere(scheduler, [&] {
    pipeline(
        1 + choose(5),
        [&]() -> std::optional<unsigned> {
          return next < n ? std::optional(next++) : std::nullopt;
        },
        parallel([](unsigned i) {
          if (one_in(4)) yield();
          return i;
        }),
        in_order([&](unsigned i) {
          check(i == in_order_next++, "pipeline: out of order");
          written(i);
        }));
  });
  check(written.once_each(), "pipeline: a value was lost");
}

void blocking_calls() {
  SchedulerOptions options = any_options();
  options.max_blocking_threads = 1 + choose(3);
  std::optional<Scheduler> scheduler;
  try {
    scheduler.emplace(options);
  } catch (const std::system_error&) {
    return;
  }
  constexpr unsigned kCalls = 5;
  Tally calls(kCalls);
  Tally parts(kCalls);
  const bool waits = one_in(2);  // otherwise the shutdown comes in the middle of the calls
  Counter done;
  scheduler->run([&] {
    for (unsigned i = 0; i < kCalls; ++i) {
      spawn(done, [&, i] {
        try {
          blocking([&] {
            calls(i);
            testing::pass(choose(100));
            check(&Scheduler::current() == &*scheduler, "blocking: another scheduler");
            if (one_in(2)) {
              parallel_for(0, 1, [&](int) { parts(i); });
            } else {
              Counter part;
              spawn(part, [&parts, i] { parts(i); });
              part.wait();
            }
            if (one_in(4)) throw Failure();
          });
        } catch (const Failure&) {
        } catch (const std::system_error&) {
          check(calls.of(i) == 0, "blocking: refused, and called");
          calls(i);
          parts(i);
        }
        if (one_in(3)) this_fiber::sleep_for(3s);
      });
    }
    if (waits) done.wait();
  });
  scheduler->shutdown();
  check(calls.once_each(), "blocking: a call was lost");
  check(parts.once_each(), "blocking: a job of a call was lost");
}

// --- shutdown -----------------------------------------------------------------------------------

// Jobs come from all sides during a shutdown: each is refused, or runs before shutdown() returns.
void shutdown_at_any_step() {
  SchedulerOptions options = any_options();
  options.bind_caller = false;  // otherwise only the bound thread may shut it down
  std::optional<Scheduler> scheduler(options);
  constexpr unsigned kThreads = 2, kJobs = 6;
  unsigned taken = 0, ran = 0, daemons = 0, daemons_ended = 0;
  std::vector<Thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (unsigned i = 0; i < kJobs; ++i) {
        try {
          scheduler->run([&] {
            ++taken;
            spawn([&] {
              if (one_in(3)) this_fiber::sleep_for(brief());
              ++ran;
            });
            if (!one_in(4)) return;
            ++daemons;
            Fiber<>(
                [&] {
                  struct AtEnd {
                    unsigned& count;
                    ~AtEnd() { ++count; }
                  } at_end{daemons_ended};
                  this_fiber::sleep_for(24h);
                },
                {.daemon = true})
                .detach();
          });
        } catch (const Error& error) {
          check(error.code() == ErrorCode::kStopped, "another error than kStopped");
        }
      }
    });
  }
  testing::pass(choose(4000));
  scheduler->shutdown();
  check(ran == taken, "shutdown: a job was left behind");
  check(daemons == daemons_ended, "shutdown: a daemon was left behind");
  for (Thread& thread : threads) thread.join();
  check(ran == taken, "shutdown: a job was taken afterwards");
}

// Constructor and destructor alone, with threads that cannot be started.
void starts() {
  for (unsigned i = 0; i < 3; ++i) {
    try {
      SomeScheduler scheduler;
      if (one_in(2)) check(scheduler.run([] { return 7; }) == 7, "another result");
    } catch (const std::system_error&) {
    }
  }
}

// --- scarcity -----------------------------------------------------------------------------------

// Without free stacks a wait throws before any change, or waits after all.
void wait_on_few_stacks(Scheduler& scheduler) {
  constexpr unsigned kJobs = 8;
  Tally jobs(kJobs);
  Event go;
  scheduler.run([&] {
    Counter done;
    for (unsigned i = 0; i < kJobs; ++i) {
      spawn(done, [&, i] {
        jobs(i);
        try {
          if (i + 1 == kJobs) {
            go.signal();
          } else {
            go.wait();
          }
          Tally leaves(8);
          fork_tree(3, 0, leaves, false);
          check(leaves.once_each(), "a leaf did not run once");
        } catch (const Error& error) {
          check(error.code() == ErrorCode::kNoStack, "another error than kNoStack");
        }
      });
    }
    for (;;) {
      try {
        done.wait();
        break;
      } catch (const Error&) {
        testing::pass(50);
        if (choose(2) == 0) go.signal();
      }
    }
  });
  check(jobs.once_each(), "a job did not run once");
}

void few_stacks() {
  SchedulerOptions options = any_options();
  options.max_fibers = options.worker_count + 1 + choose(4);
  Scheduler scheduler(options);
  try {
    wait_on_few_stacks(scheduler);
  } catch (const Error& error) {
    check(options.bind_caller && error.code() == ErrorCode::kNoStack, "run: refused");
  }
}

// The system refuses some stacks.
void no_stacks() {
  SchedulerOptions options = any_options();
  options.max_idle_stacks = 2;
  try {
    Scheduler scheduler(options);
    for (unsigned i = 0; i < 3; ++i) wait_on_few_stacks(scheduler);
  } catch (const Error& error) {
    check(error.code() == ErrorCode::kNoStack, "another error than kNoStack");
  }
}

// --- grants of the machine ----------------------------------------------------------------------

// Each check of the machine returns another number of CPUs: workers retire and return, with fibers,
// timers and jobs of their own.
void quotas() {
  SchedulerOptions options = any_options();
  options.worker_count = 0;
  SomeScheduler scheduler(options);
  for (unsigned round = 1 + choose(4); round > 0; --round) {
    constexpr unsigned kTree = 1 + 3 + 9;
    Tally runs(kTree), leaves(16);
    Counter done;
    SpawnTree tree{scheduler, runs, done};
    Event go;
    unsigned woken = 0;
    scheduler.run([&] {
      const unsigned fibers = choose(2 * scheduler.worker_count());
      for (unsigned i = 0; i < fibers; ++i) {
        spawn(done,
              [&] {
                if (one_in(2)) this_fiber::sleep_for(std::chrono::milliseconds(choose(150)));
                go.wait();
                ++woken;
              },
              {.on = worker(i % scheduler.worker_count())});
      }
      this_fiber::sleep_for(std::chrono::milliseconds(choose(300)));
      spawn(done, [&] { tree.grow(2); });
      fork_tree(4, 0, leaves, false);
      if (one_in(2)) this_fiber::sleep_for(std::chrono::milliseconds(choose(150)));
      go.signal();
      done.wait();
      check(woken == fibers, "a fiber of a worker that rests was left behind");
    });
    check(leaves.once_each() && runs.once_each(), "a job did not run once");
    check(scheduler.stats().active_workers <= scheduler.worker_count(),
          "more workers in use than there are");
  }
}

// --- fairness -----------------------------------------------------------------------------------

// Jobs that spawn themselves for ever, on every worker, and fibers that yield for ever: a job from
// outside must still run.
void floods() {
  SchedulerOptions options = any_options();
  options.bind_caller = false;
  Scheduler scheduler(options);
  bool over = false;
  unsigned turns = 0, most = 0;
  Counter done;
  std::function<void()> flood = [&] {
    ++turns;
    if (!over)
      spawn(
          done, [&] { flood(); },
          SpawnOptions{.priority =
                           one_in(64) ? jobs::Priority::kCritical : jobs::Priority::kNormal});
  };
  std::vector<Fiber<>> yielding;
  scheduler.run([&] {
    for (unsigned i = 0; i <= scheduler.worker_count(); ++i) spawn(done, [&] { flood(); });
    for (unsigned i = choose(3); i > 0; --i) {
      yielding.emplace_back([&] {
        while (!over) yield();
      });
    }
  });
  for (unsigned i = 0; i < 3; ++i) {
    const unsigned before = turns;
    unsigned at = 0;
    scheduler.run([&] { at = turns; });
    most = std::max(most, at - before);
  }
  over = true;
  done.wait();
  for (Fiber<>& fiber : yielding) fiber.join();
  // Each worker checks the injector once in 61 jobs; 3000 steps are the longest pause of a worker,
  // and a worker may have stolen the job that it runs.
  check(most <= 61 * 2 * 8 + 3000, "a job from outside starves");
}

constexpr testing::Faults kUsual{};
constexpr testing::Faults kNoThreads{.no_thread = true};
// A child that counts as stolen needs another stack to run on. With one worker and no stack, no
// thread would ever run it.
constexpr testing::Faults kNoMisses{.misses = false};
constexpr testing::Faults kNoStacks{.no_stack = true, .misses = false};
constexpr testing::Faults kQuotas{.changing_quota = true};

constexpr Scenario kScenarios[] = {
    {"fork_join", kUsual, &forks},
    {"loops", kUsual, &loops},
    {"external_participants", kUsual, &participants},
    {"spawn", kUsual, &spawns},
    {"storm", kUsual, &storms},
    {"forced_publication", kUsual, &forced_publications},
    {"mutex", kUsual, &mutexes},
    {"shared", kUsual, &readers_and_writers},
    {"condition", kUsual, &conditions},
    {"event", kUsual, &events},
    {"channel", kUsual, &channels},
    {"select", kUsual, &selects},
    {"fiber", kUsual, &fibers},
    {"message", kUsual, &messages},
    {"cancel", kUsual, &cancels},
    {"graph", kUsual, &graphs},
    {"pipeline", kUsual, &pipelines},
    {"blocking", kNoThreads, &blocking_calls},
    {"shutdown", kUsual, &shutdown_at_any_step},
    {"shutdown_participants", kUsual, &shutdown_of_participants},
    {"start", kNoThreads, &starts},
    {"few_stacks", kNoMisses, &few_stacks},
    {"no_stacks", kNoStacks, &no_stacks},
    {"quota", kQuotas, &quotas},
    {"flood", kUsual, &floods},
    {"neighbours", kUsual, &neighbours},
    {"visitors", kUsual, &visitors},
    {"changing_machine", kQuotas, &visitors_of_changing_machine},
    {"ages", kUsual, &ages},
    {"off_main", kUsual, &off_main},
    {"seats", kUsual, &seats},
};

}  // namespace

std::span<const Scenario> scenarios() { return kScenarios; }

}  // namespace jobs::test
