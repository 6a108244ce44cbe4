// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The lifetime of the fixture, and the environment that all test programs share.
#include "tests/support/with_workers.hpp"

#include <chrono>
#include <cstdlib>
#include <future>
#include <ostream>
#include <thread>

#include "tests/support/allocation_count.hpp"
#include "tests/support/thread_state.hpp"

namespace jobs::test {
namespace {

SchedulerOptions options_of(const Place& place) {
  return {.worker_count = place.workers, .bind_caller = place.kind == Place::Kind::kBound};
}

// The default scheduler has two workers on every machine.
class TwoDefaultWorkers : public testing::Environment {
 public:
  void SetUp() override {
    setenv("JOBS_NUM_WORKERS", "2", 1);
#if defined(JOBS_TSAN_NO_SYNC)
    // Before the first thread std::shared_ptr counts without atomics: this build would report a
    // race between fibers.
    std::thread([] {}).join();
#endif
  }
};
[[maybe_unused]] testing::Environment* const environment =
    testing::AddGlobalTestEnvironment(new TwoDefaultWorkers);

// The workers of the default scheduler may still free memory that the test has released, or
// allocate their first fiber. The next test in this process must start from a stable count. A
// worker that waits for a CPU has more to do, so all of them must sleep. The limit is for a program
// with a thread that never sleeps.
void settle() {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::uint64_t before = 0;
  bool all_sleep = false;
  do {
    before = allocation_count().live();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    all_sleep = others_sleep() || std::chrono::steady_clock::now() > give_up;
  } while (!all_sleep || allocation_count().live() != before);
}

}  // namespace

void PrintTo(const Place& place, std::ostream* stream) {
  constexpr const char* kKinds[] = {"job", "bound thread", "external"};
  *stream << kKinds[static_cast<unsigned>(place.kind)] << ", workers: " << place.workers;
}

std::string name_of(const testing::TestParamInfo<Place>& info) {
  constexpr const char* kKinds[] = {"Workers", "Bound", "GuestOf"};
  return kKinds[static_cast<unsigned>(info.param.kind)] + std::to_string(info.param.workers);
}

void WithWorkers::SetUp() {
  if (is_external()) return;
  {
    Scheduler(options_of(GetParam())).run([] {});
  }  // permanent memory of the process is allocated by now
  live_before_ = allocation_count().live();
  scheduler_.emplace(options_of(GetParam()));
}

void WithWorkers::TearDown() {
  if (is_external()) {
    settle();
    return;
  }
  scheduler_->shutdown();
  const Stats stats = scheduler_->stats();
  EXPECT_EQ(stats.fibers, stats.fibers_idle) << "a fiber has not ended";
  scheduler_.reset();
  if (is_counted_ && !HasFailure() && !IsSkipped()) {  // a failure allocates its message
    // A smaller number is valid: idle threads of the default scheduler's blocking pool may have
    // ended meanwhile.
    EXPECT_LE(allocation_count().live(), live_before_) << "something allocated was not freed";
  }
}

void WithWorkers::run_here(const std::function<void()>& body) {
  switch (GetParam().kind) {
    case Place::Kind::kJob:
      return scheduler_->run(std::ref(body));
    case Place::Kind::kBound:
      return body();
    case Place::Kind::kGuest:
      return std::async(std::launch::async, std::ref(body)).get();
  }
  std::abort();
}

}  // namespace jobs::test
