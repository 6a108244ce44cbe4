// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// OutputFile: a file that is written through a buffer, and the form of a text in JSON.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class OutputFile {
 public:
  // Creates or replaces the file. Throws std::system_error, as the other functions do.
  explicit OutputFile(const std::string& path);

  // Text that is not written yet. The caller appends to it.
  std::string& buffer() noexcept { return buffer_; }
  // Writes the buffer if it is large.
  void flush_if_large() {
    if (buffer_.size() >= kLarge) flush();
  }
  // Writes the buffer, and closes the file.
  void close();

 private:
  static constexpr std::size_t kLarge = 1 << 16;

  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  void flush();
  [[noreturn]] void fail() const;

  const std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string buffer_;
};

// Appends a JSON string of at most 400 bytes. It has neither control characters nor invalid UTF-8.
// Each `<` is escaped, so that the text can neither end nor comment out the script that contains
// it.
void append_json_text(std::string& out, std::string_view text);

}  // namespace jobs::inline JOBS_ABI::trace::detail
