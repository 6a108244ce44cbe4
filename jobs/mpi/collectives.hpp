// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: operations in which all processes of a communicator take part.
//
// Rules of MPI: all processes call the same operations on a communicator in the same order, with
// data of the same size and the same root. Therefore only one fiber of a process may use a
// communicator for collective operations at a time. Fibers that run concurrently use communicators
// of their own (MPI_Comm_dup()). If one process throws and does not call the operation, the other
// processes wait for it.
#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>

#include "jobs/base/config.hpp"
#include "jobs/mpi/data.hpp"
#include "jobs/mpi/request.hpp"

namespace jobs::inline JOBS_ABI::mpi {

namespace detail {

JOBS_EXPORT Request start_barrier(MPI_Comm communicator);
JOBS_EXPORT Request start_broadcast(std::span<std::byte> bytes, int root, MPI_Comm communicator);
// `count` values of `values`; `result` has room for `room`.
JOBS_EXPORT Request start_reduce(const void* values, std::size_t count, void* result,
                                 std::size_t room, MPI_Datatype type, MPI_Op operation, int root,
                                 MPI_Comm communicator);
JOBS_EXPORT Request start_all_reduce(const void* values, std::size_t count, void* result,
                                     std::size_t room, MPI_Datatype type, MPI_Op operation,
                                     MPI_Comm communicator);
JOBS_EXPORT Request start_gather(std::span<const std::byte> bytes, std::span<std::byte> result,
                                 int root, MPI_Comm communicator);
JOBS_EXPORT Request start_all_gather(std::span<const std::byte> bytes, std::span<std::byte> result,
                                     MPI_Comm communicator);

}  // namespace detail

/// Suspends the calling fiber until every process has called the function.
///
/// @snippet mpi.cpp collectives
///
/// @param communicator  group of processes
/// @throws Error(kBadArgument) if no Environment exists
/// @throws as jobs::mpi::wait()
/// @complexity O(log processes) messages
/// @thread_safety one fiber at a time for each communicator
inline void barrier(MPI_Comm communicator = MPI_COMM_WORLD) {
  detail::start_barrier(communicator).wait();
}

/// Copies the data of one process to all processes.
///
/// @snippet mpi.cpp collectives
///
/// @param values  data of the root; memory of the same size in the other processes
/// @param root  rank of the process that has the data
/// @param communicator  group of processes
/// @throws Error(kBadArgument) if no Environment exists or the data is too large
/// @throws as jobs::mpi::wait()
/// @complexity O(log processes) messages
/// @thread_safety one fiber at a time for each communicator
template <WritableData R>
void broadcast(R&& values, int root, MPI_Comm communicator = MPI_COMM_WORLD) {
  detail::start_broadcast(detail::writable_bytes_of(values), root, communicator).wait();
}

/// Combines the numbers of all processes, element by element, in one process.
///
/// The order of the additions of floating-point numbers depends on the number of processes.
///
/// @param values  numbers of this process
/// @param result  receives the combined numbers in the root; unused in the other processes
/// @param operation  MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD, or another operation for the type
/// @param root  rank of the process that receives the result
/// @param communicator  group of processes
/// @throws Error(kBadArgument) if no Environment exists, or if the sizes do not match
/// @throws as jobs::mpi::wait()
/// @complexity O(log processes) messages
/// @thread_safety one fiber at a time for each communicator
template <NumberData R, WritableData S>
  requires detail::SameElements<R, S>
void reduce(const R& values, S&& result, MPI_Op operation, int root,
            MPI_Comm communicator = MPI_COMM_WORLD) {
  detail::start_reduce(std::ranges::data(values), std::ranges::size(values),
                       std::ranges::data(result), std::ranges::size(result),
                       detail::data_type<std::ranges::range_value_t<R>>(), operation, root,
                       communicator)
      .wait();
}

/// Combines the numbers of all processes, element by element, in every process.
///
/// @param values  numbers of this process
/// @param result  receives the combined numbers
/// @param operation  MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD, or another operation for the type
/// @param communicator  group of processes
/// @throws as jobs::mpi::reduce()
/// @complexity O(log processes) messages
/// @thread_safety one fiber at a time for each communicator
template <NumberData R, WritableData S>
  requires detail::SameElements<R, S>
void all_reduce(const R& values, S&& result, MPI_Op operation,
                MPI_Comm communicator = MPI_COMM_WORLD) {
  detail::start_all_reduce(std::ranges::data(values), std::ranges::size(values),
                           std::ranges::data(result), std::ranges::size(result),
                           detail::data_type<std::ranges::range_value_t<R>>(), operation,
                           communicator)
      .wait();
}

/// Combines one number of each process, in every process.
///
/// @snippet mpi.cpp collectives
///
/// @param value  number of this process
/// @param operation  MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD, or another operation for the type
/// @param communicator  group of processes
/// @returns the combined number
/// @throws as jobs::mpi::reduce()
/// @complexity O(log processes) messages
/// @thread_safety one fiber at a time for each communicator
template <class T>
  requires std::is_arithmetic_v<T>
[[nodiscard]] T all_reduce(T value, MPI_Op operation, MPI_Comm communicator = MPI_COMM_WORLD) {
  T result{};
  detail::start_all_reduce(&value, 1, &result, 1, detail::data_type<T>(), operation, communicator)
      .wait();
  return result;
}

/// Collects the data of all processes in one process, in the order of their ranks.
///
/// @param values  data of this process; all processes have the same size
/// @param result  in the root: room for the data of all processes; unused in the other processes
/// @param root  rank of the process that receives the data
/// @param communicator  group of processes
/// @throws Error(kBadArgument) if no Environment exists, or if the sizes do not match
/// @throws as jobs::mpi::wait()
/// @complexity O(processes) messages
/// @thread_safety one fiber at a time for each communicator
template <Data R, WritableData S>
  requires detail::SameElements<R, S>
void gather(const R& values, S&& result, int root, MPI_Comm communicator = MPI_COMM_WORLD) {
  detail::start_gather(detail::bytes_of(values), detail::writable_bytes_of(result), root,
                       communicator)
      .wait();
}

/// Collects the data of all processes in every process, in the order of their ranks.
///
/// @snippet mpi.cpp collectives
///
/// @param values  data of this process; all processes have the same size
/// @param result  room for the data of all processes
/// @param communicator  group of processes
/// @throws as jobs::mpi::gather()
/// @complexity O(processes) messages
/// @thread_safety one fiber at a time for each communicator
template <Data R, WritableData S>
  requires detail::SameElements<R, S>
void all_gather(const R& values, S&& result, MPI_Comm communicator = MPI_COMM_WORLD) {
  detail::start_all_gather(detail::bytes_of(values), detail::writable_bytes_of(result),
                           communicator)
      .wait();
}

}  // namespace jobs::inline JOBS_ABI::mpi
