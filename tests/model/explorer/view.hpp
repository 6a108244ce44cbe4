// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// View: what a thread of the model is bound to know. Memory is one list of stores for each location, in modification
// order; a view holds, for each location, the oldest store that may still be read. Views only grow: release hands one
// over with a store, acquire takes it in. The clocks do the same for plain data, where they tell a race from an ordered
// access.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace jobs::model {

[[noreturn]] void fail(const std::string& why);  // of the execution (explore.hpp)

inline constexpr std::size_t kMaxLocations = 56;  // atomics made in one execution, dead ones included
inline constexpr std::size_t kMaxThreads = 8;     // with the one that runs the body

using Value = std::uint64_t;  // of an atomic: any trivially copyable T of at most 8 bytes
using Timestamp =
    std::int16_t;  // position in a modification order, or time of one thread; of signed ones SSE2 has the larger

// Eight at once: explorers do little else than join views.
using Timestamps [[gnu::vector_size(16)]] = Timestamp;

inline Timestamps eight_at(const Timestamp* place) {
  Timestamps eight;
  std::memcpy(&eight, place, sizeof eight);
  return eight;
}

// The larger of each two.
template <std::size_t kCount>
[[gnu::always_inline]] inline void raise(std::array<Timestamp, kCount>& to, const std::array<Timestamp, kCount>& from) {
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

  // Atomics only. A seq_cst fence orders atomics; it does not by itself make a happens-before edge for plain data.
  void join_seen(const View& other) { raise(seen, other.seen); }
  void join(const View& other) {
    join_seen(other);
    raise(clock, other.clock);
  }
};

struct ThreadView {
  std::size_t id = 0;
  View current;   // bounds every read
  View acquired;  // what relaxed loads have seen the release of; an acquire fence makes it current
  View released;  // current at the last release fence; what a relaxed store hands over

  // The thread has done one thing more; its time.
  Timestamp advance() {
    Timestamp& time = current.clock[id];
    if (time == std::numeric_limits<Timestamp>::max()) [[unlikely]]
      fail("too many accesses: it does not end");
    return ++time;
  }
};

}  // namespace jobs::model
