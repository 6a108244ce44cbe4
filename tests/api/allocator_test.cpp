// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs::Allocator: all memory of the library comes from it, and returns to it. The program chooses
// the allocator before the first use of the library, and also replaces operator new: the tests see
// memory that goes past the allocator.
#include "jobs/allocator.hpp"

#include <gtest/gtest.h>
#ifdef JOBS_TEST_WITH_IO
#include <unistd.h>

#include "jobs/io/io.hpp"
#endif

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/base/sanitizer.hpp"
#include "jobs/jobs.hpp"
#include "jobs/sync/object_pool.hpp"
#include "jobs/sync/ticket_queue.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/error_code.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::test::allocation_count;
using jobs::test::CountingAllocator;

#if defined(JOBS_TSAN) && defined(__clang__)
constexpr bool kSeesOperatorNew = false;  // The tool counts the calls of malloc(), too.
#else
constexpr bool kSeesOperatorNew = true;
#endif

constinit CountingAllocator allocator;
const bool is_chosen = (jobs::set_allocator(allocator), true);

class AllocatorOfTheProgram : public testing::TestWithParam<unsigned> {
 protected:
  void TearDown() override { EXPECT_EQ(allocator.wrong_calls.load(), 0u); }
};
INSTANTIATE_TEST_SUITE_P(Workers, AllocatorOfTheProgram, testing::Values(1u, 2u, 4u, 16u),
                         testing::PrintToStringParamName());

// A closure that fits neither a block of a worker nor a small function object.
struct Large {
  std::array<std::byte, 3000> bytes{};
  void operator()() const {}
};
struct alignas(256) OverAligned {
  std::byte bytes[256]{};
  void operator()() const { EXPECT_EQ(reinterpret_cast<std::uintptr_t>(this) % 256, 0u); }
};

void spawns_jobs() {
  jobs::Counter done;
  for (int i = 0; i < 500; ++i) jobs::spawn(done, [] {});
  jobs::spawn(done, Large{});
  jobs::spawn(done, OverAligned{});
  jobs::spawn(done, [] {}, {.priority = jobs::Priority::kLow});
  done.wait();
  jobs::fork_join([] {}, [] {}, [] {});
}

void runs_fibers() {
  jobs::Event event;
  std::vector<jobs::Fiber<int>> fibers;
  for (int i = 0; i < 20; ++i)
    fibers.emplace_back([&event, i] { return event.wait(), i; }, jobs::FiberOptions{.name = "a"});
  jobs::Fiber<int> large([bytes = Large(), &event] { return event.wait(), 1; });
  jobs::Fiber<int> small_stack([&event] { return event.wait(), 2; }, {.stack_size = 64 * 1024});
  event.signal();
  for (jobs::Fiber<int>& fiber : fibers) fiber.join();
  EXPECT_EQ(large.join() + small_stack.join(), 3);

  static jobs::FiberLocal<int> local([] { return 7; });
  jobs::Fiber<int> receiver([] { return *local + jobs::this_fiber::suspend<int>(); });
  while (!receiver.schedule(5)) jobs::yield();
  EXPECT_EQ(receiver.join(), 12);

  jobs::FiberGroup group;
  for (int i = 0; i < 10; ++i) group.start([] { jobs::this_fiber::set_name("member"); });
  group.wait();
}

void spawns_dependent_jobs() {
  const jobs::JobHandle a = jobs::spawn_after({}, [] {});
  const jobs::JobHandle b = jobs::spawn_after({a}, OverAligned{});
  jobs::spawn_after({a, b}, [bytes = Large()] {}).wait();
  const jobs::JobHandle c = jobs::spawn_after({}, [] {});
  c.wait();
  jobs::Pipe pipe;
  for (int i = 0; i < 10; ++i) static_cast<void>(pipe.spawn([] {}));
  pipe.wait();
}

void runs_graphs() {
  jobs::TaskGraph graph;
  for (int round = 0; round < 3; ++round) {
    graph.clear();
    const auto first = graph.node([] { return 1; }, "the first node of the graph");
    for (int i = 0; i < 100; ++i) {
      const auto node =
          graph.node([bytes = std::array<std::byte, 300>()] { static_cast<void>(bytes); });
      first.precede(node);
    }
    graph.run();
    graph.run();
  }
  jobs::TaskGraph::Run other(graph);
  other.run();
  jobs::AccessGraph accesses;
  jobs::Resource<int> value("value");
  accesses.node([&](jobs::Access& access) { access.write(value) = 2; }, "write",
                jobs::writes(value));
  accesses.run();
}

