// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Each scenario runs repeatedly. In each run another system call fails: the first, the second, and
// so on until no call is left, either alone or with all later calls. Whichever call fails, the run
// ends, either right or with the documented exception. Every accepted job has run once, nothing is
// leaked, and the scheduler repeats the scenario correctly right afterwards.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>

#include "jobs/jobs.hpp"
#include "tests/faults/inject.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/sanitized.hpp"

namespace {

using namespace jobs::test;
using namespace std::chrono_literals;
using jobs::Scheduler;

constexpr std::uint64_t kNoFault = INT64_MAX;

// --- findings of a run: no code here allocates --------------------------------------------------

std::atomic<const char*> wrong{nullptr};

void expect(bool holds, const char* what) noexcept {
  const char* none = nullptr;
  if (!holds) wrong.compare_exchange_strong(none, what);
}

// Returns true if the call has succeeded. Returns false if it threw one of the exceptions for a
// lack of memory, stacks or threads.
template <class F>
bool does(F&& call) {
  try {
    call();
    return true;
  } catch (const jobs::Error& error) {
    expect(error.code() == jobs::ErrorCode::kNoStack, "an Error of another kind");
  } catch (const std::bad_alloc&) {
  } catch (const std::system_error&) {
  }
  expect(failures() != 0, "refused, though nothing had failed");
  return false;
}

// The same for an operation that must succeed in the end: it is repeated when memory is available
// again.
template <class F>
void insist(F&& call) {
  if (does(call)) return;
  disarm();
  call();
}

// --- the enumeration ----------------------------------------------------------------------------

char current_run[128];

// A run that hangs prints its number. The workers block the signal.
void on_alarm(int) {
  const auto length = static_cast<std::size_t>(
      std::find(std::begin(current_run), std::end(current_run), '\0') - std::begin(current_run));
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, current_run, length);
  std::abort();
}

// round(arm) performs its work twice, and calls arm() before the first time.
template <class Round>
void fail_each_call(Round round) {
  std::signal(SIGALRM, on_alarm);
  alarm(kSanitized ? 500 : 100);
  // Memory that the process keeps.
  for (int i = 0; i < 2; ++i) round([] { arm(Fault::kMemory, Failing::kOne, kNoFault); });
  for (const Fault fault : kFaults) {
    std::uint64_t total = 0;
    for (const Failing failing : {Failing::kOne, Failing::kAllSince}) {
      // A kernel that stays out of memory.
      if (fault == Fault::kBarrier && failing == Failing::kAllSince) continue;
      // The number of calls depends on the timing of threads: the loop ends after two runs with
      // fewer calls. If no thread sleeps from some call on, the number of that call makes no
      // difference.
      const std::uint64_t last =
          fault == Fault::kSleep && failing == Failing::kAllSince ? 2 : kNoFault;
      int unreached = 0;
      for (std::uint64_t n = 1; unreached < 2 && n <= last; ++n) {
        std::snprintf(current_run, sizeof current_run, "%s, call %llu%s\n", name_of(fault),
                      static_cast<unsigned long long>(n),
                      failing == Failing::kOne ? "" : " and all after it");
        const std::uint64_t live = allocation_count().live();
        const std::int64_t mapped = mapped_bytes();
        std::uint64_t failed = 0;
        round([&] { arm(fault, failing, n); });
        failed = failures();
        disarm();
        total += failed;
        unreached = failed == 0 ? unreached + 1 : 0;
        ASSERT_EQ(wrong.load(), nullptr) << wrong.load() << ": " << current_run;
        ASSERT_EQ(allocation_count().live(), live) << "leaked: " << current_run;
        ASSERT_EQ(mapped_bytes(), mapped) << "left mapped: " << current_run;
      }
    }
    std::printf("%s: %llu failures\n", name_of(fault), static_cast<unsigned long long>(total));
  }
  alarm(0);
}

// Runs body(Scheduler&) on a scheduler that starts before the first failure.
template <class Body>
void fail_each_call_of(Body body) {
  fail_each_call([&](auto&& begin) {
    Scheduler scheduler({.worker_count = 2, .stack_size = std::size_t{1} << 20});
    begin();
    body(scheduler);
    disarm();
    expect(does([&] { body(scheduler); }), "the scheduler cannot be used afterwards");
    scheduler.shutdown();
    const jobs::Stats stats = scheduler.stats();
    expect(stats.fibers == stats.fibers_idle, "a fiber has not ended");
  });
}

// --- scenarios ----------------------------------------------------------------------------------

