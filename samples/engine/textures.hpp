// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The assets that a level streams: PNG files. Reading blocks the thread; decoding computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace engine {

struct Texture {
  unsigned width = 0;
  unsigned height = 0;
  std::vector<std::uint8_t> pixels;  // RGBA
};

// The files of a level; files[i] is the texture i.
using Level = std::vector<std::filesystem::path>;

// Divides the PNG files of a folder between two levels. Throws frames::UserError if there are fewer
// than two.
[[nodiscard]] std::vector<Level> find_levels(const std::filesystem::path& folder);

[[nodiscard]] std::vector<std::byte> read_file(const std::filesystem::path& file);
// Throws frames::UserError if the bytes are no PNG file.
[[nodiscard]] Texture decode(const std::vector<std::byte>& bytes);

}  // namespace engine
