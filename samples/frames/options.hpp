// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of the command line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace frames {

struct Options {
  std::string backend = "all";
  unsigned workers = 0;  // 0: the runtime decides
  int width = 640;
  int height = 480;
  int samples = 64;
  int rounds = 3;
  std::string mesh = "bunny";
  std::filesystem::path out = "frames.png";
};

// Returns the options. Empty after a printed help text or version. Throws UserError.
[[nodiscard]] std::optional<Options> parse_options(int argc, char** argv);

}  // namespace frames
