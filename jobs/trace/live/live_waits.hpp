// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LiveWaits: where fibers wait. The data of a fiber belongs to its home worker, so each worker is
// asked to describe its fibers, at most once in kInterval. A worker that hangs does not answer. It
// gets no further question before it has answered, so questions do not pile up. One thread calls
// the functions.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/report_types.hpp"
#include "jobs/runtime/diagnostics/snapshot.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/trace/live/live_page.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class LiveWaits {
 public:
  static constexpr os::Nanoseconds kInterval = 1'000'000'000;
  static constexpr std::chrono::milliseconds kPatience{20};

  // Asks the workers of a scheduler, if the last question is old and they have answered it. The
  // caller keeps the scheduler alive during the call. Throws std::bad_alloc.
  void ask(jobs::detail::Shared& shared, os::Nanoseconds now);
  // Writes the answers of the schedulers for which ask() was called since the last write().
  void write(LivePicture& picture, bool is_wanted);

 private:
  struct Question {
    jobs::detail::Shared* shared = nullptr;
    unsigned workers = 0;
    bool is_present = true;  // asked for since the last write()
    os::Nanoseconds at = 0;
    std::shared_ptr<jobs::detail::Snapshot> snapshot;
    std::uint64_t silent_workers = 0;
    std::vector<LiveWait> waits;
  };

  static void read_answers(Question& question);

  std::vector<Question> questions_;
};

// "file.cpp:17". Throws std::bad_alloc.
std::string site_name(std::string_view file, unsigned line);
// Copies the first bytes of a text.
void copy_label(std::array<char, 64>& label, std::string_view text) noexcept;

}  // namespace jobs::inline JOBS_ABI::trace::detail
