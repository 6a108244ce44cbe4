// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackProfile: the stack use of the Fibers of one scheduler, by creation site. It also chooses the
// stack class of the next Fiber of a site, unless the site is within the standard library. Shared
// owns it, and creates it only if SchedulerOptions requests it. Any thread may call any function.
//
// Invariant: an entry of the table is written once, when the first Fiber of its site is created. It
// stays until the destructor, so readers need no lock.
//
// Protocol: the table is a hash table with linear probing.
//   step 1  A thread probes the entries of a site until it finds the site or an empty entry.
//   step 2  At an empty entry, it creates a Site and publishes it by a compare-exchange.
//   step 3  If the exchange fails, another thread has filled the entry. The thread compares the
//           site of this entry, and probes further if it is another site.
//
// Proof that a site has one entry: entries are never emptied. So all threads probe the same entries
// in the same order, and stop at the same first empty entry. Only one exchange fills it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <vector>

#include "jobs/base/atomic.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/fiber/stack_class.hpp"
#include "jobs/stats.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace stack_profile_order {
// [stack_profile.1] A thread that finds an entry sees its site.
JOBS_ORDER(kPut, acq_rel);  // partner: kGet
JOBS_ORDER(kGet, acquire);  // partner: kPut
}  // namespace stack_profile_order

class StackProfile : public HeapObject<StackProfile> {
 public:
  // sampling_interval: sampling interval; measures one in `sampling_interval` Fibers per creation
  // site, besides the first kFirst. automatic: choose the stack class. loop_size: bytes of a job's
  // stack.
  StackProfile(unsigned sampling_interval, bool automatic, std::size_t loop_size) noexcept
      : sampling_interval_(sampling_interval), automatic_(automatic), loop_size_(loop_size) {}
  ~StackProfile();
  StackProfile(const StackProfile&) = delete;
  StackProfile& operator=(const StackProfile&) = delete;

  struct Sample {
    StackClass stack_class;
    bool measured;
  };
  // Counts a Fiber of a site. Chooses its class, if the Fiber has not requested another one than
  // kLoopStack, and decides whether the Fiber is measured.
  Sample sample(const std::source_location& site, StackClass requested) noexcept;
  // Records the bytes of stack that a measured Fiber has used.
  void report(const std::source_location& site, std::size_t used) noexcept;
  // The largest recorded use of a site in bytes; 0 if no Fiber of the site has been measured.
  std::size_t peak(const std::source_location& site) const noexcept;
  // All sites, in unspecified order. Throws std::bad_alloc.
  std::vector<StackUse> uses() const;

  // Number of Fibers per site that are measured before a class is chosen for the site.
  static constexpr std::uint64_t kFirst = 16;

 private:
  struct Site : HeapObject<Site> {
    explicit Site(const std::source_location& place) noexcept;

    const std::source_location location;
    // A container or a factory of the standard library creates Fibers of many callers at one site.
    // So their use of stacks says nothing about the next Fiber.
    const bool is_shared;
    // Relaxed: these figures publish no other data.
    Atomic<std::uint64_t> fibers{0};
    Atomic<std::uint64_t> measured{0};
    Atomic<std::size_t> peak{0};
  };
  // Fibers of further sites are neither measured nor sized automatically.
  static constexpr std::size_t kMaxSites = 1024;

  Site* find(const std::source_location& site) const noexcept;
  Site* find_or_make(const std::source_location& site) noexcept;
  StackClass choose(const Site& site) const noexcept;
  static bool is_same(const std::source_location& a, const std::source_location& b) noexcept;
  static std::size_t slot_of(const std::source_location& site) noexcept;

  const unsigned sampling_interval_;
  const bool automatic_;
  const std::size_t loop_size_;
  std::array<Atomic<Site*>, kMaxSites> table_{};
};

// The smallest class with room for `peak` and a third more, or the largest class. The reserve keeps
// the last page of most stacks unused.
StackClass class_for_peak(std::size_t peak) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
