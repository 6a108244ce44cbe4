// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Pathology: the last iteration of a loop takes as long as all others.
#include <chrono>

#include "jobs/jobs.hpp"
#include "samples/diagnosis/compute.hpp"

namespace {

using namespace std::chrono_literals;

void uneven_loop() {
  constexpr int kCount = 64;
  const auto body = [](int i) {  // the place of the finding
    diagnosis::compute_for(i == kCount - 1 ? 100ms : 1ms);
  };
  jobs::parallel_for(0, kCount, body, jobs::Grain(1));
}

}  // namespace

int main() {
  jobs::default_scheduler().run([] { uneven_loop(); });
  return 0;
}
