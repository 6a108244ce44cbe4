// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphSlots: construction and destruction. ResultSlot: the error of a read before the node has
// run. Out of line, to keep the callers small.
#include "jobs/runtime/graph/graph_body.hpp"

#include "jobs/error.hpp"

namespace jobs::inline JOBS_ABI::detail {

void GraphSlots::add(GraphSlotMaker make, void* argument, GraphRun* run) {
  slots_.push_back(nullptr);
  try {
    slots_.back() = make(argument, run, memory_);
  } catch (...) {
    slots_.pop_back();
    throw;
  }
}

void GraphSlots::clear() noexcept {
  for (GraphSlot* const slot : slots_) slot->~GraphSlot();
  slots_.clear();
  memory_.recycle();
}

void throw_no_result() {
  throw Error(ErrorCode::kBadArgument, "TaskGraph: the result of a node that has not run");
}

}  // namespace jobs::inline JOBS_ABI::detail
