// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// OutputFile: the buffer and its errors.
#include "jobs/trace/format/output_file.hpp"

#include <array>
#include <cerrno>
#include <system_error>

#include "jobs/base/message.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

constexpr std::size_t kLongestText = 400;

}  // namespace

OutputFile::OutputFile(const std::string& path)
    : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (file_ == nullptr) fail();
  buffer_.reserve(kLarge + kLongestText);
}

void OutputFile::fail() const { throw std::system_error(errno, std::generic_category(), path_); }

void OutputFile::flush() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size()) fail();
  buffer_.clear();
}

void OutputFile::close() {
  flush();
  if (std::fclose(file_.release()) != 0) fail();
}

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  std::array<char, kLongestText> form;
  const std::size_t length = jobs::detail::escape(text, form, jobs::detail::Quoting::kPlain);
  for (const char c : std::string_view(form.data(), length)) {
    if (c == '<') {
      out += "\\u003c";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  out += '"';
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
