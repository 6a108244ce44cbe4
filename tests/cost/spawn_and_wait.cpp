// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The smallest program that spawns a job and waits for it: check-size links it and checks its size.
#include "jobs/spawn.hpp"

int main() {
  jobs::Counter done;
  int answer = 0;
  jobs::spawn(done, [&answer] { answer = 42; });
  done.wait();
  return answer == 42 ? 0 : 1;
}
