// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CoreList: the only instance.
#include "jobs/runtime/scheduler/core_list.hpp"

#include <cstddef>
#include <new>

namespace jobs::inline JOBS_ABI::detail {

CoreList& CoreList::instance() {
  alignas(CoreList) static std::byte memory[sizeof(CoreList)];
  static CoreList* const only = ::new (static_cast<void*>(memory)) CoreList;
  return *only;
}

}  // namespace jobs::inline JOBS_ABI::detail
