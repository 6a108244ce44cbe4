// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The parallel loop of the C interface.
#include "jobs/c/parallel_for.h"

#include "jobs/c/border.hpp"
#include "jobs/parallel_for.hpp"

jobs_status jobs_parallel_for(jobs_scheduler* scheduler, int64_t first, int64_t last, size_t grain,
                              jobs_range_function body, void* data) noexcept {
  if (body == nullptr || first > last) return JOBS_ERROR_ARGUMENT;
  return jobs::detail::at_border([&] {
    const auto part = [=](int64_t begin, int64_t end) {
      const jobs::detail::RecordedCall call(body);
      jobs::detail::call_back([&] { body(data, begin, end); });
    };
    jobs::detail::on_scheduler(scheduler, [&] {
      jobs::parallel_for(first, last, part, grain == 0 ? jobs::Grain() : jobs::Grain(grain));
    });
    return JOBS_OK;
  });
}
