// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The requests to the system on a machine with two memory nodes of two cores. The machine is
// synthetic: hwloc reads it from the environment. The linker redirects the system calls of the
// library to this file (--wrap), which records and answers the calls about nodes.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"
#include "jobs/queue/chase_lev_deque.hpp"

namespace {

constexpr int kPreferred = 1;
constexpr int kInterleave = 3;

struct Range {
  std::uintptr_t base;
  std::size_t size;
  int policy;
  unsigned long nodes;  // one bit per node
};

// The machine as the kernel reports it.
class Machine {
 public:
  static Machine& instance() {
    static Machine machine;
    return machine;
  }
  void clear() {
    const std::scoped_lock lock(mutex_);
    ranges_.clear();
    bindings_.clear();
  }
  void bind_memory(const Range& range) {
    const std::scoped_lock lock(mutex_);
    // A reused address.
    std::erase_if(ranges_, [&](const Range& old) { return old.base == range.base; });
    ranges_.push_back(range);
  }
  void bind_thread(const std::set<int>& cpus) {
    const std::scoped_lock lock(mutex_);
    bindings_.push_back(cpus);
  }
  // The latest range that contains the address.
  std::optional<Range> range_of(const void* address) {
    const std::scoped_lock lock(mutex_);
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto found = std::find_if(ranges_.rbegin(), ranges_.rend(), [&](const Range& range) {
      return range.base <= at && at < range.base + range.size;
    });
    return found == ranges_.rend() ? std::nullopt : std::optional(*found);
  }
  // The node that an address is bound to; -1: none.
  int node_of(const void* address) {
    const std::optional<Range> range = range_of(address);
    if (!range || range->policy != kPreferred) return -1;
    return range->nodes == 1 ? 0 : range->nodes == 2 ? 1 : -2;
  }
  std::size_t ranges() {
    const std::scoped_lock lock(mutex_);
    return ranges_.size();
  }
  std::vector<std::set<int>> bindings() {
    const std::scoped_lock lock(mutex_);
    return bindings_;
  }

 private:
  std::mutex mutex_;
  std::vector<Range> ranges_;
  std::vector<std::set<int>> bindings_;
};

// Set before the first read of the topology.
[[maybe_unused]] const bool kMadeUp =
    setenv("HWLOC_SYNTHETIC", "package:2 [numa] core:2 pu:1", 1) == 0;

}  // namespace

extern "C" {

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __wrap_sched_setaffinity(pid_t thread, std::size_t size, const cpu_set_t* set);
int __wrap_sched_getaffinity(pid_t thread, std::size_t size, cpu_set_t* set);

// A call has fewer arguments than six: the others are whatever lies on the stack.
[[gnu::no_sanitize_address]] long __wrap_syscall(long number, ...) {
  std::array<long, 6> argument;
  va_list list;
  va_start(list, number);
  for (long& each : argument) each = va_arg(list, long);
  va_end(list);
  if (number == SYS_mbind) {
    Machine::instance().bind_memory(
        {.base = static_cast<std::uintptr_t>(argument[0]),
         .size = static_cast<std::size_t>(argument[1]),
         .policy = static_cast<int>(argument[2]),
         .nodes = *reinterpret_cast<const unsigned long*>(argument[3])});
    return 0;
  }
  if (number == SYS_move_pages) {
    const auto count = static_cast<std::size_t>(argument[1]);
    const std::span pages(reinterpret_cast<const void* const*>(argument[2]), count);
    auto* const nodes = reinterpret_cast<int*>(argument[4]);
    std::transform(pages.begin(), pages.end(), nodes,
                   [](const void* page) { return Machine::instance().node_of(page); });
    return 0;
  }
  return __real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4],
                        argument[5]);
}

// Reports one CPU on every machine.
int __wrap_sched_getaffinity(pid_t, std::size_t size, cpu_set_t* set) {
  CPU_ZERO_S(size, set);
  CPU_SET_S(0, size, set);
  return 0;
}

// The CPUs need not exist: the call does not move the thread.
int __wrap_sched_setaffinity(pid_t, std::size_t size, const cpu_set_t* set) {
  std::set<int> cpus;
  for (int cpu = 0; cpu < static_cast<int>(8 * size); ++cpu) {
    if (CPU_ISSET_S(static_cast<unsigned>(cpu), size, set)) cpus.insert(cpu);
  }
  Machine::instance().bind_thread(cpus);
  return 0;
}

}  // extern "C"

