// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Pathology: a thread hands over one tiny job at a time, and a worker wakes up for each of them.
#include <cstdint>

#include "jobs/jobs.hpp"

namespace {

std::uint64_t ask_for_each_number() {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 2000; ++i)
    sum += jobs::default_scheduler().run([i] { return i * i; });  // the place of the finding
  return sum;
}

}  // namespace

int main() { return ask_for_each_number() != 0 ? 0 : 1; }
