// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ProcessPage: the page that another process shares (JOBS_LIVE=1), and what the kernel says about
// that process. It neither stops nor wakes the process. One thread calls the functions.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "jobs/trace/live/live_page.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class ProcessPage {
 public:
  // Throws std::runtime_error with one line: there is no such process, it belongs to another user,
  // it shares no page, or its page has another version.
  explicit ProcessPage(pid_t process);
  ~ProcessPage();
  ProcessPage(const ProcessPage&) = delete;
  ProcessPage& operator=(const ProcessPage&) = delete;

  // Reads the last picture, and asks the process to list waits. Returns false if there is no
  // picture yet.
  bool read(LivePicture& picture) noexcept;
  // The name of the program; empty if the process has ended.
  std::string command() const;
  // The state of the process, or of one of its threads, as in /proc: R, S, D, T, Z; 0: it has
  // ended.
  char state() const;
  char state_of(std::int32_t thread) const;

  pid_t process() const noexcept { return process_; }

 private:
  void map(int file, bool is_writable);

  const pid_t process_;
  LivePage* page_ = nullptr;
  bool is_writable_ = false;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
