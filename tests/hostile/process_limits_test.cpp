// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits of the process: memory, descriptors, threads, stacks, CPUs, priorities, and a process that
// is stopped and continued. The program works, or gets exceptions with a text. The samples work
// under limits that a shell sets.
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/hostile/child.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/seed.hpp"

namespace jobs::test {
namespace {

constexpr unsigned kPatience = 60;  // seconds; the program takes 0.1 s
constexpr rlim_t kMiB = rlim_t{1} << 20;

void set_limit(__rlimit_resource resource, rlim_t value) {
  const rlimit limit{value, value};
  if (setrlimit(resource, &limit) != 0) _exit(kSkippedStatus);
}
void use_one_cpu() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) _exit(kSkippedStatus);
}
void set_policy(int policy, int priority) {
  const sched_param parameters{.sched_priority = priority};
  if (sched_setscheduler(0, policy, &parameters) != 0) _exit(kSkippedStatus);
}

struct Limit {
  std::string_view name;
  bool may_refuse;  // exceptions are allowed
  void (*set)();
};

// Privileged processes have no limit on threads: the child becomes another user.
void allow_threads(rlim_t count) {
  constexpr id_t kNobody = 65534;
  set_limit(RLIMIT_NPROC, count);
  if (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0)
    _exit(kSkippedStatus);
}

constexpr Limit kLimits[] = {
    {"AddressSpaceOf64MiB", true, [] { set_limit(RLIMIT_AS, 64 * kMiB); }},
    {"AddressSpaceOf100MiB", true, [] { set_limit(RLIMIT_AS, 100 * kMiB); }},
    {"AddressSpaceOf150MiB", true, [] { set_limit(RLIMIT_AS, 150 * kMiB); }},
    {"AddressSpaceOf1GiB", false, [] { set_limit(RLIMIT_AS, 1024 * kMiB); }},
    {"DataOf8MiB", true, [] { set_limit(RLIMIT_DATA, 8 * kMiB); }},
    {"DataOf32MiB", true, [] { set_limit(RLIMIT_DATA, 32 * kMiB); }},
    {"DataOf64MiB", true, [] { set_limit(RLIMIT_DATA, 64 * kMiB); }},
    {"Descriptors4", true, [] { set_limit(RLIMIT_NOFILE, 4); }},
    {"Descriptors6", true, [] { set_limit(RLIMIT_NOFILE, 6); }},
    {"Descriptors16", false, [] { set_limit(RLIMIT_NOFILE, 16); }},
    {"Threads1", true, [] { allow_threads(1); }},
    {"Threads3", true, [] { allow_threads(3); }},
    {"Threads6", true, [] { allow_threads(6); }},
    {"StacksOfThreadsOf64KiB", false, [] { set_limit(RLIMIT_STACK, 64 * 1024); }},
    {"StacksOfThreadsWithoutLimit", false, [] { set_limit(RLIMIT_STACK, RLIM_INFINITY); }},
    {"NoLockedMemory", false, [] { set_limit(RLIMIT_MEMLOCK, 0); }},
    {"NoPendingSignals", false, [] { set_limit(RLIMIT_SIGPENDING, 0); }},
    {"OneCpu", false, use_one_cpu},
    {"Nice19", false,
     [] {
       if (setpriority(PRIO_PROCESS, 0, 19) != 0) _exit(kSkippedStatus);
     }},
    {"IdleClassOnOneCpu", false,
     [] {
       use_one_cpu();
       set_policy(SCHED_IDLE, 0);
     }},
    {"RealTimeOnOneCpu", false,
     [] {
       use_one_cpu();
       set_policy(SCHED_FIFO, 10);
     }},
    {"RoundRobinOnOneCpu", false,
     [] {
       use_one_cpu();
       set_policy(SCHED_RR, 10);
     }},
    {"RealTimeOnAllCpus", false, [] { set_policy(SCHED_FIFO, 10); }},
    {"AllOfThem", true,
     [] {
       set_limit(RLIMIT_AS, 150 * kMiB);
       set_limit(RLIMIT_DATA, 64 * kMiB);
       set_limit(RLIMIT_NOFILE, 6);
       set_limit(RLIMIT_STACK, 64 * 1024);
       use_one_cpu();
       set_policy(SCHED_IDLE, 0);
     }},
};

