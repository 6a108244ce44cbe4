// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs/interop/ode.hpp: worlds that workers step, and the threading interface alone, called as ODE
// calls it.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "bench/ode/pile.hpp"
#include "jobs/fiber.hpp"
#include "jobs/interop/ode.hpp"
#include "jobs/jobs.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using bench::ode::Method;
using bench::ode::Pile;
using bench::ode::PileShape;
using jobs::interop::OdeThreading;

constexpr PileShape kSmall{.stacks = 12, .height = 4, .iterations = 8};
constexpr int kSteps = jobs::test::kSanitized ? 25 : 60;

void step_often(Pile& pile, Method method, int steps = kSteps) {
  for (int i = 0; i < steps; ++i) {
    pile.collide();
    ASSERT_TRUE(pile.step(method));
    pile.drop_contacts();
  }
}

std::uint64_t state_without_threads(const PileShape& shape, Method method, int steps = kSteps) {
  Pile pile(shape);
  step_often(pile, method, steps);
  return pile.state();
}

class OdeWorld : public jobs::test::WithWorkers {
 protected:
  OdeWorld() {
    static_cast<void>(state_without_threads(kSmall, Method::kQuick, 1));
  }  // ODE has allocated its permanent memory by now
};
JOBS_TEST_IN_ALL_PLACES(OdeWorld);

TEST_P(OdeWorld, HasTheBitsOfOneThread) {
  for (const Method method : {Method::kQuick, Method::kExact}) {
    const std::uint64_t expected = state_without_threads(kSmall, method);
    Pile pile(kSmall);
    OdeThreading threading(pile.world());
    run([&] { step_often(pile, method); });
    EXPECT_EQ(pile.state(), expected);
  }
}

TEST_P(OdeWorld, StaysSaneWhenRowsAreShuffled) {
  const PileShape shuffled{.stacks = 12, .height = 4, .iterations = 20};
  Pile pile(shuffled);
  OdeThreading threading(pile.world());
  run([&] { step_often(pile, Method::kQuick); });
  EXPECT_TRUE(pile.is_sane());
}

TEST_P(OdeWorld, MayBeAnyNumberOfWorldsAtATime) {
  constexpr int kWorlds = 3;
  const std::uint64_t expected = state_without_threads(kSmall, Method::kQuick);
  std::vector<std::unique_ptr<Pile>> piles;
  std::vector<std::unique_ptr<OdeThreading>> threadings;
  for (int i = 0; i < kWorlds; ++i) {
    piles.push_back(std::make_unique<Pile>(kSmall));
    threadings.push_back(std::make_unique<OdeThreading>(piles.back()->world()));
  }
  run([&] {
    jobs::parallel_for(
        0, kWorlds, [&](int i) { step_often(*piles[static_cast<std::size_t>(i)], Method::kQuick); },
        jobs::Grain(1));
  });
  for (const auto& pile : piles) EXPECT_EQ(pile->state(), expected);
}

// The workers that have moved a box; a static, because the callback of ODE has no other argument.
struct Movers {
  std::atomic<unsigned> calls{0};
  jobs::SpinLock lock;
  std::set<std::thread::id> threads;
  std::function<void()> then = [] {};

  std::size_t count() {
    const std::lock_guard guard(lock);
    return threads.size();
  }
  // Keeps the calling worker in its island until enough workers have moved a box.
  void wait_for(std::size_t wanted) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (count() < wanted && std::chrono::steady_clock::now() < give_up)
      std::this_thread::yield();
  }
  void watch(Pile& pile) {
    current = this;
    for (const dBodyID box : pile.boxes()) {
      dBodySetMovedCallback(box, [](dBodyID) {
        ++current->calls;
        {
          const std::lock_guard guard(current->lock);
          current->threads.insert(std::this_thread::get_id());
        }
        current->then();
      });
    }
  }

  static Movers* current;
};
Movers* Movers::current = nullptr;

TEST_P(OdeWorld, IsSteppedByAllWorkersAtTheSameTime) {
  Pile pile(kSmall);
  OdeThreading threading(pile.world());
  Movers movers;
  movers.watch(pile);
  const auto wanted = std::min<std::size_t>(GetParam().workers, 8);
  movers.then = [&] { movers.wait_for(wanted); };
  run([&] { step_often(pile, Method::kQuick, 1); });
  EXPECT_GE(movers.count(), wanted);
  EXPECT_EQ(movers.calls, pile.boxes().size());
}

