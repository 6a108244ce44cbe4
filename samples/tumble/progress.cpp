// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// The progress line of the film.
#include "samples/tumble/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace tumble {

Progress::Progress(std::string name, std::size_t frames)
    : name_(std::move(name)), frames_(frames), is_shown_(isatty(STDERR_FILENO) != 0) {
  if (is_shown_) draw(0);
}

Progress::~Progress() {
  if (is_shown_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::advance() {
  const std::size_t done = done_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (!is_shown_) return;
  // If another thread is drawing, this frame is skipped, because no thread waits for a terminal. A
  // later frame redraws the line.
  const std::unique_lock lock(drawing_, std::try_to_lock);
  if (lock) draw(done);
}

void Progress::draw(std::size_t done) const {
  constexpr std::size_t kWidth = 40;
  const std::size_t full = frames_ == 0 ? kWidth : done * kWidth / frames_;
  fmt::print(stderr, "\r{:<8} [{:#<{}}{:.<{}}] {}/{} frames", name_, "", full, "", kWidth - full,
             done, frames_);
  std::fflush(stderr);
}

}  // namespace tumble
