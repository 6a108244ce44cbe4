// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// AccessLog: the last accesses to one piece of plain data, to find those that no happens-before orders.
#pragma once

#include <array>
#include <cstddef>

#include "tests/model/explorer/view.hpp"

namespace jobs::model {

class AccessLog {
 public:
  // Each notes an access by the thread and advances its clock. False: it races with an earlier one.
  bool read(ThreadView& thread) {
    const bool ordered = is_after_write(thread);
    reads_[thread.id] = ++thread.current.clock[thread.id];
    return ordered;
  }
  bool write(ThreadView& thread) {
    bool ordered = is_after_write(thread);
    for (std::size_t i = 0; i < kMaxThreads; ++i) ordered &= reads_[i] <= thread.current.clock[i];
    written_ = ++thread.current.clock[thread.id];
    writer_ = thread.id;
    return ordered;
  }

 private:
  bool is_after_write(const ThreadView& thread) const { return written_ <= thread.current.clock[writer_]; }

  std::size_t writer_ = 0;
  Timestamp written_ = 0;
  std::array<Timestamp, kMaxThreads> reads_{};
};

}  // namespace jobs::model