TEST_P(OdeWorld, KeepsToTheLimitOfTheWorld) {
  Pile pile(kSmall);
  dWorldSetStepIslandsProcessingMaxThreadCount(pile.world(), 1);
  OdeThreading threading(pile.world());
  Movers movers;
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  movers.watch(pile);
  movers.then = [&] {
    int now = ++inside;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    --inside;
  };
  run([&] { step_often(pile, Method::kQuick, 3); });
  EXPECT_EQ(most, 1);
}

TEST_P(OdeWorld, LetsItsCallbacksWait) {
  const std::uint64_t expected = state_without_threads(kSmall, Method::kQuick, 5);
  Pile pile(kSmall);
  OdeThreading threading(pile.world());
  Movers movers;
  movers.watch(pile);
  movers.then = [] {
    jobs::Counter done;
    jobs::spawn(done, [] {});
    done.wait();
  };
  uses_default_scheduler();
  run([&] { step_often(pile, Method::kQuick, 5); });
  EXPECT_EQ(pile.state(), expected);
}

TEST_P(OdeWorld, AllocatesNothingForAStepOnceItHasRun) {
  Pile pile({.stacks = 16, .height = 4, .iterations = 8});  // an island for each worker
  OdeThreading threading(pile.world());
  // A worker allocates for its first job, and it may start late.
  Movers movers;
  movers.watch(pile);
  movers.then = [&] { movers.wait_for(GetParam().workers); };
  run([&] {
    step_often(pile, Method::kQuick, 3);
    pile.collide();
    bool has_stepped = false;
    EXPECT_EQ(jobs::test::allocations_in([&] { has_stepped = pile.step(); }), 0U);
    EXPECT_TRUE(has_stepped);
    pile.drop_contacts();
  });
}

TEST_P(OdeWorld, GoesBackToNoThreads) {
  const std::uint64_t expected = state_without_threads(kSmall, Method::kQuick, 9);
  Pile pile(kSmall);
  std::optional<OdeThreading> threading(pile.world());
  run([&] { step_often(pile, Method::kQuick, 3); });
  threading.reset();
  step_often(pile, Method::kQuick, 3);
  threading.emplace(pile.world());
  run([&] { step_often(pile, Method::kQuick, 3); });
  EXPECT_EQ(pile.state(), expected);
}

// ODE's memory for a step; a test may refuse an allocation.
struct Memory {
  static inline std::atomic<int> until_refused{-1};  // allocations; negative: never

  static void* allocate(dsizeint size) {
    if (until_refused >= 0 && until_refused-- == 0) return nullptr;
    return std::malloc(size);
  }
  static void* shrink(void* block, dsizeint, dsizeint) { return block; }
  static void free(void* block, dsizeint) { std::free(block); }

  static void serve(dWorldID world) {
    static const dWorldStepMemoryFunctionsInfo functions{sizeof(functions), &allocate, &shrink,
                                                         &free};
    dWorldSetStepMemoryManager(world, &functions);
  }
};

// ODE then requests threads once per step instead of twice. It also allocates memory for the
// islands, and crashes without it.
TEST_P(OdeWorld, OutlivesStepsForWhichOdeHasNoMemory) {
  const std::uint64_t expected = state_without_threads(kSmall, Method::kExact, 6);
  for (int refused = 1; refused < 5; ++refused) {
    Pile pile(kSmall);
    OdeThreading threading(pile.world());
    Memory::serve(pile.world());
    run([&] {
      for (int step = 0; step < 6; ++step) {
        pile.collide();
        Memory::until_refused = step == 0 ? refused : -1;
        bool has_stepped = pile.step(Method::kExact);
        Memory::until_refused = -1;
        if (!has_stepped) has_stepped = pile.step(Method::kExact);
        ASSERT_TRUE(has_stepped);
        pile.drop_contacts();
      }
    });
    EXPECT_EQ(pile.state(), expected) << "refused allocation " << refused;
  }
}

TEST(OdeStep, FailsIfItsFiberCannotWait) {
  Pile pile(kSmall);
  OdeThreading threading(pile.world());
  jobs::Scheduler scheduler({.worker_count = 1, .max_fibers = 1});
  const std::uint64_t before = pile.state();
  scheduler.run([&] {
    pile.collide();
    EXPECT_FALSE(pile.step());
    pile.drop_contacts();
  });
  EXPECT_EQ(pile.state(), before);
}

