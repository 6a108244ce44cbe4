// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The examples of jobs/mpi. Returns 0 if each has the expected result. mpirun starts any number of
// processes.
#include "jobs/mpi/mpi.hpp"

#include <array>
#include <cstdio>
#include <system_error>
#include <vector>

#include "jobs/scheduler.hpp"

namespace {

void compute_inner_cells() {}

void send_and_receive(int rank, int size) {
  //! [send]
  constexpr int kResults = 1;  // their tag: a message of a later step does not match
  if (rank == 0) {
    for (int other = 1; other < size; ++other) {
      std::vector<float> results(1000);
      const jobs::mpi::Received got = jobs::mpi::receive(results, jobs::mpi::kAnySource, kResults);
      std::printf("%zu results of process %d\n", got.count<float>(), got.source);
    }
  } else {
    jobs::mpi::send(std::vector<float>(static_cast<std::size_t>(10 * rank)), 0, kResults);
  }
  //! [send]
}

bool exchange_borders(int rank, int size) {
  const int left = (rank + size - 1) % size;
  const int right = (rank + 1) % size;
  const std::array<int, 1> border{rank};
  std::array<int, 1> border_of_left{};
  //! [isend]
  jobs::mpi::Request receiving = jobs::mpi::ireceive(border_of_left, left);
  jobs::mpi::Request sending = jobs::mpi::isend(border, right);
  compute_inner_cells();
  receiving.wait();
  sending.wait();
  //! [isend]
  return border_of_left[0] == left;
}

bool wait_for_a_request_of_mpi(int size) {
  //! [wait]
  int sum = 0;
  const int one = 1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  jobs::mpi::wait(request);  // suspends the fiber; MPI_Wait() would block its worker
  //! [wait]
  return sum == size;
}

bool work_together(int rank, int size) {
  //! [collectives]
  std::array<double, 2> settings{};
  if (rank == 0) settings = {0.5, 2};
  jobs::mpi::broadcast(settings, 0);
  const double energy = jobs::mpi::all_reduce(settings[0] * rank, MPI_SUM);
  std::vector<int> cells(static_cast<std::size_t>(size));
  jobs::mpi::all_gather(std::array{100 + rank}, cells);
  jobs::mpi::barrier();
  //! [collectives]
  return settings[1] == 2 && energy == 0.25 * size * (size - 1) && cells.back() == 99 + size;
}

bool report_an_error(int size) {
  //! [error]
  try {
    jobs::mpi::send(std::array{1}, size);
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "%s\n", error.what());  // MPI_Isend: MPI_ERR_RANK: invalid rank
    return error.code().category() == jobs::mpi::error_category();
  }
  //! [error]
  return false;
}

}  // namespace

//! [environment]
int main(int argc, char** argv) {
  jobs::mpi::Environment environment(&argc, &argv);
  jobs::Scheduler scheduler({.worker_count = 2});
  const int rank = environment.rank();
  const int size = environment.size();
  const bool is_right = scheduler.run([=] {
    send_and_receive(rank, size);
    return exchange_borders(rank, size) && wait_for_a_request_of_mpi(size) &&
           work_together(rank, size) && report_an_error(size);
  });
  return is_right ? 0 : 1;
}
//! [environment]
