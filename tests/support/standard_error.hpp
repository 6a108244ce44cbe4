// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// bytes_of_standard_error(): for tests that wait until the library has written a line. GoogleTest
// redirects the standard error to a file: in a death test, and from CaptureStderr() on.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

namespace jobs::test {

// Returns the size of the file that receives the standard error, or 0 if it is no file.
inline off_t bytes_of_standard_error() {
  struct stat file{};
  return fstat(STDERR_FILENO, &file) == 0 ? file.st_size : 0;
}

}  // namespace jobs::test