TEST(OdeStepDeathTest, RunsInItsThreadIfTheSchedulerIsGone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fork would have no workers
  const std::uint64_t expected = state_without_threads(kSmall, Method::kQuick, 5);
  EXPECT_EXIT(
      {
        Pile pile(kSmall);
        OdeThreading threading(pile.world());
        step_often(pile, Method::kQuick, 2);
        jobs::shutdown_default();
        step_often(pile, Method::kQuick, 3);
        std::_Exit(pile.state() == expected ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

// --- the interface ------------------------------------------------------------------------------

// The common state of a test's calls. ODE's interface posts them, as ODE does.
struct Step {
  explicit Step(OdeThreading& threading) : f(*OdeThreading::functions()), id(threading.id()) {}

  // Runs one step; each of its starts runs `start`.
  int run(std::function<bool(Step&, dCallReleaseeID)> start_body) {
    start = std::move(start_body);
    f.retrieve_thread_count(id);
    const unsigned starts = f.retrieve_thread_count(id);
    EXPECT_EQ(starts, 1U);
    EXPECT_EQ(f.preallocate_resources_for_calls(id, 8), 1);
    int fault = -1;
    const dCallWaitID wait = f.alloc_call_wait(id);
    f.post_call(id, &fault, &whole, starts, nullptr, wait, &run_nothing, this, 0, "step");
    f.post_call(id, nullptr, nullptr, 0, whole, nullptr, &run_start, this, 0, "start");
    int status = -1;
    f.wait_call(id, &status, wait, nullptr, "wait");
    EXPECT_EQ(status, 1);
    f.reset_call_wait(id, wait);
    f.free_call_wait(id, wait);
    return fault;
  }
  // Uses ODE's class dxThreadingBase: posts a call, and `dependent`, which was posted earlier, then
  // also waits for it.
  void post_more(dCallReleaseeID dependent, dThreadedCallFunction* function, void* context) {
    f.alter_call_dependencies_count(id, dependent, 1);
    f.post_call(id, nullptr, nullptr, 0, dependent, nullptr, function, context, 0, nullptr);
  }

  static int run_nothing(void*, dcallindex_t, dCallReleaseeID) { return 1; }
  static int run_start(void* context, dcallindex_t, dCallReleaseeID self) {
    auto& step = *static_cast<Step*>(context);
    ++step.started;
    return step.start(step, self) ? 1 : 0;
  }

  const dThreadingFunctionsInfo& f;
  const dThreadingImplementationID id;
  dCallReleaseeID whole = nullptr;
  std::function<bool(Step&, dCallReleaseeID)> start;
  std::atomic<unsigned> started{0};
};

class OdeCalls : public jobs::test::WithWorkers {
 protected:
  void TearDown() override {
    threading_.reset();
    jobs::test::WithWorkers::TearDown();
  }

  Pile pile_{{.stacks = 1, .height = 1, .iterations = 1}};
  std::optional<OdeThreading> threading_{pile_.world()};
};
JOBS_TEST_IN_ALL_PLACES(OdeCalls);

TEST_P(OdeCalls, StartAsOftenAsThereAreWorkers) {
  run([&] {
    Step step(*threading_);
    EXPECT_EQ(step.run([](Step&, dCallReleaseeID) { return true; }), 0);
    EXPECT_EQ(step.started, jobs::worker_count());
  });
}

// A tree of calls; each call waits for its children.
struct Tree {
  Step* step;
  int depth;
  std::atomic<int>* calls;
  std::atomic<int>* failing;  // the call that counts it down to 0 fails

  static int run(void* context, dcallindex_t, dCallReleaseeID self) {
    const std::unique_ptr<Tree> tree(static_cast<Tree*>(context));
    ++*tree->calls;
    for (int i = 0; tree->depth > 0 && i < 3; ++i)
      tree->step->post_more(self, &run,
                            new Tree{tree->step, tree->depth - 1, tree->calls, tree->failing});
    return --*tree->failing == 0 ? 0 : 1;
  }
};

TEST_P(OdeCalls, CompleteAfterAllThatTheyPost) {
  run([&] {
    for (int round = 0; round < (jobs::test::kSanitized ? 5 : 50); ++round) {
      std::atomic<int> calls{0};
      std::atomic<int> failing{0};
      Step step(*threading_);
      const int fault = step.run([&](Step& all, dCallReleaseeID self) {
        all.post_more(self, &Tree::run, new Tree{&all, 5, &calls, &failing});
        return true;
      });
      EXPECT_EQ(fault, 0);
      EXPECT_EQ(calls, static_cast<int>(step.started) * 364);  // 1 + 3 + 9 + ... + 243
    }
  });
}

TEST_P(OdeCalls, ReportThatOneOfThemHasFailed) {
  run([&] {
    for (const int which : {1, 17, 364}) {
      std::atomic<int> calls{0};
      std::atomic<int> failing{which};
      Step step(*threading_);
      const int fault = step.run([&](Step& all, dCallReleaseeID self) {
        all.post_more(self, &Tree::run, new Tree{&all, 5, &calls, &failing});
        return true;
      });
      EXPECT_EQ(fault, 1) << which;
    }
  });
}

// `first` and `second`, then `joined`, then the end of the start. `joined` is posted before `first`
// and `second`, waits for them, and ends only after the further call that it posts.
struct Diamond {
  std::atomic<int> before{0};
  int joined = 0;  // deliberately not atomic: TSan checks the order that the interface guarantees
  int value_seen = 0;
  int second_half = 0;
};

TEST_P(OdeCalls, WaitForTheirDependencies) {
  run([&] {
    for (int round = 0; round < (jobs::test::kSanitized ? 20 : 200); ++round) {
      dWorldSetStepIslandsProcessingMaxThreadCount(pile_.world(), 1);
      Diamond diamond;
      struct Context {
        Step* step;
        Diamond* diamond;
      } context{nullptr, &diamond};
      Step step(*threading_);
      context.step = &step;
      const int fault = step.run([&](Step& all, dCallReleaseeID self) {
        dCallReleaseeID join = nullptr;
        all.f.alter_call_dependencies_count(all.id, self, 1);
        // One dependency too many, removed at the end: the call cannot start while its dependencies
        // are still being posted.
        all.f.post_call(
            all.id, nullptr, &join, 3, self, nullptr,
            [](void* p, dcallindex_t index, dCallReleaseeID me) {
              auto& c = *static_cast<Context*>(p);
              c.diamond->value_seen = c.diamond->before;
              c.diamond->joined = static_cast<int>(index);
              c.step->post_more(
                  me,
                  [](void* q, dcallindex_t, dCallReleaseeID) {
                    auto& d = *static_cast<Context*>(q)->diamond;
                    d.second_half = d.joined + 1;
                    return 1;
                  },
                  p);
              return 1;
            },
            &context, 41, "join");
        for (int i = 0; i < 2; ++i) {
          all.f.post_call(
              all.id, nullptr, nullptr, 0, join, nullptr,
              [](void* p, dcallindex_t, dCallReleaseeID) {
                ++static_cast<Context*>(p)->diamond->before;
                return 1;
              },
              &context, 0, nullptr);
        }
        all.f.alter_call_dependencies_count(all.id, join, -1);
        return true;
      });
      EXPECT_EQ(fault, 0);
      EXPECT_EQ(diamond.value_seen, 2);
      EXPECT_EQ(diamond.joined, 41);
      EXPECT_EQ(diamond.second_half, 42);
    }
  });
}

TEST_P(OdeCalls, WaitNoLongerThanTheyAreTold) {
  run([&] {
    const dThreadingFunctionsInfo& f = *OdeThreading::functions();
    const dThreadingImplementationID id = threading_->id();
    const dCallWaitID wait = f.alloc_call_wait(id);
    int status = -1;
    const dThreadedWaitTime now{0, 0};
    f.wait_call(id, &status, wait, &now, nullptr);
    EXPECT_EQ(status, 0);
    const dThreadedWaitTime soon{0, 2'000'000};
    f.wait_call(id, &status, wait, &soon, nullptr);
    EXPECT_EQ(status, 0);
    f.free_call_wait(id, wait);
  });
}

TEST_P(OdeCalls, LockGroupsOfMutexes) {
  run([&] {
    const dThreadingFunctionsInfo& f = *OdeThreading::functions();
    const dThreadingImplementationID id = threading_->id();
    const dMutexGroupID group = f.alloc_mutex_group(id, 3, nullptr);
    std::array<int, 3> counts{};
    jobs::parallel_for(
        0, 3000,
        [&](int i) {
          const auto index = static_cast<dmutexindex_t>(i % 3);
          f.lock_group_mutex(id, group, index);
          ++counts[index];
          f.unlock_group_mutex(id, group, index);
        },
        jobs::Grain(10));
    for (const int count : counts) EXPECT_EQ(count, 1000);
    f.free_mutex_group(id, group);
  });
}

}  // namespace
