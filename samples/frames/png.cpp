// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a PNG by libpng, through a temporary file.
#include "samples/frames/png.hpp"

#include <png.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "samples/frames/user_error.hpp"

namespace frames {
namespace {

namespace fs = std::filesystem;

UserError cannot_write(const fs::path& file, const std::string& why) {
  return UserError("cannot write '" + file.string() + "': " + why);
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// A file in the same folder, because a rename must not cross file systems. The destructor removes
// it unless it was kept.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target)
      : target_(target), path_(target.string() + "." + std::to_string(getpid()) + ".part") {}
  ~TemporaryFile() {
    std::error_code ignored;
    if (!kept_) fs::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const fs::path& path() const { return path_; }

  void keep() {
    std::error_code error;
    fs::rename(path_, target_, error);
    if (error) throw cannot_write(target_, error.message());
    kept_ = true;
  }

 private:
  fs::path target_;
  fs::path path_;
  bool kept_ = false;
};

}  // namespace

void check_writable(const fs::path& file) {
  std::error_code unknown;
  if (file.filename().empty()) throw cannot_write(file, "it names no file");
  if (!fs::is_directory(folder_of(file), unknown))
    throw cannot_write(file, "there is no such folder");
  // Refuses devices, too: the rename would replace them.
  if (fs::exists(file, unknown) && !fs::is_regular_file(file, unknown))
    throw cannot_write(file, "it is not a file");
  if (access(folder_of(file).c_str(), W_OK) != 0) throw cannot_write(file, std::strerror(errno));
}

void write_png(const Image& image, const fs::path& file) {
  check_writable(file);
  TemporaryFile temporary(file);
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width());
  header.height = static_cast<png_uint_32>(image.height());
  header.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&header, temporary.path().c_str(), 0, image.pixel(0, 0), 0,
                              nullptr) == 0) {
    throw cannot_write(file, header.message);
  }
  temporary.keep();
}

}  // namespace frames
