// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The version, twice: the macros say what the caller was compiled against, version() what it runs with. The build reads
// the string from here. Before 1.0 a minor version may change the API and the ABI.
#pragma once

#include "jobs/base/config.hpp"

#define JOBS_VERSION_MAJOR 0
#define JOBS_VERSION_MINOR 1
#define JOBS_VERSION_PATCH 0
#define JOBS_VERSION_STRING "0.1.0"

namespace jobs::inline JOBS_ABI {

// JOBS_VERSION_STRING of the library that is linked.
JOBS_EXPORT const char* version() noexcept;

}  // namespace jobs::inline JOBS_ABI
