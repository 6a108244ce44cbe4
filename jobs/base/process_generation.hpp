// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ProcessGeneration: marks an object that a child process must not use. The process counts its
// generation; fork() starts the next one. An object stores the generation of its construction and
// compares it at each entry from outside. Any thread.
#pragma once

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

// 0 in the first process of the program. The only thread of a new process increments it.
extern constinit unsigned process_generation;

class ProcessGeneration {
 public:
  // The object belongs to the process that this process was forked from.
  bool is_inherited() const noexcept { return created_in_ != process_generation; }
  // Throws Error(kForked) if the object is inherited.
  void check() const {
    if (is_inherited()) [[unlikely]]
      throw_forked();
  }

 private:
  [[noreturn]] static void throw_forked();

  const unsigned created_in_ = process_generation;
};

}  // namespace jobs::inline JOBS_ABI::detail
