// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Starts collective operations, in their non-blocking forms. One fiber at a time calls these
// functions for each communicator.
#include "jobs/mpi/collectives.hpp"

#include "jobs/mpi/arguments.hpp"
#include "jobs/mpi/error.hpp"
#include "jobs/mpi/progress.hpp"

namespace jobs::inline JOBS_ABI::mpi::detail {

namespace {

bool is_root(int root, MPI_Comm communicator) {
  int rank = 0;
  check(MPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
  return rank == root;
}

std::size_t size_of(MPI_Comm communicator) {
  int size = 0;
  check(MPI_Comm_size(communicator, &size), "MPI_Comm_size");
  return static_cast<std::size_t>(size);
}

}  // namespace

Request start_barrier(MPI_Comm communicator) {
  Progress::instance("barrier");
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(communicator, &request), "MPI_Ibarrier");
  return Request(request);
}

Request start_broadcast(std::span<std::byte> bytes, int root, MPI_Comm communicator) {
  Progress::instance("broadcast");
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibcast(bytes.data(), checked_count(bytes.size(), "broadcast"), MPI_BYTE, root,
                   communicator, &request),
        "MPI_Ibcast");
  return Request(request);
}

Request start_reduce(const void* values, std::size_t count, void* result, std::size_t room,
                     MPI_Datatype type, MPI_Op operation, int root, MPI_Comm communicator) {
  Progress::instance("reduce");
  if (is_root(root, communicator)) check_room(room, count, "numbers", "reduce");
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ireduce(values, result, checked_count(count, "reduce"), type, operation, root,
                    communicator, &request),
        "MPI_Ireduce");
  return Request(request);
}

Request start_all_reduce(const void* values, std::size_t count, void* result, std::size_t room,
                         MPI_Datatype type, MPI_Op operation, MPI_Comm communicator) {
  Progress::instance("all_reduce");
  check_room(room, count, "numbers", "all_reduce");
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(values, result, checked_count(count, "all_reduce"), type, operation,
                       communicator, &request),
        "MPI_Iallreduce");
  return Request(request);
}

Request start_gather(std::span<const std::byte> bytes, std::span<std::byte> result, int root,
                     MPI_Comm communicator) {
  Progress::instance("gather");
  if (is_root(root, communicator))
    check_room(result.size(), bytes.size() * size_of(communicator), "bytes", "gather");
  const int count = checked_count(bytes.size(), "gather");
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Igather(bytes.data(), count, MPI_BYTE, result.data(), count, MPI_BYTE, root,
                    communicator, &request),
        "MPI_Igather");
  return Request(request);
}

Request start_all_gather(std::span<const std::byte> bytes, std::span<std::byte> result,
                         MPI_Comm communicator) {
  Progress::instance("all_gather");
  check_room(result.size(), bytes.size() * size_of(communicator), "bytes", "all_gather");
  const int count = checked_count(bytes.size(), "all_gather");
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallgather(bytes.data(), count, MPI_BYTE, result.data(), count, MPI_BYTE, communicator,
                       &request),
        "MPI_Iallgather");
  return Request(request);
}

}  // namespace jobs::inline JOBS_ABI::mpi::detail
