// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Diagnosis: work and span of graphs that run. The kernel may interrupt a job for longer than the
// job computes. So a test compares a span with times that it measures itself. Work that it has not
// measured may lie on the longest path or beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "jobs/diagnosis.hpp"
#include "jobs/jobs.hpp"
#include "jobs/trace.hpp"
#include "tests/support/sanitized.hpp"

namespace jobs::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using trace::Diagnosis;
using trace::RootProfile;

// Returns how long that took.
nanoseconds compute_for(nanoseconds time) {
  const auto begin = std::chrono::steady_clock::now();
  auto now = begin;
  while (now < begin + time) now = std::chrono::steady_clock::now();
  return now - begin;
}

// Times that were measured at the same time or one after the other; each thread may add one.
class Times {
 public:
  void add(nanoseconds time) {
    sum_ += time.count();
    std::int64_t longest = longest_;
    while (longest < time.count() && !longest_.compare_exchange_weak(longest, time.count()))
      continue;
  }
  nanoseconds longest() const { return nanoseconds(longest_); }
  nanoseconds sum() const { return nanoseconds(sum_); }

 private:
  std::atomic<std::int64_t> longest_{0};
  std::atomic<std::int64_t> sum_{0};
};

// Expects that the work of `times` is independent, after `before`, which is also a part of the
// work. The rate of the clock is measured, too, so the span may be 1 % too long.
void expect_independent(const RootProfile& root, const Times& times, nanoseconds before = 0ns) {
  EXPECT_GE(root.work, times.sum());
  EXPECT_GE(root.span, times.longest());
  const nanoseconds unmeasured = root.work - times.sum() - before;
  EXPECT_LE(root.span, before + times.longest() + unmeasured + root.work / 100);
}

class DiagnosisOf : public testing::TestWithParam<unsigned> {
 protected:
  // Returns the root with the most work.
  template <class Work>
  RootProfile root_of(Work&& work) {
    Diagnosis diagnosis;
    {
      Scheduler scheduler({.worker_count = GetParam()});
      scheduler.run(work);
    }
    diagnosis.stop();
    const std::vector<RootProfile> roots = diagnosis.roots();
    return roots.empty() ? RootProfile{} : roots[0];
  }
};

TEST_P(DiagnosisOf, HasOnePathIfEachJobWaitsForTheNextOne) {
  Times jobs;
  const RootProfile root = root_of([&jobs] {
    for (int i = 0; i < 20; ++i) {
      Counter counter;
      spawn(counter, [&jobs] { jobs.add(compute_for(2ms)); });
      counter.wait();
    }
  });
  EXPECT_GE(root.span, jobs.sum() - jobs.sum() / 100);
  EXPECT_GE(root.work, root.span);
}

TEST_P(DiagnosisOf, SeesThatJobsOfOneCounterAreIndependent) {
  Times jobs;
  nanoseconds spawning = 0ns;
  const RootProfile root = root_of([&] {
    Counter counter;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 32; ++i) {
      spawn(counter, [&jobs] { jobs.add(compute_for(5ms)); });
    }
    spawning = std::chrono::steady_clock::now() - begin;
    counter.wait();
  });
  expect_independent(root, jobs, spawning);
  EXPECT_LE(root.parallelism(), 33);
}

TEST_P(DiagnosisOf, SeesThatTheChunksOfALoopAreIndependent) {
  Times chunks;
  const RootProfile root =
      root_of([&] { parallel_for(0, 64, [&](int) { chunks.add(compute_for(3ms)); }, Grain(1)); });
  expect_independent(root, chunks);
  EXPECT_LE(root.parallelism(), 65);
}

TEST_P(DiagnosisOf, SeesThatFibersAreIndependent) {
  Times jobs;
  nanoseconds spawning = 0ns;
  const RootProfile root = root_of([&] {
    std::vector<Fiber<void>> fibers;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 16; ++i) fibers.emplace_back([&jobs] { jobs.add(compute_for(5ms)); });
    spawning = std::chrono::steady_clock::now() - begin;
    for (Fiber<void>& fiber : fibers) fiber.join();
  });
  expect_independent(root, jobs, spawning);
  EXPECT_LE(root.parallelism(), 17);
}