void start_and_stop(const jobs::SchedulerOptions& options) {
  fail_each_call([&](auto&& begin) {
    begin();
    for (const bool first : {true, false}) {
      const bool right = does([&] {
        Scheduler scheduler(options);
        expect(scheduler.run([] {
          does([] {
            jobs::Fiber<> fiber([] { does([] { jobs::Event().wait(); }); }, {.daemon = true});
            fiber.detach();
          });
          return 42;
        }) == 42,
               "a wrong result");
      });
      if (first) disarm();
      expect(first || right, "no scheduler can be started afterwards");
    }
  });
}

TEST(Faults, SchedulersThatStartAndStop) { start_and_stop({.worker_count = 2}); }
TEST(Faults, SchedulersOfTheBoundThread) {
  start_and_stop({.worker_count = 2, .bind_caller = true});
}
TEST(Faults, SchedulersThatKeepAccounts) {
  start_and_stop({.worker_count = 1,
                  .automatic_stacks = true,
                  .pin_workers = true,
                  .account_run_time = true,
                  .deadlock_after = 1h});
}

int fibonacci(int n) {
  if (n < 2) return n;
  const auto [a, b] =
      jobs::fork_join([n] { return fibonacci(n - 1); }, [n] { return fibonacci(n - 2); });
  return a + b;
}

// More forks than the initial deque can hold.
int chain(int depth) {
  if (depth == 0) return 0;
  const auto [rest, one] = jobs::fork_join([depth] { return chain(depth - 1); }, [] { return 1; });
  return rest + one;
}

TEST(Faults, ForksAndLoops) {
  fail_each_call_of([](Scheduler& scheduler) {
    scheduler.run([] {
      does([] { expect(fibonacci(10) == 55, "a wrong sum of forks"); });
      does([] { expect(chain(1100) == 1100, "a wrong sum of many forks"); });
      std::array<std::atomic<int>, 200> seen{};
      const bool all = does([&] {
        jobs::parallel_for(0, 200, [&](int i) {
          ++seen[static_cast<std::size_t>(i)];
          if (i % 50 != 0) return;
          jobs::Counter done;
          does([&] { jobs::spawn(done, [] { jobs::yield(); }); });
          insist([&] { done.wait(); });
        });
      });
      for (const auto& times : seen)
        expect(times == 1 || (times == 0 && !all), "an iteration that did not run once");
    });
  });
}

TEST(Faults, JobsAndCounters) {
  fail_each_call_of([](Scheduler& scheduler) {
    scheduler.run([] {
      jobs::Counter done;
      jobs::Counter inner;
      std::atomic<int> ran = 0;
      int accepted = 0;
      std::array<char, 200> large{};
      for (int i = 0; i < 1100; ++i)
        accepted += does([&] { jobs::spawn(done, [&ran] { ++ran; }); });
      for (int i = 0; i < 3; ++i)
        accepted += does([&] { jobs::spawn(done, [&ran, large] { ran += 1 + large[7]; }); });
      accepted += does(
          [&] { jobs::spawn(done, [&ran] { ++ran; }, {.priority = jobs::Priority::kCritical}); });
      accepted += does([&] { jobs::spawn(done, [&ran] { ++ran; }, {.on = jobs::worker(1)}); });
      for (int i = 0; i < 5; ++i) {
        accepted += does([&] {
          jobs::spawn(done, [&] {
            jobs::Event later;
            does([&] { static_cast<void>(later.wait_for(10us)); });
            does([&] { jobs::yield(); });
            ++ran;
          });
        });
      }
      const bool throws = does([&] { jobs::spawn(inner, [] { throw 1; }); });
      insist([&] { done.wait(); });
      expect(ran == accepted, "a job was lost, or ran twice");
      try {
        insist([&] { inner.wait(); });
        expect(!throws, "an exception was lost");
      } catch (int) {
        expect(throws, "an exception from nowhere");
      }
    });
  });
}

// Each call takes a participant slot, and has no memory for its context. More calls than there are
// slots fail, and a later call still finds a slot.
TEST(Faults, ParticipantsWithoutMemory) {
#if defined(JOBS_TSAN) && defined(__clang__)
  GTEST_SKIP() << "clang's ThreadSanitizer keeps its operator new";
#endif
  Scheduler scheduler({.worker_count = 1});
  const jobs::SchedulerScope scope(scheduler);
  for (int i = 0; i < 100; ++i) {
    arm(Fault::kMemory, Failing::kAllSince, 1);
    does([] { jobs::parallel_for(0, 2, [](int) {}, jobs::Grain{1}); });
    const std::uint64_t failed = failures();
    disarm();
    EXPECT_NE(failed, 0u) << "call " << i;
  }
  unsigned participants = 0;
  jobs::parallel_for(
      0, 1, [&](int) { participants = scheduler.report().participants; }, jobs::Grain{1});
  EXPECT_EQ(participants, 1u);
}