class Limited : public testing::TestWithParam<Limit> {};

TEST_P(Limited, GivesNormalWorkOrExceptions) {
  const Outcome outcome = run_program({JOBS_TEST_HOSTILE_PROGRAM, "0"}, kPatience, GetParam().set);
  if (outcome.ending == Ending::kSkipped) GTEST_SKIP() << "the system refuses the experiment";
  const bool is_right = outcome.ending == Ending::kWorked ||
                        (GetParam().may_refuse && outcome.ending == Ending::kRefused);
  EXPECT_TRUE(is_right) << name_of(outcome.ending) << ", status " << outcome.status << ":\n"
                        << outcome.output;
}

INSTANTIATE_TEST_SUITE_P(Limit, Limited, testing::ValuesIn(kLimits),
                         [](const auto& limit) { return std::string(limit.param.name); });

// --- samples ------------------------------------------------------------------------------------

constexpr std::string_view kSamples[] = {"hello",         "parallel_sum", "blocking_in_a_job",
                                         "frame_graph",   "main_thread",  "wavefront",
                                         "million_fibers"};

class LimitedSample : public testing::TestWithParam<std::string_view> {};

TEST_P(LimitedSample, Works) {
  const std::filesystem::path folder =
      std::filesystem::path(JOBS_TEST_HOSTILE_PROGRAM).parent_path();
  std::vector<std::string> command{folder / GetParam()};
  if (!std::filesystem::exists(command[0])) GTEST_SKIP() << "this build has no such sample";
  if (GetParam() == "million_fibers") command.emplace_back("2000");
  const std::function<void()> limits[] = {
      [] { use_one_cpu(); },
      [] { set_limit(RLIMIT_NOFILE, 16); },
      [] { set_limit(RLIMIT_STACK, 128 * 1024); },
      [] { set_limit(RLIMIT_AS, 2048 * kMiB); },
      [] {
        use_one_cpu();
        set_policy(SCHED_IDLE, 0);
        set_limit(RLIMIT_NOFILE, 16);
        set_limit(RLIMIT_STACK, 128 * 1024);
      },
  };
  int number = 0;
  for (const auto& limit : limits) {
    const Outcome outcome = run_program(command, kPatience, limit);
    if (outcome.ending == Ending::kSkipped) GTEST_SKIP() << "the system refuses the experiment";
    EXPECT_EQ(outcome.ending, Ending::kWorked)
        << "limit " << number << ": " << name_of(outcome.ending) << ", status " << outcome.status
        << ":\n"
        << outcome.output;
    ++number;
  }
}

INSTANTIATE_TEST_SUITE_P(Sample, LimitedSample, testing::ValuesIn(kSamples),
                         [](const auto& sample) { return std::string(sample.param); });

// --- signals ------------------------------------------------------------------------------------

// The process is stopped and continued at random times, as by a shell or a debugger.
TEST(Stopped, ProcessContinuesItsWork) {
  SCOPED_TRACE(replay());
  std::mt19937_64 random(seed());
  constexpr int kStops = 50;
  int stops = 0;
  const std::string duration = std::to_string(4 * scale());
  // On a busy machine this process stops the program less often.
  while (stops <= kStops && !HasFailure()) {
    bool is_stopped = false;
    const Outcome outcome =
        run_program({JOBS_TEST_HOSTILE_PROGRAM, duration},
                    kPatience + 8 * static_cast<unsigned>(scale()), {}, [&](int child) {
                      if (!is_stopped && random() % 2 == 0) return;
                      is_stopped = !is_stopped;
                      kill(child, is_stopped ? SIGSTOP : SIGCONT);
                      stops += is_stopped;
                    });
    EXPECT_EQ(outcome.ending, Ending::kWorked)
        << name_of(outcome.ending) << ", status " << outcome.status << ":\n"
        << outcome.output;
  }
}

}  // namespace
}  // namespace jobs::test
