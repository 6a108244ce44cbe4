// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// The version: macros for the headers, version() for the linked library.
///
/// The build reads the version string from this file. Before 1.0 a minor version may change the API
/// and the ABI.
#pragma once

#include "jobs/base/config.hpp"

/// Major version of the headers.
#define JOBS_VERSION_MAJOR 0
/// Minor version of the headers.
#define JOBS_VERSION_MINOR 1
/// Patch version of the headers.
#define JOBS_VERSION_PATCH 0
/// Version of the headers that the caller is compiled with.
#define JOBS_VERSION_STRING "0.1.0"

namespace jobs::inline JOBS_ABI {

/// Returns the version of the linked library.
///
/// A program can compare it with JOBS_VERSION_STRING.
///
/// @returns static string, such as "0.1.0"
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT const char* version() noexcept;

}  // namespace jobs::inline JOBS_ABI
