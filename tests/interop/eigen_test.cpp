// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs/interop/eigen.hpp: tensors have the values of one thread, evaluations suspend their fiber,
// and blocks run on all workers.
#include "jobs/interop/eigen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <unsupported/Eigen/CXX11/Tensor>
#include <vector>

#include "jobs/jobs.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::interop::EigenThreadPool;
using Matrix = Eigen::Tensor<float, 2>;
using Vector = Eigen::Tensor<float, 1>;

constexpr Eigen::Index kSide = jobs::test::kSanitized ? 96 : 300;

// So costly that Eigen makes several blocks of few elements.
const Eigen::TensorOpCost kCostly(0, 0, 1e6);

Matrix matrix(int seed) {
  Matrix values(kSide, kSide);
  for (Eigen::Index i = 0; i < values.size(); ++i)
    values.data()[i] = static_cast<float>((i * 7 + seed) % 13);
  return values;
}

// Whole numbers below 2^24, so that the order of additions does not matter.
Matrix product_of_one_thread() {
  const Eigen::array<Eigen::IndexPair<int>, 1> pairs = {Eigen::IndexPair<int>(1, 0)};
  return matrix(1).contract(matrix(2), pairs);
}

Matrix product(const Eigen::ThreadPoolDevice& device) {
  const Eigen::array<Eigen::IndexPair<int>, 1> pairs = {Eigen::IndexPair<int>(1, 0)};
  const Matrix a = matrix(1), b = matrix(2);
  Matrix c(kSide, kSide);
  c.device(device) = a.contract(b, pairs);
  return c;
}

bool is_equal(const Matrix& a, const Matrix& b) {
  return std::equal(a.data(), a.data() + a.size(), b.data());
}

class EigenTensor : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(EigenTensor);

TEST_P(EigenTensor, HasTheValuesOfOneThread) {
  const Matrix expected = product_of_one_thread();
  run([&expected] {
    EigenThreadPool pool;
    EXPECT_EQ(pool.NumThreads(), static_cast<int>(jobs::worker_count()));
    const Eigen::ThreadPoolDevice device(&pool, pool.NumThreads());
    EXPECT_TRUE(is_equal(product(device), expected));
    Vector x(100'000), y(100'000);
    x.setConstant(2);
    y.device(device) = x * x + 1.0f;
    for (Eigen::Index i = 0; i < y.size(); ++i) ASSERT_EQ(y(i), 5);
    Eigen::Tensor<float, 0> sum;
    sum.device(device) = y.sum();
    EXPECT_EQ(sum(), 500'000);
  });
}

TEST_P(EigenTensor, IsEvaluatedByManyJobsAtATime) {
  const Matrix expected = product_of_one_thread();
  run([&expected] {
    EigenThreadPool pool;
    jobs::Counter counter;
    std::atomic<int> right = 0;
    for (int i = 0; i < 8; ++i) {
      jobs::spawn(counter, [&] {
        const Eigen::ThreadPoolDevice device(&pool, 4);  // more threads than some pools have
        if (is_equal(product(device), expected)) ++right;
      });
    }
    counter.wait();
    EXPECT_EQ(right, 8);
  });
}

// On one worker, the calling fiber must be suspended.
TEST_P(EigenTensor, DividesIntoBlocksThatMayEvaluateTensors) {
  run([] {
    EigenThreadPool pool;
    const Eigen::ThreadPoolDevice device(&pool, 4);
    std::vector<std::atomic<int>> visits(64);
    std::atomic<int> inner = 0;
    device.parallelFor(64, kCostly, [&](Eigen::Index first, Eigen::Index last) {
      for (Eigen::Index i = first; i < last; ++i) ++visits[static_cast<std::size_t>(i)];
      device.parallelFor(16, kCostly, [&](Eigen::Index begin, Eigen::Index end) {
        inner += static_cast<int>(end - begin);
      });
    });
    for (const auto& count : visits) EXPECT_EQ(count, 1);
    EXPECT_GE(inner, 16 * 4);
    EXPECT_EQ(inner % 16, 0);
  });
}

TEST_P(EigenTensor, EndsBeforeAStopTakesEffect) {
  run([] {
    EigenThreadPool pool;
    jobs::Event begun;
    std::atomic<int> blocks = 0;
    bool returned = false;
    jobs::Fiber fiber([&] {
      const Eigen::ThreadPoolDevice device(&pool, 4);
      device.parallelFor(64, kCostly, [&](Eigen::Index first, Eigen::Index last) {
        begun.signal();
        jobs::yield();
        blocks += static_cast<int>(last - first);
      });
      returned = true;
    });
    begun.wait();
    fiber.request_stop();
    fiber.join();
    EXPECT_TRUE(returned);
    EXPECT_EQ(blocks, 64);
  });
}

TEST(EigenThreadPoolTest, UsesAllWorkers) {
  jobs::Scheduler scheduler({.worker_count = 2});
  scheduler.run([] {
    EigenThreadPool pool;
    jobs::Latch both_here(2);
    std::atomic<int> indices = 0;
    jobs::Counter counter;
    for (int i = 0; i < 2; ++i) {
      counter.add();
      pool.Schedule([&] {
        indices |= 1 << pool.CurrentThreadId();
        both_here.count_down();
        // Without a switch: both workers are needed.
        while (!both_here.try_wait()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        counter.done();
      });
    }
    counter.wait();
    EXPECT_EQ(indices, 0b11);
  });
}

TEST(EigenThreadPoolTest, KnowsOnlyItsOwnThreads) {
  jobs::Scheduler scheduler({.worker_count = 2});
  const jobs::SchedulerScope scope(scheduler);
  EigenThreadPool pool;
  EXPECT_EQ(pool.NumThreads(), 2);
  EXPECT_EQ(pool.CurrentThreadId(), -1);
}

TEST(EigenThreadPoolTest, RunsBlocksInTheCallerAfterAShutdown) {
  jobs::Scheduler scheduler({.worker_count = 2});
  const jobs::SchedulerScope scope(scheduler);
  EigenThreadPool pool;
  scheduler.shutdown();
  const Eigen::ThreadPoolDevice device(&pool, 4);
  std::atomic<int> blocks = 0;
  device.parallelFor(64, kCostly, [&](Eigen::Index first, Eigen::Index last) {
    blocks += static_cast<int>(last - first);
  });
  EXPECT_EQ(blocks, 64);
}

}  // namespace
