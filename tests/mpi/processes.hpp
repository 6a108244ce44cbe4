// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What the tests of several processes share: the fixture, and the neighbours in the ring of all
// processes. A process alone is its own neighbour.
#pragma once

#include "jobs/mpi/mpi.hpp"
#include "tests/support/with_workers.hpp"

namespace jobs::test {

inline int this_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
inline int rank_count() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}
inline int next_rank() { return (this_rank() + 1) % rank_count(); }
inline int previous_rank() { return (this_rank() + rank_count() - 1) % rank_count(); }

}  // namespace jobs::test
