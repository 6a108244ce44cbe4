// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackSites: what the Fibers of one scheduler that are created at one place in the program need of their stacks, and which class the
// next one gets. A table that is written once for each place; no lock. Only if SchedulerOptions asks for it. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <vector>

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/stack_class.hpp"
#include "jobs/stats.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace site_order {
JOBS_ORDER(kPut, acq_rel);  // [S6] the entry is written; partner: kGet
JOBS_ORDER(kGet, acquire);  // [S6]
}  // namespace site_order

class StackSites {
 public:
  // measure_every: of how many Fibers of one place one is measured, besides the first ones. loop_size: bytes of a job's stack.
  StackSites(unsigned measure_every, bool automatic, std::size_t loop_size) noexcept
      : measure_every_(measure_every), automatic_(automatic), loop_size_(loop_size) {}
  ~StackSites();
  StackSites(const StackSites&) = delete;
  StackSites& operator=(const StackSites&) = delete;

  struct Admitted {
    StackClass stack_class;
    bool measured;
  };
  // One more Fiber of that place, which asked for that class.
  Admitted admit(const std::source_location& site, StackClass asked) noexcept;
  // One that was to be measured has used so many bytes.
  void report(const std::source_location& site, std::size_t used) noexcept;
  // The most that any has used so far; 0: none was measured.
  std::size_t peak(const std::source_location& site) const noexcept;
  // In no particular order. Throws std::bad_alloc.
  std::vector<StackUse> uses() const;

  // This many of each place are measured before its class is chosen.
  static constexpr std::uint64_t kFirst = 16;

 private:
  struct Site {
    explicit Site(const std::source_location& place) noexcept : location(place) {}

    const std::source_location location;
    // Figures that stand for themselves: relaxed.
    Atomic<std::uint64_t> fibers{0};
    Atomic<std::uint64_t> measured{0};
    Atomic<std::size_t> peak{0};
  };
  static constexpr std::size_t kMaxSites = 1024;  // Fibers of further places run as if nobody had asked

  Site* find(const std::source_location& site) const noexcept;
  Site* find_or_make(const std::source_location& site) noexcept;
  StackClass choose(const Site& site) const noexcept;
  static bool is_same(const std::source_location& a, const std::source_location& b) noexcept;
  static std::size_t slot_of(const std::source_location& site) noexcept;

  const unsigned measure_every_;
  const bool automatic_;
  const std::size_t loop_size_;
  std::array<Atomic<Site*>, kMaxSites> table_{};
};

// A class with room for a third more than that, so that the last page of a stack is not needed as a rule.
StackClass class_for_peak(std::size_t peak) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
