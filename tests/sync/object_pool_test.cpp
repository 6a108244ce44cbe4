// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ObjectPool: no object is lent twice at a time, and no more objects exist than the pool's size.
#include "jobs/sync/object_pool.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::ObjectPool;

// An object that can be neither copied nor moved.
class Fixed {
 public:
  explicit Fixed(int number) : number_(number) {}
  Fixed(const Fixed&) = delete;
  Fixed& operator=(const Fixed&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
};

class ObjectPools : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(ObjectPools);

TEST_P(ObjectPools, LendNoObjectTwiceAtATime) {
  run([] {
    struct Object {
      int users = 0;
      int uses = 0;
    };
    std::atomic<int> made{0};
    ObjectPool<Object> pool(3, [&] {
      ++made;
      return Object();
    });
    jobs::Counter done;
    for (int i = 0; i < 300; ++i) {
      jobs::spawn(done, [&] {
        const auto loan = pool.borrow();
        EXPECT_EQ(++loan->users, 1);
        ++loan->uses;
        jobs::this_fiber::sleep_for(20us);  // other jobs borrow meanwhile
        EXPECT_EQ(--loan->users, 0);
      });
    }
    done.wait();
    EXPECT_LE(made, 3);
    int uses = 0;
    std::vector<ObjectPool<Object>::Loan> all;
    for (int i = 0; i < made; ++i) all.push_back(pool.borrow());
    for (const auto& loan : all) uses += loan->uses;
    EXPECT_EQ(uses, 300);
  });
}

TEST_P(ObjectPools, KeepALoanOverAWaitAndALoop) {
  run([] {
    ObjectPool<std::array<int, 100>> pool(ObjectPool<std::array<int, 100>>::kUnbounded);
    std::atomic<int> wrong{0};
    jobs::parallel_for(0, 20, [&](int i) {
      const auto scratch = pool.borrow();
      scratch->fill(i);
      jobs::parallel_for(0, 100,
                         [&](int k) { wrong += (*scratch)[static_cast<std::size_t>(k)] != i; });
    });
    EXPECT_EQ(wrong, 0);
  });
}

TEST_P(ObjectPools, GiveUpWithoutAnObject) {
  run([] {
    ObjectPool<int> pool(1);
    std::optional loan(pool.borrow());
    **loan = 7;
    EXPECT_FALSE(pool.try_borrow());
    EXPECT_FALSE(pool.try_borrow_for(2ms));
    EXPECT_FALSE(pool.try_borrow_until(std::chrono::steady_clock::now() + 1ms));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(pool.try_borrow_for(1h, stop.get_token()));
    jobs::Fiber<int> waiter([&] { return *pool.borrow(); });
    jobs::yield();
    loan.reset();
    EXPECT_EQ(waiter.join(), 7) << "the object lost its state";
    EXPECT_TRUE(pool.try_borrow());
    EXPECT_TRUE(pool.try_borrow()) << "the last loan did not end";
  });
}

TEST_P(ObjectPools, MoveALoan) {
  run([] {
    ObjectPool<int> pool(2);
    auto a = pool.borrow();
    *a = 1;
    auto b = pool.borrow();
    *b = 2;
    a = std::move(b);
    EXPECT_EQ(*a, 2);
    const auto c = pool.try_borrow();  // the object of the loan that ended
    ASSERT_TRUE(c);
    EXPECT_EQ(**c, 1);
  });
}

TEST_P(ObjectPools, ThrowWhatMakingThrowsAndLendLater) {
  run([] {
    bool fails = true;
    ObjectPool<Fixed> pool(1, [&] {
      if (fails) throw std::runtime_error("no object");
      return Fixed(5);
    });
    EXPECT_THROW(static_cast<void>(pool.borrow()), std::runtime_error);
    EXPECT_THROW(static_cast<void>(pool.try_borrow()), std::runtime_error);
    fails = false;
    EXPECT_EQ(pool.borrow()->number(), 5);
  });
}

}  // namespace
