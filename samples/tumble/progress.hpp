// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The progress of the film: on a terminal a line on standard error, otherwise nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

namespace tumble {

class Progress {
 public:
  Progress(std::string name, std::size_t frames);
  ~Progress();  // wipes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Counts another frame. Any thread may call it.
  void advance();

 private:
  void draw(std::size_t done) const;

  const std::string name_;
  const std::size_t frames_;
  const bool is_shown_;
  std::atomic<std::size_t> done_ = 0;  // relaxed: human-readable output only
  std::mutex drawing_;
};

}  // namespace tumble
