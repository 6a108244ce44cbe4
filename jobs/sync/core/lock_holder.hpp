// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The lock owner that a fiber waits for; for reports. By the home of the fiber.
#pragma once

#include "jobs/fiber/wait_site.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Returns LockOwner::owner() of the lock at that site; null if the lock has no owner. pre: a fiber
// waits there.
const void* owner_of(const WaitSite& site) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
