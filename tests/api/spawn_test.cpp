// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// spawn() and the counters that wait for it.
#include "jobs/spawn.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/scheduler.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/with_workers.hpp"

namespace {

class Spawn : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Spawn);

TEST_P(Spawn, RunsEachJobOnceBeforeTheWaitReturns) {
  // Not atomic: the wait orders them; otherwise ThreadSanitizer reports a race.
  int runs[1000] = {};
  run([&] {
    jobs::Counter done;
    for (int& count : runs) jobs::spawn(done, [&count] { ++count; });
    done.wait();
    for (const int count : runs) EXPECT_EQ(count, 1);
  });
}

TEST_P(Spawn, LetsTheCounterDieAsSoonAsTheWaitReturns) {
  run([&] {
    for (int round = 0; round < 2000; ++round) {
      auto done = std::make_unique<jobs::Counter>();
      bool ran = false;
      jobs::spawn(*done, [&ran] { ran = true; });
      done->wait();
      done.reset();
      ASSERT_TRUE(ran);
    }
  });
}

TEST_P(Spawn, TakesClosuresThatCannotBeCopied) {
  run([&] {
    jobs::Counter done;
    int sum = 0;
    jobs::spawn(done, [value = std::make_unique<int>(42), &sum] { sum += *value; });
    done.wait();
    EXPECT_EQ(sum, 42);
  });
}

TEST_P(Spawn, CopiesAClosureThatIsAnLvalue) {
  run([&] {
    jobs::Counter done;
    auto text = std::make_shared<std::string>("shared");
    std::atomic<int> length{0};
    auto closure = [text, &length] { length += static_cast<int>(text->size()); };
    jobs::spawn(done, closure);
    jobs::spawn(done, std::as_const(closure));
    done.wait();
    EXPECT_EQ(length, 12);
    EXPECT_EQ(text.use_count(), 2) << "the copies are gone, the original is not";
  });
}

TEST_P(Spawn, TakesLargeAndOveralignedClosures) {
  struct alignas(128) Wide {
    char value = 7;
  };
  run([&] {
    jobs::Counter done;
    std::atomic<int> sum{0};
    std::array<char, 4096> large{};
    large.back() = 3;
    for (int i = 0; i < 20; ++i) {
      jobs::spawn(done, [large, &sum] { sum += large.back(); });
      jobs::spawn(done, [wide = Wide{}, &sum] {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&wide) % alignof(Wide), 0u);
        sum += wide.value;
      });
    }
    done.wait();
    EXPECT_EQ(sum, 20 * (3 + 7));
  });
}

// Counts the live copies.
class Guarded {
 public:
  explicit Guarded(std::atomic<int>& alive) : alive_(&alive) { ++*alive_; }
  Guarded(Guarded&& other) noexcept : alive_(other.alive_) { ++*alive_; }
  ~Guarded() { --*alive_; }

 private:
  std::atomic<int>* alive_;
};

TEST_P(Spawn, HasDestroyedTheClosureWhenTheWaitReturns) {
  std::atomic<int> alive{0};
  run([&] {
    jobs::Counter done;
    for (int i = 0; i < 100; ++i) {
      jobs::spawn(done, [guard = Guarded(alive)] {});
      jobs::spawn(done, [guard = Guarded(alive), ballast = std::array<char, 500>()] {
        static_cast<void>(ballast);
      });
    }
    done.wait();
    EXPECT_EQ(alive, 0);
  });
}

TEST_P(Spawn, HandsTheExceptionOfAJobToTheWaiter) {
  std::atomic<int> alive{0};
  run([&] {
    jobs::Counter done;
    jobs::spawn(done, [guard = Guarded(alive)] { throw std::runtime_error("from the job"); });
    try {
      done.wait();
      ADD_FAILURE() << "expected an exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "from the job");
    }
    EXPECT_EQ(alive, 0);
    EXPECT_EQ(done.dropped_exceptions(), 0u);
    done.wait();  // the exception has been rethrown; the counter is in its initial state
    jobs::spawn(done, [] {});
    done.wait();
  });
}

