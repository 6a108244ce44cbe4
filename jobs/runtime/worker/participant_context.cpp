// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/participant_context.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "jobs/base/annotate.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// A theft of a shorter job costs its owner more than it saves. The participant then pauses, as a
// worker does (worker_theft.cpp).
constexpr os::Nanoseconds kWorthHelp = 1'000;
constexpr os::Nanoseconds kMinHelpPause = 500;
constexpr os::Nanoseconds kMaxHelpPause = 8'000;

}  // namespace

JOBS_ALWAYS_INLINE void ParticipantContext::hold_seat(bool held) noexcept {
  if (held) return shared().take_seat();
  clear_cpu();
  shared().return_seat(*this);
}

constinit const ParticipantActions ParticipantContext::kActions = {
    .help =
        [](ThreadContext& context, const void* awaited) noexcept {
          return static_cast<ParticipantContext&>(context).help(awaited);
        },
    .hold_seat =
        [](ThreadContext& context, bool held) noexcept {
          static_cast<ParticipantContext&>(context).hold_seat(held);
        },
};

JOBS_COLD bool ParticipantContext::help(const void* awaited) noexcept {
  const os::Nanoseconds start = os::now();
  if (start < next_theft_) {
    cpu_relax();
    return true;
  }
  bool is_requested = false;
  Job* const job = steal_for(awaited, is_requested);
  if (!is_requested) requested_at_ = 0;
  if (job == nullptr) {
    cpu_relax();
    return is_requested;
  }
  // A wait inside of the job is a wait of its own.
  FiberHost* const host = std::exchange(this_thread().host, nullptr);
  job->run();
  this_thread().host = host;
  // No worker parks after this job, and a drain may have waited for it.
  if (shared().is_in_blocking_call()) shared().before_park();
  const os::Nanoseconds end = os::now();
  pause_ = end - start < kWorthHelp ? std::clamp(2 * pause_, kMinHelpPause, kMaxHelpPause) : 0;
  next_theft_ = end + pause_;
  return true;
}

// Sets `is_requested` if a worker has a job for the wait in a private deque.
JOBS_COLD Job* ParticipantContext::steal_for(const void* awaited, bool& is_requested) noexcept {
  for (unsigned i = 0; i < shared().worker_count(); ++i) {
    Worker& worker = Worker::of(shared(), i);
    const std::uint64_t epoch = worker.serves_in_epoch(awaited);
    if (epoch == Worker::kNotServed) continue;
    WorkerContext& victim = worker.context();
    if (victim.looks_empty()) continue;
    StealResult<Job> stolen{};
    {
      [[maybe_unused]] const sanitizer::IgnoreSync queue;
      stolen = victim.steal();
    }
    if (stolen.status == StealStatus::kPrivate) {
      is_requested = true;
      shared().forced_publication().force_if_due(victim, requested_at_);
    }
    if (stolen.item == nullptr) continue;
    if (worker.serves_in_epoch(awaited) == epoch) return stolen.item;
    shared().resubmit(*stolen.item);
  }
  return nullptr;
}

}  // namespace jobs::inline JOBS_ABI::detail
