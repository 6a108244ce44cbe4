// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Several processes compute pi: the area below 4 / (1 + x * x) from 0 to 1, in steps. Each process
// adds every size-th step on all of its cores.
//     mpirun -n 4 --bind-to none mpi_sum
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>

#include "jobs/jobs.hpp"
#include "jobs/mpi/mpi.hpp"

namespace {

constexpr std::int64_t kSteps = 4'000'000;

// The height of the curve in the middle of a step.
double height_at(std::int64_t step) {
  const double x = (static_cast<double>(step) + 0.5) / kSteps;
  return 4 / (1 + x * x);
}

}  // namespace

int main(int argc, char** argv) {
  jobs::mpi::Environment environment(&argc, &argv);
  const int rank = environment.rank(), size = environment.size();
  const double part =
      jobs::parallel_reduce(std::int64_t{0}, (kSteps - rank + size - 1) / size, 0.0, std::plus{},
                            [&](std::int64_t i) { return height_at(i * size + rank) / kSteps; });
  const double pi = jobs::mpi::all_reduce(part, MPI_SUM);
  if (rank == 0) std::printf("pi is about %.9f, by %d processes\n", pi, size);
  return std::abs(pi - 3.141592654) < 1e-5 ? 0 : 1;
}
