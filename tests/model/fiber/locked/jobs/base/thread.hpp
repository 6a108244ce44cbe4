// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// For models: ThreadMutex on the explorer. The threads of a model share one thread of the system,
// which a std::mutex would block. Programs that put this folder first in their include path use it
// instead of thread.hpp of jobs/base.
#pragma once

#include "jobs/queue/raw_spin_lock.hpp"

namespace jobs::inline JOBS_ABI::detail {

using ThreadMutex = RawSpinLock;

}  // namespace jobs::inline JOBS_ABI::detail
