// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Textures by libpng.
#include "samples/engine/textures.hpp"

#include <png.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

#include "samples/frames/user_error.hpp"

namespace engine {

namespace fs = std::filesystem;

std::vector<Level> find_levels(const fs::path& folder) {
  Level files;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable)) {
    if (entry.path().extension() == ".png" && entry.is_regular_file(unreadable))
      files.push_back(entry.path());
  }
  if (files.size() < 2) {
    throw frames::UserError("no two PNG files in '" + folder.string() +
                            "' (install glmark2-data, or use --textures)");
  }
  std::sort(files.begin(), files.end());
  const auto middle = files.begin() + static_cast<std::ptrdiff_t>(files.size() / 2);
  return {Level(files.begin(), middle), Level(middle, files.end())};
}

std::vector<std::byte> read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::byte> bytes(fs::file_size(file));
  if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    throw frames::UserError("cannot read '" + file.string() + "'");
  return bytes;
}

Texture decode(const std::vector<std::byte>& bytes) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  Texture texture;
  if (png_image_begin_read_from_memory(&header, bytes.data(), bytes.size()) != 0) {
    header.format = PNG_FORMAT_RGBA;
    texture.width = header.width;
    texture.height = header.height;
    texture.pixels.resize(PNG_IMAGE_SIZE(header));
    if (png_image_finish_read(&header, nullptr, texture.pixels.data(), 0, nullptr) != 0)
      return texture;
  }
  throw frames::UserError(std::string("a texture is broken: ") + header.message);
}

}  // namespace engine
