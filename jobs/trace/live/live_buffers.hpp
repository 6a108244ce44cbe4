// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LiveBuffers: the last picture of a process, in memory that other processes map. The writer
// overwrites the older of two buffers. If the writer stops at any point, a whole picture remains.
//
// Threads: one writer calls publish(). Any thread of any process may call read() concurrently.
// Memory that is all zeros is a valid object without a picture.
//
// Invariants: `head_` counts the pictures that were written. Picture n lies in buffer n % 2.
//
// Protocol:
//
//   writer                                      reader
//   step 1: stores the words of picture h + 1   step 1: loads head_: h; 0: there is none [live.1]
//           to the older buffer [live.2]        step 2: loads the words of picture h [live.2]
//   step 2: stores h + 1 to head_ [live.1]      step 3: loads head_ again; another value: starts
//                                                       again
//
// Proof. Picture h is complete, because the reader acquires the store of step 2. Picture h + 2 is
// the first one that overwrites it. If the reader loads a word of picture h + 2, it acquires that
// store, so it sees the store of h + 1 to head_, which came before. So step 3 finds another value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace live_order {
JOBS_ORDER(kOwn, relaxed);      // only the writer stores it
JOBS_ORDER(kPublish, release);  // [live.1] publishes the picture; partner: kSeeHead
JOBS_ORDER(kSeeHead, acquire);  // [live.1] partner: kPublish
JOBS_ORDER(kWrite, release);    // [live.2] publishes the head before it; partner: kRead
JOBS_ORDER(kRead, acquire);     // [live.2] partner: kWrite
JOBS_ORDER(kCheck, relaxed);    // ordered by kRead
}  // namespace live_order

template <std::size_t kWords>
class LiveBuffers {
 public:
  using Words = std::array<std::uint64_t, kWords>;

  // Writes a picture over the older one. Writer only.
  void publish(const Words& picture) noexcept {
    const std::uint64_t head = head_.load(live_order::kOwn) + 1;
    Buffer& buffer = buffers_[head % 2];
    for (std::size_t i = 0; i < kWords; ++i) buffer[i].store(picture[i], live_order::kWrite);
    head_.store(head, live_order::kPublish);
  }

  // Copies the last picture. Returns its number, from 1. Returns 0 if there is none, or if the
  // writer has overtaken each of `attempts` copies.
  std::uint64_t read(Words& picture, unsigned attempts) const noexcept {
    for (; attempts != 0; --attempts) {
      const std::uint64_t head = head_.load(live_order::kSeeHead);
      if (head == 0) return 0;
      const Buffer& buffer = buffers_[head % 2];
      for (std::size_t i = 0; i < kWords; ++i) picture[i] = buffer[i].load(live_order::kRead);
      if (head_.load(live_order::kCheck) == head) return head;
    }
    return 0;
  }

 private:
  using Buffer = std::array<jobs::detail::Atomic<std::uint64_t>, kWords>;

  jobs::detail::Atomic<std::uint64_t> head_{0};
  std::array<Buffer, 2> buffers_{};
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
