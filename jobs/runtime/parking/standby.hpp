// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Standby: while each CPU has an awake thread, one parked worker stands by. It looks at the queues
// once in kInterval. Meanwhile, publishers and searchers that leave wake no worker: one more thread
// would only take a CPU from another one, and the wake-up costs its caller 5 to 10 us.
//
// Idle owns one object, and idle.hpp has the proof. The worker that stands by calls the functions
// of the section "the worker". Any thread may call the others; their results are hints.
//
// A worker also stands by after a wake-up in vain, so at most one such wake-up happens per
// interval.
//
// Awake are the workers that run or search, the participants with a seat, and one external thread
// while external threads submit jobs. A worker that blocks in the kernel counts as awake, too.
// Therefore a look that finds a job compares the CPU time of the workers with the time that has
// passed. If the CPUs are busy, the worker leaves the job to the awake workers. After kMaxLooks it
// takes part if one of them has started no job meanwhile: a running job may wait for the visible
// one without releasing its worker.
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Standby {
 public:
  static constexpr os::Nanoseconds kInterval = 1'000'000;
  static constexpr unsigned kMaxLooks = 10;

  // --- any thread ---
  // Returns whether a worker from `first` on stands by.
  bool is_manned(unsigned first = 0) const noexcept {
    return worker_.load(std::memory_order_relaxed) > first;
  }
  // Returns how many more threads are awake than CPUs exist. `spare`: parked workers less the
  // seats.
  std::int32_t surplus(std::int32_t spare) const noexcept {
    return awake(spare) + outside_.load(std::memory_order_relaxed) -
           cpus_.load(std::memory_order_relaxed);
  }
  // Returns whether a worker is awake, and no CPU is free.
  bool is_machine_taken(std::int32_t spare) const noexcept {
    return awake(spare) > 0 && surplus(spare) >= 0;
  }
  // `active`: workers that may run at present. `cpus`: CPUs that they may use.
  void set_limits(unsigned active, unsigned cpus) noexcept {
    active_.store(static_cast<std::int32_t>(active), std::memory_order_relaxed);
    cpus_.store(static_cast<std::int32_t>(cpus), std::memory_order_relaxed);
  }
  // `active`: external threads submit jobs at present.
  void set_outside(bool active) noexcept {
    const std::int32_t threads = active ? 1 : 0;
    if (outside_.load(std::memory_order_relaxed) != threads)
      outside_.store(threads, std::memory_order_relaxed);
  }

  // --- the worker ---
  // Returns false if another worker stands by.
  bool enter(unsigned index) noexcept {
    std::uint32_t none = 0;
    return worker_.compare_exchange_strong(none, index + 1, std::memory_order_relaxed,
                                           std::memory_order_relaxed);
  }
  // The worker begins to search next.
  void leave() noexcept { worker_.store(0, std::memory_order_relaxed); }

  // The looks of one stay.
  class Looks {
   public:
    explicit Looks(Standby& standby) noexcept : standby_(standby) {}
    // Returns whether the worker should leave, because a CPU is free, or because jobs wait for it.
    // `is_crowded()`, `is_work_visible()`: the present state. `cpu_time()`: the CPU time of all
    // workers. `all_progress()`: whether each awake worker has started a job since the last call.
    template <class Crowded, class Visible, class CpuTime, class Progress>
    bool look(Crowded&& is_crowded, Visible&& is_work_visible, CpuTime&& cpu_time,
              Progress&& all_progress) noexcept {
#if defined(JOBS_MODEL)
      return true;  // Time may pass at any moment there, so looks in vain would never end.
#endif
      if (!is_crowded()) return true;
      if (!is_work_visible()) {
        visible_ = 0;
        return false;
      }
      const os::Nanoseconds now = os::now();
      const os::Nanoseconds used = cpu_time();
      // The first look with a visible job only begins a measurement.
      const bool is_busy =
          visible_ == 0 || used - used_ >= (now - since_) * standby_.cpus() / 10 * 9;
      since_ = now;
      used_ = used;
      if (visible_ == 0) all_progress();
      if (!is_busy) return true;
      if (++visible_ < kMaxLooks) return false;
      visible_ = 1;
      return !all_progress();
    }

   private:
    Standby& standby_;
    os::Nanoseconds since_ = 0;
    os::Nanoseconds used_ = 0;
    unsigned visible_ = 0;
  };

 private:
  std::int32_t awake(std::int32_t spare) const noexcept {
    return active_.load(std::memory_order_relaxed) - spare;
  }
  os::Nanoseconds cpus() const noexcept { return cpus_.load(std::memory_order_relaxed); }

  // The index of the worker plus 1; 0: no worker stands by. Relaxed: idle.hpp has the fences.
  Atomic<std::uint32_t> worker_{0};
  // As set_limits() and set_outside() have set them.
  Atomic<std::int32_t> active_{0};
  Atomic<std::int32_t> cpus_{1};
  Atomic<std::int32_t> outside_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
