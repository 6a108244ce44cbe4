// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Pathology: jobs that take less time than the scheduler needs for each of them.
#include <cstddef>
#include <vector>

#include "jobs/jobs.hpp"

namespace {

void square_one_number_per_job(std::vector<std::size_t>& squares) {
  jobs::Counter done;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    jobs::spawn(done, [&squares, i] { squares[i] = i * i; });  // the place of the finding
  }
  done.wait();
}

}  // namespace

int main() {
  std::vector<std::size_t> squares(300'000);
  jobs::default_scheduler().run([&squares] { square_one_number_per_job(squares); });
  return squares.back() == (squares.size() - 1) * (squares.size() - 1) ? 0 : 1;
}
