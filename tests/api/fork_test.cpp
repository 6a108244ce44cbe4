// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fork(): the operations that a child process may perform on the schedulers of its parent and on
// its own.
#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "jobs/error.hpp"
#include "jobs/fiber.hpp"
#include "jobs/fiber_ref.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/parallel_reduce.hpp"
#include "jobs/report.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/sanitized.hpp"

namespace {

using namespace std::chrono_literals;

using jobs::test::in_child;
using jobs::test::kChildPatience;

template <class F>
bool is_refused(F&& call) {
  try {
    call();
  } catch (const jobs::Error& error) {
    return error.code() == jobs::ErrorCode::kForked;
  }
  return false;
}

long sum_to(long n) {
  return jobs::parallel_reduce(0L, n, 0L, std::plus<>(), [](long i) { return i; });
}
constexpr long kSumTo1000 = 999L * 1000 / 2;

// Uses a scheduler of the child's own, and the default one. Returns 0 if both work.
int use_own_schedulers() {
  jobs::Scheduler own({.worker_count = 3});
  if (own.run([] { return sum_to(1000); }) != kSumTo1000) return 1;
  own.shutdown();
  jobs::Counter done;
  std::atomic<int> ran{0};
  for (int i = 0; i < 100; ++i) jobs::spawn(done, [&ran] { ++ran; });
  done.wait();
  if (ran != 100) return 2;
  if (sum_to(1000) != kSumTo1000) return 3;
  jobs::Fiber<int> fiber([] { return 7; });
  if (fiber.join() != 7) return 4;
  if (!jobs::live_fibers().empty()) return 5;
  return 0;
}

class Fork : public testing::Test {
 protected:
  void SetUp() override {
    if (jobs::test::kUnderThreadSanitizer) GTEST_SKIP() << "it ends a child that starts threads";
    if (jobs::test::kSanitized)
      GTEST_SKIP()
          << "children hang in the sanitizer's allocator, whose locks GCC 12 takes over no fork";
  }
};

TEST_F(Fork, LeavesTheChildSchedulersOfItsOwn) {
  jobs::Scheduler scheduler({.worker_count = 4});
  EXPECT_EQ(scheduler.run([] { return sum_to(1000); }), kSumTo1000);
  EXPECT_EQ(sum_to(1000), kSumTo1000) << "starts the default one";
  EXPECT_EQ(in_child(&use_own_schedulers), 0);
  EXPECT_EQ(scheduler.run([] { return 1; }), 1) << "the parent's goes on";
  EXPECT_EQ(sum_to(1000), kSumTo1000);
}

TEST_F(Fork, LeavesTheChildOfAProcessThatHasNeverHadAScheduler) {
  EXPECT_EQ(in_child(&use_own_schedulers), 0);
}

TEST_F(Fork, MakesTheInheritedSchedulerRefuse) {
  jobs::Scheduler scheduler({.worker_count = 2});
  scheduler.run([] {});
  EXPECT_EQ(in_child([&] {
              if (!is_refused([&] { scheduler.run([] {}); })) return 1;
              if (!is_refused([&] { scheduler.shutdown(); })) return 2;
              if (!is_refused([&] { scheduler.spawn([] {}); })) return 5;
              jobs::Counter done;
              if (!is_refused([&] {
                    scheduler.spawn(done, [] {}, {.priority = jobs::Priority::kCritical});
                  }))
                return 6;
              done.wait();
              if (!is_refused([&] { scheduler.trim(); })) return 3;
              if (scheduler.worker_count() != 2 || scheduler.describe().empty()) return 4;
              return 0;
            }),
            0);
}

TEST_F(Fork, MakesALoopInTheInheritedScopeRefuse) {
  jobs::Scheduler scheduler({.worker_count = 2});
  const jobs::SchedulerScope scope(scheduler);
  EXPECT_EQ(sum_to(1000), kSumTo1000);
  EXPECT_EQ(in_child([] { return is_refused([] { sum_to(1000); }) ? 0 : 1; }), 0);
}

TEST_F(Fork, LetsTheInheritedSchedulerBeDestroyed) {
  auto scheduler = std::make_unique<jobs::Scheduler>(jobs::SchedulerOptions{.worker_count = 4});
  scheduler->run([] {});
  EXPECT_EQ(in_child([&] {
              scheduler.reset();
              return use_own_schedulers();
            }),
            0);
}

TEST_F(Fork, LetsTheChildExit) {
  if (jobs::test::kSanitized)
    GTEST_SKIP() << "what the child has inherited would be taken for leaks";
  static std::optional<jobs::Scheduler> scheduler;  // its destructor runs at the child's exit
  scheduler.emplace(jobs::SchedulerOptions{.worker_count = 2});
  scheduler->run([] {});
  sum_to(1000);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kChildPatience);
    std::exit(5);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 5) << status;
  scheduler.reset();
}

