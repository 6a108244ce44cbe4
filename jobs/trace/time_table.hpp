// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TimeTable: a histogram for each of at most kMost places: functions of jobs, or sites of waits.
// One thread adds; any thread may read concurrently. Entries are never removed. The places that
// come after kMost, and those without memory, share the entry of the empty place.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "jobs/base/atomic.hpp"
#include "jobs/trace/format/object_names.hpp"
#include "jobs/trace/time_histogram.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace time_table_order {
JOBS_ORDER(kOwn, relaxed);      // only the writer stores it
JOBS_ORDER(kPublish, release);  // [time_table.1] publishes the new entry; partner: kSee
JOBS_ORDER(kSee, acquire);      // [time_table.1] partner: kPublish
}  // namespace time_table_order

// The code that runs: a job, a part of it, a Fiber, or neither. For waits, with their kind and
// object.
struct TimePlace {
  std::uint64_t code = 0;    // address of the function, or of the name of the Fiber's file; hash of
                             // the name of a node
  std::uint64_t object = 0;  // address; 0: the kind says enough, or the object has a name
  std::uint64_t name = 0;    // hash of the name that the object had at the wait; 0: none
  std::uint32_t line = 0;    // where the Fiber was created; 0: a job
  std::uint32_t kind = 0;    // of the wait: WaitKind, or kTraceYield

  auto operator<=>(const TimePlace&) const = default;
};

inline constexpr std::size_t kLongestLabel = 63;  // bytes

class TimeTable {
 public:
  using ObjectName = std::array<char, kLongestObjectName + 1>;

  struct Entry {
    TimePlace place;
    std::array<char, kLongestLabel + 1> label{};  // of a Fiber, or of a node with a name
    ObjectName object_name{};                     // if the place has the hash of a name
    TimeHistogram times;
    // Nanoseconds of `times` in which the kernel had suspended the thread in a blocking call.
    jobs::detail::SingleWriterCounter blocked_ns;
    jobs::detail::SingleWriterCounter page_faults;
  };

  TimeTable() = default;
  ~TimeTable() {
    for (const auto& slot : slots_) delete slot.load(time_table_order::kOwn);
  }
  TimeTable(const TimeTable&) = delete;
  TimeTable& operator=(const TimeTable&) = delete;

  // Returns the entry of that place. Writer only. `label` writes the texts of a new entry.
  template <class Label>
  Entry& of(const TimePlace& place, Label&& label) noexcept {
    for (std::size_t i = hash(place);; ++i) {
      auto& slot = slots_[i % kSlots];
      Entry* const entry = slot.load(time_table_order::kOwn);
      if (entry == nullptr) return insert(slot, place, label);
      if (entry->place == place) return *entry;
    }
  }
  // Calls visit(const Entry&) for each entry. Any thread.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& slot : slots_) {
      if (const Entry* const entry = slot.load(time_table_order::kSee)) visit(*entry);
    }
    visit(others_);
  }

 private:
  static constexpr std::size_t kSlots = 1024;
  static constexpr std::size_t kMost = 512;
  using Slot = jobs::detail::Atomic<Entry*>;

  static std::size_t hash(const TimePlace& place) noexcept {
    constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;
    std::uint64_t value = (place.code ^ place.line ^ place.name) * kMix;
    value = (value ^ (value >> 29) ^ place.object ^ std::uint64_t{place.kind} << 56) * kMix;
    return value >> 40;
  }
  template <class Label>
  JOBS_NOINLINE Entry& insert(Slot& slot, const TimePlace& place, Label& label) noexcept {
    if (count_ == kMost) return others_;
    auto* const entry = new (std::nothrow) Entry;
    if (entry == nullptr) return others_;
    ++count_;
    entry->place = place;
    label(*entry);
    slot.store(entry, time_table_order::kPublish);
    return *entry;
  }

  std::array<Slot, kSlots> slots_{};
  std::size_t count_ = 0;  // of the writer
  Entry others_;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
