// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LiveCollector: takes pictures of the schedulers of the process. It reads what the workers publish
// in any case, so a worker that hangs is in the picture, too. It remembers the last picture, to
// find how long a worker has not changed. One thread calls it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"
#include "jobs/trace/live/live_page.hpp"
#include "jobs/trace/live/live_waits.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class LiveCollector {
 public:
  // Takes a picture. `lists_waits`: also asks the workers for their waiting fibers, if the last
  // answer is old. Waits at most LiveWaits::kPatience for it. Throws std::bad_alloc.
  LivePicture take(bool lists_waits);

 private:
  // A worker at the time of the last picture.
  struct Seen {
    const void* worker = nullptr;
    LiveState state = LiveState::kVacant;
    std::uint64_t progress = 0;
    os::Nanoseconds since = 0;
    std::string label;
  };
  // A scheduler at the time of the last picture.
  struct SeenScheduler {
    const void* core = nullptr;
    std::uint64_t jobs = 0;
    os::Nanoseconds since = 0;  // Since then jobs wait, and no job has begun.
  };

  void add(LivePicture& picture, jobs::detail::SchedulerCore& core, os::Nanoseconds now);
  LiveWorker describe(const jobs::detail::SchedulerCore& core, jobs::detail::Worker& worker,
                      std::size_t number, os::Nanoseconds now);
  os::Nanoseconds oldest_of_shared(const jobs::detail::SchedulerCore& core, const Stats& stats,
                                   std::size_t number, os::Nanoseconds now);
  const std::string& name_of(const void* function);

  std::vector<Seen> workers_;
  std::vector<SeenScheduler> schedulers_;
  std::map<const void*, std::string> names_;  // of functions
  LiveWaits waits_;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
