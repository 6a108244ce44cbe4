// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// channel by Boost.Fiber's unbuffered channel.
#include <boost/fiber/all.hpp>

#include "bench/channel/workload.hpp"

namespace bench::channel {

Figures on_boost_fiber(const Conditions&) {
  return {item_ns([] {
    boost::fibers::unbuffered_channel<std::int64_t> channel;
    boost::fibers::fiber pusher([&] {
      for (std::int64_t item = 1; item <= kItems; ++item) channel.push(item);
      channel.close();
    });
    std::int64_t sum = 0;
    std::int64_t item = 0;
    while (channel.pop(item) == boost::fibers::channel_op_status::success) sum += item;
    pusher.join();
    return sum;
  })};
}

}  // namespace bench::channel
