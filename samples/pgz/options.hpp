// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What the user asked for.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stdexcept>

namespace pgz {

// The user can put it right; one line says how.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Options {
  std::filesystem::path input;
  std::filesystem::path out;  // empty: the input's name with .gz
  int level = 6;              // of deflate, 1 fast to 9 small
  unsigned workers = 0;       // 0: one for each usable core
  std::size_t blocks = 0;     // under way at a time; 0: four for each worker
  bool show_stats = false;
};

// Nothing if --help or --version was all. Throws UserError.
std::optional<Options> parse_options(int argc, char** argv);

}  // namespace pgz
