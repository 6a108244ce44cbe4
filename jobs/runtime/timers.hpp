// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The deadlines of one worker: a hierarchical timing wheel of nodes that live in the waiting frames. Owner only, never allocates.
//
// Time is cut into ticks of 2^16 ns (65.5 us), a tick's number into digits of 6 bits. A deadline lies on the level of the highest
// digit in which its tick differs from the wheel's own, in the slot of that digit: all of level 0 comes before all of level 1, and
// so on. Eight levels are the whole range of the clock, so there is neither a wrap-around nor a list of what is too far away.
// When the clock reaches a slot, what lies in it moves down to finer levels: at most 7 times in a life.
//
// Slots decide where to look, not when: each remembers its earliest deadline, so nothing is rounded to ticks. A deadline fires
// at the first look at or after its time, never before.
//
// Cost: arm() and disarm() O(1); nearest() O(1); take_due() O(1) for each deadline that it returns or moves. All that lie in one
// slot move together: a million deadlines of the same hour cost one long look. (A slot of level 0 may be looked through more than
// once, but after a tick all of it is gone.)
// Source: Varghese, Lauck, "Hashed and hierarchical timing wheels", SOSP 1987, scheme 7.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Timers {
 public:
  // pre: not armed.
  void arm(Deadline& deadline) noexcept {
    deadline.armed = true;
    put(deadline);
  }
  void disarm(Deadline& deadline) noexcept;  // does nothing to one that has fired

  // Takes off all that have passed by `now`, linked by `next`; null if none. Roughly in the order of their times: those less than
  // a tick apart may change places, those of the same time come in the order in which they were armed.
  Deadline* take_due(os::Nanoseconds now) noexcept;

  // No deadline is nearer than this; kNever if there is none. Too early at most once for each disarmed one.
  os::Nanoseconds nearest() const noexcept { return empty() ? os::kNever : first_slot().earliest; }
  bool empty() const noexcept { return levels_ == 0; }

 private:
  static constexpr unsigned kTickBits = 16;
  static constexpr unsigned kDigitBits = 6;
  static constexpr unsigned kDigits = 1 << kDigitBits;
  static constexpr unsigned kLevels = 8;
  static_assert(kTickBits + kLevels * kDigitBits >= 63, "every time must have a place");

  struct Slot {
    Deadline* first = nullptr;     // of a circle, oldest first
    os::Nanoseconds earliest = 0;  // or the time of one that has been disarmed
  };

  void put(Deadline& deadline) noexcept;
  unsigned lowest_level() const noexcept { return static_cast<unsigned>(std::countr_zero(levels_)); }
  unsigned first_digit(unsigned level) const noexcept {
    return static_cast<unsigned>(std::countr_zero(occupied_[level]));
  }
  // pre: not empty. The earliest of all deadlines is there.
  const Slot& first_slot() const noexcept { return slots_[lowest_level() * kDigits + first_digit(lowest_level())]; }
  void mark_empty(unsigned place) noexcept;

  os::Nanoseconds tick_ = 0;  // the wheel's time: no deadline lies in a slot before it
  std::uint32_t levels_ = 0;  // bit n: level n has deadlines
  std::array<std::uint64_t, kLevels> occupied_{};
  std::array<Slot, kLevels * kDigits> slots_{};
};

}  // namespace jobs::inline JOBS_ABI::detail
