// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::mpi::Environment, the use of MPI by this process.
#pragma once

#include <memory>

#include "jobs/base/config.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/mpi/handles.hpp"

namespace jobs::inline JOBS_ABI::mpi {

namespace detail {
class Progress;
}  // namespace detail

/// Lets this process take part in a parallel program, from construction to destruction.
///
/// Initialises MPI with MPI_THREAD_MULTIPLE: fibers call MPI on all workers at the same time. The
/// other functions of jobs::mpi require that an environment exists. Make it in main(), before the
/// scheduler. A process has one environment at a time.
///
/// Errors of MPI become exceptions: the environment sets MPI_ERRORS_RETURN for MPI_COMM_WORLD and
/// MPI_COMM_SELF. Communicators that are derived from them inherit it.
///
/// @snippet mpi.cpp environment
///
/// @thread_safety one thread makes and destroys it; any thread or fiber calls the other members
class JOBS_EXPORT Environment {
 public:
  /// Initialises MPI without arguments of the command line.
  ///
  /// If the program has initialised MPI itself, the environment uses it, and leaves MPI_Finalize()
  /// to the program.
  ///
  /// @throws Error(kBadArgument) if an environment exists, or if MPI has ended
  /// @throws Error(kBadEnvironment) if MPI provides a lower level than MPI_THREAD_MULTIPLE; the
  /// text
  ///   names the level
  /// @throws std::system_error if MPI or a thread cannot start
  /// @complexity about 0.1 to 1 s, and one thread
  Environment() : Environment(nullptr, nullptr) {}
  /// Initialises MPI with the arguments of the command line.
  ///
  /// @param argc  number of arguments of main(); MPI may remove arguments of its own
  /// @param argv  arguments of main()
  /// @throws as the constructor without arguments
  /// @complexity about 0.1 to 1 s, and one thread
  Environment(int* argc, char*** argv);
  /// Ends MPI, after all processes have reached this point.
  ///
  /// Aborts with one line if a fiber still waits for a message, or on another thread than the
  /// constructor's.
  ///
  /// @complexity waits for all processes
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  /// Returns the number of this process in MPI_COMM_WORLD.
  ///
  /// @returns a number from 0 to size() - 1
  /// @complexity O(1)
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// Returns the number of processes in MPI_COMM_WORLD.
  ///
  /// @returns 1 for a program that was started without mpirun
  /// @complexity O(1)
  [[nodiscard]] int size() const noexcept { return size_; }

 private:
  void end() noexcept;

  const jobs::detail::ThreadId thread_ = jobs::detail::this_thread_id();
  bool finalizes_ = false;
  int rank_ = 0;
  int size_ = 1;
  MPI_Errhandler world_errors_ = MPI_ERRHANDLER_NULL;
  MPI_Errhandler self_errors_ = MPI_ERRHANDLER_NULL;
  std::unique_ptr<detail::Progress> progress_;
};

}  // namespace jobs::inline JOBS_ABI::mpi