// Also on one worker, where the parent runs all forks itself.
TEST_P(DiagnosisOf, SeesThatForksAreIndependent) {
  if (jobs::test::kSanitized && !jobs::test::kUnderThreadSanitizer)
    GTEST_SKIP() << "AddressSanitizer keeps the forks of a frame elsewhere";
  Times leaves;
  const RootProfile root = root_of([&leaves] {
    const auto one = [&leaves] { leaves.add(compute_for(5ms)); };
    const auto four = [&one] { fork_join(one, one, one, one); };
    fork_join(four, four, four, four);
  });
  expect_independent(root, leaves);
  EXPECT_LE(root.parallelism(), 16.5);
}

TEST_P(DiagnosisOf, PutsASleepOnThePath) {
  const RootProfile root = root_of([] {
    compute_for(5ms);
    this_fiber::sleep_for(50ms);
  });
  EXPECT_GE(root.work, 5ms);
  EXPECT_GE(root.span, 55ms);
}

INSTANTIATE_TEST_SUITE_P(Workers, DiagnosisOf, testing::Values(1, 2, 4, 16));

TEST(Diagnosis, JoinsTheJobsOfAnExternalThread) {
  Scheduler scheduler({.worker_count = 2});
  Diagnosis diagnosis;
  for (int i = 0; i < 2; ++i) {
    Counter counter;
    for (int j = 0; j < 16; ++j) {
      scheduler.spawn(counter, [] { compute_for(2ms); });
    }
    counter.wait();
  }
  diagnosis.stop();
  ASSERT_THAT(diagnosis.roots(), Not(IsEmpty()));
  const RootProfile root = diagnosis.roots()[0];
  EXPECT_THAT(root.name, StartsWith("thread "));
  EXPECT_GE(root.span, 4ms);
  EXPECT_LE(root.parallelism(), 16.5);
}

// The jobs sleep for longer than the kernel is likely to interrupt the job that spawns them.
TEST(Diagnosis, FindsAJobThatBlocksItsWorker) {
  Diagnosis diagnosis;
  {
    Scheduler scheduler({.worker_count = 1});
    scheduler.run([] {
      Counter counter;
      for (int i = 0; i < 10; ++i) {
        spawn(counter, [] { std::this_thread::sleep_for(50ms); });
      }
      counter.wait();
    });
  }
  diagnosis.stop();
  const std::vector<trace::Finding> findings = diagnosis.findings();
  ASSERT_THAT(findings, Not(IsEmpty()));
  EXPECT_EQ(findings[0].cause, "job blocks its worker");
  EXPECT_THAT(findings[0].place, HasSubstr("FindsAJobThatBlocksItsWorker"));
  EXPECT_GT(findings[0].share, 0.5);
  EXPECT_THAT(diagnosis.text(), HasSubstr("job blocks its worker in "));
}

// A leaf is a chunk, so the rest of the reduction is no serial part.
TEST(Diagnosis, FindsALongLeafOfAReduction) {
  Diagnosis diagnosis;
  {
    Scheduler scheduler({.worker_count = 2});
    scheduler.run([] {
      const auto length = [](int i) { return i == 31 ? 200ms : 1ms; };
      const auto work = [&length](int i) { return compute_for(length(i)); };
      const nanoseconds sum = parallel_reduce(0, 32, 0ns, std::plus<nanoseconds>(), work, Grain(1));
      EXPECT_GE(sum, 231ms);
    });
  }
  diagnosis.stop();
  const std::vector<trace::Finding> findings = diagnosis.findings();
  ASSERT_THAT(findings, Not(IsEmpty()));
  EXPECT_EQ(findings[0].cause, "loop imbalance");
  EXPECT_THAT(findings[0].place, HasSubstr("FindsALongLeafOfAReduction"));
}

// The function of the job that runs a node belongs to the library.
TEST(Diagnosis, NamesTheNodeThatBlocksItsWorker) {
  TaskGraph graph;
  for (int i = 0; i < 10; ++i)
    graph.node([] { std::this_thread::sleep_for(50ms); }, "read the mesh");
  Diagnosis diagnosis;
  {
    Scheduler scheduler({.worker_count = 1});
    scheduler.run([&graph] { graph.run(); });
  }
  diagnosis.stop();
  const std::vector<trace::Finding> findings = diagnosis.findings();
  ASSERT_THAT(findings, Not(IsEmpty()));
  EXPECT_EQ(findings[0].cause, "job blocks its worker");
  EXPECT_EQ(findings[0].place, "read the mesh");
}

