// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Wrong calls of the C interface: each gets a result at the call, or the documented end.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "jobs/c/jobs.h"
#include "tests/c/c_objects.hpp"

namespace {

using jobs::test::make_counter;
using jobs::test::make_scheduler;

void nothing(void*) {}

TEST(CMisuse, NullPointersAreInvalidArguments) {
  EXPECT_EQ(jobs_spawn(nullptr, nullptr, nullptr, nullptr), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_run(nullptr, nullptr, nullptr), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_parallel_for(nullptr, 0, 1, 0, nullptr, nullptr), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_scheduler_create(nullptr, nullptr), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_scheduler_shutdown(nullptr, 0), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_scheduler_set_default_options(nullptr), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_counter_create(0, nullptr), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_counter_add(nullptr, 1), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_counter_done(nullptr), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_counter_wait(nullptr), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_counter_wait_for(nullptr, 0), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_event_create(false, nullptr), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_event_signal(nullptr), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_event_reset(nullptr), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_event_wait_for(nullptr, 0), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_mutex_create(nullptr), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_mutex_lock(nullptr), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_mutex_try_lock(nullptr), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_mutex_unlock(nullptr), JOBS_ERROR_ARGUMENT);
}

TEST(CMisuse, DestroyingNothingIsAllowed) {
  EXPECT_EQ(jobs_scheduler_destroy(nullptr), JOBS_OK);
  EXPECT_EQ(jobs_counter_destroy(nullptr), JOBS_OK);
  EXPECT_EQ(jobs_mutex_destroy(nullptr), JOBS_OK);
  jobs_event_destroy(nullptr);
}

TEST(CMisuse, ARangeThatEndsBeforeItBeginsIsRefused) {
  const auto body = [](void*, int64_t, int64_t) { ADD_FAILURE(); };
  EXPECT_EQ(jobs_parallel_for(nullptr, 1, 0, 0, body, nullptr), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_parallel_for(nullptr, 7, 7, 0, body, nullptr), JOBS_OK) << "an empty range";
}

TEST(CMisuse, OptionsOutOfRangeAreRefused) {
  jobs_spawn_options options = jobs_spawn_options_init();
  const auto counter = make_counter();
  options.counter = counter.get();
  options.priority = 3;
  EXPECT_EQ(jobs_spawn(nullptr, nothing, nullptr, &options), JOBS_ERROR_ARGUMENT);
  options.priority = -3;
  EXPECT_EQ(jobs_spawn(nullptr, nothing, nullptr, &options), JOBS_ERROR_ARGUMENT);
  options.priority = 0;
  options.place = 2;
  EXPECT_EQ(jobs_spawn(nullptr, nothing, nullptr, &options), JOBS_ERROR_ARGUMENT);
  options.place = JOBS_PLACE_WORKER;
  options.worker = 1000;
  EXPECT_EQ(jobs_spawn(nullptr, nothing, nullptr, &options), JOBS_ERROR_ARGUMENT);
  options.worker = 0;
  options.name = "a name and a place";
  EXPECT_EQ(jobs_spawn(nullptr, nothing, nullptr, &options), JOBS_ERROR_ARGUMENT);
  options = jobs_spawn_options_init();
  options.reserved = 1;
  EXPECT_EQ(jobs_spawn(nullptr, nothing, nullptr, &options), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(jobs_counter_wait_for(counter.get(), 0), JOBS_OK) << "nothing was spawned";
  EXPECT_EQ(jobs_counter_add(counter.get(), SIZE_MAX), JOBS_ERROR_ARGUMENT);
  jobs_counter* other = nullptr;
  EXPECT_EQ(jobs_counter_create(SIZE_MAX, &other), JOBS_ERROR_ARGUMENT);
}

// A program that was compiled with later headers.
struct LaterOptions {
  jobs_scheduler_options known;
  void* unknown;
};

TEST(CMisuse, TheSizeOfOptionsIsChecked) {
  jobs_scheduler* scheduler = nullptr;
  LaterOptions options{jobs_scheduler_options_init(), nullptr};
  options.known.worker_count = 2;
  options.known.size = 0;
  EXPECT_EQ(jobs_scheduler_create(&options.known, &scheduler), JOBS_ERROR_ARGUMENT);
  options.known.size = sizeof(jobs_scheduler_options) - 1;
  EXPECT_EQ(jobs_scheduler_create(&options.known, &scheduler), JOBS_ERROR_ARGUMENT);
  options.known.size = sizeof(options);
  options.unknown = &options;
  EXPECT_EQ(jobs_scheduler_create(&options.known, &scheduler), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(scheduler, nullptr);
  options.unknown = nullptr;  // an unknown member with its default
  ASSERT_EQ(jobs_scheduler_create(&options.known, &scheduler), JOBS_OK);
  EXPECT_EQ(jobs_worker_count(scheduler), 2U);
  EXPECT_EQ(jobs_scheduler_destroy(scheduler), JOBS_OK);
}

TEST(CMisuse, TheMessageOfAFailedStartReachesTheBuffer) {
  std::array<char, 200> message{};
  jobs_scheduler_options options = jobs_scheduler_options_init();
  options.worker_count = 100'000;
  options.message = message.data();
  options.message_size = message.size();
  jobs_scheduler* scheduler = nullptr;
  EXPECT_EQ(jobs_scheduler_create(&options, &scheduler), JOBS_ERROR_ARGUMENT);
  EXPECT_NE(std::string_view(message.data()).find("100000"), std::string_view::npos)
      << message.data();
  message.fill('x');
  options.message_size = 10;
  EXPECT_EQ(jobs_scheduler_create(&options, &scheduler), JOBS_ERROR_ARGUMENT);
  EXPECT_EQ(std::strlen(message.data()), 9U) << "shortened";
  options.message_size = 0;
  EXPECT_EQ(jobs_scheduler_create(&options, &scheduler), JOBS_ERROR_ARGUMENT);
}

TEST(CMisuse, ABadEnvironmentIsNamed) {
  const char* const before = std::getenv("JOBS_NUM_WORKERS");
  const std::string value = before != nullptr ? before : "";
  setenv("JOBS_NUM_WORKERS", "many", 1);
  std::array<char, 200> message{};
  jobs_scheduler_options options = jobs_scheduler_options_init();
  options.message = message.data();
  options.message_size = message.size();
  jobs_scheduler* scheduler = nullptr;
  EXPECT_EQ(jobs_scheduler_create(&options, &scheduler), JOBS_ERROR_ENVIRONMENT);
  EXPECT_NE(std::string_view(message.data()).find("many"), std::string_view::npos);
  setenv("JOBS_NUM_WORKERS", value.c_str(), 1);
}

TEST(CMisuse, ACounterWithJobsIsNotDestroyed) {
  const auto counter = make_counter(1);
  EXPECT_EQ(jobs_counter_destroy(counter.get()), JOBS_BUSY);
  EXPECT_EQ(jobs_counter_done(counter.get()), JOBS_OK);
}

TEST(CMisuse, TheDefaultSchedulerIsNotDestroyed) {
  EXPECT_EQ(jobs_scheduler_destroy(jobs_scheduler_default()), JOBS_ERROR_ARGUMENT);
}

TEST(CMisuse, EachResultHasATextOfItsOwn) {
  std::array<std::string_view, 15> texts;
  for (int i = 0; i < 15; ++i) {
    texts[static_cast<std::size_t>(i)] = jobs_status_text(static_cast<jobs_status>(i - 12));
    for (int j = 0; j < i; ++j)
      EXPECT_NE(texts[static_cast<std::size_t>(i)], texts[static_cast<std::size_t>(j)]);
    EXPECT_NE(texts[static_cast<std::size_t>(i)], "unknown status");
  }
  EXPECT_STREQ(jobs_status_text(static_cast<jobs_status>(3)), "unknown status");
}

class CMisuseDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(CMisuseDeathTest, ADetachedJobThatThrowsEndsTheProgram) {
  EXPECT_DEATH(
      {
        const auto scheduler = make_scheduler(1);
        jobs_spawn(scheduler.get(), [](void*) { throw 1; }, nullptr, nullptr);
        jobs_scheduler_shutdown(scheduler.get(), JOBS_FOREVER);
      },
      "");
}

TEST_F(CMisuseDeathTest, MoreEndsThanJobsEndTheProgram) {
  EXPECT_DEATH(jobs_counter_done(make_counter().get()), "done.. without a job outstanding");
}

TEST_F(CMisuseDeathTest, AnUnlockByAnotherOwnerEndsTheProgram) {
  EXPECT_DEATH(
      {
        jobs_mutex* mutex = nullptr;
        jobs_mutex_create(&mutex);
        jobs_mutex_unlock(mutex);
      },
      "Mutex.*unlock");
}

}  // namespace