TEST_F(Fork, FreesTheBoundThreadOfTheChild) {
  jobs::Scheduler scheduler({.worker_count = 2, .bind_caller = true});
  EXPECT_EQ(sum_to(1000), kSumTo1000);
  EXPECT_EQ(in_child([&] {
              if (!is_refused([&] { scheduler.run([] {}); })) return 10;
              if (!is_refused([&] { scheduler.run_main_thread_jobs(); })) return 11;
              {
                jobs::Scheduler own({.worker_count = 2, .bind_caller = true});
                if (sum_to(1000) != kSumTo1000) return 12;
              }
              return use_own_schedulers();
            }),
            0);
  EXPECT_EQ(sum_to(1000), kSumTo1000);
}

TEST_F(Fork, MayHappenInAJob) {
  jobs::Scheduler scheduler({.worker_count = 2});
  EXPECT_EQ(scheduler.run([&] {
    return in_child([&] {
      if (!is_refused([&] { scheduler.run([] {}); })) return 10;
      return use_own_schedulers();
    });
  }),
            0);
  EXPECT_EQ(scheduler.run([] { return sum_to(1000); }), kSumTo1000);
}

TEST_F(Fork, MayHappenInAFiberAndInALoopOfAnExternalParticipant) {
  jobs::Scheduler scheduler({.worker_count = 2});
  const auto in_a_fiber = [] {
    return jobs::Fiber<int>([] { return in_child(&use_own_schedulers); }).join();
  };
  EXPECT_EQ(scheduler.run(in_a_fiber), 0);
  const auto [a, b] = jobs::fork_join([] { return in_child(&use_own_schedulers); },
                                      [] { return in_child(&use_own_schedulers); });
  EXPECT_EQ(a, 0);
  EXPECT_EQ(b, 0);
}

TEST_F(Fork, KnowsNothingOfTheParentsFibers) {
  jobs::Scheduler scheduler({.worker_count = 2});
  jobs::Event go;
  jobs::Fiber<> waiting =
      scheduler.run([&] { return jobs::Fiber<>([&] { go.wait(); }, {.name = "inherited"}); });
  jobs::Fiber<> not_begun = scheduler.run([&] {
    return jobs::Fiber<>([] {}, {.name = "not begun", .start = jobs::FiberStart::kSuspended});
  });
  const jobs::FiberRef ref(waiting);
  EXPECT_EQ(in_child([&] {
              if (!jobs::live_fibers().empty()) return 10;
              if (jobs::find_fiber(ref.id())) return 11;
              if (!jobs::reports().empty()) return 12;
              if (!is_refused([&] { waiting.join(); })) return 13;
              if (!is_refused([&] { not_begun.join(); })) return 14;
              {
                const jobs::Fiber<> ends_without_waiting = std::move(waiting);
              }
              const jobs::FiberRef other(not_begun);
              other.request_stop();
              {
                const jobs::Fiber<> ends = std::move(not_begun);
              }
              return use_own_schedulers();
            }),
            0);
  go.signal();
  waiting.join();
  not_begun.detach();
}

