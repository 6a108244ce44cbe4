// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Part of every test program of a build that counts lines (scripts/coverage). It writes the counts
// also if the program ends by abort(), as the tests of broken contracts do.
#include <csignal>
#include <cstdlib>

extern "C" int __llvm_profile_write_file(void);

namespace {

struct CountsAtAbort {
  CountsAtAbort() {
    std::signal(SIGABRT, [](int number) {
      std::signal(number, SIG_DFL);
      static_cast<void>(__llvm_profile_write_file());
      static_cast<void>(std::raise(number));
    });
  }
};
const CountsAtAbort counts_at_abort;

}  // namespace
