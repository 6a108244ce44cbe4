// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Strategy: decides what an execution leaves open, and which execution is next. Every decision is written on a tape, so
// that any execution can be run again.
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

  // Before each execution. False: there is no other.
  bool start_next();
  // The last execution took so many steps.
  void note_steps(unsigned steps) { expected_steps_ = std::max(expected_steps_, steps); }

  // One of the candidates, the first of which is the thread that runs now if it can go on.
  std::size_t choose_thread(std::span<const std::size_t> candidates, std::size_t running, unsigned step);

  // True if the number of preemptions is bounded.
  bool is_bounded() const { return search_ == Search::kExhaustive; }

  std::string tape() const;
  // From now on repeats what is on the tape.
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
