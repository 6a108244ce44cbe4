// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/worker_context.hpp"

#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// A participant that counts its seat pays for a barrier when it leaves: about 1 to 10 us. If it
// does not, each of its pushes costs 3 ns more.
constexpr unsigned kPushesUntilCounted = 1024;

}  // namespace

JOBS_COLD WorkerContext::WorkerContext(Shared& shared, Idle& idle, Worker* worker, bool has_thieves,
                                       os::Node node, const ParticipantActions* actions)
    : ThreadContext(actions),
      blocks(node),
      deque_(
          // A participant may steal from a single worker, too.
          light_fence_is_free() ? OwnerBarrier::kWhenPublic : OwnerBarrier::kAlways, node),
      idle_(idle),
      shared_(shared),
      worker_(worker),
      critical_(shared.shared_jobs().critical()),
      has_thieves_(has_thieves) {}

JOBS_COLD WorkerContext::~WorkerContext() = default;

JOBS_COLD void WorkerContext::serve(const void* wait) noexcept {
  if (worker_ != nullptr) worker_->serve(wait);
}

JOBS_COLD void WorkerContext::release_memory() noexcept {
  release_at_ = os::kNever;
  blocks.release();
  deque_.shrink();
}

// Steps:
//   1. Set aside all free blocks, and watch whether the deque needs more than its first ring.
//   2. A second later, file the blocks that are still set aside, a few at a time.
//   3. Release slabs whose blocks are all filed, a few at a time. Shrink the deque if it has not
//      needed more.
//   4. Begin again if there are blocks that were not set aside in step 1. So a worker without
//      activity ends after at most three rounds.
//   5. If the surplus is in use, look again a while later: other threads may have freed it.
JOBS_COLD os::Nanoseconds WorkerContext::release_unused(os::Nanoseconds now) noexcept {
  if (release_at_ != os::kNever) {
    if (now < release_at_) return release_at_;
    if (blocks.release_unused(kKeptMemory)) return now;
    deque_.shrink_if_unused();
    release_at_ = os::kNever;
    if (!has_surplus()) return os::kNever;
  }
  if (!blocks.has_unfiled() && !deque_.is_grown()) return now + kLongestSleep;
  blocks.set_aside();
  deque_.watch();
  release_at_ = now + kUnusedAge;
  return release_at_;
}

JOBS_COLD void WorkerContext::yield_to_critical() noexcept {
  if (worker_ != nullptr) worker_->yield_to_critical();
}
JOBS_COLD void WorkerContext::yield_to_high() noexcept {
  if (worker_ != nullptr) worker_->yield_to_high();
}

JOBS_COLD Job* WorkerContext::pop_oldest() noexcept {
  [[maybe_unused]] const sanitizer::IgnoreSync queue;
  return deque_.pop_oldest();
}

JOBS_COLD bool WorkerContext::leaves_to_seats() noexcept {
  const bool counts_seats = !is_external() || ++rare_pushes_ % kPushesUntilCounted == 0;
  return idle_.leaves_to_seats(counts_seats);
}

void WorkerContext::publish() noexcept {
  if (idle_.has_new_seats() && leaves_to_seats()) [[unlikely]]
    return;
  deque_.publish();
  shared_.move_new_threads();
  idle_.published([this] { record_cpu(); });
}

void WorkerContext::publish_detached() noexcept {
  publish();
  if (const auto run = shared_.run_pushed()) run(*worker_);
}

}  // namespace jobs::inline JOBS_ABI::detail