void runs_pipelines() {
  int next = 0;
  int sum = 0;
  jobs::pipeline(
      8, [&]() -> std::optional<int> { return next == 50 ? std::nullopt : std::optional(next++); },
      jobs::parallel([](int i) { return 2 * i; }), jobs::in_order([&](int i) { sum += i; }));
  EXPECT_EQ(sum, 2450);
}

void passes_items() {
  jobs::Channel<int> bounded(8), unbounded(jobs::Channel<int>::kUnbounded);
  jobs::Fiber<> pusher([&] {
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(bounded.push(i));
      EXPECT_TRUE(unbounded.push(i));
    }
  });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(bounded.pop(), i);
  pusher.join();
  jobs::ObjectPool<int> pool(2);
  {
    const auto first = pool.borrow(), second = pool.borrow();
  }
  jobs::TicketQueue queue;
  jobs::TicketQueue::Ticket ticket = queue.take();
  ticket.wait();
  ticket.done();
}

void waits_for_times() {
  jobs::this_fiber::sleep_for(1ms);
  jobs::Event event;
  EXPECT_FALSE(event.wait_for(100us));
  int ticks = 0;
  jobs::every(100us, [&] { return ++ticks < 3; });
  EXPECT_THROW(jobs::cancel_after(100us, [] { jobs::Event().wait(); }), jobs::Cancelled);
}

