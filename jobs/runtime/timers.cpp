// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/timers.hpp"

#include <algorithm>

namespace jobs::inline JOBS_ABI::detail {

void Timers::put(Deadline& deadline) noexcept {
  const os::Nanoseconds tick =
      std::max(tick_, deadline.at >> kTickBits);  // what has passed already lies in the present
  const auto differing = static_cast<std::uint64_t>(tick ^ tick_);
  const unsigned level = differing == 0 ? 0 : (static_cast<unsigned>(std::bit_width(differing)) - 1) / kDigitBits;
  const auto digit = static_cast<unsigned>(tick >> (level * kDigitBits)) % kDigits;
  deadline.place = level * kDigits + digit;

  Slot& slot = slots_[deadline.place];
  if (slot.first == nullptr) {
    deadline.next = deadline.previous = &deadline;
    slot = {&deadline, deadline.at};
    occupied_[level] |= std::uint64_t{1} << digit;
    levels_ |= 1u << level;
    return;
  }
  Deadline* const last = slot.first->previous;
  deadline.next = slot.first;
  deadline.previous = last;
  last->next = slot.first->previous = &deadline;
  slot.earliest = std::min(slot.earliest, deadline.at);
}

void Timers::mark_empty(unsigned place) noexcept {
  slots_[place].first = nullptr;
  std::uint64_t& occupied = occupied_[place / kDigits];
  occupied &= ~(std::uint64_t{1} << place % kDigits);
  if (occupied == 0) levels_ &= ~(1u << place / kDigits);
}

void Timers::disarm(Deadline& deadline) noexcept {
  if (!deadline.armed) return;
  deadline.armed = false;
  if (deadline.next == &deadline) {
    mark_empty(deadline.place);
    return;
  }
  deadline.next->previous = deadline.previous;
  deadline.previous->next = deadline.next;
  Slot& slot = slots_[deadline.place];
  if (slot.first == &deadline) slot.first = deadline.next;
}

Deadline* Timers::take_due(os::Nanoseconds now) noexcept {
  Deadline* due = nullptr;
  Deadline** end = &due;
  while (nearest() <= now && !empty()) {
    const unsigned level = lowest_level();
    const unsigned digit = first_digit(level);
    Deadline* rest = slots_[level * kDigits + digit].first;
    rest->previous->next = nullptr;
    mark_empty(level * kDigits + digit);

    // The wheel's time moves to the slot, so that what lies in it finds a place on a finer level, in order.
    const unsigned below = level * kDigitBits;
    const os::Nanoseconds start = (((tick_ >> below) & ~os::Nanoseconds{kDigits - 1}) | digit) << below;
    tick_ = std::max(tick_, start);

    while (rest != nullptr) {
      Deadline& deadline = *rest;
      rest = deadline.next;
      if (level > 0 || deadline.at > now) {
        put(deadline);
        continue;
      }
      deadline.armed = false;
      *end = &deadline;
      end = &deadline.next;
    }
  }
  *end = nullptr;
  return due;
}

}  // namespace jobs::inline JOBS_ABI::detail