TEST_F(Fork, MayGoOnForGenerations) {
  EXPECT_EQ(in_child([] {
              if (const int result = use_own_schedulers()) return result;
              return in_child([] {
                if (const int result = use_own_schedulers()) return 20 + result;
                return in_child(&use_own_schedulers);
              });
            }),
            0);
}

TEST_F(Fork, RegistersTheChildForMembarrier) {
  const auto barrier = [] {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0 ? 0 : 1;
  };
  if (barrier() != 0) GTEST_SKIP() << "not used here";
  EXPECT_EQ(in_child(barrier), 0);
}

// Whichever lock another thread holds at the fork, no child hangs.
TEST_F(Fork, HangsInNoChildWhateverTheOthersDo) {
  std::atomic<bool> stop{false};
  std::vector<std::jthread> threads;
  threads.emplace_back([&] {
    while (!stop) jobs::Scheduler({.worker_count = 2}).run([] { return sum_to(100); });
  });
  threads.emplace_back([&] {
    while (!stop) static_cast<void>(jobs::reports());
  });
  threads.emplace_back([&] {
    jobs::Scheduler scheduler({.worker_count = 2});
    while (!stop) scheduler.run([] { jobs::Fiber<>([] { jobs::yield(); }).join(); });
  });
  const auto end = std::chrono::steady_clock::now() + 1500ms;
  for (int i = 0; i < 100 && std::chrono::steady_clock::now() < end; ++i) {
    const int result = in_child(&use_own_schedulers);
    EXPECT_EQ(result, 0) << "child " << i;
    if (result != 0) break;
  }
  stop = true;
}

// The call returns to state of the parent. The child must neither run the parent's jobs nor wait
// for its threads.
struct ForkDeathTest : testing::Test {
  void SetUp() override {
    if (jobs::test::kSanitized) GTEST_SKIP() << "the sanitizer ends the child in its own way";
  }
};

TEST_F(ForkDeathTest, JobThatReturnsInTheChildEndsIt) {
  std::atomic<int> ran{0};
  jobs::Scheduler scheduler({.worker_count = 1});
  const auto returns = [&] {
    const pid_t child = fork();
    if (child == 0) {
      alarm(kChildPatience);
      return;
    }
    int status = 0;
    waitpid(child, &status, 0);
    ran = WIFSIGNALED(status) ? WTERMSIG(status) : -1;
  };
  testing::internal::CaptureStderr();
  scheduler.run([&] {
    jobs::Counter done;
    jobs::spawn(done, returns);
    done.wait();
  });
  EXPECT_EQ(ran, SIGSEGV);
  scheduler.run(
      [&] { jobs::Fiber<>([&] { returns(); }, {.start = jobs::FiberStart::kNow}).join(); });
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(ran, SIGALRM);
  EXPECT_NE(said.find("a job has returned in a child process that it forked"), std::string::npos)
      << said;
}

TEST_F(ForkDeathTest, LoopThatGoesOnInTheChildEndsIt) {
  jobs::Scheduler scheduler({.worker_count = 2});
  std::atomic<int> status{0};
  std::atomic<bool> stolen{false};
  std::atomic<bool> over{false};
  testing::internal::CaptureStderr();
  scheduler.run([&] {
    pid_t child = 1;
    jobs::fork_join(
        [&] {
          while (!stolen) std::this_thread::yield();  // forces the join to wait
          child = fork();
          if (child == 0) {
            alarm(kChildPatience);
            return;
          }
          int result = 0;
          waitpid(child, &result, 0);
          status = result;
          over = true;
        },
        [&] {
          stolen = true;
          while (!over) std::this_thread::yield();
        });
  });
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
  EXPECT_NE(said.find("awaited in a child process"), std::string::npos) << said;
}

}  // namespace
