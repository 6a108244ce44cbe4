// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SingleWriterCounter: a counter with one writing thread; any thread may read it. It serves
// statistics and the scheduler's quiescence check. It needs no read-modify-write: add() is a few
// instructions on the writer's own cache line.
#pragma once

#include <cstdint>

#include "jobs/base/annotate.hpp"
#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace single_writer_order {
JOBS_ORDER(kCount, release);  // [counters.1] publishes the counted work; partner: kRead
JOBS_ORDER(kRead, acquire);   // [counters.1] partner: kCount
}  // namespace single_writer_order

class SingleWriterCounter {
 public:
  JOBS_ALWAYS_INLINE void add(std::uint64_t n) noexcept {
    if constexpr (sanitizer::kSwitchesOrder) {
      value_.store(value_.load(std::memory_order_relaxed) + n, single_writer_order::kCount);
    } else {
      // A store would order a reader after the last fiber of the writer only.
      value_.fetch_add(n, single_writer_order::kCount);
    }
  }
  void subtract(std::uint64_t n) noexcept { add(~n + 1); }
  std::uint64_t read() const noexcept { return value_.load(single_writer_order::kRead); }

 private:
  Atomic<std::uint64_t> value_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
