// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ChunkSize: the number of iterations that a thread runs between two reads of the clock and the
// deque. Internal to the loops.
//
// Owner: the part of the loop that contains it. Only the thread that runs the part calls it. A
// published part carries a copy.
//
// An automatic loop measures its chunks. It aims at kChunkTime per chunk, and at more in a large
// part. It offers nothing while the remaining iterations seem cheaper than the hand-off: feeding a
// searching worker or waking a sleeping worker. Before its first measurement, it relies on the cost
// of its last run (LoopCosts).
//
// A clock read takes 30 ns on the project's machines, 0.6 % of the shortest chunk. It also waits
// for all outstanding loads, so a loop that is bound by memory loses 0.3 us at each read. Therefore
// chunks of large parts are long.
#pragma once

#include <cstdint>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

inline constexpr os::Nanoseconds kChunkTime = 5'000;
// The longest time that a thief may have to wait for the next offer.
inline constexpr os::Nanoseconds kLongChunkTime = 100'000;
// A chunk longer than kChunkTime takes at most 1 / kChunksInPart of the thread's part.
inline constexpr os::Nanoseconds kChunksInPart = 8;
// Upper bound of the share of a measured time that the clock read itself takes. The first chunk is
// one iteration. Without this deduction, a loop of 1,000 empty iterations would seem to take 30 us.
inline constexpr os::Nanoseconds kClockTime = 100;
// After a longer chunk, a worker looks for a high job.
inline constexpr os::Nanoseconds kGivesWay = 1'000'000;
inline constexpr os::Nanoseconds kWorthSharing = 4'000;  // with a worker that searches
// With a worker that sleeps: the futex call alone takes 10 us on the development machine.
inline constexpr os::Nanoseconds kWorthWaking = 25'000;

// Long parts of an automatic loop begin at multiples of kEdge. Therefore parts of aligned data
// share no cache line, and vector code reads no cache line in two halves.
inline constexpr std::uint64_t kEdge = 64;
inline constexpr std::uint64_t edge_before(std::uint64_t at) noexcept { return at & ~(kEdge - 1); }

// Each part of a loop has one ChunkSize. A thief starts with a copy of its victim's.
class ChunkSize {
 public:
  static constexpr float kUnmeasured = -1;

  static ChunkSize automatic() noexcept { return ChunkSize(1, true); }
  static ChunkSize fixed(std::uint64_t iterations) noexcept { return ChunkSize(iterations, false); }

  // Sets the expected cost of an iteration in nanoseconds, which counts until the first
  // measurement.
  void expect(float cost) noexcept {
    per_chunk_ = static_cast<os::Nanoseconds>(cost * static_cast<float>(kExpected));
    measured_ = kExpected;
    is_expectation_ = true;
  }

  std::uint64_t iterations() const noexcept { return iterations_; }
  bool is_automatic() const noexcept { return automatic_; }
  // Returns the measured cost of an iteration in nanoseconds; kUnmeasured if there is none.
  float cost() const noexcept {
    if (is_expectation_ || measured_ == 0) return kUnmeasured;
    return static_cast<float>(per_chunk_) / static_cast<float>(measured_);
  }
  // Returns whether an automatic loop measures a chunk. A chunk that ends its part is measured only
  // if nothing has been: an expectation that no loop checks would stay for ever.
  bool measures(bool ends_part) const noexcept { return !ends_part || is_expectation_; }
  // Returns the end of the chunk that starts at `begin`. pre: begin < end.
  std::uint64_t stop(std::uint64_t begin, std::uint64_t end) const noexcept {
    if (end - begin <= iterations_) return end;
    const std::uint64_t stop = begin + iterations_;
    return automatic_ && iterations_ >= 4 * kEdge ? edge_before(stop) : stop;
  }
  // Returns the index that halves the range. With a fixed size, it is the begin of a chunk, so that
  // all chunks begin at multiples of the size. pre: is_worth_sharing(end - begin).
  std::uint64_t middle(std::uint64_t begin, std::uint64_t end) const noexcept {
    const std::uint64_t half = (end - begin) / 2;
    const std::uint64_t middle = begin + half;
    // The owner keeps the odd iteration, because the thief begins later.
    if (automatic_) return end - begin >= 64 * kEdge ? edge_before(middle) : end - half;
    const std::uint64_t beyond = half % iterations_;
    return beyond == 0 ? middle : middle - beyond + iterations_;
  }
  // Adapts the size: the last chunk ran `count` iterations in `elapsed`, in a part of `part`
  // iterations.
  void adapt(os::Nanoseconds elapsed, std::uint64_t count, std::uint64_t part) noexcept {
    per_chunk_ = elapsed > kClockTime ? elapsed - kClockTime : 0;
    measured_ = count;
    is_expectation_ = false;
    const std::uint64_t chunks = part / iterations_;
    const os::Nanoseconds share =
        static_cast<os::Nanoseconds>(chunks < kManyChunks ? chunks : kManyChunks) * elapsed /
        kChunksInPart;
    const os::Nanoseconds wanted =
        share < kChunkTime ? kChunkTime : (share > kLongChunkTime ? kLongChunkTime : share);
    if (elapsed < wanted / 2) {
      if (iterations_ < kMaxIterations) iterations_ *= elapsed < wanted / 16 ? 8 : 2;
    } else if (elapsed > wanted + wanted / 2 && iterations_ > 1) {
      iterations_ /= 2;
    }
  }
  // Returns true if `remaining` iterations are worth an offer of half of them. An automatic loop
  // requires their estimated time to exceed `threshold`; a loop with fixed chunks requires more
  // than a chunk.
  bool is_worth_sharing(std::uint64_t remaining, os::Nanoseconds threshold) const noexcept {
    if (remaining <= 1) return false;
    if (!automatic_) return remaining > iterations_;
    if (measured_ == 0) return false;
    // A double is exact enough and cannot overflow.
    return static_cast<double>(remaining) * static_cast<double>(per_chunk_) >
           static_cast<double>(measured_) * static_cast<double>(threshold);
  }

 private:
  // Bounds the growth for bodies without cost: the compiler removes them, or computes a part as a
  // whole, and no number of iterations fills the time.
  static constexpr std::uint64_t kMaxIterations = std::uint64_t{1} << 60;
  // A greater number of chunks makes no difference, and could overflow.
  static constexpr std::uint64_t kManyChunks = 1 << 16;
  // Iterations of an expectation: costs below a nanosecond need more than one.
  static constexpr std::uint64_t kExpected = 1024;

  ChunkSize(std::uint64_t iterations, bool automatic) noexcept
      : iterations_(iterations), automatic_(automatic) {}

  std::uint64_t iterations_;
  std::uint64_t measured_ = 0;
  os::Nanoseconds per_chunk_ = 0;
  bool automatic_;
  bool is_expectation_ = false;
};

}  // namespace jobs::inline JOBS_ABI::detail
