// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Healthy: a balanced tree of forks.
#include <chrono>

#include "jobs/jobs.hpp"
#include "samples/diagnosis/compute.hpp"

namespace {

using namespace std::chrono_literals;

void visit(int depth) {
  if (depth == 0) return diagnosis::compute_for(1ms);
  jobs::fork_join([depth] { visit(depth - 1); }, [depth] { visit(depth - 1); });
}

}  // namespace

int main() {
  jobs::default_scheduler().run([] { visit(9); });
  return 0;
}
