// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// channel by jobs::Channel.
#include "bench/channel/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::channel {

namespace {

std::int64_t transfer(std::int64_t items) {
  jobs::Channel<std::int64_t> channel(0);
  jobs::Counter pusher;
  jobs::spawn(pusher, [&] {
    for (std::int64_t item = 1; item <= items; ++item) static_cast<void>(channel.push(item));
    channel.close();
  });
  std::int64_t sum = 0;
  while (const auto item = channel.pop()) sum += *item;
  pusher.wait();
  return sum;
}

}  // namespace

Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] { return Figures{item_ns(kItems, transfer)}; });
}
Figures few_on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] { return Figures{few_item_ns(transfer)}; });
}

}  // namespace bench::channel
