// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// sum_through_channel(): two jobs of the current scheduler pass the numbers 1 to 100 through a
// channel. The consumer starts before the producer.
#pragma once

#include <gtest/gtest.h>

#include "jobs/spawn.hpp"
#include "jobs/sync/channel.hpp"
#include "jobs/sync/counter.hpp"

namespace jobs::test {

// Returns the sum of the numbers that the consumer received: 5050.
inline int sum_through_channel() {
  Channel<int> numbers(2);
  Counter done;
  int sum = 0;
  spawn(done, [&] {
    while (const auto number = numbers.pop()) sum += *number;
  });
  spawn(done, [&] {
    for (int i = 1; i <= 100; ++i) EXPECT_TRUE(numbers.push(i));
    numbers.close();
  });
  done.wait();
  return sum;
}

}  // namespace jobs::test
