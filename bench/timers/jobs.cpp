// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The timing wheel of a worker.
#include "bench/timers/workload.hpp"
#include "jobs/runtime/worker/timers.hpp"

namespace bench::timers {
namespace {

struct Node : jobs::detail::Deadline {
  explicit Node(std::int64_t when) : Deadline(nullptr, when) {}
};

}  // namespace

template <std::int64_t kArmed>
Figures on_jobs(const Conditions&) {
  return {pair_ns<Node, jobs::detail::Timers>(kArmed)};
}
template Figures on_jobs<0>(const Conditions&);
template Figures on_jobs<1'000'000>(const Conditions&);

}  // namespace bench::timers
