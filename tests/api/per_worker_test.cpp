// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PerWorker: each worker has its own value, finds it again, and all values exist at the end.
#include "jobs/per_worker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/parallel_for.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "tests/support/with_workers.hpp"

namespace {

class PerWorker : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(PerWorker);

TEST_P(PerWorker, CountsWithoutAtomicsInLoopsAndJobs) {
  run([] {
    jobs::PerWorker<int> counts([] { return 1000; });
    jobs::parallel_for(0, 20'000, [&](int) { ++counts.local(); }, jobs::Grain(16));
    jobs::Counter done;
    for (int i = 0; i < 500; ++i) jobs::spawn(done, [&] { ++counts.local(); });
    done.wait();
    int sum = 0;
    counts.for_each([&](int count) { sum += count - 1000; });
    EXPECT_EQ(sum, 20'500);
  });
}

TEST_P(PerWorker, MakesValuesOnlyOnDemand) {
  run([] {
    jobs::PerWorker<std::vector<int>> values;
    values.for_each([](auto&) { ADD_FAILURE(); });
    values.local().push_back(1);
    EXPECT_EQ(values.local().size(), 1u) << "the same one again";
    int made = 0;
    values.for_each([&](std::vector<int>& value) { made += static_cast<int>(value.size()); });
    EXPECT_EQ(made, 1);
  });
}

TEST_P(PerWorker, KeepsTheFirstValueIfItsMakerWaits) {
  run([] {
    std::atomic<int> made{0};
    jobs::PerWorker<int> counts([&] {
      // The other job of this worker makes the value meanwhile.
      if (made++ == 0)
        for (int turn = 0; turn < 100 && made == 1; ++turn) jobs::yield();
      return 0;
    });
    jobs::Counter done;
    for (int i = 0; i < 2; ++i) jobs::spawn(done, [&] { ++counts.local(); });
    done.wait();
    EXPECT_EQ(counts.combine(std::plus<>()), 2);
  });
}

TEST_P(PerWorker, KeepsObjectsAndForeignThreadsApart) {
  run([] {
    jobs::PerWorker<int> a;
    jobs::PerWorker<int> b;
    a.local() = 1;
    b.local() = 2;
    EXPECT_EQ(a.local(), 1);
    std::jthread([&] {
      EXPECT_EQ(a.local(), 0);
      a.local() = 10;
      EXPECT_EQ(a.local(), 10);
    }).join();
    int sum = 0;
    a.for_each([&](int value) { sum += value; });
    EXPECT_EQ(sum, 11);
  });
}

TEST_P(PerWorker, LeasesAValueToOneJobAtATime) {
  run([] {
    jobs::PerWorker<int> values;
    std::atomic<int> overwritten{0};
    const auto use = [&](int id) {
      const auto lease = values.lease();
      *lease = id;
      for (int turn = 0; turn < 5; ++turn) {
        jobs::yield();  // other jobs of this worker run and take leases
        if (*lease != id) ++overwritten;
      }
    };
    jobs::Counter done;
    for (int i = 0; i < 100; ++i) jobs::spawn(done, [&, i] { use(i); });
    done.wait();
    EXPECT_EQ(overwritten, 0);
  });
}

TEST_P(PerWorker, KeepsALeasedBufferOverANestedLoop) {
  run([] {
    jobs::PerWorker<std::vector<int>> scratch;
    std::atomic<int> overwritten{0};
    jobs::parallel_for(
        0, 200,
        [&](int i) {
          const auto buffer = scratch.lease();
          buffer->assign(64, i);
          jobs::parallel_for(
              0, 64,
              [&](int k) {
                if (k % 16 == 0) jobs::yield();
                buffer->at(static_cast<std::size_t>(k)) += k;
              },
              jobs::Grain(1));
          for (int k = 0; k < 64; ++k)
            if (buffer->at(static_cast<std::size_t>(k)) != i + k) ++overwritten;
        },
        jobs::Grain(1));
    EXPECT_EQ(overwritten, 0);
  });
}

TEST_P(PerWorker, MakesAsManyValuesAsLeasesOverlap) {
  run([] {
    std::atomic<int> made{0};
    jobs::PerWorker<int> values([&] { return 100 * ++made; });
    for (int i = 0; i < 10; ++i) *values.lease() += 1;
    EXPECT_EQ(made, 1) << "the same value again";
    {
      auto first = values.lease();
      const auto second = values.lease();
      EXPECT_EQ(*first, 110);
      EXPECT_EQ(*second, 200);
      EXPECT_EQ(values.local(), 300) << "a leased value is not the worker's own";
      std::jthread([moved = std::move(first)] { *moved += 5; }).join();
      EXPECT_EQ(*values.lease(), 115) << "returned by another thread";
    }
    int sum = 0;
    values.for_each([&](int value) { sum += value; });
    EXPECT_EQ(sum, 115 + 200 + 300);
  });
}

TEST_P(PerWorker, CombinesAllValues) {
  run([] {
    jobs::PerWorker<int> sums([] { return 0; });
    EXPECT_EQ(sums.combine(std::plus<>()), 0) << "no value was made";
    jobs::parallel_for(0, 20'000, [&](int i) { sums.local() += i; }, jobs::Grain(16));
    jobs::parallel_for(0, 1000, [&](int) { *sums.lease() += 1; }, jobs::Grain(16));
    std::jthread([&] { sums.local() += 7; }).join();
    EXPECT_EQ(sums.combine(std::plus<>()), 19'999 * 10'000 + 1000 + 7);
    EXPECT_EQ(sums.combine(std::plus<>()), 19'999 * 10'000 + 1000 + 7) << "nothing was moved away";
  });
}

TEST_P(PerWorker, FlattensContainers) {
  run([] {
    jobs::PerWorker<std::vector<std::unique_ptr<int>>> found;
    EXPECT_TRUE(std::move(found).flatten().empty());
    jobs::parallel_for(
        0, 1000, [&](int i) { found.local().push_back(std::make_unique<int>(i)); }, jobs::Grain(4));
    found.lease()->push_back(std::make_unique<int>(1000));
    std::vector<int> numbers;
    for (const auto& pointer : std::move(found).flatten()) numbers.push_back(*pointer);
    std::sort(numbers.begin(), numbers.end());
    std::vector<int> expected(1001);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(numbers, expected);
    jobs::PerWorker<std::set<int>> kept;
    jobs::parallel_for(0, 1000, [&](int i) { kept.local().insert(i % 10); }, jobs::Grain(4));
    EXPECT_EQ(kept.flatten().size(), 10u);
    EXPECT_EQ(kept.flatten().size(), 10u) << "copies leave the values as they are";
  });
}

TEST(PerWorkerChecks, ValuesKeepAnAlignmentAboveACacheLine) {
  struct alignas(256) Wide {
    int count = 0;
  };
  jobs::PerWorker<Wide> values;
  jobs::parallel_for(0, 100, [&](int) { ++values.local().count; });
  int sum = 0;
  values.for_each([&](const Wide& value) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&value) % 256, 0U);
    sum += value.count;
  });
  EXPECT_EQ(sum, 100);
}

TEST(PerWorkerChecks, WorkersOfAnotherSchedulerAreForeign) {
  jobs::Scheduler first({.worker_count = 2});
  jobs::Scheduler second({.worker_count = 4});
  first.run([&] {
    jobs::PerWorker<int> values;
    values.local() = 1;
    second.run([&] { values.local() += 10; });
    int sum = 0;
    values.for_each([&](int value) { sum += value; });
    EXPECT_EQ(sum, 11);
  });
}

}  // namespace
