// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of the command line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stdexcept>

namespace pgz {

// An error that the user can correct; its message is one line.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Options {
  std::filesystem::path input;
  // Empty: the input's name with .gz.
  std::filesystem::path out;
  // The level of deflate, from 1 (fast) to 9 (small).
  int level = 6;
  // 0: one worker per usable core.
  unsigned workers = 0;
  // The number of blocks in the pipeline at a time; 0: four per worker.
  std::size_t blocks = 0;
  bool show_stats = false;
};

// Empty after --help and --version. Throws UserError.
std::optional<Options> parse_options(int argc, char** argv);

}  // namespace pgz
