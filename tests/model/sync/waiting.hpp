// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The common parts of the models of the primitives. Their threads are external threads: each wait
// creates a ThreadHost, and the explorer checks the lifetime of its inbox as well.
#pragma once

#include <chrono>
#include <cstddef>

#include "jobs/base/atomic.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::model {

// A deadline that may pass at any moment of the wait.
inline constexpr std::chrono::steady_clock::time_point kSoon{std::chrono::nanoseconds{5}};

// Counts the threads that arrive; arrive() tells the last one that it is the last.
class Arrivals {
 public:
  explicit Arrivals(std::size_t expected) : left_(expected) {}
  bool is_last() { return left_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

 private:
  detail::Atomic<std::size_t> left_;
};

}  // namespace jobs::model
