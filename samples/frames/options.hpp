// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace frames {

struct Options {
  std::string backend = "all";
  unsigned workers = 0;  // 0: as many as the runtime finds right
  int width = 640;
  int height = 480;
  int samples = 64;
  int rounds = 3;
  std::string mesh = "bunny";
  std::filesystem::path out = "frames.png";
};

// Empty if the user only asked for help or the version, which has then been printed. Throws UserError.
[[nodiscard]] std::optional<Options> parse_options(int argc, char** argv);

}  // namespace frames
