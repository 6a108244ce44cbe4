// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LoopCosts: what an iteration of the last automatic loops cost. A loop that has no measurement yet
// decides by it whether its first iterations are worth an offer. Without it, all other workers wait
// for the first iteration, and a loop of two long iterations runs serially.
//
// Owner: a WorkerContext. Only its thread calls the functions.
//
// An unknown loop is expected to be expensive: it wakes a worker in vain at most once. A loop whose
// slot belongs to another one is expected to be free, because it may lose its slot at each call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

// One object for each type of the body of a loop.
template <class Body>
inline constexpr char loop_code = 0;

class LoopCosts {
 public:
  // Identifies a loop: the address of loop_code of its body.
  using Code = const char*;

  static constexpr float kUnknown = 1'000'000;

  // Returns the expected cost of an iteration in nanoseconds.
  float expected(Code code) const noexcept {
    const Entry& entry = entries_[slot(code)];
    if (entry.code == code) return entry.cost;
    return entry.code == nullptr ? kUnknown : 0;
  }
  // Records a measured cost. A higher cost counts only in half: an interrupted measurement must not
  // make the next loops wake workers in vain.
  void learn(Code code, float cost) noexcept {
    Entry& entry = entries_[slot(code)];
    entry.cost = entry.code == code && cost > entry.cost ? (entry.cost + cost) / 2 : cost;
    entry.code = code;
  }

 private:
  static constexpr std::size_t kSlots = 64;

  struct Entry {
    Code code = nullptr;
    float cost = 0;
  };
  static std::size_t slot(Code code) noexcept {
    return reinterpret_cast<std::uintptr_t>(code) % kSlots;
  }

  std::array<Entry, kSlots> entries_{};
};

}  // namespace jobs::inline JOBS_ABI::detail
