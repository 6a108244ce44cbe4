// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A recording that begins before main(), by an object with static storage duration. A program of
// its own: no other recording may begin before.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "jobs/trace.hpp"
#include "tests/trace/trace_file.hpp"

namespace {

jobs::trace::Recording recording;

struct Nap {
  explicit Nap(const char* name) {
    const jobs::trace::Zone zone(name);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
};
const Nap before_main("before main");

TEST(EarlyRecording, HasTheTimesOfAllZones) {
  const Nap within("within main");
  recording.stop();
  const auto file = jobs::test::TraceFile::of(recording);
  EXPECT_GE(file.time_in("before main"), 2'000);
  EXPECT_GE(file.time_in("within main"), 2'000);
  EXPECT_LE(file.time_in("within main"), 60'000'000);
}

}  // namespace
