// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// version(): out of line, so that it answers for the library and not for its caller.
#include "jobs/version.hpp"

namespace jobs::inline JOBS_ABI {

const char* version() noexcept { return JOBS_VERSION_STRING; }

}  // namespace jobs::inline JOBS_ABI
