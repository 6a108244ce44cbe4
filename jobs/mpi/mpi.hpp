// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::mpi, messages between the processes of a parallel program. A fiber waits for
// a message and does not hold its worker; an external thread parks. An optional component: CMake
// target jobs::mpi. This header includes all other headers of the folder.
//
//   jobs::mpi::Environment environment(&argc, &argv);
//   jobs::mpi::send(results, 0);
//   const double sum = jobs::mpi::all_reduce(part, MPI_SUM);
#pragma once

#include "jobs/mpi/collectives.hpp"
#include "jobs/mpi/data.hpp"
#include "jobs/mpi/environment.hpp"
#include "jobs/mpi/error.hpp"
#include "jobs/mpi/messages.hpp"
#include "jobs/mpi/request.hpp"
