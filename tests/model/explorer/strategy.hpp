// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Strategy: makes the choices that an execution leaves open, and selects the next execution. It
// writes every decision on a tape, so that any execution can be repeated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/model/explorer/explore.hpp"
#include "tests/model/explorer/memory.hpp"

namespace jobs::model {

class Strategy final : public Choose {
 public:
  explicit Strategy(const Options& options);

  // Called before each execution. False: no further execution exists.
  bool start_next();
  // Records the length of the last execution.
  void note_steps(unsigned steps) { expected_steps_ = std::max(expected_steps_, steps); }

  // Returns one of the candidates. The first candidate is the running thread if it can continue.
  std::size_t choose_thread(std::span<const std::size_t> candidates, std::size_t running,
                            unsigned step);

  // True if the number of preemptions is bounded.
  bool is_bounded() const { return search_ == Search::kExhaustive; }

  std::string tape() const;
  // Repeats the decisions of the tape from this call on.
  void replay(const std::string& tape);

 private:
  struct Choice {
    std::size_t of;
    std::size_t taken;
  };

  std::size_t choose_of_several(std::size_t n) override;
  std::size_t record(std::size_t n, std::size_t taken);

  Search search_;
  bool replaying_ = false;
  bool first_ = true;
  std::vector<Choice> choices_;
  std::size_t position_ = 0;

  std::mt19937_64 random_;
  unsigned priority_changes_;
  unsigned expected_steps_ = 1;
  std::array<std::int64_t, kMaxThreads> priorities_{};
  std::int64_t lowest_priority_ = 0;
  std::vector<unsigned> change_steps_;
};

}  // namespace jobs::model
