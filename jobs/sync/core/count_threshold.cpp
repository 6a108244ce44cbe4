// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/count_threshold.hpp"

#include <iterator>
#include <mutex>

#include "jobs/sync/core/park.hpp"
#include "jobs/sync/core/stop_event.hpp"

namespace jobs::inline JOBS_ABI::detail {

CountThreshold::Bucket& CountThreshold::bucket_of(
    [[maybe_unused]] const CountdownCore* core) noexcept {
#if defined(JOBS_MODEL)
  return *model_bucket;
#else
  static Bucket buckets[16];
  return buckets[reinterpret_cast<std::uintptr_t>(core) / 64 % std::size(buckets)];
#endif
}

bool CountThreshold::wait_at_most(CountdownCore& core, std::uint64_t most, os::Nanoseconds deadline,
                                  const std::stop_token& stop) {
  StopEvent stop_event(stop);
  CountThreshold threshold(core, most);
  return threshold.wait({.deadline = deadline, .stop = stop_event.get()}) == WaitStatus::kOk;
}

WaitStatus CountThreshold::wait(WaitLimit limit) {
  return wait_until_open(*this, limit, WaitKind::kCounter, [&] { return wait(limit); });
}

bool CountThreshold::link(Waiter& waiter) noexcept {
  Bucket& bucket = bucket_of(&core_);
  const std::lock_guard guard(bucket.lock);
  bool has_mark = false;
  Plain<CountThreshold*>* last = &bucket.first;
  while (CountThreshold* const threshold = *last) {
    if (&threshold->core_ == &core_) has_mark = true;
    last = &threshold->next_;
  }
  if (has_mark ? is_open() : !core_.add_above(most_, kMark)) return false;
  waiter_ = &waiter;
  next_ = nullptr;
  *last = this;
  return true;
}

bool CountThreshold::unlink(Waiter& /*waiter*/) noexcept {
  Bucket& bucket = bucket_of(&core_);
  bool is_last = true;
  WaitState before{0};
  {
    const std::lock_guard guard(bucket.lock);
    if (waiter_ == nullptr) return false;
    waiter_ = nullptr;
    Plain<CountThreshold*>* link = &bucket.first;
    while (CountThreshold* const threshold = *link) {
      if (threshold == this) {
        *link = static_cast<CountThreshold*>(next_);
        continue;
      }
      if (&threshold->core_ == &core_) is_last = false;
      link = &threshold->next_;
    }
    if (is_last) before = unmark(core_);
  }
  if (is_last) unmarked(core_, before);
  return true;
}

void CountThreshold::fell(CountdownCore* core) noexcept {
  Bucket& bucket = bucket_of(core);
  Waiter* first = nullptr;
  Waiter* last = nullptr;
  bool is_last = true;
  WaitState before{0};
  {
    const std::lock_guard guard(bucket.lock);
    Plain<CountThreshold*>* link = &bucket.first;
    while (CountThreshold* const threshold = *link) {
      const bool concerns = &threshold->core_ == core;
      if (!concerns || !threshold->is_open()) {
        if (concerns) is_last = false;
        link = &threshold->next_;
        continue;
      }
      *link = static_cast<CountThreshold*>(threshold->next_);
      Waiter* const waiter = threshold->waiter_;
      threshold->waiter_ = nullptr;
      waiter->next = nullptr;
      if (first == nullptr) {
        first = waiter;
      } else {
        last->next = waiter;
      }
      last = waiter;
    }
    if (first == nullptr) return;
    if (is_last) before = unmark(*core);
  }
  if (is_last) unmarked(*core, before);
  wake_all(first);
}

}  // namespace jobs::inline JOBS_ABI::detail
