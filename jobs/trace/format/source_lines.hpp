// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SourceLines: the source lines of code addresses, for findings and profiles. They come from the
// debug information of the program, which libdw reads.
//
// The library loads libdw when a text needs a line, so programs need no further package. A build
// without its headers, a machine without libdw, and a program without debug information (`-g`) have
// no lines. The text then has the name of the function alone.
//
// The function of a job belongs to the library, and its template argument is what the program has
// written. So the line is that of the declaration of this type: for a lambda, the line with its
// capture. This holds for each optimization level, in contrast to the lines of the instructions:
// some of these functions have none.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// For one thread. Makes one pass over the mappings of the process when it is created.
class SourceLines {
 public:
  // Throws std::bad_alloc.
  SourceLines();
  ~SourceLines();
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  // Whether lines can be found: libdw is loaded.
  bool is_available() const noexcept { return session_ != nullptr; }
  // Returns the place of the function of the program that begins at the address, or that the
  // library's function there calls: "mesh.cpp:12". Empty: unknown. Throws std::bad_alloc.
  std::string of(std::uint64_t function) const;

 private:
  struct Session;

  std::unique_ptr<Session> session_;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
