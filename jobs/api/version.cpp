// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// version() is out of line, so that it reports the version of the library and not of its caller.
#include "jobs/version.hpp"

namespace jobs::inline JOBS_ABI {

const char* version() noexcept { return JOBS_VERSION_STRING; }

}  // namespace jobs::inline JOBS_ABI
