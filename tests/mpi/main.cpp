// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The tests of several processes. mpirun starts this program once for each process; all processes
// run the same tests in the same order. Only the first process reports tests that pass.
#include <gtest/gtest.h>

#include "jobs/mpi/environment.hpp"

int main(int argc, char** argv) {
  const jobs::mpi::Environment environment(&argc, &argv);
  GTEST_FLAG_SET(brief, environment.rank() != 0);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
