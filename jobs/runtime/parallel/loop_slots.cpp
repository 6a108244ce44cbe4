// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LoopSlots: the division of a loop into slots, and the removal of parts.
#include "jobs/runtime/parallel/loop_slots.hpp"

#include <algorithm>
#include <span>

#include "jobs/fiber/current.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

using slot_order::kTake;

void LoopSlots::begin(const WorkerContext& context, std::uint64_t count, bool replay,
                      const char* user) {
  if (in_use_.exchange(true, kTake))
    contract_violation(user, this, "used by two loops at the same time");
  const std::size_t workers = context.shared().worker_count();
  if (workers > capacity_) {
    try {
      slots_ = std::make_unique<Slot[]>(workers);
    } catch (...) {
      end();
      throw;
    }
    capacity_ = workers;
  }
  count_ = count;
  unit_ = 1 + (count >> 31);  // both ends of any slot fit into one word
  const std::uint64_t units = count / unit_ + (count % unit_ != 0);

  std::uint64_t total = 0;
  if (replay && workers == size_) {
    for (std::size_t i = 0; i < workers; ++i) total += slots_[i].run.load(kTake);
  }
  size_ = workers;
  const std::span<const unsigned> capacities =
      total == 0 ? context.shared().capacities() : std::span<const unsigned>();
  for (const unsigned capacity : capacities) total += capacity;
  // Exact for loops with the same count: the factor is 1.
  const double factor = total > 0 ? static_cast<double>(units) / static_cast<double>(total) : 0;
  std::uint64_t begin = 0;
  std::uint64_t run = 0;
  for (std::size_t i = 0; i < workers; ++i) {
    const std::uint64_t last = slots_[i].run.exchange(0, kTake);
    run += capacities.empty() ? last : capacities[i];
    std::uint64_t end = units;
    if (i + 1 < workers) {
      // Equal shares: the first `units % workers` slots get one unit more.
      end = total > 0 ? static_cast<std::uint64_t>(static_cast<double>(run) * factor)
                      : units / workers * (i + 1) + std::min<std::uint64_t>(units % workers, i + 1);
      end = std::clamp(end, begin, units);
    }
    slots_[i].ends.store(begin << 32 | end, kTake);
    begin = end;
  }
}

void LoopSlots::end() noexcept { in_use_.store(false, kTake); }

std::size_t LoopSlots::home(const WorkerContext& context) const noexcept {
  return context.is_external() ? size_ - 1 : context.worker()->index();
}

LoopSlots::Part LoopSlots::take(std::size_t home, bool whole) noexcept {
  Part part = take_from(slots_[home], true, whole);
  for (std::size_t i = 1; part.is_empty() && i < size_; ++i) {
    part = take_from(slots_[(home + i) % size_], false, whole);
  }
  return part;
}

LoopSlots::Part LoopSlots::take_from(Slot& slot, bool front, bool whole) noexcept {
  std::uint64_t word = slot.ends.load(kTake);
  while (true) {
    const std::uint64_t begin = word >> 32;
    const std::uint64_t end = word & 0xffffffffu;
    if (begin >= end) return {0, 0};
    const std::uint64_t share = whole ? end - begin : (end - begin + 3) / 4;
    const std::uint64_t next = front ? (begin + share) << 32 | end : begin << 32 | (end - share);
    if (!slot.ends.compare_exchange_weak(word, next, kTake, kTake)) continue;
    const std::uint64_t first = front ? begin : end - share;
    const std::uint64_t last = first + share;
    return {first * unit_, last > count_ / unit_ ? count_ : last * unit_};
  }
}

void LoopSlots::add_run(std::size_t home, std::uint64_t iterations) noexcept {
  slots_[home].run.fetch_add((iterations + unit_ - 1) / unit_, kTake);
}

}  // namespace jobs::inline JOBS_ABI::detail
