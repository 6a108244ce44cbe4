// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TicketQueue: turns in the order of the tickets, whatever the order of the waits and ends.
#include "jobs/sync/ticket_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::TicketQueue;

class TicketQueues : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TicketQueues);

TEST_P(TicketQueues, GrantTurnsInTheOrderOfTheTickets) {
  run([] {
    constexpr int kTurns = 500;
    std::vector<int> order;
    TicketQueue queue;
    jobs::Counter done;
    for (int i = 0; i < kTurns; ++i) {
      jobs::spawn(done, [&order, i, ticket = queue.take()]() mutable {
        if (i % 7 == 3) return;  // without its turn
        ticket.wait();
        order.push_back(i);
        if (i % 3 == 0) jobs::yield();
        if (i % 2 == 0) ticket.done();
      });
    }
    done.wait();
    std::vector<int> expected;
    for (int i = 0; i < kTurns; ++i) {
      if (i % 7 != 3) expected.push_back(i);
    }
    EXPECT_EQ(order, expected);
  });
}

TEST_P(TicketQueues, LeaveOutTicketsThatEndEarly) {
  run([] {
    TicketQueue queue;
    std::optional first(queue.take());
    std::optional second(queue.take());
    auto third = queue.take();
    first->wait();  // at once
    second.reset();
    EXPECT_FALSE(third.wait_for(1ms)) << "the first ticket has not ended";
    first.reset();
    third.wait();
    auto fourth = queue.take();
    EXPECT_FALSE(fourth.wait_for(0ms));
    third.done();
    third.done();  // idempotent
    third.wait();
    EXPECT_TRUE(fourth.wait_for(0ms));
    EXPECT_TRUE(fourth.wait_until(std::chrono::steady_clock::now()));
  });
}

TEST_P(TicketQueues, GiveUpAndWaitAgain) {
  run([] {
    TicketQueue queue;
    auto first = queue.take();
    auto second = queue.take();
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(second.wait(stop.get_token()));
    jobs::Event waits;
    jobs::Fiber<bool> waiter([&] {
      waits.signal();
      return second.wait_for(1h);
    });
    waits.wait();
    first.done();
    EXPECT_TRUE(waiter.join());
  });
}

TEST_P(TicketQueues, MoveTickets) {
  run([] {
    TicketQueue queue;
    auto first = queue.take();
    auto second = queue.take();
    first = std::move(second);  // ends the first one
    EXPECT_TRUE(first.wait_for(0ms));
    const auto moved(std::move(first));
    EXPECT_FALSE(queue.take().wait_for(1ms));
  });
}

TEST(TicketQueueDeathTest, AbortsIfATicketOutlivesIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        std::optional<TicketQueue> queue(std::in_place);
        const auto ticket = queue->take();
        queue.reset();
      },
      "TicketQueue .*destroyed before a ticket has ended");
}

}  // namespace
