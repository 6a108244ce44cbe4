// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The ledger of the jobs that a scenario submits. The members are plain, because no two virtual
// threads run between two steps.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "jobs/error.hpp"
#include "jobs/testing.hpp"

namespace jobs::test {

// Each accepted job runs exactly once; a refused job has Error(kStopped) and never runs.
class Ledger {
 public:
  // Calls submit(note), which submits one job. The job calls note(). Returns false if the job was
  // refused.
  template <class F>
  bool submit(F&& submit_job) {
    const std::size_t number = entries_.size();
    entries_.push_back({});
    entries_[number].since = testing::now();
    try {
      submit_job([this, number] { note(number); });
    } catch (const Error& error) {
      testing::check(error.code() == ErrorCode::kStopped, "another error than kStopped");
      testing::check(entries_[number].runs == 0, "a refused job ran");
      entries_[number].refused = true;
      return false;
    }
    ++accepted_;
    return true;
  }

  std::size_t accepted() const { return accepted_; }
  std::size_t ran() const { return ran_; }
  // The longest time between a submission and the start of its job.
  std::chrono::nanoseconds oldest() const { return oldest_; }

  void check_all() const {
    testing::check(ran_ == accepted_, "an accepted job did not run");
    testing::check(
        std::ranges::all_of(
            entries_, [](const Entry& entry) { return entry.runs == (entry.refused ? 0U : 1U); }),
        "a job did not run once");
  }

 private:
  struct Entry {
    std::chrono::steady_clock::time_point since{};
    unsigned runs = 0;
    bool refused = false;
  };

  void note(std::size_t number) {
    const auto now = testing::now();
    Entry& entry = entries_[number];
    testing::check(!entry.refused, "a refused job ran");
    testing::check(++entry.runs == 1, "a job ran twice");
    ++ran_;
    oldest_ = std::max<std::chrono::nanoseconds>(oldest_, now - entry.since);
  }

  std::vector<Entry> entries_;
  std::size_t accepted_ = 0, ran_ = 0;
  std::chrono::nanoseconds oldest_{};
};

}  // namespace jobs::test
