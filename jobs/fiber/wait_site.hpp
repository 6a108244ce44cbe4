// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WaitSite: the object of a fiber's wait, for reports (jobs/report.hpp). The fiber's home writes
// it; no decision depends on it. It costs two stores for each wait that suspends.
#pragma once

#include "jobs/base/config.hpp"
#include "jobs/wait_kind.hpp"

namespace jobs::inline JOBS_ABI::detail {

struct WaitSite {
  WaitKind kind = WaitKind::kNothing;
  // The object; null if the user does not know the object. It lives as long as the fiber waits: its
  // destruction before the end of the wait is a violation of its contract.
  const void* object = nullptr;
};

}  // namespace jobs::inline JOBS_ABI::detail
