// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// channel by Boost.Fiber's unbuffered channel.
#include <boost/fiber/all.hpp>

#include "bench/channel/workload.hpp"

namespace bench::channel {

namespace {

std::int64_t transfer(std::int64_t items) {
  boost::fibers::unbuffered_channel<std::int64_t> channel;
  boost::fibers::fiber pusher([&] {
    for (std::int64_t item = 1; item <= items; ++item) channel.push(item);
    channel.close();
  });
  std::int64_t sum = 0;
  std::int64_t item = 0;
  while (channel.pop(item) == boost::fibers::channel_op_status::success) sum += item;
  pusher.join();
  return sum;
}

}  // namespace

Figures on_boost_fiber(const Conditions&) { return {item_ns(kItems, transfer)}; }
Figures few_on_boost_fiber(const Conditions&) { return {few_item_ns(transfer)}; }

}  // namespace bench::channel
