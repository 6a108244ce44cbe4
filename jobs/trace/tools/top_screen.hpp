// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The screen of jobs-top as text: two pictures of a process as lines. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/trace/live/live_page.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// What is known about a process. The states are those of /proc; 0: unknown.
struct TopView {
  long process = 0;
  std::string command;
  char state = '\0';
  std::vector<char> thread_states;  // of the workers of `picture`, in their order
  LivePicture picture;
  LivePicture before;  // for the rates; the same picture: all rates are 0
  os::Nanoseconds now = 0;
};

// Returns a text without control characters and invalid UTF-8. Throws std::bad_alloc.
std::string printable(std::string_view text);

// Returns the start of a line of printable() text that takes at most that many columns of a
// terminal. It never ends within a character.
std::string_view cut_to_columns(std::string_view line, std::size_t columns) noexcept;

// Returns lines without line breaks. Names appear without control characters. Throws
// std::bad_alloc.
std::vector<std::string> lines_of(const TopView& view);

}  // namespace jobs::inline JOBS_ABI::trace::detail
