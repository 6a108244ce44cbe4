// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/parking/standby.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace {

using jobs::detail::Standby;
using jobs::os::Nanoseconds;

TEST(Standby, CountsTheAwakeThreads) {
  Standby standby;
  standby.set_limits(4, 2);
  EXPECT_FALSE(standby.is_machine_taken(3));  // one of two CPUs
  EXPECT_TRUE(standby.is_machine_taken(2));
  EXPECT_EQ(standby.surplus(2), 0);
  EXPECT_EQ(standby.surplus(1), 1);
  standby.set_outside(true);
  EXPECT_TRUE(standby.is_machine_taken(3));
  standby.set_outside(false);
  EXPECT_FALSE(standby.is_machine_taken(3));
}

TEST(Standby, NeverCountsAMachineWithoutAnAwakeWorkerAsTaken) {
  Standby standby;
  standby.set_limits(1, 1);
  standby.set_outside(true);
  EXPECT_FALSE(standby.is_machine_taken(1));
  EXPECT_TRUE(standby.is_machine_taken(0));
}

TEST(Standby, HasRoomForOneWorker) {
  Standby standby;
  EXPECT_FALSE(standby.is_manned());
  EXPECT_TRUE(standby.enter(3));
  EXPECT_FALSE(standby.enter(4));
  EXPECT_TRUE(standby.is_manned(3));
  EXPECT_FALSE(standby.is_manned(4));
  standby.leave();
  EXPECT_FALSE(standby.is_manned());
}

struct Stay {
  Standby standby;
  Standby::Looks looks{standby};
  bool crowded = true;
  bool visible = true;
  bool busy = true;
  bool progress = false;
  Nanoseconds cpu_time = 0;

  Stay() { standby.set_limits(4, 2); }
  bool look() {
    // Longer than the time between two looks, however long that is.
    constexpr Nanoseconds kHour = 3'600'000'000'000;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    if (busy) cpu_time += kHour;
    return looks.look([this] { return crowded; }, [this] { return visible; },
                      [this] { return cpu_time; }, [this] { return progress; });
  }
};

TEST(Standby, LeavesWhenACpuIsFree) {
  Stay stay;
  stay.crowded = false;
  EXPECT_TRUE(stay.look());
}

TEST(Standby, StaysWhileNoWorkIsVisible) {
  Stay stay;
  stay.visible = false;
  stay.busy = false;
  for (unsigned i = 0; i < 2 * Standby::kMaxLooks; ++i) EXPECT_FALSE(stay.look());
}

TEST(Standby, TakesPartAtTheSecondLookIfTheWorkersBlock) {
  Stay stay;
  stay.busy = false;
  EXPECT_FALSE(stay.look());
  EXPECT_TRUE(stay.look());
}

TEST(Standby, LeavesWorkToBusyWorkersForALimitedTime) {
  Stay stay;
  for (unsigned i = 1; i < Standby::kMaxLooks; ++i) EXPECT_FALSE(stay.look()) << i;
  EXPECT_TRUE(stay.look());
}

TEST(Standby, StaysWhileEachAwakeWorkerStartsJobs) {
  Stay stay;
  stay.progress = true;
  for (unsigned i = 0; i < 3 * Standby::kMaxLooks; ++i) EXPECT_FALSE(stay.look()) << i;
  // A job that never ends begins. It may wait for a visible job.
  stay.progress = false;
  unsigned looks = 1;
  while (!stay.look()) ++looks;
  EXPECT_LE(looks, Standby::kMaxLooks);
}

}  // namespace