// Joins the fiber, unless it was refused. Returns true if it has ended correctly.
bool joined(std::optional<jobs::Fiber<int>>& fiber) {
  if (!fiber) return false;
  bool right = false;
  const auto join = [&] { right = fiber->join() == 7; };
  if (!does(join) && fiber->joinable()) {
    disarm();
    does(join);
  }
  expect(!fiber->joinable(), "a fiber that cannot be joined");
  return right;
}

TEST(Faults, FibersThatWaitJoinAndTimeOut) {
  fail_each_call_of([](Scheduler& scheduler) {
    scheduler.run([] {
      jobs::Event go;
      std::atomic<int> ran = 0;
      const auto body = [&] {
        insist([&] { go.wait(); });
        insist([&] { jobs::this_fiber::sleep_for(10us); });
        ++ran;
        return 7;
      };
      std::array<std::optional<jobs::Fiber<int>>, 7> fibers;
      does([&] { fibers[0].emplace(body); });
      does([&] {
        fibers[1].emplace(body, jobs::FiberOptions{.name = "a name that needs memory of its own"});
      });
      does([&] { fibers[2].emplace(body, jobs::FiberOptions{.stack_size = 64 * 1024}); });
      does([&] { fibers[3].emplace(body, jobs::FiberOptions{.stack_size = 4 * 1024 * 1024}); });
      does([&] { fibers[4].emplace(body, jobs::FiberOptions{.start = jobs::FiberStart::kNow}); });
      does([&] {
        fibers[5].emplace(
            body, jobs::FiberOptions{.stack_size = 64 * 1024, .start = jobs::FiberStart::kNow});
      });
      does([&] {
        fibers[6].emplace(body, jobs::FiberOptions{.start = jobs::FiberStart::kSuspended});
      });
      if (fibers[6]) does([&] { static_cast<void>(jobs::FiberRef(*fibers[6]).schedule()); });
      if (fibers[0]) does([&] { static_cast<void>(fibers[0]->join_for(10us)); });
      {
        // Its destructor stops it and waits.
        std::optional<jobs::Fiber<>> forgotten;
        does([&] { forgotten.emplace([] { does([] { jobs::Event().wait(); }); }); });
        does([] { jobs::yield(); });
      }
      go.signal();
      int right = 0;
      for (auto& fiber : fibers) right += joined(fiber);
      expect(right == ran, "a fiber was lost, or its result");
    });
  });
}

// Enough stacks that the allocator prepares several at once.
TEST(Faults, ManyStacks) {
  fail_each_call([](auto&& begin) {
    Scheduler scheduler({.worker_count = 1});
    scheduler.run([&] {
      constexpr std::size_t kFibers = 40;
      for (const bool first : {true, false}) {
        std::array<std::optional<jobs::Fiber<>>, kFibers> fibers;
        jobs::Event go;
        std::atomic<std::size_t> ran = 0;
        std::size_t accepted = 0;
        const auto body = [&] {
          insist([&] { go.wait(); });
          ++ran;
        };
        if (first) begin();
        for (auto& fiber : fibers) {
          accepted += does([&] {
            fiber.emplace(
                body, jobs::FiberOptions{.stack_size = 16 * 1024, .start = jobs::FiberStart::kNow});
          });
        }
        go.signal();
        for (auto& fiber : fibers) {
          if (fiber) insist([&] { fiber->join(); });
        }
        if (first) disarm();
        expect(ran == accepted, "a fiber was lost");
        expect(first || ran == kFibers, "the scheduler cannot be used afterwards");
      }
    });
  });
}

