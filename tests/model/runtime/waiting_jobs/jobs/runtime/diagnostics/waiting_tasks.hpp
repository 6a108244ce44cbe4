// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of waiting tasks, for models: a count. The shipping list is an object of the process,
// and a model has atomics only while it runs.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <utility>

#include "jobs/fiber/wait_site.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

struct TaskFacts {
  WaitSite wait;
  std::array<std::source_location, 1> sites;
  std::size_t depth = 0;
};

class WaitingTask {
 public:
  WaitingTask() = default;
  WaitingTask(const WaitingTask&) = delete;
  WaitingTask& operator=(const WaitingTask&) = delete;

 protected:
  ~WaitingTask() = default;

 private:
  virtual TaskFacts facts() const noexcept = 0;
  virtual const Shared* scheduler() const noexcept = 0;
};

class WaitingTasks {
 public:
  static WaitingTasks& instance() noexcept {
    static WaitingTasks only;
    return only;
  }

  void add(WaitingTask& /*task*/) noexcept { ++count_; }
  void remove(WaitingTask& /*task*/) noexcept { --count_; }
  // Returns the number of listed waits, and begins with none.
  int take_count() noexcept { return std::exchange(count_, 0); }

 private:
  int count_ = 0;
};

}  // namespace jobs::inline JOBS_ABI::detail
