// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A user's program on the component jobs::mpi: a message of this process to itself, and a sum.
#include <jobs/mpi/mpi.hpp>

#include <array>

int main(int argc, char** argv) {
  jobs::mpi::Environment environment(&argc, &argv);
  const std::array<int, 3> sent{1, 2, 3};
  std::array<int, 3> received{};
  {
    const jobs::mpi::Request sending = jobs::mpi::isend(sent, environment.rank());
    if (jobs::mpi::receive(received, environment.rank()).count<int>() != 3) return 1;
  }
  return received == sent && jobs::mpi::all_reduce(1, MPI_SUM) == environment.size() ? 0 : 1;
}
