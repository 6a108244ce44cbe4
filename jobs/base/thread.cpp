// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads: the error of a thread that cannot be started.
#include "jobs/base/thread.hpp"

#include <string>
#include <system_error>

#include "jobs/base/message.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Every program with a scheduler contains this class. The constructors of std::system_error that
// take a text cost it 3 KB of string functions.
class ThreadRefused final : public std::system_error {
 public:
  ThreadRefused(const std::error_code& reason, std::string_view text)
      : std::system_error(reason), text_(text) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace

void refuse_thread(const std::error_code& reason, std::string_view purpose,
                   std::string_view remedy) {
  MessageLine text;
  text << "jobs: no thread for " << purpose
       << ": raise a limit (ulimit -u, ulimit -v, pids.max, "
          "kernel.threads-max)";
  if (!remedy.empty()) text << ", or " << remedy;
  text << ": " << reason.message();
  throw ThreadRefused(reason, text.text());
}

}  // namespace jobs::inline JOBS_ABI::detail
