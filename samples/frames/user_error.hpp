// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// An error that the user can correct: a bad argument, a missing or broken mesh, an output that
// cannot be written. run_main() prints the message as one line.
#pragma once

#include <cstdio>
#include <exception>
#include <stdexcept>

namespace frames {

class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Runs a program and returns its exit status: 2 for a UserError, 1 for all other exceptions.
template <class F>
int run_main(const char* program, F&& run) {
  try {
    run();
    return 0;
  } catch (const UserError& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
  }
}

}  // namespace frames
