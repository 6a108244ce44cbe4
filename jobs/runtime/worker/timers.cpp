// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/timers.hpp"

#include <limits>

namespace jobs::inline JOBS_ABI::detail {

void Timers::SlotSet::add(unsigned slot_index) noexcept {
  words[slot_index / kWindow] |= std::uint64_t{1} << slot_index % kWindow;
  windows |= 1u << slot_index / kWindow;
}

void Timers::SlotSet::remove(unsigned slot_index) noexcept {
  std::uint64_t& word = words[slot_index / kWindow];
  word &= ~(std::uint64_t{1} << slot_index % kWindow);
  if (word == 0) windows &= ~(1u << slot_index / kWindow);
}

Timers::Timers() noexcept {
  for (unsigned level = 1; level < kLevels; ++level)
    finer_[level] = os::Nanoseconds{2} << (level * kDigitBits);
}

Timers::Slot& Timers::append(Deadline& deadline, unsigned slot_index) noexcept {
  deadline.slot_index = slot_index;
  Slot& slot = slots_[slot_index];
  if (slot.first == nullptr) {
    deadline.next = deadline.previous = &deadline;
    slot = {&deadline, deadline.at, 1};
    occupied_.add(slot_index);
    return slot;
  }
  Deadline* const last = slot.first->previous;
  deadline.next = slot.first;
  deadline.previous = last;
  last->next = slot.first->previous = &deadline;
  slot.earliest = std::min(slot.earliest, deadline.at);
  if (++slot.count == kBatch + 1 && slot_index >= kSlotsPerLevel) full_.add(slot_index);
  return slot;
}

void Timers::arm(Deadline& deadline) noexcept {
  deadline.armed = true;
  // A deadline that has passed already belongs to the present tick.
  const os::Nanoseconds tick = std::max(tick_, deadline.at >> kTickBits);
  // A window of this level is longer than the distance, so the deadline lies in the present window
  // or in the next one. The same may hold one level below, but not two levels below.
  const auto distance = static_cast<std::uint64_t>(tick - tick_);
  unsigned level = (static_cast<unsigned>(std::bit_width(distance | 1)) - 1) / kDigitBits;
  level -= tick < finer_[level] ? 1 : 0;
  append(deadline, slot_index_of(level, tick >> (level * kDigitBits)));
}

void Timers::mark_empty(unsigned slot_index) noexcept {
  slots_[slot_index].first = nullptr;
  occupied_.remove(slot_index);
  if (full_.has(slot_index)) full_.remove(slot_index);
}

void Timers::disarm(Deadline& deadline) noexcept {
  if (!deadline.armed) return;
  deadline.armed = false;
  if (deadline.next == &deadline) {
    mark_empty(deadline.slot_index);
    return;
  }
  deadline.next->previous = deadline.previous;
  deadline.previous->next = deadline.next;
  Slot& slot = slots_[deadline.slot_index];
  --slot.count;
  if (slot.first == &deadline) slot.first = deadline.next;
}

os::Nanoseconds Timers::nearest() const noexcept {
  os::Nanoseconds nearest = os::kNever;
  occupied_.for_each_first(
      [&](unsigned slot_index) { nearest = std::min(nearest, slots_[slot_index].earliest); });
  return nearest;
}

os::Nanoseconds Timers::next_check() const noexcept {
  os::Nanoseconds look = nearest();
  full_.for_each_first([&](unsigned slot_index) {
    const unsigned level = slot_index / kSlotsPerLevel;
    const unsigned ahead =
        (slot_index - static_cast<unsigned>(present(level))) % kSlotsPerLevel;  // at least 1 slot
    look = std::min(look, (present(level) + ahead - 1) << (level * kDigitBits + kTickBits));
  });
  return look;
}

// Moves up to `limit` deadlines of a slot to the level below. Returns the number of moved
// deadlines.
// pre: level > 0, and the slot contains the wheel's time or is the next one. So the level below has
// slots for all its deadlines.
unsigned Timers::move_down(unsigned level, os::Nanoseconds number, unsigned limit) noexcept {
  const unsigned slot_index = slot_index_of(level, number);
  unsigned moved = 0;
  while (occupied_.has(slot_index) && moved < limit) {
    Deadline& newest = *slots_[slot_index].first->previous;
    disarm(newest);
    newest.armed = true;
    append(newest, slot_index_of(level - 1, newest.at >> (kTickBits + (level - 1) * kDigitBits)))
        .first = &newest;
    ++moved;
  }
  return moved;
}

// Advances the wheel's time. pre: no deadline lies before `tick`.
void Timers::advance(os::Nanoseconds tick) noexcept {
  const auto differing = static_cast<std::uint64_t>(tick ^ tick_);
  tick_ = tick;
  for (unsigned level = (static_cast<unsigned>(std::bit_width(differing | 1)) - 1) / kDigitBits;
       level > 0; --level) {
    finer_[level] = (present(level) + 2) << (level * kDigitBits);
    move_down(level, present(level), std::numeric_limits<unsigned>::max());
  }
}

// Moves deadlines of full slots ahead of time. If the next slot of a level is full, it is the first
// full slot of its window, because earlier slots are empty. Finer levels come first, because their
// deadlines are due first.
void Timers::move_ahead() noexcept {
  unsigned remaining = kBatch;
  full_.for_each_first([&](unsigned slot_index) {
    const unsigned level = slot_index / kSlotsPerLevel;
    if (slot_index == slot_index_of(level, present(level) + 1))
      remaining -= move_down(level, present(level) + 1, remaining);
  });
}

Deadline* Timers::take_due(os::Nanoseconds now) noexcept {
  Deadline* due = nullptr;
  Deadline** end = &due;
  for (os::Nanoseconds first = nearest(); first <= now && !empty(); first = nearest()) {
    advance(std::max(tick_, first >> kTickBits));
    const unsigned slot_index = slot_index_of(0, tick_);
    Deadline* remaining = slots_[slot_index].first;  // null if the first deadline has been disarmed
    if (remaining == nullptr) continue;
    remaining->previous->next = nullptr;
    mark_empty(slot_index);
    while (remaining != nullptr) {
      Deadline& deadline = *remaining;
      remaining = deadline.next;
      if (deadline.at > now) {
        append(deadline, slot_index);
        continue;
      }
      deadline.armed = false;
      *end = &deadline;
      end = &deadline.next;
    }
  }
  *end = nullptr;
  advance(std::max(tick_, now >> kTickBits));
  move_ahead();
  return due;
}

}  // namespace jobs::inline JOBS_ABI::detail
