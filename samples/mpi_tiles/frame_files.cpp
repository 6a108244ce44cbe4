// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Files in the format PPM.
#include "samples/mpi_tiles/frame_files.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "jobs/blocking.hpp"

namespace tiles {

FrameFiles::FrameFiles(const Animation& animation, std::filesystem::path folder)
    : animation_(animation), folder_(std::move(folder)) {
  std::filesystem::create_directories(folder_);
}

void FrameFiles::add(int tile, const TilePixels& pixels) {
  const int number = animation_.frame_of(tile);
  const auto [place, is_new] = begun_.try_emplace(number);
  Frame& frame = place->second;
  const std::size_t row = 3 * static_cast<std::size_t>(animation_.width());
  if (is_new) {
    frame.bytes.resize(row * static_cast<std::size_t>(animation_.height()));
    frame.missing_tiles = animation_.tiles_per_frame();
  }
  const Rectangle area = animation_.rectangle_of(tile);
  for (int y = area.top; y < area.bottom; ++y) {
    const auto from = static_cast<std::size_t>(y - area.top) * 3 * kTileSize;
    const auto to = static_cast<std::size_t>(y) * row + 3 * static_cast<std::size_t>(area.left);
    std::copy_n(&pixels[from], 3 * (area.right - area.left), &frame.bytes[to]);
  }
  if (--frame.missing_tiles > 0) return;
  jobs::blocking([&] { write(number, frame.bytes); });
  begun_.erase(place);
  complete_.fetch_add(1, std::memory_order_relaxed);
}

void FrameFiles::write(int frame, const std::vector<std::uint8_t>& bytes) const {
  char name[32];
  std::snprintf(name, sizeof name, "frame_%04d.ppm", frame);
  const std::filesystem::path path = folder_ / name;
  const std::filesystem::path part = path.string() + ".part";
  std::ofstream file(part, std::ios::binary);
  file << "P6\n" << animation_.width() << ' ' << animation_.height() << "\n255\n";
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + part.string());
  std::filesystem::rename(part, path);
}

}  // namespace tiles
