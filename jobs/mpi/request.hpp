// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: waits for requests of MPI.
#pragma once

#include <cstddef>
#include <utility>

#include "jobs/base/config.hpp"
#include "jobs/mpi/handles.hpp"

namespace jobs::inline JOBS_ABI::mpi {

/// Suspends the calling fiber until a request of MPI has completed.
///
/// An external thread parks. The request may come from any function of MPI that starts one, such as
/// MPI_Isend(), MPI_Iallreduce() or MPI_File_iread(). The call has the result of MPI_Wait(): a
/// request that completes becomes MPI_REQUEST_NULL, and a persistent one inactive. A null or
/// inactive request completes at once.
///
/// A stop or a time limit does not end the wait, because MPI uses the buffer; the next wait of the
/// fiber ends. Only one thread may use a request.
///
/// @snippet mpi.cpp wait
///
/// @param request  request; must live until the call returns
/// @returns the status as MPI describes it
/// @throws Error(kBadArgument) if no Environment exists
/// @throws Error(kNoStack) before the wait begins, see \ref waiting
/// @throws std::system_error with an error of error_category() if the request failed
/// @complexity one call of MPI_Test() if the request has completed; otherwise two hand-overs, about
///   10 us, and up to 0.5 ms if no request has completed for a while
/// @thread_safety any thread or fiber, concurrently for different requests
JOBS_EXPORT MPI_Status wait(MPI_Request& request);

/// What a receive has received.
struct Received {
  /// Rank of the sender.
  int source = MPI_PROC_NULL;
  /// Tag of the message.
  int tag = MPI_ANY_TAG;
  /// Length of the message in bytes.
  std::size_t bytes = 0;

  /// Returns the length of the message in elements.
  ///
  /// @tparam T  type of the elements
  /// @returns the number of whole elements
  /// @complexity O(1)
  template <class T>
  [[nodiscard]] std::size_t count() const noexcept {
    return bytes / sizeof(T);
  }
};

/// A started operation of MPI. Its buffer must live until wait() returns.
///
/// The destructor waits for the end of an operation that has not been awaited.
///
/// @snippet mpi.cpp isend
///
/// @thread_safety one thread at a time uses an object
class JOBS_EXPORT [[nodiscard]] Request {
 public:
  /// Creates a request without an operation.
  Request() noexcept = default;
  /// Takes over a request of MPI.
  ///
  /// @param request  a request that is not persistent
  explicit Request(MPI_Request request) noexcept : request_(request) {}
  /// Takes over the operation of another request.
  ///
  /// @param other  request; it has no operation afterwards
  Request(Request&& other) noexcept : request_(std::exchange(other.request_, MPI_REQUEST_NULL)) {}
  /// Waits for the own operation, and takes over that of another request.
  ///
  /// @param other  request; it has no operation afterwards
  /// @returns this object
  Request& operator=(Request&& other) noexcept {
    if (this != &other) {
      finish();
      request_ = std::exchange(other.request_, MPI_REQUEST_NULL);
    }
    return *this;
  }
  /// Waits for the end of the operation, and ignores its error.
  ~Request() { finish(); }

  /// Suspends the calling fiber until the operation has completed.
  ///
  /// @returns source, tag and length of the message of a receive
  /// @throws as jobs::mpi::wait()
  /// @complexity as jobs::mpi::wait()
  Received wait();
  /// Checks whether an operation has not been awaited yet.
  ///
  /// @returns false for a request without an operation, and after wait()
  /// @complexity O(1)
  [[nodiscard]] bool is_pending() const noexcept { return request_ != MPI_REQUEST_NULL; }

 private:
  void finish() noexcept {
    if (is_pending()) finish_pending();
  }
  void finish_pending() noexcept;

  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace jobs::inline JOBS_ABI::mpi
