// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StateClock: the times that a reader sees add up to the time from the start to its reading, while
// the writer changes the state.
#include "jobs/trace/state_clock.hpp"

#include <cstdint>
#include <numeric>

#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using trace::detail::StateClock;
using trace::detail::StateTimes;
using trace::detail::WorkerState;

constexpr std::uint64_t kStart = 100;
constexpr std::uint64_t kNow = 200;

void check_sum(const StateClock& clock) {
  const StateTimes times = clock.read(kNow);
  check(std::accumulate(times.begin(), times.end(), std::uint64_t{0}) == kNow - kStart,
        "the times add up");
}

void one_change() {
  StateClock clock;
  clock.start(WorkerState::kScheduler, kStart);
  run_threads([&] { clock.enter(WorkerState::kUseful, 110); }, [&] { check_sum(clock); });
  check(clock.read(kNow)[static_cast<std::size_t>(WorkerState::kUseful)] == 90, "the last state");
}

// The two times are equal: a reader that sees the second time and not the first one has a sum that
// looks right.
void two_changes() {
  StateClock clock;
  clock.start(WorkerState::kUseful, kStart);
  run_threads(
      [&] {
        clock.enter(WorkerState::kScheduler, 110);
        clock.enter(WorkerState::kUseful, 120);
      },
      [&] {
        check_sum(clock);
        check(clock.read(kNow)[static_cast<std::size_t>(WorkerState::kUseful)] >= 10,
              "the first time is there");
      });
}

void start_while_read() {
  StateClock clock;
  run_threads(
      [&] {
        clock.start(WorkerState::kScheduler, kStart);
        clock.enter(WorkerState::kUseful, 110);
      },
      [&] {
        const StateTimes times = clock.read(kNow);
        const std::uint64_t sum = std::accumulate(times.begin(), times.end(), std::uint64_t{0});
        check(sum == 0 || sum == kNow - kStart, "the times add up, or the clock has not started");
      });
}

}  // namespace

const Subject& subject() {
  static const Subject clock = {
      .headers = {"jobs/trace/state_clock.hpp"},
      .not_shown = {},
      .models =
          {
              {"one_change", one_change, {.preemptions = 3}},
              {"start_while_read", start_while_read, {.preemptions = 3}},
              {"two_changes", two_changes, {.preemptions = 3}},
          },
  };
  return clock;
}

}  // namespace jobs::model
