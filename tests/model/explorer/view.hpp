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

namespace jobs::model {

inline constexpr std::size_t kMaxLocations = 56;  // atomics made in one execution, dead ones included
inline constexpr std::size_t kMaxThreads = 8;     // with the one that runs the body

using Value = std::uint64_t;      // of an atomic: any trivially copyable T of at most 8 bytes
using Timestamp = std::uint16_t;  // position in a modification order, or time of one thread

struct View {
  std::array<Timestamp, kMaxLocations> seen{};
  std::array<Timestamp, kMaxThreads> clock{};

  // Atomics only. A seq_cst fence orders atomics; it does not by itself make a happens-before edge for plain data.
  void join_seen(const View& other) {
    for (std::size_t i = 0; i < kMaxLocations; ++i) seen[i] = std::max(seen[i], other.seen[i]);
  }
  void join(const View& other) {
    join_seen(other);
    for (std::size_t i = 0; i < kMaxThreads; ++i) clock[i] = std::max(clock[i], other.clock[i]);
  }
};

struct ThreadView {
  std::size_t id = 0;
  View current;   // bounds every read
  View acquired;  // what relaxed loads have seen the release of; an acquire fence makes it current
  View released;  // current at the last release fence; what a relaxed store hands over
};

}  // namespace jobs::model
