// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The text that stands for the function of a job: what the program has written of it, and the line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "jobs/trace/format/source_lines.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// Returns the part of a function's name that the program has written: "f()::{lambda()#1}" for the
// job that runs this lambda. Throws std::bad_alloc.
std::string short_name(std::string_view name);

// Returns the line that follows the name, if it is known: " (mesh.cpp:12)". `function`: its
// address; 0: there is none. Throws std::bad_alloc.
std::string line_after_name(std::uint64_t function, const SourceLines& lines);

}  // namespace jobs::inline JOBS_ABI::trace::detail