TEST(Diagnosis, NamesTheStageThatBlocksItsWorker) {
  Diagnosis diagnosis;
  {
    Scheduler scheduler({.worker_count = 1});
    scheduler.run([] {
      int next = 0;
      const auto source = [&next] { return next < 10 ? std::optional(next++) : std::nullopt; };
      pipeline(4, source, in_order([](int) { std::this_thread::sleep_for(50ms); }));
    });
  }
  diagnosis.stop();
  const std::vector<trace::Finding> findings = diagnosis.findings();
  ASSERT_THAT(findings, Not(IsEmpty()));
  EXPECT_EQ(findings[0].cause, "job blocks its worker");
  EXPECT_THAT(findings[0].place, HasSubstr("NamesTheStageThatBlocksItsWorker"));
}

TEST(Diagnosis, FindsNothingWithoutJobs) {
  Diagnosis diagnosis;
  EXPECT_THAT(diagnosis.findings(), IsEmpty());
  EXPECT_THAT(diagnosis.roots(), IsEmpty());
  EXPECT_THAT(diagnosis.text(), HasSubstr("findings: none"));
  EXPECT_TRUE(trace::is_recording());
  diagnosis.stop();
  diagnosis.stop();
  EXPECT_FALSE(trace::is_recording());
}

// --- memory nodes --------------------------------------------------------------------------------

constexpr unsigned kJobs = 200;

// Returns the text of the finding about memory nodes on a machine whose nodes have that many
// workers each, and expects the number of remote jobs that the jobs count themselves. One job
// creates all others and keeps its worker. The other worker of its node, if it has one, runs one
// job at most. The CPUs of the machine need not exist. A process reads the topology once.
std::string memory_node_misses(const char* machine, unsigned workers_per_node) {
  setenv("HWLOC_SYNTHETIC", machine, 1);
  std::atomic<unsigned> ended{0};
  std::atomic<unsigned> remote{0};
  Diagnosis diagnosis;
  {
    Scheduler scheduler({.worker_count = 4, .pin_to_nodes = true});
    const auto node = [workers_per_node] { return worker_index().value() / workers_per_node; };
    Counter counter;
    scheduler.spawn(counter, [&, node] {
      for (unsigned i = 0; i < kJobs; ++i) {
        spawn(counter, [&ended, &remote, node, home = node()] {
          if (node() != home) remote.fetch_add(1);
          while (node() == home && ended.load() < kJobs - 1) std::this_thread::yield();
          ended.fetch_add(1);
        });
      }
      while (ended.load() < kJobs) std::this_thread::yield();
    });
    // The waiting thread runs no jobs.
    while (ended.load() < kJobs) std::this_thread::yield();
    counter.wait();
  }
  diagnosis.stop();
  for (const trace::Finding& finding : diagnosis.findings()) {
    if (finding.cause != "memory node misses") continue;
    EXPECT_THAT(finding.text,
                StartsWith(std::to_string(remote.load()) + " of 200 jobs ran on another memory"));
    return finding.text;
  }
  return "none";
}

void print_and_exit(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::_Exit(testing::Test::HasFailure() ? 1 : 0);
}

TEST(DiagnosisDeathTest, CountsTheJobsOnAnotherMemoryNode) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(print_and_exit(memory_node_misses("package:2 [numa] core:2 pu:1", 2)),
              testing::ExitedWithCode(0), "(199|200) of 200 jobs");
  EXPECT_EXIT(print_and_exit(memory_node_misses("package:4 [numa] core:1 pu:1", 1)),
              testing::ExitedWithCode(0), "200 of 200 jobs");
}

TEST(DiagnosisDeathTest, CountsNoJobsOnAMachineWithOneMemoryNode) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(print_and_exit(memory_node_misses("package:1 core:4 pu:1", 1)),
              testing::ExitedWithCode(0), "none");
}

}  // namespace
}  // namespace jobs::test
