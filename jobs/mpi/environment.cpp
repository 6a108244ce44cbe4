// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Start and end of MPI. The thread that makes the environment calls these functions.
#include "jobs/mpi/environment.hpp"

#include <string>

#include "jobs/error.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/mpi/error.hpp"
#include "jobs/mpi/progress.hpp"

namespace jobs::inline JOBS_ABI::mpi {

namespace {

std::string name_of_level(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    case MPI_THREAD_MULTIPLE:
      return "MPI_THREAD_MULTIPLE";
    default:
      return "thread level " + std::to_string(level);
  }
}

[[noreturn]] void refuse_level(int level, bool is_own) {
  std::string text = "jobs::mpi: MPI provides " + name_of_level(level) +
                     ", and jobs::mpi needs MPI_THREAD_MULTIPLE: fibers call MPI on all workers";
  if (!is_own)
    text +=
        ". The program has initialised MPI itself: call MPI_Init_thread() with that level, or let "
        "the Environment initialise it";
  throw Error(ErrorCode::kBadEnvironment, text);
}

// Makes the errors of a communicator return codes. Returns its former handler.
MPI_Errhandler return_errors(MPI_Comm communicator) {
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  detail::check(MPI_Comm_get_errhandler(communicator, &before), "MPI_Comm_get_errhandler");
  detail::check(MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN),
                "MPI_Comm_set_errhandler");
  return before;
}

void restore_errors(MPI_Comm communicator, MPI_Errhandler& before) noexcept {
  if (before == MPI_ERRHANDLER_NULL) return;
  MPI_Comm_set_errhandler(communicator, before);
  MPI_Errhandler_free(&before);
}

}  // namespace

Environment::Environment(int* argc, char*** argv) {
  if (detail::Progress::exists())
    throw Error(ErrorCode::kBadArgument,
                "jobs::mpi: a second Environment; a process has one at a time");
  int has_ended = 0;
  int has_begun = 0;
  detail::check(MPI_Finalized(&has_ended), "MPI_Finalized");
  detail::check(MPI_Initialized(&has_begun), "MPI_Initialized");
  if (has_ended != 0)
    throw Error(ErrorCode::kBadArgument,
                "jobs::mpi: MPI has ended; a process can initialise it once");
  int level = MPI_THREAD_SINGLE;
  if (has_begun != 0) {
    detail::check(MPI_Query_thread(&level), "MPI_Query_thread");
    if (level < MPI_THREAD_MULTIPLE) refuse_level(level, false);
  } else {
    detail::check(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
    finalizes_ = true;
  }
  try {
    if (level < MPI_THREAD_MULTIPLE) refuse_level(level, true);
    world_errors_ = return_errors(MPI_COMM_WORLD);
    self_errors_ = return_errors(MPI_COMM_SELF);
    detail::check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    detail::check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
    progress_ = std::make_unique<detail::Progress>(this);
  } catch (...) {
    end();
    throw;
  }
}

Environment::~Environment() {
  if (jobs::detail::this_thread_id() != thread_)
    jobs::detail::contract_violation("mpi::Environment", this,
                                     "destroyed on another thread than that of its constructor");
  progress_.reset();
  end();
}

void Environment::end() noexcept {
  restore_errors(MPI_COMM_WORLD, world_errors_);
  restore_errors(MPI_COMM_SELF, self_errors_);
  int has_ended = 0;
  if (finalizes_ && MPI_Finalized(&has_ended) == MPI_SUCCESS && has_ended == 0) MPI_Finalize();
}

}  // namespace jobs::inline JOBS_ABI::mpi
