// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Starts messages. Any thread or fiber calls these functions.
#include "jobs/mpi/messages.hpp"

#include "jobs/mpi/arguments.hpp"
#include "jobs/mpi/error.hpp"
#include "jobs/mpi/progress.hpp"

namespace jobs::inline JOBS_ABI::mpi::detail {

Request start_send(std::span<const std::byte> bytes, int to, int tag, MPI_Comm communicator,
                   const char* caller) {
  Progress::instance(caller);
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(bytes.data(), checked_count(bytes.size(), caller), MPI_BYTE, to, tag,
                  communicator, &request),
        "MPI_Isend");
  return Request(request);
}

Request start_receive(std::span<std::byte> bytes, int from, int tag, MPI_Comm communicator,
                      const char* caller) {
  Progress::instance(caller);
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Irecv(bytes.data(), checked_count(bytes.size(), caller), MPI_BYTE, from, tag,
                  communicator, &request),
        "MPI_Irecv");
  return Request(request);
}

}  // namespace jobs::inline JOBS_ABI::mpi::detail