void runs_loops() {
  std::vector<int> numbers(20'000);
  jobs::PerWorker<int> sums;
  jobs::parallel_for(0, 20'000, [&](int i) {
    numbers[static_cast<std::size_t>(i)] = i * 7919 % 20'011;
    sums.local() += i;
    {
      const auto lease = sums.lease();
    }
  });
  jobs::parallel_stable_sort(numbers);
  jobs::parallel_radix_sort(numbers);
  std::vector<int> some(numbers.size());
  jobs::parallel_copy_if(numbers, some.begin(), [](int i) { return i % 2 == 0; });
  std::pmr::vector<int> small(jobs::memory_resource());
  small.resize(10);
  std::pmr::vector<int> large(jobs::memory_resource());
  large.resize(10'000);
}

#ifdef JOBS_TEST_WITH_IO
void reads_and_writes() {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  jobs::Fiber<> reader([&] {
    std::array<std::byte, 4> buffer;
    EXPECT_EQ(jobs::io::read(ends[0], buffer).value(), 4);
  });
  const std::array<std::byte, 4> bytes{};
  EXPECT_EQ(jobs::io::write(ends[1], bytes).value(), 4);
  reader.join();
  close(ends[0]);
  close(ends[1]);
}
#else
void reads_and_writes() {}
#endif

struct Part {
  const char* name;
  void (*run)();
  // Whether the part itself calls operator new: vectors of the test.
  std::uint64_t own_allocations;
};
constexpr Part kParts[] = {
    {"jobs", &spawns_jobs, 0},      {"dependent jobs", &spawns_dependent_jobs, 0},
    {"graphs", &runs_graphs, 0},    {"pipelines", &runs_pipelines, 0},
    {"channels", &passes_items, 0}, {"input and output", &reads_and_writes, 0},
};

// --- balance -------------------------------------------------------------------------------------

TEST_P(AllocatorOfTheProgram, GetsBackAllMemoryOfAScheduler) {
  // The engine of jobs::io and the default scheduler stay until the end.
  reads_and_writes();
  jobs::quiesce();  // A Fiber that was joined may not be freed yet.
  {
    const jobs::Scheduler first({.worker_count = 1});
  }
  const std::uint64_t live = allocator.live();
  const std::uint64_t bytes = allocator.live_bytes;
  const std::uint64_t allocated = allocator.allocated;
  {
    jobs::Scheduler scheduler({.worker_count = GetParam(), .account_run_time = true});
    const std::uint64_t started = allocator.allocated;
    EXPECT_GE(started - allocated, GetParam());
    scheduler.run([] {
      spawns_jobs();
      runs_fibers();
      spawns_dependent_jobs();
      runs_graphs();
      runs_pipelines();
      passes_items();
      waits_for_times();
      runs_loops();
      reads_and_writes();
      EXPECT_EQ(jobs::blocking([] { return 3; }), 3);
    });
    EXPECT_GT(allocator.allocated, started);
    // An external thread.
    const jobs::SchedulerScope scope(scheduler);
    spawns_jobs();
    runs_fibers();
    spawns_dependent_jobs();
    runs_graphs();
    runs_pipelines();
    passes_items();
    runs_loops();
  }
  EXPECT_EQ(allocator.live(), live);
  EXPECT_EQ(allocator.live_bytes, bytes);
}

// --- memory that goes past the allocator ---------------------------------------------------------

TEST_P(AllocatorOfTheProgram, SuppliesAllMemoryOfARunningScheduler) {
  if (!kSeesOperatorNew) GTEST_SKIP() << "this tool has an operator new of its own";
  jobs::Scheduler scheduler({.worker_count = GetParam()});
  scheduler.run(&reads_and_writes);  // starts the thread of jobs::io
  for (const Part& part : kParts) {
    const std::uint64_t before = allocator.allocated;
    std::uint64_t past = 0;
    scheduler.run([&] {
      const std::uint64_t start = allocation_count().allocated;
      part.run();
      past = allocation_count().allocated - start;
    });
    EXPECT_EQ(past, part.own_allocations) << part.name;
    if (part.run != &reads_and_writes) {
      EXPECT_GT(allocator.allocated, before) << part.name;
    }
  }
}

TEST_P(AllocatorOfTheProgram, SuppliesTheMemoryOfFibers) {
  if (!kSeesOperatorNew) GTEST_SKIP() << "this tool has an operator new of its own";
  jobs::Scheduler scheduler({.worker_count = GetParam()});
  const std::uint64_t before = allocator.allocated;
  scheduler.run([&] {
    const std::uint64_t start = allocation_count().allocated;
    std::array<std::optional<jobs::Fiber<int>>, 200> fibers;
    jobs::Event event;
    for (auto& fiber : fibers)
      fiber.emplace([&event] { return event.wait(), 1; }, jobs::FiberOptions{.name = "short"});
    event.signal();
    for (auto& fiber : fibers) fiber->join();
    EXPECT_EQ(allocation_count().allocated, start);
  });
  EXPECT_GE(allocator.allocated - before, 200u);
}

// docs/settings.md lists what a start takes from elsewhere: the description of the machine, texts,
// and the threads themselves. That memory does not grow with the number of schedulers.
TEST_P(AllocatorOfTheProgram, KeepsNothingPastTheAllocatorAfterAScheduler) {
  if (!kSeesOperatorNew) GTEST_SKIP() << "this tool has an operator new of its own";
  const auto cycle = [] {
    jobs::Scheduler scheduler({.worker_count = GetParam()});
    scheduler.run(&spawns_jobs);
  };
  cycle();
  const std::uint64_t live = allocation_count().live();
  cycle();
  EXPECT_EQ(allocation_count().live(), live);
}

// --- failures ------------------------------------------------------------------------------------

// Makes the n-th allocation and all later ones fail, for each n. Each failure is an exception at
// the call, and no memory is lost.
TEST(AllocatorThatFails, MakesTheCallThrow) {
  const auto attempt = [](auto&& body) {
    try {
      body();
    } catch (const std::bad_alloc&) {
    } catch (const jobs::Error& error) {
      EXPECT_EQ(error.code(), jobs::ErrorCode::kNoStack) << error.what();
    }
  };
  reads_and_writes();
  jobs::quiesce();  // A Fiber that was joined may not be freed yet.
  std::uint64_t failures = 1;
  std::uint64_t total = 0;
  for (std::int64_t n = 1; failures != 0; ++n) {
    const std::uint64_t live = allocator.live();
    const std::uint64_t failed_before = allocator.failures;
    allocator.calls_until_failure = n;
    attempt([&] {
      jobs::Scheduler scheduler({.worker_count = 2});
      scheduler.run([&] {
        attempt([] { jobs::Channel<int> channel(4); });
        attempt([] { jobs::Fiber<int>([] { return 1; }).join(); });
        attempt([] {
          jobs::TaskGraph graph;
          graph.node([] {});
          graph.run();
        });
        attempt([] { jobs::spawn_after({}, [] {}).wait(); });
        attempt([] { jobs::PerWorker<int> values; });
        attempt([] {
          jobs::ObjectPool<int> pool(1);
          const auto loan = pool.borrow();
        });
      });
    });
    allocator.calls_until_failure = 0;
    failures = allocator.failures - failed_before;
    total += failures;
    ASSERT_EQ(allocator.live(), live) << "allocation " << n;
  }
  EXPECT_GT(total, 20u);
}

// --- choice --------------------------------------------------------------------------------------

TEST(SetAllocator, RefusesASecondAllocator) {
  static constinit CountingAllocator other;
  const auto code = jobs::test::code_of([] { jobs::set_allocator(other); });
  EXPECT_EQ(code, jobs::ErrorCode::kStarted);
  EXPECT_EQ(other.allocated, 0u);
}

}  // namespace
