// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The smallest program: a hundred jobs, one counter to wait for them. No set-up: the default scheduler starts on first use.
#include <array>
#include <cstddef>
#include <iostream>

#include "jobs/jobs.hpp"

int main() {
  std::array<std::size_t, 100> squares{};
  jobs::Counter done;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    jobs::spawn(done, [&squares, i] { squares[i] = i * i; });
  }
  done.wait();  // what the jobs wrote is visible from here on
  std::cout << "99 squared is " << squares[99] << '\n';
  return squares[99] == 9801 ? 0 : 1;
}
