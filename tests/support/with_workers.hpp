// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WithWorkers: the fixture of the API's tests. Each test runs on every kind of host from which a
// program may call the library: in a job of a scheduler with 1, 2, 4 and 16 workers, on a thread
// that is bound as the only worker, and on an external thread. After the test the scheduler must
// drain, and all of its allocations must be freed.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "jobs/scheduler.hpp"

namespace jobs::test {

// The host on which the body of a test runs.
struct Place {
  enum class Kind : std::uint8_t {
    kJob,    // in a job
    kBound,  // on the bound thread itself
    kGuest,  // on an external thread, as a participant of the default scheduler
  };
  Kind kind;
  unsigned workers;  // of the default scheduler: the value of JOBS_NUM_WORKERS
};

void PrintTo(const Place& place, std::ostream* stream);
std::string name_of(const testing::TestParamInfo<Place>& info);

inline const auto kPlaces = testing::Values(
    Place{Place::Kind::kBound, 1}, Place{Place::Kind::kJob, 1}, Place{Place::Kind::kJob, 2},
    Place{Place::Kind::kJob, 4}, Place{Place::Kind::kJob, 16}, Place{Place::Kind::kGuest, 2});

class WithWorkers : public testing::TestWithParam<Place> {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Runs body() on that host and returns its result, or rethrows its exception.
  template <class F>
  std::invoke_result_t<F&> run(F&& body) {
    using Result = std::invoke_result_t<F&>;
    if constexpr (std::is_void_v<Result>) {
      run_here(std::ref(body));
    } else {
      std::optional<Result> result;
      run_here([&] { result.emplace(body()); });
      return *std::move(result);
    }
  }

  bool is_external() const { return GetParam().kind == Place::Kind::kGuest; }
  // The default scheduler continues to run and keeps its allocations, so the fixture does not count
  // them.
  void uses_default_scheduler() { is_counted_ = false; }
  // True if no two pieces of code ever run at the same time.
  bool is_serial() const { return GetParam().workers == 1; }
  // pre: !is_external(); the default scheduler is not accessible.
  Scheduler& scheduler() { return *scheduler_; }

 private:
  // Not a template: every test would otherwise contain the code of each host.
  void run_here(const std::function<void()>& body);

  std::optional<Scheduler> scheduler_;
  std::uint64_t live_before_ = 0;
  bool is_counted_ = true;
};

#define JOBS_TEST_IN_ALL_PLACES(suite) \
  INSTANTIATE_TEST_SUITE_P(Places, suite, ::jobs::test::kPlaces, ::jobs::test::name_of)

}  // namespace jobs::test
