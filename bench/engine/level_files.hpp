// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LevelFiles: two levels of PNG files in a temporary folder, which exists as long as the object.
#pragma once

#include <filesystem>
#include <vector>

#include "samples/engine/textures.hpp"

namespace bench::engine {

class LevelFiles {
 public:
  // Throws std::runtime_error if the files cannot be written.
  LevelFiles();

  const std::vector<::engine::Level>& levels() const { return levels_; }

 private:
  // A new folder, which ends with the object.
  struct Folder {
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::filesystem::path path;
  };

  Folder folder_;
  std::vector<::engine::Level> levels_;
};

}  // namespace bench::engine
