// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: checks of arguments.
#pragma once

#include <climits>
#include <cstddef>
#include <string>

#include "jobs/error.hpp"

namespace jobs::inline JOBS_ABI::mpi::detail {

// The count as MPI wants it. Throws Error(kBadArgument) with the name of the function of jobs::mpi.
inline int checked_count(std::size_t count, const char* caller) {
  if (count > INT_MAX)
    throw Error(ErrorCode::kBadArgument,
                std::string("jobs::mpi::") + caller + "(): " + std::to_string(count) +
                    " are too many; at most " + std::to_string(INT_MAX) + " bytes or numbers");
  return static_cast<int>(count);
}

// Throws Error(kBadArgument) unless the result of a collective operation has the right size.
// `unit`: "bytes" or "numbers".
inline void check_room(std::size_t room, std::size_t needed, const char* unit, const char* caller) {
  if (room != needed)
    throw Error(ErrorCode::kBadArgument, std::string("jobs::mpi::") + caller +
                                             "(): the result has room for " + std::to_string(room) +
                                             " " + unit + " and needs " + std::to_string(needed));
}

}  // namespace jobs::inline JOBS_ABI::mpi::detail
