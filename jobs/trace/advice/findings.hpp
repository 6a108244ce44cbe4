// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The causes of lost time. A rule is a function over the summary of a run: it returns a Finding, or
// nothing. A new cause is a new row of the table in findings.cpp.
//
// Most limits are ratios of times of the same run, and medians where one long interruption could
// decide. So a slow or a loaded machine rarely changes a finding. The limits of late deadlines, and
// the least numbers of events, are absolute.
#pragma once

#include <vector>

#include "jobs/diagnosis.hpp"
#include "jobs/trace/advice/run_summary.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// Returns the findings; the largest share comes first, and "memory node misses" and "too many
// threads" last. Throws std::bad_alloc.
std::vector<Finding> find_causes(const RunSummary& run);

}  // namespace jobs::inline JOBS_ABI::trace::detail
