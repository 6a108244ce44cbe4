// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// HeapVector: a vector on the heap of the library. A header of its own, because few files may
// include <vector>: it is half of the text of a small public header.
#pragma once

#include <vector>

#include "jobs/base/config.hpp"
#include "jobs/base/heap.hpp"

namespace jobs::inline JOBS_ABI::detail {

template <class T>
using HeapVector = std::vector<T, HeapAllocator<T>>;

}  // namespace jobs::inline JOBS_ABI::detail
