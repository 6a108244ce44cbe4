// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The deadlines of one worker: a hierarchical timing wheel of nodes that live in the waiting frames. Owner only, never allocates.
//
// Time is cut into ticks of 2^16 ns (65.5 us). A slot of level 0 is a tick, one of level n + 1 a window of 64 slots of level n. A
// level has places for two windows: the one that the wheel's time is in, and the next. A deadline is armed on the finest level
// that has a place for it. Eight levels are the whole range of the clock, so there is no list of what is too far away.
//
//             now
//   level 0    |......window......|...next window....|
//   level 1    (      empty       )( moves to level 0 )(     ......     )(     ......     )...
//
// A slot of a coarse level moves down one level, into the places of the next window, while the present one is still under way: so
// many of it at each look, so that no look is long, however many lie in it. A worker that has nothing else to do goes on looking
// until it is empty, and sleeps until that should begin. A slot that has never held more than one look moves stays where it is
// until its time has come, and wakes nobody before. What is left when the clock reaches a slot moves at once.
//
// Slots decide where to look, not when: each remembers its earliest deadline, so nothing is rounded to ticks. A deadline fires
// at the first look at or after its time, never before.
//
// Those of the same time keep the order in which they were armed: what lies on a coarser level is older than what lies on a finer
// one, so a slot moves newest first, each to the front of its new slot.
//
// Cost: arm() and disarm() O(1); nearest() and next_look() O(1), a few steps for each level in use; take_due() O(1) for each that
// it returns or moves, and it moves kBatch ahead of time. A node moves 7 times at most. (A slot of level 0 may be looked through
// more than once, but after a tick all of it is gone.)
// Source: Varghese, Lauck, "Hashed and hierarchical timing wheels", SOSP 1987, scheme 7.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Timers {
 public:
  // What one look moves ahead of time. A move costs up to two cache misses, and a look comes every 50 us: so it stays below a tenth
  // of the worker's time, and keeps up with 300,000 deadlines a second.
  static constexpr unsigned kBatch = 32;

  Timers() noexcept;
  // pre: not armed.
  void arm(Deadline& deadline) noexcept;
  void disarm(Deadline& deadline) noexcept;  // does nothing to one that has fired

  // Takes off all that have passed by `now`, linked by `next`; null if none. Roughly in the order of their times: those less than
  // a tick apart may change places, those of the same time come in the order in which they were armed.
  Deadline* take_due(os::Nanoseconds now) noexcept;

  // No deadline is nearer than this; kNever if there is none. Too early at most once for each disarmed one.
  os::Nanoseconds nearest() const noexcept;
  // When to call take_due() next if there is nothing else to do: at nearest(), or earlier to move a full slot in time. Has passed
  // already if the last look has left some of it.
  os::Nanoseconds next_look() const noexcept;
  bool empty() const noexcept { return occupied_.windows == 0; }

 private:
  static constexpr unsigned kTickBits = 16;
  static constexpr unsigned kDigitBits = 6;
  static constexpr unsigned kWindow = 1 << kDigitBits;
  static constexpr unsigned kPlaces = 2 * kWindow;  // of a level
  static constexpr unsigned kLevels = 8;
  static_assert(kTickBits + kLevels * kDigitBits >= 63, "every time must have a place");

  struct Slot {
    Deadline* first = nullptr;     // of a circle, oldest first
    os::Nanoseconds earliest = 0;  // or the time of one that has been disarmed
    unsigned count = 0;
  };

  // Some of the places: a bit for each, a word for each window.
  struct Places {
    std::uint32_t windows = 0;  // bit n: some of word n
    std::array<std::uint64_t, kLevels * 2> words{};

    void add(unsigned place) noexcept;
    void remove(unsigned place) noexcept;
    bool has(unsigned place) const noexcept { return (words[place / kWindow] >> place % kWindow & 1) != 0; }
    // Calls it with the first place of each window that has some, finest level first.
    template <class F>
    void for_each_first(F&& f) const noexcept {
      for (std::uint32_t left = windows; left != 0; left &= left - 1) {
        const auto window = static_cast<unsigned>(std::countr_zero(left));
        f(window * kWindow + static_cast<unsigned>(std::countr_zero(words[window])));
      }
    }
  };

  // Slots of a level are numbered from the beginning of time. This is the one that the wheel's time is in.
  os::Nanoseconds present(unsigned level) const noexcept { return tick_ >> (level * kDigitBits); }
  static unsigned place_of(unsigned level, os::Nanoseconds number) noexcept {
    return level * kPlaces + static_cast<unsigned>(number) % kPlaces;
  }

  Slot& append(Deadline& deadline, unsigned place) noexcept;
  void mark_empty(unsigned place) noexcept;
  unsigned move_down(unsigned level, os::Nanoseconds number, unsigned limit) noexcept;
  void advance(os::Nanoseconds tick) noexcept;
  void move_ahead() noexcept;

  // The wheel's time. No deadline lies in a slot before it, and on a coarse level none in the slot that it is in.
  os::Nanoseconds tick_ = 0;
  std::array<os::Nanoseconds, kLevels> finer_{};  // ticks before this have a place on a finer level than this one
  Places occupied_;
  Places full_;  // of coarse levels: have held more than kBatch since they were last empty
  std::array<Slot, kLevels * kPlaces> slots_{};
};

}  // namespace jobs::inline JOBS_ABI::detail
