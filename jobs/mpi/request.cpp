// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Waits for requests. Any thread or fiber calls these functions.
//
// The first test happens on the calling thread: a request that has completed needs no hand-over.
#include "jobs/mpi/request.hpp"

#include <exception>

#include "jobs/mpi/error.hpp"
#include "jobs/mpi/progress.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::mpi {

MPI_Status wait(MPI_Request& request) {
  detail::Progress& progress = detail::Progress::instance("wait");
  MPI_Status status{};
  int is_complete = 0;
  detail::check(MPI_Test(&request, &is_complete, &status), "MPI_Test");
  return is_complete != 0 ? status : progress.wait(request);
}

Received Request::wait() {
  const MPI_Status status = mpi::wait(request_);
  int bytes = 0;
  detail::check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  return {.source = status.MPI_SOURCE,
          .tag = status.MPI_TAG,
          .bytes = bytes > 0 ? static_cast<std::size_t>(bytes) : 0};
}

void Request::finish_pending() noexcept {
  const jobs::detail::WaitingThread here;
  const jobs::detail::InterruptShield shield(here.host().current());
  try {
    static_cast<void>(mpi::wait(request_));
  } catch (const std::exception&) {
    // The request has ended with an error, or its Environment was destroyed first.
  }
}

}  // namespace jobs::inline JOBS_ABI::mpi
