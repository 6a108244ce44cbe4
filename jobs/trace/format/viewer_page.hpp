// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The page of the viewer, which the build assembles from the files in `viewer/`. A recording stands
// between the two parts.
#pragma once

#include <string_view>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

extern const std::string_view viewer_page_begin;
extern const std::string_view viewer_page_end;

}  // namespace jobs::inline JOBS_ABI::trace::detail
