// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// pingpong by two jobs::Events that reset themselves. The remote partner is a stolen job: it waits
// on the thief and stays there.
#include <atomic>

#include "bench/pingpong/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::pingpong {
namespace {

struct Table {
  jobs::Event ping{jobs::Event::Reset::kAutomatic};
  jobs::Event pong{jobs::Event::Reset::kAutomatic};

  void reply(std::int64_t rounds) {
    for (std::int64_t round = 0; round < rounds; ++round) {
      ping.wait();
      pong.signal();
    }
  }
  std::int64_t serve(std::int64_t rounds) {
    std::int64_t replies = 0;
    for (; replies < rounds; ++replies) {
      ping.signal();
      pong.wait();
    }
    return replies;
  }
};

}  // namespace

Figures local_on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{hand_off_ns(kLocalRounds, [](std::int64_t rounds) {
      Table table;
      jobs::Counter partner;
      jobs::spawn(partner, [&] { table.reply(rounds); });
      const std::int64_t replies = table.serve(rounds);
      partner.wait();
      return replies;
    })};
  });
}

Figures remote_on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{hand_off_ns(kRemoteRounds, [](std::int64_t rounds) {
      Table table;
      jobs::Counter partner;
      std::atomic<bool> seated{false};
      jobs::spawn(partner, [&] {
        seated.store(true);
        table.reply(rounds);
      });
      while (!seated.load()) {
        // Polls and does not wait, so that this worker cannot take the job itself.
      }
      const std::int64_t replies = table.serve(rounds);
      partner.wait();
      return replies;
    })};
  });
}

}  // namespace bench::pingpong
