// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The smallest program: a hundred jobs, and one counter to wait for them. It needs no set-up: the
// first use starts the default scheduler.
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
  done.wait();  // the writes of the jobs are visible from here on
  std::cout << "99 squared is " << squares[99] << '\n';
  return squares[99] == 9801 ? 0 : 1;
}
