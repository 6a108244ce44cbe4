// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// An error that the user can correct: a bad argument, a missing or broken mesh, an output that
// cannot be written. main() prints the message as one line and exits with status 2.
#pragma once

#include <stdexcept>

namespace frames {

class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace frames
