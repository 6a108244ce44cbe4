// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CoreList: the only instance.
#include "jobs/runtime/scheduler/core_list.hpp"

namespace jobs::inline JOBS_ABI::detail {

CoreList& CoreList::instance() {
  static CoreList* const only = new CoreList;
  return *only;
}

}  // namespace jobs::inline JOBS_ABI::detail
