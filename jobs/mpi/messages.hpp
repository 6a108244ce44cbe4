// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: messages from one process to another.
#pragma once

#include <ranges>

#include "jobs/base/config.hpp"
#include "jobs/mpi/data.hpp"
#include "jobs/mpi/request.hpp"

namespace jobs::inline JOBS_ABI::mpi {

/// Source of a receive that takes messages of every process.
inline constexpr int kAnySource = MPI_ANY_SOURCE;
/// Tag of a receive that takes messages with every tag.
inline constexpr int kAnyTag = MPI_ANY_TAG;

namespace detail {

JOBS_EXPORT Request start_send(std::span<const std::byte> bytes, int to, int tag,
                               MPI_Comm communicator, const char* caller);
JOBS_EXPORT Request start_receive(std::span<std::byte> bytes, int from, int tag,
                                  MPI_Comm communicator, const char* caller);

}  // namespace detail

/// Starts to send a message.
///
/// The transfer of a large message advances while a fiber of the process waits for any request, so
/// wait for it soon.
///
/// @snippet mpi.cpp isend
///
/// @param values  data that lives, unchanged, until the request has been awaited; at most 2 GiB
///   less one byte
/// @param to  rank of the receiver
/// @param tag  number that the receiver selects messages by, from 0
/// @param communicator  group of processes
/// @returns the request of the operation
/// @throws Error(kBadArgument) if no Environment exists or the message is too large
/// @throws std::system_error with an error of error_category()
/// @complexity one call of MPI_Isend(), which copies a short message
/// @thread_safety any thread or fiber, concurrently
template <Data R>
  requires std::ranges::borrowed_range<R>
Request isend(R&& values, int to, int tag = 0, MPI_Comm communicator = MPI_COMM_WORLD) {
  return detail::start_send(detail::bytes_of(values), to, tag, communicator, "isend");
}

/// Starts to receive a message.
///
/// @snippet mpi.cpp isend
///
/// @param values  memory for the message, which lives until the request has been awaited; a longer
///   message is an error, a shorter one is not
/// @param from  rank of the sender, or kAnySource
/// @param tag  tag of the message, or kAnyTag
/// @param communicator  group of processes
/// @returns the request of the operation
/// @throws as isend()
/// @complexity one call of MPI_Irecv()
/// @thread_safety any thread or fiber, concurrently
template <WritableData R>
  requires std::ranges::borrowed_range<R>
Request ireceive(R&& values, int from, int tag = 0, MPI_Comm communicator = MPI_COMM_WORLD) {
  return detail::start_receive(detail::writable_bytes_of(values), from, tag, communicator,
                               "ireceive");
}

/// Sends a message, and suspends the calling fiber until its data may change.
///
/// The receiver need not have received the message by then.
///
/// @snippet mpi.cpp send
///
/// @param values  data, at most 2 GiB less one byte
/// @param to  rank of the receiver
/// @param tag  number that the receiver selects messages by, from 0
/// @param communicator  group of processes
/// @throws as isend() and jobs::mpi::wait()
/// @complexity one call of MPI_Isend(), and jobs::mpi::wait()
/// @thread_safety any thread or fiber, concurrently
template <Data R>
void send(const R& values, int to, int tag = 0, MPI_Comm communicator = MPI_COMM_WORLD) {
  detail::start_send(detail::bytes_of(values), to, tag, communicator, "send").wait();
}

/// Suspends the calling fiber until it has received a message.
///
/// Messages from one sender with one tag arrive in the order of their sends.
///
/// @snippet mpi.cpp send
///
/// @param values  memory for the message; a longer message is an error, a shorter one is not
/// @param from  rank of the sender, or kAnySource
/// @param tag  tag of the message, or kAnyTag
/// @param communicator  group of processes
/// @returns source, tag and length of the message
/// @throws as isend() and jobs::mpi::wait()
/// @complexity one call of MPI_Irecv(), and jobs::mpi::wait()
/// @thread_safety any thread or fiber, concurrently
template <WritableData R>
Received receive(R&& values, int from, int tag = 0, MPI_Comm communicator = MPI_COMM_WORLD) {
  return detail::start_receive(detail::writable_bytes_of(values), from, tag, communicator,
                               "receive")
      .wait();
}

}  // namespace jobs::inline JOBS_ABI::mpi
