// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: how the errors of MPI are reported.
#pragma once

#include <system_error>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::mpi {

/// Returns the category of MPI's error codes.
///
/// The functions of jobs::mpi throw std::system_error with a code of this category. Its what()
/// names the call of MPI and contains the text of MPI_Error_string().
///
/// @snippet mpi.cpp error
///
/// @returns the only object of its kind
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently; the texts exist while an Environment does
[[nodiscard]] JOBS_EXPORT const std::error_category& error_category() noexcept;

}  // namespace jobs::inline JOBS_ABI::mpi

namespace jobs::inline JOBS_ABI::mpi::detail {

// Throws std::system_error unless `code` is MPI_SUCCESS. `call`: the function of MPI.
JOBS_EXPORT void check(int code, const char* call);

}  // namespace jobs::inline JOBS_ABI::mpi::detail
