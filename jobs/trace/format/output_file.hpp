// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// OutputFile: a file that is written through a buffer, and the form of a text in JSON.
//
// The text goes to a temporary file in the same folder, which close() renames. So a process that is
// killed leaves the old file, or none, but never a part of the new one. A device, a pipe and a
// folder that takes no new files have no temporary file: the text goes to the file itself.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class OutputFile {
 public:
  // Begins the file, which close() creates or replaces. Throws std::system_error, as the other
  // functions do.
  explicit OutputFile(const std::string& path);
  // Removes the temporary file, unless close() has renamed it.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Text that is not written yet. The caller appends to it.
  std::string& buffer() noexcept { return buffer_; }
  // Writes the buffer if it is large.
  void flush_if_large() {
    if (buffer_.size() >= kLarge) flush();
  }
  // Writes the buffer, closes the file and gives it its name.
  void close();

 private:
  static constexpr std::size_t kLarge = 1 << 16;

  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  void open();
  void open_temporary(const std::string& folder);
  void flush();
  [[noreturn]] void fail() const;

  const std::string path_;
  std::string target_;     // the path without symbolic links
  std::string temporary_;  // the path of the temporary file; empty: none
  std::unique_ptr<std::FILE, Close> file_;
  std::string buffer_;
};

// Appends a JSON string of at most 400 bytes. It has neither control characters nor invalid UTF-8.
// Each `<` is escaped, so that the text can neither end nor comment out the script that contains
// it.
void append_json_text(std::string& out, std::string_view text);

}  // namespace jobs::inline JOBS_ABI::trace::detail