namespace jobs {
namespace {

constexpr unsigned kWorkers = 4;
int expected_node(unsigned worker) { return static_cast<int>(worker) / 2; }

class Numa : public testing::Test {
 protected:
  void SetUp() override { machine.clear(); }

  // Runs f(i) on each worker i.
  template <class F>
  static void on_each(Scheduler& scheduler, F f) {
    scheduler.run([&] {
      for (unsigned i = 0; i < scheduler.worker_count(); ++i) {
        Counter done;
        spawn(done, [&f, i] { f(i); }, {.on = worker(i)});
        done.wait();
      }
    });
  }

  Machine& machine = Machine::instance();
};

TEST_F(Numa, BindsWorkersToTheCoresOfTheirNode) {
  Scheduler scheduler({.worker_count = kWorkers, .pin_to_nodes = true});
  on_each(scheduler, [](unsigned) {});
  auto bindings = machine.bindings();
  std::sort(bindings.begin(), bindings.end());
  const std::set<int> first{0, 1}, second{2, 3};
  EXPECT_EQ(bindings, (std::vector{first, first, second, second}));
}

// An address on the running stack: AddressSanitizer keeps variables elsewhere.
JOBS_ALWAYS_INLINE const void* this_frame() { return __builtin_frame_address(0); }

TEST_F(Numa, PutsStacksOnTheNodeOfTheirWorker) {
  Scheduler scheduler({.worker_count = kWorkers, .pin_to_nodes = true});
  on_each(scheduler, [&](unsigned i) {
    EXPECT_EQ(machine.node_of(this_frame()), expected_node(i)) << i;
    Fiber<> small(
        [&] {  // on any worker
          EXPECT_EQ(machine.node_of(this_frame()), expected_node(worker_index().value()));
        },
        {.stack_size = 64 * 1024});
    small.join();
  });
}

TEST_F(Numa, PutsJobsOnTheNodeOfTheirSpawner) {
  Scheduler scheduler({.worker_count = kWorkers, .pin_workers = true});
  on_each(scheduler, [&](unsigned i) {
    Counter done;
    int node = -1;
    spawn(done, [this, &node, closure = 0] { node = machine.node_of(&closure); });
    done.wait();
    EXPECT_EQ(node, expected_node(i)) << i;
  });
}

TEST_F(Numa, PutsRingsOnTheNodeOfTheirDeque) {
  struct Item {};
  std::vector<Item> items(5000);
  {
    detail::ChaseLevDeque<Item> deque(detail::OwnerBarrier::kWhenPublic, 1);
    EXPECT_EQ(machine.ranges(), 1u);
    for (Item& item : items) deque.push(&item);
    EXPECT_EQ(machine.ranges(), 4u) << "grown from 1024 to 8192";
    EXPECT_EQ(deque.pop(), &items.back());
  }
  machine.clear();
  const detail::ChaseLevDeque<Item> elsewhere(detail::OwnerBarrier::kWhenPublic);
  EXPECT_EQ(machine.ranges(), 0u);
}

TEST_F(Numa, LeavesTheBoundCallerWhereItIs) {
  Scheduler scheduler({.worker_count = kWorkers, .bind_caller = true, .pin_to_nodes = true});
  on_each(scheduler, [&](unsigned i) {
    EXPECT_EQ(machine.node_of(this_frame()), i == 0 ? -1 : expected_node(i));
  });
  EXPECT_EQ(machine.bindings().size(), kWorkers - 1);
}

TEST_F(Numa, AsksForNothingUnlessWorkersAreBound) {
  Scheduler scheduler({.worker_count = kWorkers});
  on_each(scheduler, [](unsigned) {});
  EXPECT_EQ(machine.ranges(), 0u);
  EXPECT_EQ(scheduler.describe().find("node"), std::string::npos) << scheduler.describe();
}

TEST_F(Numa, ReportsHowManyStacksLieWhereTheyShould) {
  Scheduler scheduler({.worker_count = kWorkers, .pin_to_nodes = true});
  on_each(scheduler, [](unsigned) {});
  const std::string text = scheduler.describe();
  EXPECT_NE(text.find("pinned to their nodes; "), std::string::npos) << text;
  const std::size_t found = text.find("on their node: ");
  ASSERT_NE(found, std::string::npos) << text;
  std::array<int, 2> here{}, all{};
  ASSERT_EQ(std::sscanf(text.c_str() + found,
                        "on their node: node 0 has %d of its %d, node 1 has %d of its %d;",
                        &here[0], &all[0], &here[1], &all[1]),
            4)
      << text;
  EXPECT_EQ(here, all);
  EXPECT_GE(here[0], 2);
  EXPECT_GE(here[1], 2);
}

TEST_F(Numa, HasOneLimitForTheStacksOfAllNodes) {
  constexpr int kJobs = 32;
  Scheduler scheduler({.worker_count = kWorkers, .max_fibers = 16, .pin_to_nodes = true});
  Counter done;
  Event go;
  std::atomic<int> refused{0};
  on_each(scheduler, [](unsigned) {});  // a worker needs a stack to start
  scheduler.run([&] {
    for (int i = 0; i < kJobs; ++i) {
      spawn(done, [&] {
        try {
          go.wait();
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::kNoStack);
          ++refused;
        }
      });
    }
  });
  const auto soon =
      // With a limit for each node this time never comes.
      std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (refused == 0 && std::chrono::steady_clock::now() < soon) std::this_thread::yield();
  EXPECT_LE(scheduler.stats().fibers, 16u);
  go.signal();
  done.wait();
  EXPECT_GT(refused, 0);
}

TEST_F(Numa, SpreadsAVectorOverAllNodes) {
  const numa_vector<int> values(100'000, 7);
  const std::optional<Range> range = machine.range_of(values.data());
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->policy, kInterleave);
  EXPECT_EQ(range->nodes, 3u);
  EXPECT_GE(range->size, values.size() * sizeof(int));
  EXPECT_EQ(values[99'999], 7);
  machine.clear();
  const numa_vector<int> small(10, 7);
  EXPECT_EQ(machine.ranges(), 0u);
}

TEST_F(Numa, LeavesTheFirstTouchOfAVectorToItsUser) {
  first_touch_vector<int> values(100'000);
  EXPECT_EQ(machine.ranges(), 0u);
  const std::size_t page = os::page_size();
  const auto* const first = reinterpret_cast<std::byte*>(values.data());
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(first) % page, 0u);
  EXPECT_EQ(os::first_resident_page(const_cast<std::byte*>(first),
                                    values.size() * sizeof(int) / page * page) -
                first,
            values.size() * sizeof(int) / page * page);
  values[0] = 1;
  values.resize(200'000);
  EXPECT_EQ(values[0], 1);
  const first_touch_vector<std::string> strings(10'000);
  EXPECT_EQ(strings[9'999], "");
}

TEST_F(Numa, CountsThePagesOfEachNode) {
  const std::size_t page = os::page_size();
  const numa_vector<std::byte> bytes(64 * page);
  machine.clear();
  const auto bind = [&](std::size_t at, std::size_t pages, unsigned long nodes) {
    machine.bind_memory({reinterpret_cast<std::uintptr_t>(bytes.data()) + at * page, pages * page,
                         kPreferred, nodes});
  };
  bind(0, 10, 1);
  bind(10, 20, 2);
  const PagePlacement placement = page_placement(std::span(bytes));
  EXPECT_EQ(placement.on_node, (std::vector<std::size_t>{10, 20}));
  EXPECT_EQ(placement.absent, 34u);
  const PagePlacement across = page_placement(std::span(bytes).subspan(page - 1, 2));
  EXPECT_EQ(across.on_node, (std::vector<std::size_t>{2})) << "two bytes on two pages";
  EXPECT_EQ(page_placement(std::span<const std::byte>()).absent, 0u);
}

// The requests on a machine with one node. A process reads the topology once.
int asked_on_one_node() {
  setenv("HWLOC_SYNTHETIC", "package:1 core:4 pu:1", 1);
  {
    Scheduler scheduler({.worker_count = kWorkers, .pin_to_nodes = true});
    scheduler.run([] { parallel_for(0, 100, [](int) {}); });
    const numa_vector<int> values(100'000);
  }
  return static_cast<int>(Machine::instance().ranges() + Machine::instance().bindings().size());
}

TEST(NumaDeathTest, AsksForNothingWhereThereIsOneNode) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_Exit(asked_on_one_node()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace jobs
