// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// AccessLog: the last accesses to one piece of plain data. It finds accesses that no happens-before
// relation orders.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/model/explorer/view.hpp"

namespace jobs::model {

class AccessLog {
 public:
  // Each records an access by the thread and advances its clock. False: the access races with an
  // earlier one.
  bool read(ThreadView& thread) {
    const bool ordered = is_after_write(thread);
    reads_[thread.id] = thread.advance();
    return ordered;
  }
  bool write(ThreadView& thread) {
    const bool ordered = is_after_write(thread) && is_after_reads(thread);
    written_ = thread.advance();
    writer_ = thread.id;
    return ordered;
  }

 private:
  bool is_after_write(const ThreadView& thread) const {
    return written_ <= thread.current.clock[writer_];
  }
  bool is_after_reads(const ThreadView& thread) const {
    static_assert(kMaxThreads * sizeof(Timestamp) == sizeof(Timestamps));
    const Timestamps later = eight_at(reads_.data()) > eight_at(thread.current.clock.data());
    std::array<std::uint64_t, 2> any;
    std::memcpy(any.data(), &later, sizeof later);
    return (any[0] | any[1]) == 0;
  }

  std::size_t writer_ = 0;
  Timestamp written_ = 0;
  std::array<Timestamp, kMaxThreads> reads_{};
};

}  // namespace jobs::model