TEST(Faults, TaskGraphs) {
  fail_each_call_of([](Scheduler& scheduler) {
    scheduler.run([] {
      std::optional<jobs::TaskGraph::Limit> limit;
      insist([&] { limit.emplace(1u); });
      std::optional<jobs::TaskGraph> graph;
      insist([&] { graph.emplace(); });
      std::array<std::atomic<int>, 24> ran{};
      std::atomic<int> sums = 0;
      std::array<std::optional<jobs::TaskGraph::Node>, ran.size()> nodes;
      const auto body = [&](std::size_t i) {
        return [&times = ran[i], i] {
          ++times;
          if (i % 10 == 3) does([] { jobs::yield(); });
        };
      };
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        insist([&] {
          nodes[i].emplace(
              graph->node(body(i), i % 8 == 0 ? "a name that needs memory of its own" : ""));
        });
      }
      for (std::size_t i = 1; i < nodes.size(); ++i)
        insist([&] { nodes[i / 3]->precede(*nodes[i]); });
      insist([&] { nodes[5]->limit(*limit); });
      insist([&] { nodes[6]->limit(*limit); });
      insist([&] { nodes[7]->on(jobs::worker(1)); });
      std::optional<jobs::TaskGraph::Result<double>> number;
      insist([&] { number.emplace(graph->node([] { return 5.0; })); });
      std::optional<jobs::TaskGraph::Node> sum;
      insist([&] {
        sum.emplace(
            graph->node([&](double value) { sums += static_cast<int>(value); }, {}, *number));
      });
      expect(graph->size() == nodes.size() + 2, "a node that was refused is there");
      int rounds = 0;
      insist([&] {
        graph->run();
        ++rounds;
      });
      insist([&] {
        graph->run();
        ++rounds;
      });
      for (const auto& times : ran) expect(times == rounds, "a node did not run once");
      expect(sums == 5 * rounds, "a node got another value");
      std::atomic<int> turns = 0;
      does([&] {
        jobs::TaskGraph choice;
        const auto start = choice.node([] {});
        const auto again = choice.condition([&] { return ++turns < 3 ? 0 : 1; });
        start.precede(again);
        again.precede(again);
        choice.run();
        expect(turns == 3, "a condition was lost");
      });
    });
  });
}

TEST(Faults, AccessGraphs) {
  fail_each_call_of([](Scheduler& scheduler) {
    scheduler.run([] {
      jobs::Resource<int> a("a");
      jobs::Resource<int> b("b");
      jobs::Resource<int> c("c");
      std::optional<jobs::AccessGraph> graph;
      insist([&] { graph.emplace(); });
      std::size_t nodes = 0;
      const auto add = [&](auto function, auto... declarations) {
        insist([&] {
          expect(graph->graph().size() == nodes, "a node that was refused is there");
          graph->node(function, "a name that needs memory of its own", declarations...);
          ++nodes;
        });
      };
      for (int i = 0; i < 4; ++i) {
        add([&](jobs::Access& access) { access.write(a) += 1; }, jobs::writes(a));
        add([&](jobs::Access& access) { access.write(b) = access.read(a); }, jobs::reads(a),
            jobs::writes(b));
        add([&](jobs::Access& access) { access.write(c) += access.read(a) + access.read(b); },
            jobs::reads(a, b), jobs::writes(c));
      }
      insist([&] { graph->run(); });
      expect(a.unguarded() == 4 && b.unguarded() == 4 && c.unguarded() == 20,
             "a node ran out of order");
    });
  });
}

TEST(Faults, Pipelines) {
  fail_each_call_of([](Scheduler& scheduler) {
    scheduler.run([] {
      int next = 0;
      std::atomic<int> parallel = 0;
      int last = 0;
      int mixed = 0;
      jobs::PipelineStats stats;
      const bool all = does([&] {
        jobs::pipeline(
            {.max_tokens = 5, .stats = &stats},
            [&]() -> std::optional<int> {
              return next < 100 ? std::optional(next++) : std::nullopt;
            },
            jobs::parallel([&](int value) {
              if (value % 20 == 0) does([] { jobs::yield(); });
              ++parallel;
              return value;
            }),
            jobs::out_of_order([&](int value) {
              ++mixed;
              return value;
            }),
            jobs::in_order([&](int value) {
              expect(value == last, "a token out of order");
              ++last;
            }));
      });
      const int wanted = all ? 100 : 0;
      expect(next == wanted && parallel == wanted && mixed == wanted && last == wanted,
             "a token was lost");
      expect(!all || (stats.stages.size() == 4 && stats.stages[3].values == 100),
             "the figures are wrong");
    });
  });
}

TEST(Faults, BlockingCalls) {
  fail_each_call_of([](Scheduler& scheduler) {
    scheduler.run([] {
      jobs::Counter done;
      std::atomic<int> sum = 0;
      for (int i = 0; i < 3; ++i) {
        does([&] {
          jobs::spawn(done, [&sum] {
            insist([&sum] { sum += jobs::blocking([] { return 1; }); });
            --sum;
          });
        });
      }
      insist([&] { done.wait(); });
      expect(sum == 0, "a call was lost, or was made twice");
    });
  });
}

}  // namespace
