// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The adapter of samples/adapters for engines whose jobs have dependency counts, on every kind of
// host.
#include "samples/adapters/dependency_counts.hpp"

#include <gtest/gtest.h>

#include "tests/support/with_workers.hpp"

namespace {

class DependencyCounts : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(DependencyCounts);

TEST_P(DependencyCounts, RunTheStepsOfAWorld) {
  run([] {
    adapters::JobSystem system;
    EXPECT_GE(system.max_concurrency(), 1u);
    for (int step = 0; step < 50; ++step)
      EXPECT_EQ(engine::step(system, 20), engine::expected_sum(20));
  });
}

TEST_P(DependencyCounts, StartAJobWhenTheLastOneIsRemoved) {
  run([] {
    adapters::JobSystem system;
    const auto barrier = system.make_barrier();
    const engine::JobHandle job = system.create([] {}, 4);
    barrier->add(job);
    job->add_dependency(2);
    job->remove_dependency(5);
    EXPECT_FALSE(job->is_done());
    job->remove_dependency(1);
    barrier->wait();
    EXPECT_TRUE(job->is_done());
  });
}

}  // namespace
