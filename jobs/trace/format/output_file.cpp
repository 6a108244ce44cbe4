// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// OutputFile: the temporary file, the buffer and the errors.
#include "jobs/trace/format/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "jobs/base/message.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

constexpr std::size_t kLongestText = 400;
constexpr mode_t kMode = 0666;

// Short, because the name of the file itself may be as long as the file system allows.
std::string temporary_name() {
  static constinit std::atomic<unsigned> count{0};
  return ".jobs-" + std::to_string(getpid()) + "-" +
         std::to_string(count.fetch_add(1, std::memory_order_relaxed)) + ".tmp";
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  buffer_.reserve(kLarge + kLongestText);
  open();
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

// A rename would replace a device, and a file that the process may not write.
void OutputFile::open() {
  struct stat present = {};
  const bool exists = stat(path_.c_str(), &present) == 0;
  const bool is_replaceable = exists ? S_ISREG(present.st_mode) && access(path_.c_str(), W_OK) == 0
                                     : errno == ENOENT && lstat(path_.c_str(), &present) != 0;
  if (is_replaceable) {
    std::error_code error;
    if (exists) target_ = std::filesystem::canonical(path_, error).string();
    if (!error) open_temporary(target_.substr(0, target_.rfind('/') + 1));
    if (file_ != nullptr && exists) fchmod(fileno(file_.get()), present.st_mode & 0777);
  }
  if (file_ == nullptr) file_.reset(std::fopen(path_.c_str(), "wb"));
  if (file_ == nullptr) fail();
}

// Without a temporary file, file_ stays null.
void OutputFile::open_temporary(const std::string& folder) {
  int file = -1;
  std::string name;
  do {  // A process with this id may have been killed.
    name = folder + temporary_name();
    file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  } while (file < 0 && errno == EEXIST);
  if (file < 0) return;
  temporary_ = std::move(name);
  file_.reset(fdopen(file, "wb"));
  if (file_ != nullptr) return;
  ::close(file);
  unlink(temporary_.c_str());
  temporary_.clear();
}

void OutputFile::fail() const { throw std::system_error(errno, std::generic_category(), path_); }

void OutputFile::flush() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size()) fail();
  buffer_.clear();
}

void OutputFile::close() {
  flush();
  if (std::fclose(file_.release()) != 0) fail();
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  temporary_.clear();
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
