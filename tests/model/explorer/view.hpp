// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// View: the least knowledge of a thread of the model. Memory is one list of stores per location, in
// modification order. For each location, a view holds the oldest store that the thread may still
// read. Views only grow: a release attaches a view to a store, and an acquire joins it. The clocks
// do the same for plain data and distinguish a race from an ordered access.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace jobs::model {

[[noreturn]] void fail(const std::string& why);  // ends the execution with a failure (explore.hpp)

// Atomics created in one execution, including dead ones.
inline constexpr std::size_t kMaxLocations = 64;
inline constexpr std::size_t kMaxThreads = 8;  // including the thread that runs the body

using Value = std::uint64_t;  // the value of an atomic: any trivially copyable T of at most 8 bytes
// Position in a modification order, or time of a thread. Signed because SSE2 computes the maximum
// of signed 16-bit numbers only.
using Timestamp = std::int16_t;

// Eight at once: explorers spend most of their time in joins of views.
using Timestamps [[gnu::vector_size(16)]] = Timestamp;

inline Timestamps eight_at(const Timestamp* place) {
  Timestamps eight;
  std::memcpy(&eight, place, sizeof eight);
  return eight;
}

// Stores the larger of each pair in `to`.
template <std::size_t kCount>
[[gnu::always_inline]] inline void raise(std::array<Timestamp, kCount>& to,
                                         const std::array<Timestamp, kCount>& from) {
  constexpr std::size_t kAtOnce = sizeof(Timestamps) / sizeof(Timestamp);
  static_assert(kCount % kAtOnce == 0);
  for (std::size_t i = 0; i < kCount; i += kAtOnce) {
    const Timestamps a = eight_at(&to[i]);
    const Timestamps b = eight_at(&from[i]);
    const Timestamps larger = a > b ? a : b;
    std::memcpy(&to[i], &larger, sizeof larger);
  }
}

struct View {
  std::array<Timestamp, kMaxLocations> seen{};
  std::array<Timestamp, kMaxThreads> clock{};

  // For atomics only. A seq_cst fence orders atomics; alone it makes no happens-before edge for
  // plain data.
  void join_seen(const View& other) { raise(seen, other.seen); }
  void join(const View& other) {
    join_seen(other);
    raise(clock, other.clock);
  }
};

struct ThreadView {
  std::size_t id = 0;
  View current;   // bounds every read
  View acquired;  // the releases that relaxed loads have seen; an acquire fence makes them current
  View released;  // current at the last release fence; a relaxed store publishes it

  // Counts one more access of the thread and returns its time.
  Timestamp advance() {
    Timestamp& time = current.clock[id];
    if (time == std::numeric_limits<Timestamp>::max()) [[unlikely]]
      fail("too many accesses: it does not end");
    return ++time;
  }
};

}  // namespace jobs::model
