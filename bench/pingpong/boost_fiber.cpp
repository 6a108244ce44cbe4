// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// pingpong by Boost.Fiber's unbuffered channels, on one thread and between two.
#include <boost/fiber/all.hpp>

#include <thread>

#include "bench/pingpong/workload.hpp"

namespace bench::pingpong {
namespace {

struct Table {
  boost::fibers::unbuffered_channel<std::int64_t> ping;
  boost::fibers::unbuffered_channel<std::int64_t> pong;

  void reply(std::int64_t rounds) {
    for (std::int64_t round = 0; round < rounds; ++round) pong.push(ping.value_pop());
  }
  std::int64_t serve(std::int64_t rounds) {
    std::int64_t replies = 0;
    for (; replies < rounds; ++replies) {
      ping.push(replies);
      expect_equal(replies, pong.value_pop());
    }
    return replies;
  }
};

template <class Partner>
std::int64_t play(std::int64_t rounds) {
  Table table;
  Partner partner([&] { table.reply(rounds); });
  const std::int64_t replies = table.serve(rounds);
  partner.join();
  return replies;
}

}  // namespace

Figures local_on_boost_fiber(const Conditions&) {
  return {hand_off_ns(kLocalRounds, play<boost::fibers::fiber>)};
}
Figures remote_on_boost_fiber(const Conditions&) {
  return {hand_off_ns(kRemoteRounds, play<std::thread>)};
}

}  // namespace bench::pingpong
