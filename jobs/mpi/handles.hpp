// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: the declarations of MPI itself, without its former C++ interface.
#pragma once

#include "jobs/base/config.hpp"  // first: reports a compiler that does not know C++20

// The C++ interface was removed from the standard. Its header is long, and needs a library of its
// own.
#if !defined(OMPI_SKIP_MPICXX)
#define OMPI_SKIP_MPICXX 1
#endif
#if !defined(MPICH_SKIP_MPICXX)
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>
