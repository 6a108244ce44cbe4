// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A user's program: includes the installed headers, runs jobs, and checks that the library has the
// version of the headers.
#include <cstring>
#include <functional>

#include "jobs/jobs.hpp"

int main() {
  const int sum = jobs::parallel_reduce(0, 1000, 0, std::plus{}, [](int i) { return i; });
  return sum == 499'500 && std::strcmp(jobs::version(), JOBS_VERSION_STRING) == 0 ? 0 : 1;
}
