// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A user's program on the component jobs::trace: JOBS_TRACE names a file, and the program uses no
// function of the component. A later exit handler runs first, so this one finds the file written.
#include <jobs/jobs.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace {

void check_file() {
  std::ifstream file(std::getenv("JOBS_TRACE"));
  for (std::string line; std::getline(file, line);) {
    if (line.find("\"worker ") != line.npos) return;
  }
  std::fputs("the file of JOBS_TRACE has no worker\n", stderr);
  std::_Exit(1);
}

}  // namespace

int main() {
  std::atexit(&check_file);
  jobs::Fiber<>([] {}).join();  // The main thread runs no Fiber, so a worker has events.
}
