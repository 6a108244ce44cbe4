// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// bench_instructions OPERATION COUNT: performs an operation COUNT times on one worker and prints
// nothing. scripts/instructions runs it under valgrind and counts. Without arguments it lists the
// operations. bench_instructions --compiler prints the compiler that built it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "jobs/base/asymmetric_fence.hpp"
#include "jobs/jobs.hpp"

// A complete fork and join without a theft; scripts/check-fork examines its instructions.
extern "C" [[gnu::noinline, gnu::used]] std::int64_t bench_fork_and_join(std::int64_t i) {
  const auto [a, b] = jobs::fork_join([i] { return i; }, [i] { return -i; });
  return a + b;
}

namespace {

// Two children, neither stolen.
void fork_join(std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto [a, b] = jobs::fork_join([i] { return i; }, [i] { return -i; });
    if (a + b != 0) std::abort();
  }
}

// The same with a context.
void fork_join_context(std::int64_t count) {
  jobs::with_fork_context([count](jobs::ForkContext context) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto [a, b] = jobs::fork_join(
          context, [i](jobs::ForkContext) { return i; }, [i](jobs::ForkContext) { return -i; });
      if (a + b != 0) std::abort();
    }
  });
}

// One job, from spawn() to its end, with its share of one wait per 64 jobs.
void spawn(std::int64_t count) {
  constexpr std::int64_t kBatch = 64;
  std::int64_t runs = 0;
  for (std::int64_t spawned = 0; spawned < count; spawned += kBatch) {
    jobs::Counter batch;
    for (std::int64_t i = 0; i < kBatch; ++i) jobs::spawn(batch, [&runs] { ++runs; });
    batch.wait();
  }
  if (runs < count) std::abort();
}

// The same for affine and critical jobs.
void spawn_with(jobs::SpawnOptions options, std::int64_t count) {
  constexpr std::int64_t kBatch = 64;
  std::int64_t runs = 0;
  for (std::int64_t spawned = 0; spawned < count; spawned += kBatch) {
    jobs::Counter batch;
    for (std::int64_t i = 0; i < kBatch; ++i) jobs::spawn(batch, [&runs] { ++runs; }, options);
    batch.wait();
  }
  if (runs < count) std::abort();
}
void spawn_for_one_worker(std::int64_t count) { spawn_with({.on = jobs::worker(0)}, count); }
void spawn_critical(std::int64_t count) {
  spawn_with({.priority = jobs::Priority::kCritical}, count);
}

// One job after another one, from spawn_after() to its end, with its share of one wait per 64 jobs.
void spawn_after(std::int64_t count) {
  constexpr std::int64_t kBatch = 64;
  std::int64_t runs = 0;
  for (std::int64_t spawned = 0; spawned < count; spawned += kBatch) {
    jobs::JobHandle last = jobs::spawn_after({}, [] {});
    for (std::int64_t i = 0; i < kBatch; ++i) last = jobs::spawn_after(last, [&runs] { ++runs; });
    last.wait();
  }
  if (runs < count) std::abort();
}

// One iteration that forms a chunk of its own.
void parallel_for_chunk(std::int64_t count) {
  std::int64_t sum = 0;
  jobs::parallel_for(std::int64_t{0}, count, [&sum](std::int64_t i) { sum += i; }, jobs::Grain{1});
  if (sum != count * (count - 1) / 2) std::abort();
}

// One add() and one done() without waiters.
void counter(std::int64_t count) {
  jobs::Counter counter(1);
  for (std::int64_t i = 0; i < count; ++i) {
    counter.add();
    counter.done();
  }
  counter.done();
}

// One lock() and one unlock(), uncontended.
void mutex(std::int64_t count) {
  jobs::Mutex mutex;
  for (std::int64_t i = 0; i < count; ++i) {
    mutex.lock();
    mutex.unlock();
  }
}

// One hand-off between two fibers: signal, wait, reset.
void event(std::int64_t count) {
  jobs::Event ping;
  jobs::Event pong;
  jobs::Counter partner;
  jobs::spawn(partner, [&] {
    for (std::int64_t i = 0; i < count; i += 2) {
      ping.wait();
      ping.reset();
      pong.signal();
    }
  });
  for (std::int64_t i = 0; i < count; i += 2) {
    ping.signal();
    pong.wait();
    pong.reset();
  }
  partner.wait();
}

// One switch from a fiber to another one: both yield in turn.
void switching(std::int64_t count) {
  jobs::Counter partner;
  const auto yield_often = [count] {
    for (std::int64_t i = 0; i < count; i += 2) jobs::yield();
  };
  jobs::spawn(partner, yield_often);
  yield_often();
  partner.wait();
}

// One node of a frozen chain of 100 nodes that runs repeatedly.
void graph_node(std::int64_t count) {
  constexpr std::int64_t kNodes = 100;
  std::int64_t runs = 0;
  jobs::TaskGraph graph;
  jobs::TaskGraph::Node last = graph.node([&runs] { ++runs; });
  for (std::int64_t i = 1; i < kNodes; ++i) {
    jobs::TaskGraph::Node next = graph.node([&runs] { ++runs; });
    last.precede(next);
    last = next;
  }
  graph.freeze();
  for (std::int64_t i = 0; i < count; i += kNodes) graph.run();
  if (runs < count) std::abort();
}

// One Fiber, from its construction to the return of join().
void create_join(std::int64_t count) {
  std::int64_t ran = 0;
  for (std::int64_t i = 0; i < count; ++i) jobs::Fiber<>([&ran] { ++ran; }).join();
  if (ran != count) std::abort();
}

struct Operation {
  std::string_view name;
  void (*perform)(std::int64_t count);
};

#if defined(__clang__)
constexpr const char* kCompiler = "clang++";
#else
constexpr const char* kCompiler = "g++";
#endif

constexpr Operation kOperations[] = {{"fork_join", fork_join},
                                     {"fork_join_context", fork_join_context},
                                     {"spawn", spawn},
                                     {"spawn_for_one_worker", spawn_for_one_worker},
                                     {"spawn_critical", spawn_critical},
                                     {"spawn_after", spawn_after},
                                     {"parallel_for_chunk", parallel_for_chunk},
                                     {"counter", counter},
                                     {"mutex", mutex},
                                     {"event", event},
                                     {"switch", switching},
                                     {"graph_node", graph_node},
                                     {"create_join", create_join}};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && argv[1] == std::string_view("--compiler")) {
    std::puts(kCompiler);
    return 0;
  }
  if (!jobs::detail::light_fence_is_free()) {
    std::fprintf(stderr,
                 "bench_instructions: no membarrier here, so fences are counted that the budgets "
                 "do not know\n");
    return 77;
  }
  const std::int64_t count = argc == 3 ? std::atoll(argv[2]) : 0;
  for (const Operation& operation : kOperations) {
    if (argc == 1) std::printf("%s\n", operation.name.data());
    if (count > 0 && operation.name == argv[1]) {
      jobs::Scheduler scheduler({.worker_count = 1, .bind_caller = true});
      scheduler.run([&] { operation.perform(count); });
      return 0;
    }
  }
  if (argc == 1) return 0;
  std::fprintf(stderr, "bench_instructions [OPERATION COUNT]; without arguments: the operations\n");
  return 2;
}
