// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops of few long iterations: each form must share them at once, in its first call and in each
// later one. A loop that first measures an iteration runs two of them serially.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <thread>
#include <vector>

#include "jobs/algorithm/transform.hpp"
#include "jobs/grid_for.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/parallel_for_each.hpp"
#include "jobs/parallel_reduce.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using Clock = std::chrono::steady_clock;

// Two iterations that wait for each other. If they run one after the other, the first one gives up
// after two seconds.
class Meeting {
 public:
  void come() {
    ++begun_;
    const auto give_up = Clock::now() + std::chrono::seconds(2);
    while (begun_ < 2 && Clock::now() < give_up) std::this_thread::yield();
    met_ = met_ && begun_ == 2;
    const auto end = Clock::now() + std::chrono::milliseconds(2);
    while (Clock::now() < end) {
    }
  }
  bool took_place() const { return met_; }

 private:
  std::atomic<int> begun_{0};
  std::atomic<bool> met_{true};
};

class LongIterations : public jobs::test::WithWorkers {
 protected:
  // Calls loop(meeting) several times.
  template <class Loop>
  void expect_meetings(Loop loop) {
    if (is_serial()) GTEST_SKIP() << "there is one worker";
    run([&] {
      for (int call = 0; call < 4; ++call) {
        Meeting meeting;
        loop(meeting);
        // The default scheduler of a guest may know so many loops that it does not expect this one.
        EXPECT_TRUE(meeting.took_place() || (call == 0 && is_external())) << "in call " << call;
      }
    });
  }
};
JOBS_TEST_IN_ALL_PLACES(LongIterations);

TEST_P(LongIterations, AreSharedByParallelFor) {
  expect_meetings([](Meeting& meeting) { jobs::parallel_for(0, 2, [&](int) { meeting.come(); }); });
}

TEST_P(LongIterations, AreSharedByLoopsOverGrids) {
  expect_meetings([](Meeting& meeting) {
    jobs::parallel_for(jobs::Grid(1, 2), [&](auto, auto) { meeting.come(); });
  });
}

TEST_P(LongIterations, AreSharedByParallelReduce) {
  expect_meetings([](Meeting& meeting) {
    const int sum = jobs::parallel_reduce(0, 2, 0, std::plus<>(), [&](int i) {
      meeting.come();
      return i;
    });
    EXPECT_EQ(sum, 1);
  });
}

TEST_P(LongIterations, AreSharedByParallelForEach) {
  std::list<int> elements{1, 2};
  expect_meetings(
      [&](Meeting& meeting) { jobs::parallel_for_each(elements, [&](int&) { meeting.come(); }); });
}

TEST_P(LongIterations, AreSharedByParallelTransform) {
  const std::vector<int> from{1, 2};
  std::vector<int> to(2);
  expect_meetings([&](Meeting& meeting) {
    jobs::parallel_transform(from, to.begin(), [&](int value) {
      meeting.come();
      return value;
    });
    EXPECT_EQ(to, from);
  });
}

}  // namespace
