// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphSlots: construction and destruction. GraphBody: its code. ResultSlot: the error of a read
// before the node has run. Out of line, to keep the callers small.
#include "jobs/runtime/graph/graph_body.hpp"

#include <array>
#include <cstring>

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

// An object begins with the address of its virtual functions, in the order of their declaration:
// two destructors come before call() (Itanium C++ ABI, 2.5). Its type_info would say as much, but a
// program without RTTI has none.
CodeAddress code_of_node(const GraphBody& body) noexcept {
  constexpr std::size_t kCall = 2;
  const void* functions = nullptr;
  std::memcpy(&functions, static_cast<const void*>(&body), sizeof functions);
  std::array<CodeAddress, kCall + 1> first{};
  std::memcpy(first.data(), functions, sizeof first);
  return first[kCall];
}

void throw_no_result() {
  throw Error(ErrorCode::kBadArgument, "TaskGraph: the result of a node that has not run");
}

}  // namespace jobs::inline JOBS_ABI::detail
