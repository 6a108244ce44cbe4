// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PerWorker: each worker has its own value, finds it again, and all values exist at the end.
#include "jobs/per_worker.hpp"

#include <gtest/gtest.h>

#include <thread>
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