TEST_P(Spawn, RethrowsOneExceptionAndCountsTheOthers) {
  run([&] {
    jobs::Counter done;
    std::atomic<int> ran{0};
    for (int i = 0; i < 50; ++i) {
      jobs::spawn(done, [&ran] {
        ++ran;
        throw std::runtime_error("one of many");
      });
    }
    EXPECT_THROW(done.wait(), std::runtime_error);
    EXPECT_EQ(ran, 50) << "an exception cancels nobody";
    EXPECT_EQ(done.dropped_exceptions(), 49u);
  });
}

TEST_P(Spawn, NestsToAnyDepth) {
  // Each level waits for the next: the number of suspended fibers equals the depth.
  struct Level {
    static void descend(int depth, std::atomic<int>& reached) {
      ++reached;
      if (depth == 0) return;
      jobs::Counter done;
      jobs::spawn(done, [&] { descend(depth - 1, reached); });
      done.wait();
    }
  };
  std::atomic<int> reached{0};
  run([&] { Level::descend(200, reached); });
  EXPECT_EQ(reached, 201);
}

TEST_P(Spawn, SpawnsFromManyJobsOnOneCounter) {
  std::atomic<int> ran{0};
  run([&] {
    jobs::Counter done;
    for (int i = 0; i < 30; ++i) {
      jobs::spawn(done, [&] {
        for (int j = 0; j < 30; ++j) jobs::spawn(done, [&ran] { ++ran; });
      });
    }
    done.wait();
  });
  EXPECT_EQ(ran, 900);
}

TEST_P(Spawn, LetsSeveralWaitOnOneCounter) {
  run([&] {
    jobs::Event open;
    jobs::Counter work;
    std::atomic<int> seen{0};
    bool ran = false;
    jobs::spawn(work, [&] {
      open.wait();
      ran = true;
    });
    jobs::Counter waiters;
    for (int i = 0; i < 10; ++i) {
      jobs::spawn(waiters, [&] {
        work.wait();
        if (ran) ++seen;
      });
    }
    open.signal();
    waiters.wait();
    EXPECT_EQ(seen, 10);
  });
}

TEST_P(Spawn, RunsDetachedJobsBeforeTheSchedulerEnds) {
  static std::atomic<int> ran;
  ran = 0;
  run([&] {
    for (int i = 0; i < 100; ++i) {
      jobs::spawn([] {
        jobs::spawn([] { ++ran; });  // including jobs that are spawned during the drain
        ++ran;
      });
    }
  });
  if (is_external()) {
    while (ran < 200) std::this_thread::yield();  // the default scheduler continues
  } else {
    scheduler().shutdown();
  }
  EXPECT_EQ(ran, 200);
}

TEST_P(Spawn, YieldsUntilAnotherThreadHasActed) {
  run([&] {
    std::atomic<bool> flag{false};
    jobs::Counter done;
    jobs::spawn(done, [&flag] { flag = true; });
    while (!flag) jobs::yield();
    done.wait();
  });
}

TEST_P(Spawn, YieldsBetweenFibersOfOneWorkerInTurn) {
  run([&] {
    jobs::Counter done;
    std::atomic<int> turns{0};
    for (int i = 0; i < 10; ++i) {
      jobs::spawn(done, [&turns] {
        for (int j = 0; j < 50; ++j) {
          ++turns;
          jobs::yield();
        }
      });
    }
    done.wait();
    EXPECT_EQ(turns, 500);
  });
}

TEST(Detached, HandsItsExceptionToTheHandlerOfTheScheduler) {
  std::atomic<int> handled{0};
  {
    jobs::Scheduler scheduler(
        {.worker_count = 2, .on_unhandled = [&handled](std::exception_ptr exception) {
           try {
             std::rethrow_exception(exception);
           } catch (const std::runtime_error& error) {
             if (error.what() == std::string("nobody waits")) ++handled;
           }
         }});
    scheduler.run([] {
      for (int i = 0; i < 10; ++i) jobs::spawn([] { throw std::runtime_error("nobody waits"); });
    });
  }
  EXPECT_EQ(handled, 10);
}

}  // namespace
