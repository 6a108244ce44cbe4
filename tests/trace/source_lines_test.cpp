// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The lines of the functions of jobs. This file is compiled with debug information.
#include "jobs/trace/format/source_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <source_location>
#include <string>
#include <thread>
#include <type_traits>

#include "jobs/coroutine.hpp"
#include "jobs/job_hooks.hpp"
#include "jobs/jobs.hpp"
#include "jobs/profile.hpp"
#include "jobs/trace/advice/findings.hpp"
#include "jobs/trace/advice/run_summary.hpp"

// Types of the program do not belong to the namespace of the library.
namespace program {
namespace {

using namespace std::chrono_literals;
using jobs::trace::detail::SourceLines;
using testing::Contains;
using testing::HasSubstr;

constexpr unsigned kStepLine = std::source_location::current().line() + 1;
struct Step {
  void operator()() const {}
};

constexpr unsigned kCoroutineLine = std::source_location::current().line() + 1;
jobs::Task<> nothing_in_a_coroutine() { co_return; }

std::string here(unsigned line) { return "source_lines_test.cpp:" + std::to_string(line); }

// The functions of the jobs that workers have begun.
class Functions : public jobs::JobHooks {
 public:
  void on_job_begin(const void* function) noexcept override {
    const std::scoped_lock lock(mutex_);
    begun_.insert(reinterpret_cast<std::uintptr_t>(function));
  }
  const std::set<std::uint64_t>& begun() const noexcept { return begun_; }

 private:
  std::mutex mutex_;
  std::set<std::uint64_t> begun_;
};

class Lines : public testing::Test {
 protected:
  void SetUp() override {
    if (!lines_.is_available()) GTEST_SKIP() << "no libdw";
  }
  // The lines of all jobs that workers begin in the call.
  template <class Work>
  std::set<std::string> of_jobs_in(Work&& work) {
    Functions functions;
    {
      jobs::SchedulerOptions options;
      options.worker_count = 2;
      options.job_hooks = &functions;
      jobs::Scheduler scheduler(options);
      scheduler.run(work);
    }
    std::set<std::string> found;
    for (const std::uint64_t function : functions.begun()) found.insert(lines_.of(function));
    return found;
  }
  template <class Function>
  std::string of(Function* function) const {
    return lines_.of(reinterpret_cast<std::uintptr_t>(function));
  }

  const SourceLines lines_;
};

TEST_F(Lines, AreThoseOfASpawnedLambda) {
  constexpr unsigned kLine = std::source_location::current().line() + 3;
  const auto work = [] {
    jobs::Counter counter;
    jobs::spawn(counter, [] {});
    counter.wait();
  };
  EXPECT_THAT(of_jobs_in(work), Contains(here(kLine)));
}

TEST_F(Lines, AreThoseOfAClassThatAProgramHasDeclared) {
  const auto work = [] {
    jobs::Counter counter;
    jobs::spawn(counter, Step());
    counter.wait();
  };
  EXPECT_THAT(of_jobs_in(work), Contains(here(kStepLine)));
}

TEST_F(Lines, AreThoseOfTheFunctionOfALoop) {
  constexpr unsigned kLine = std::source_location::current().line() + 2;
  const auto work = [] {
    jobs::parallel_for(0, 20, [](int) { std::this_thread::sleep_for(1ms); }, jobs::Grain(1));
  };
  EXPECT_THAT(of_jobs_in(work), Contains(here(kLine)));
}

TEST_F(Lines, AreThoseOfTheFunctionOfAReduction) {
  constexpr unsigned kLine = std::source_location::current().line() + 3;
  const auto work = [] {
    const auto plus = [](int a, int b) { return a + b; };
    const auto slow = [](int i) {
      std::this_thread::sleep_for(1ms);
      return i;
    };
    EXPECT_EQ(jobs::parallel_reduce(0, 20, 0, plus, slow, jobs::Grain(1)), 190);
  };
  EXPECT_THAT(of_jobs_in(work), Contains(here(kLine)));
}

TEST_F(Lines, AreThoseOfANodeAndAStage) {
  constexpr unsigned kLine = std::source_location::current().line() + 1;
  const auto body = [] {};
  using Body = std::remove_const_t<decltype(body)>;
  EXPECT_EQ(of(&jobs::detail::stage_code<Body>), here(kLine));
}

TEST_F(Lines, AreThoseOfACoroutine) {
  const auto work = [] {
    jobs::Counter counter;
    jobs::start(counter, nothing_in_a_coroutine());
    counter.wait();
  };
  EXPECT_THAT(of_jobs_in(work), Contains(here(kCoroutineLine)));
}

// The type of a function pointer does not tell the function. Lines of the standard library do not
// help a user.
TEST_F(Lines, AreMissingForWhatTheProgramHasNotWritten) {
  EXPECT_EQ(of(&jobs::detail::stage_code<void (*)()>), "");
  EXPECT_EQ(of(&jobs::detail::stage_code<std::plus<>>), "");
  EXPECT_EQ(lines_.of(0), "");
  EXPECT_EQ(lines_.of(1), "");
}

TEST_F(Lines, AreAPartOfThePlaceOfAFinding) {
  const auto body = [] {};
  constexpr unsigned kLine = std::source_location::current().line() - 1;
  jobs::trace::detail::RunSummary run;
  run.workers = run.cpus = 2;
  run.length = run.awake = 1000;
  run.awake_workers = run.useful = run.jobs = 2000;
  auto& code = run.codes.emplace_back();
  code.name = "body";
  code.blocked = 2000;
  EXPECT_EQ(jobs::trace::detail::find_causes(run)[0].place, "body");
  code.function = reinterpret_cast<std::uintptr_t>(
      &jobs::detail::stage_code<std::remove_const_t<decltype(body)>>);
  EXPECT_EQ(jobs::trace::detail::find_causes(run)[0].place, "body (" + here(kLine) + ")");
}

TEST_F(Lines, StandInTheTextOfAProfile) {
  constexpr unsigned kLine = std::source_location::current().line() + 4;
  jobs::trace::Profile profile;
  {
    jobs::Scheduler scheduler({.worker_count = 1});
    scheduler.run([] { std::this_thread::sleep_for(1ms); });
  }
  profile.stop();  // The job has ended for the profile, too.
  EXPECT_THAT(profile.text(), HasSubstr(" (" + here(kLine) + ")\n"));
}

}  // namespace
}  // namespace program
