// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Delivery of reports, and the report of a shutdown.
#include "jobs/runtime/diagnostics/deliver.hpp"

#include <new>

#include "jobs/base/os.hpp"
#include "jobs/runtime/diagnostics/snapshot.hpp"
#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI::detail {

void deliver(const Shared& shared, const Report& report) noexcept {
  if (const auto& on_report = shared.options().on_report) {
    on_report(report);
    return;
  }
  try {
    os::write_error(report.text());
  } catch (const std::bad_alloc&) {
    os::write_error("jobs: no memory is left for the text of a report\n");
  }
}

void report_shutdown(Shared& shared, std::chrono::nanoseconds waited) noexcept {
  try {
    Report report = Snapshot::make(shared, Snapshot::kTimeout)->report(Report::Reason::kShutdown);
    report.waited = waited;
    deliver(shared, report);
  } catch (const std::bad_alloc&) {
    os::write_error("jobs: a shutdown waits, and no memory is left for a report\n");
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
