// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Timers: the deadlines of one worker, in a hierarchical timing wheel. Each Worker owns one, and
// only the thread of the worker may call it. The nodes live in the frames of the waiting fibers, so
// no function allocates.
//
// State. Time is cut into ticks of 2^16 ns (65.5 us). A slot of level 0 spans one tick. A slot of
// level n + 1 spans a window of 64 slots of level n. A level stores two windows: the window that
// contains the wheel's time, and the next one. Eight levels span the whole range of the clock, so
// no list for remote deadlines is needed.
//
//             now
//   level 0    |......window......|...next window....|
//   level 1    (      empty       )( moves to level 0 )(     ......     )(     ......     )...
//
// Protocol:
//   step 1  arm() inserts a deadline at the finest level that has a slot for it.
//   step 2  A slot of a coarse level moves down one level, into the next window, while the present
//           window is still running. Each check moves no more than kBatch deadlines, so no check is
//           long, however many deadlines the slot has.
//   step 3  A worker without other work sleeps until such a move must begin. Then it repeats the
//           checks until the slot is empty.
//   step 4  A slot that has never had more than kBatch deadlines does not move ahead of time. It
//           wakes no worker before its time.
//   step 5  When the clock reaches a slot, all its remaining deadlines move at once.
//
// Precision: slots decide where the wheel searches, and not when a deadline fires. Each slot stores
// its earliest deadline, so no time is rounded to ticks. A deadline fires at the first check at or
// after its time, never before.
//
// Order: deadlines of the same time fire in the order of their arm() calls. Proof: of two equal
// deadlines, the one at the coarser level was armed first. So a slot moves its newest deadline
// first, and inserts each at the front of the finer slot.
//
// Cost:
//   arm(), disarm()         O(1).
//   nearest(), next_check()  O(1), a few steps for each level in use.
//   take_due()              O(1) for each deadline that it returns or moves; it moves kBatch
//                           deadlines ahead of time. A deadline moves at most 7 times.
// A check may visit the deadlines of one slot of level 0 more than once. After a tick the slot is
// empty.
//
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
  // The batch that a check moves ahead of time, in deadlines. A move costs up to two cache misses,
  // and a worker checks its deadlines every 50 us. So the moves take less than a tenth of the
  // worker's time, and suffice for 300,000 deadlines per second.
  static constexpr unsigned kBatch = 32;

  Timers() noexcept;
  // Inserts a deadline. pre: it is not armed.
  void arm(Deadline& deadline) noexcept;
  // Removes a deadline. If the deadline has fired, does nothing.
  void disarm(Deadline& deadline) noexcept;

  // Removes and returns all deadlines that have passed at `now`, linked by `next`; null if there is
  // none. They are roughly in the order of their times: two deadlines less than a tick apart may be
  // exchanged. Deadlines of the same time are in the order of their arm() calls.
  Deadline* take_due(os::Nanoseconds now) noexcept;

  // A lower bound of all deadlines; kNever if there is none. Each disarmed deadline makes the bound
  // too low at most once.
  os::Nanoseconds nearest() const noexcept;
  // The time of the next call of take_due(), if the worker has no other work. It is nearest(), or
  // an earlier time at which a full slot must begin to move. If the last check has left a part of
  // such a slot, the time has passed already.
  os::Nanoseconds next_check() const noexcept;
  bool empty() const noexcept { return occupied_.windows == 0; }

 private:
  static constexpr unsigned kTickBits = 16;
  static constexpr unsigned kDigitBits = 6;
  static constexpr unsigned kWindow = 1 << kDigitBits;
  static constexpr unsigned kSlotsPerLevel = 2 * kWindow;  // slots per level
  static constexpr unsigned kLevels = 8;
  static_assert(kTickBits + kLevels * kDigitBits >= 63, "every time must have a place");

  struct Slot {
    // A circular list, oldest deadline first.
    Deadline* first = nullptr;
    // A lower bound. It may be the time of a deadline that has been disarmed.
    os::Nanoseconds earliest = 0;
    unsigned count = 0;
  };

  // A set of slots: one bit per slot, one word per window.
  struct SlotSet {
    std::uint32_t windows = 0;  // bit n is set if word n is not zero
    std::array<std::uint64_t, kLevels * 2> words{};

    void add(unsigned slot_index) noexcept;
    void remove(unsigned slot_index) noexcept;
    bool has(unsigned slot_index) const noexcept {
      return (words[slot_index / kWindow] >> slot_index % kWindow & 1) != 0;
    }
    // Calls f with the first slot of each window that is not empty, finest level first.
    template <class F>
    void for_each_first(F&& f) const noexcept {
      for (std::uint32_t left = windows; left != 0; left &= left - 1) {
        const auto window = static_cast<unsigned>(std::countr_zero(left));
        f(window * kWindow + static_cast<unsigned>(std::countr_zero(words[window])));
      }
    }
  };

  // The slots of a level are numbered from the beginning of time. Returns the number of the slot
  // that contains the wheel's time.
  os::Nanoseconds present(unsigned level) const noexcept { return tick_ >> (level * kDigitBits); }
  static unsigned slot_index_of(unsigned level, os::Nanoseconds number) noexcept {
    return level * kSlotsPerLevel + static_cast<unsigned>(number) % kSlotsPerLevel;
  }

  Slot& append(Deadline& deadline, unsigned slot_index) noexcept;
  void mark_empty(unsigned slot_index) noexcept;
  unsigned move_down(unsigned level, os::Nanoseconds number, unsigned limit) noexcept;
  void advance(os::Nanoseconds tick) noexcept;
  void move_ahead() noexcept;

  // The wheel's time, in ticks. Invariants: no deadline lies in a slot before it. At coarse levels,
  // the slot that contains it is empty.
  os::Nanoseconds tick_ = 0;
  // Ticks before finer_[level] have a slot at a finer level than `level`.
  std::array<os::Nanoseconds, kLevels> finer_{};
  SlotSet occupied_;
  // Slots of coarse levels that have had more than kBatch deadlines since they were last empty.
  SlotSet full_;
  std::array<Slot, kLevels * kSlotsPerLevel> slots_{};
};

}  // namespace jobs::inline JOBS_ABI::detail
