// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: Progress, the thread that completes the requests of MPI that fibers wait for.
//
// Owner: the Environment. Any fiber or thread calls wait(). Only the thread itself tests
// requests, so no two threads test the same request.
//
// Protocol of a wait:
// step 1: The fiber puts a Pending, in the frame of its wait, into the inbox, and rings the bell.
// step 2: The fiber suspends.
// step 3: The thread takes the Pending, and tests its request with all others by MPI_Testsome().
// step 4: The request has completed: the thread writes the result to the Pending and wakes the
//         fiber. This is its last access.
//
// A wait cannot be withdrawn: MPI uses the buffer until the request has completed. Therefore an
// interrupt does not end the wait, and stays set for the next wait of the fiber
// (sync/core/park.hpp).
//
// The inbox publishes the Pending [inbox.1], and the wake-up publishes the result. The pointer to
// the only object is published by [mpi.1].
#pragma once

#include <vector>

#include "jobs/base/heap.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/mpi/handles.hpp"
#include "jobs/queue/inbox.hpp"
#include "jobs/sync/core/waiter.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI::mpi::detail {

namespace progress_order {
JOBS_ORDER(kPublish, release);  // [mpi.1] publishes the object. Partner: kUse.
JOBS_ORDER(kUse, acquire);      // [mpi.1] Partner: kPublish.
}  // namespace progress_order

// One wait for one request.
struct Pending {
  jobs::detail::Plain<Pending*> next{nullptr};  // link of the inbox
  MPI_Request* request = nullptr;
  jobs::detail::Waiter* waiter = nullptr;  // null: the message that ends the thread

  // --- written by the thread in step 4 ---
  MPI_Status status{};
  int error = MPI_SUCCESS;
};

class Progress : public jobs::detail::HeapObject<Progress> {
 public:
  // Starts the thread. `owner`: the Environment, for messages. Throws std::system_error.
  explicit Progress(const void* owner);
  // Ends the thread. Aborts if a fiber waits.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  static bool exists() noexcept;
  // Returns the object of this process. Throws Error(kBadArgument), which names the caller, if no
  // Environment exists.
  static Progress& instance(const char* caller);

  // Suspends the calling fiber until the request has completed, and sets the request as MPI_Wait()
  // does. Throws Error(kNoStack) before anything has happened, or the error of MPI.
  MPI_Status wait(MPI_Request& request);

 private:
  void send(Pending& pending) noexcept;
  void serve() noexcept;
  void take_new() noexcept;
  bool test() noexcept;
  void finish(std::size_t index, const MPI_Status& status, int error) noexcept;
  void remove_finished() noexcept;

  const void* const owner_;
  jobs::detail::Inbox<Pending> inbox_;
  Event bell_{Event::Reset::kAutomatic};

  // --- of the thread ---
  // Of one length: requests, and who waits for each; null: the wait has ended.
  std::vector<MPI_Request> requests_;
  std::vector<Pending*> waits_;
  // Results of MPI_Testsome().
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  bool is_ending_ = false;

  jobs::detail::Thread thread_;
};

}  // namespace jobs::inline JOBS_ABI::mpi::detail
