// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The kind of this build, for tests that do less or expect less under a sanitizer.
#pragma once

#include "jobs/base/sanitizer.hpp"

namespace jobs::test {

#if defined(JOBS_TSAN)
inline constexpr bool kUnderThreadSanitizer = true;
#else
inline constexpr bool kUnderThreadSanitizer = false;
#endif
#if defined(JOBS_ASAN)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = kUnderThreadSanitizer;
#endif

}  // namespace jobs::test
