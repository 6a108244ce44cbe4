// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The textures of the levels, written by libpng. Each one has a pattern of its own.
#include "bench/engine/level_files.hpp"

#include <png.h>
#include <stdlib.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>

namespace bench::engine {
namespace {

namespace fs = std::filesystem;

constexpr int kLevels = 2;
constexpr int kTextures = 12;    // of a level
constexpr unsigned kSide = 256;  // in pixels

std::vector<std::uint8_t> pattern(unsigned number) {
  std::vector<std::uint8_t> pixels;
  pixels.reserve(std::size_t{4} * kSide * kSide);
  for (unsigned y = 0; y < kSide; ++y) {
    for (unsigned x = 0; x < kSide; ++x) {
      for (const unsigned channel : {x * y >> 4, x * x + number * y, x ^ (number + y), 255u})
        pixels.push_back(static_cast<std::uint8_t>(channel));
    }
  }
  return pixels;
}

void write_texture(const fs::path& file, unsigned number) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = kSide;
  header.height = kSide;
  header.format = PNG_FORMAT_RGBA;
  if (png_image_write_to_file(&header, file.c_str(), 0, pattern(number).data(), 0, nullptr) == 0)
    throw std::runtime_error("cannot write '" + file.string() + "': " + header.message);
}

}  // namespace

LevelFiles::Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "bench_engine_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create '" + name + "'");
  path = name;
}

LevelFiles::Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

LevelFiles::LevelFiles() : levels_(kLevels) {
  unsigned number = 0;
  for (::engine::Level& level : levels_) {
    for (int i = 0; i < kTextures; ++i) {
      level.push_back(folder_.path / (std::to_string(number) + ".png"));
      write_texture(level.back(), number++);
    }
  }
}

}  // namespace bench::engine
