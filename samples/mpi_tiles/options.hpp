// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>

namespace tiles {

struct Options {
  int width = 320;
  int height = 240;
  int frames = 30;
  std::filesystem::path out = "tiles";
  // For demonstrations: this process dies when one of its renderers has computed some tiles. -1:
  // none.
  int dying_process = -1;
  int tiles_before_death = 5;
};

class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Empty: the arguments asked for help, which was printed. Throws UserError.
[[nodiscard]] std::optional<Options> parse_options(int argc, char** argv);

}  // namespace tiles
