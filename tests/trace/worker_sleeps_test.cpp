// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The sleeps of workers in a recording: who has woken the worker, and whether it was retired.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"
#include "tests/support/in_time.hpp"
#include "tests/trace/trace_file.hpp"

namespace jobs::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::IsEmpty;
using testing::Not;

// The number of the thread's track.
unsigned track_of(const TraceFile& file, std::string_view zone) {
  return file.named("B", zone).at(0).at("tid");
}

// Whether a worker has a sleep that a wake-up from that track has ended.
bool has_sleep_ended_by(const TraceFile& file, unsigned waker) {
  const std::vector<json> begins = file.named("s", "wake");
  const std::vector<json> ends = file.named("f", "wake");
  const std::vector<TraceSlice> slices = file.slices();
  return std::any_of(begins.begin(), begins.end(), [&](const json& begin) {
    if (begin.at("tid") != waker) return false;
    const auto end = std::find_if(ends.begin(), ends.end(), [&begin](const json& other) {
      return other.at("id") == begin.at("id");
    });
    return end != ends.end() && std::any_of(slices.begin(), slices.end(),
                                            [at = nanoseconds_of(*end)](const TraceSlice& slice) {
                                              return slice.name == "park" && slice.end == at;
                                            });
  });
}

// A worker that is about to sleep may take the job without a wake-up.
TEST(WorkerSleeps, EndWithAnArrowFromTheCallerThatSubmitsAJob) {
  Scheduler scheduler({.worker_count = 1});
  EXPECT_TRUE(is_true_in_time([&scheduler] {
    trace::Recording recording;
    const trace::Zone zone("the caller");
    for (int i = 0; i < 20; ++i) {
      scheduler.run([] {});
      std::this_thread::sleep_for(1ms);
    }
    recording.stop();
    const TraceFile file = TraceFile::of(recording);
    return has_sleep_ended_by(file, track_of(file, "the caller"));
  }));
}

TEST(WorkerSleeps, EndWithAnArrowFromTheWorkerThatSpawnsAJob) {
  Scheduler scheduler({.worker_count = 2});
  EXPECT_TRUE(is_true_in_time([&scheduler] {
    trace::Recording recording;
    scheduler.run([] {
      const trace::Zone zone("the spawner");
      std::this_thread::sleep_for(5ms);  // The other worker sleeps.
      Counter counter;
      spawn(counter, [] { std::this_thread::sleep_for(1ms); });
      std::this_thread::sleep_for(1ms);
      counter.wait();
    });
    recording.stop();
    const TraceFile file = TraceFile::of(recording);
    return has_sleep_ended_by(file, track_of(file, "the spawner"));
  }));
}

void set_mask_of_all_threads(const cpu_set_t& mask) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    sched_setaffinity(std::stoi(task.path().filename()), sizeof mask, &mask);
  }
}

// Of the process. The destructor restores the mask.
struct MaskOfOneCpu {
  MaskOfOneCpu() {
    sched_getaffinity(0, sizeof before, &before);
    int first = 0;
    while (CPU_ISSET(first, &before) == 0) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
  }
  ~MaskOfOneCpu() { set_mask_of_all_threads(before); }

  cpu_set_t before;
  cpu_set_t one;
};

TEST(WorkerSleeps, OfRetiredWorkersHaveTheirOwnName) {
  unsetenv("JOBS_NUM_WORKERS");
  Scheduler scheduler;
  if (scheduler.worker_count() < 2) GTEST_SKIP() << "one CPU";
  trace::Recording recording;
  const MaskOfOneCpu mask;
  // A running worker reads the limits.
  EXPECT_TRUE(is_true_in_time([&] {
    set_mask_of_all_threads(mask.one);
    scheduler.run([] { parallel_for(0, 1000, [](int) {}); });
    return scheduler.stats().active_workers == 1 &&
           !TraceFile::of(recording).named("B", "retired").empty();
  }));
}

}  // namespace
}  // namespace jobs::test
