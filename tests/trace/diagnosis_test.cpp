// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Diagnosis: work and span of graphs that run. The kernel may interrupt a job for longer than the
// job computes. So a test compares a span with times that it measures itself, and the ratio of two
// times has wide limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
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

// The longest of several times; each thread may add one.
class Longest {
 public:
  void add(nanoseconds time) {
    nanoseconds longest = longest_;
    while (longest < time && !longest_.compare_exchange_weak(longest, time)) continue;
  }
  nanoseconds get() const { return longest_; }

 private:
  std::atomic<nanoseconds> longest_ = nanoseconds(0);
};

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
  const RootProfile root = root_of([] {
    for (int i = 0; i < 20; ++i) {
      Counter counter;
      spawn(counter, [] { compute_for(2ms); });
      counter.wait();
    }
  });
  EXPECT_GE(root.work, 40ms);
  EXPECT_GE(root.span, 40ms);
  EXPECT_NEAR(root.parallelism(), 1, 0.1);
}

TEST_P(DiagnosisOf, SeesThatJobsOfOneCounterAreIndependent) {
  Longest job;
  nanoseconds spawning = 0ns;
  const RootProfile root = root_of([&] {
    Counter counter;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 32; ++i) {
      spawn(counter, [&job] { job.add(compute_for(5ms)); });
    }
    spawning = std::chrono::steady_clock::now() - begin;
    counter.wait();
  });
  EXPECT_GE(root.work, 160ms);
  EXPECT_GE(root.span, 5ms);
  EXPECT_LE(root.span, spawning + job.get() + root.work / 4);
  EXPECT_LE(root.parallelism(), 33);
}

TEST_P(DiagnosisOf, SeesThatTheChunksOfALoopAreIndependent) {
  Longest chunk;
  const RootProfile root =
      root_of([&] { parallel_for(0, 64, [&](int) { chunk.add(compute_for(3ms)); }, Grain(1)); });
  EXPECT_GE(root.work, 192ms);
  EXPECT_GE(root.span, 3ms);
  EXPECT_LE(root.span, chunk.get() + root.work / 4);
  EXPECT_LE(root.parallelism(), 65);
}

TEST_P(DiagnosisOf, SeesThatFibersAreIndependent) {
  Longest job;
  nanoseconds spawning = 0ns;
  const RootProfile root = root_of([&] {
    std::vector<Fiber<void>> fibers;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 16; ++i) fibers.emplace_back([&job] { job.add(compute_for(5ms)); });
    spawning = std::chrono::steady_clock::now() - begin;
    for (Fiber<void>& fiber : fibers) fiber.join();
  });
  EXPECT_GE(root.work, 80ms);
  EXPECT_LE(root.span, spawning + job.get() + root.work / 4);
  EXPECT_LE(root.parallelism(), 17);
}

// Also on one worker, where the parent runs all forks itself.
TEST_P(DiagnosisOf, SeesThatForksAreIndependent) {
  if (jobs::test::kSanitized && !jobs::test::kUnderThreadSanitizer)
    GTEST_SKIP() << "AddressSanitizer keeps the forks of a frame elsewhere";
  Longest leaf;
  const RootProfile root = root_of([&leaf] {
    const auto one = [&leaf] { leaf.add(compute_for(5ms)); };
    const auto four = [&one] { fork_join(one, one, one, one); };
    fork_join(four, four, four, four);
  });
  EXPECT_GE(root.work, 80ms);
  EXPECT_GE(root.span, 5ms);
  EXPECT_LE(root.span, leaf.get() + root.work / 4);
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

TEST(Diagnosis, FindsAJobThatBlocksItsWorker) {
  Diagnosis diagnosis;
  {
    Scheduler scheduler({.worker_count = 1});
    scheduler.run([] {
      Counter counter;
      for (int i = 0; i < 10; ++i) {
        spawn(counter, [] { std::this_thread::sleep_for(5ms); });
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

}  // namespace
}  // namespace jobs::test
