// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ResultSlot: the error of a read before the node has run. Out of line, to keep the callers small.
#include "jobs/runtime/graph/graph_body.hpp"

#include "jobs/error.hpp"

namespace jobs::inline JOBS_ABI::detail {

void throw_no_result() {
  throw Error(ErrorCode::kBadArgument, "TaskGraph: the result of a node that has not run");
}

}  // namespace jobs::inline JOBS_ABI::detail
