// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The release of freed memory.
#include "bench/blocked_100k/workload.hpp"

#include <malloc.h>

namespace bench::blocked_100k {

void forget_freed_memory() { malloc_trim(0); }

}  // namespace bench::blocked_100k
