// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ChunkSize: how many iterations of a loop a thread runs before it looks at clock and deque again. An automatic loop times what it runs
// and aims at kChunkTime, or more in a large part, and offers nothing while the rest looks shorter than what it costs to feed a worker
// that searches, or to wake one that sleeps. Internal to the loops.
//
// A clock read takes 30 ns on our machines, 0.6 % of the shortest chunk; but it waits for all loads under way, so that a loop which
// is bound by memory loses 0.3 us at each: hence the long chunks.
#pragma once

#include <cstdint>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

inline constexpr os::Nanoseconds kChunkTime = 5'000;
inline constexpr os::Nanoseconds kLongChunkTime = 100'000;  // the most that a thief may have to wait for the next offer
// A long chunk is no larger a share of what its thread has for sure.
inline constexpr os::Nanoseconds kChunksInPart = 8;
// What a look at the clock may take of the time it shows. The first chunk is one iteration, so a loop of a thousand that do nothing
// would otherwise seem to last 30 us.
inline constexpr os::Nanoseconds kClockTime = 100;
inline constexpr os::Nanoseconds kWorthSharing = 4'000;  // with a worker that searches
inline constexpr os::Nanoseconds kWorthWaking = 25'000;  // with one that sleeps: the futex call alone takes 10 us here

// Long parts of an automatic loop begin at multiples of this, so that parts of aligned data share no cache line and vector code
// reads none in two halves.
inline constexpr std::uint64_t kEdge = 64;
inline constexpr std::uint64_t edge_before(std::uint64_t at) noexcept { return at & ~(kEdge - 1); }

// How many iterations to run before the next look. One for each part of the loop; a thief starts with what its victim knew.
class ChunkSize {
 public:
  static ChunkSize automatic() noexcept { return ChunkSize(1, true); }
  static ChunkSize fixed(std::uint64_t iterations) noexcept { return ChunkSize(iterations, false); }

  std::uint64_t iterations() const noexcept { return iterations_; }
  bool is_automatic() const noexcept { return automatic_; }
  // Where a chunk that starts at `begin` ends, and where a range is halved.
  std::uint64_t stop(std::uint64_t begin, std::uint64_t end) const noexcept {
    if (end - begin <= iterations_) return end;
    const std::uint64_t stop = begin + iterations_;
    return automatic_ && iterations_ >= 4 * kEdge ? edge_before(stop) : stop;
  }
  std::uint64_t middle(std::uint64_t begin, std::uint64_t end) const noexcept {
    const std::uint64_t middle = begin + (end - begin) / 2;
    return automatic_ && end - begin >= 64 * kEdge ? edge_before(middle) : middle;
  }
  // The last chunk, of `count` iterations, took so long; it belongs to a part of `part` iterations.
  void adapt(os::Nanoseconds elapsed, std::uint64_t count, std::uint64_t part) noexcept {
    per_chunk_ = elapsed > kClockTime ? elapsed - kClockTime : 0;
    measured_ = count;
    const std::uint64_t chunks = part / iterations_;
    const os::Nanoseconds share =
        static_cast<os::Nanoseconds>(chunks < kManyChunks ? chunks : kManyChunks) * elapsed / kChunksInPart;
    const os::Nanoseconds wanted = share < kChunkTime ? kChunkTime : (share > kLongChunkTime ? kLongChunkTime : share);
    if (elapsed < wanted / 2) {
      if (iterations_ < kMostIterations) iterations_ *= elapsed < wanted / 16 ? 8 : 2;
    } else if (elapsed > wanted + wanted / 2 && iterations_ > 1) {
      iterations_ /= 2;
    }
  }
  // Whether `rest` iterations are enough to offer half of them, if that pays from `threshold` on.
  bool is_worth_sharing(std::uint64_t rest, os::Nanoseconds threshold) const noexcept {
    if (rest <= 1) return false;
    if (!automatic_) return rest > iterations_;
    if (measured_ == 0) return false;
    // A double is exact enough, and has no overflow.
    return static_cast<double>(rest) * static_cast<double>(per_chunk_) >
           static_cast<double>(measured_) * static_cast<double>(threshold);
  }

 private:
  // Bodies that cost nothing, because the compiler has removed them or takes a part as a whole, never fill the time.
  static constexpr std::uint64_t kMostIterations = std::uint64_t{1} << 60;
  static constexpr std::uint64_t kManyChunks = 1 << 16;  // more make no difference, and might overflow

  ChunkSize(std::uint64_t iterations, bool automatic) noexcept : iterations_(iterations), automatic_(automatic) {}

  std::uint64_t iterations_;
  std::uint64_t measured_ = 0;
  os::Nanoseconds per_chunk_ = 0;
  bool automatic_;
};

}  // namespace jobs::inline JOBS_ABI::detail
