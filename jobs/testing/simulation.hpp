// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Simulation: the virtual threads of one run, who of them goes on, the clock. Everything that is open is asked of one generator, so
// the seed is all there is to a run. For jobs/testing alone.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/random.hpp"
#include "jobs/base/sanitizer.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/fiber/context.hpp"
#include "jobs/fiber/thread_state.hpp"
#include "jobs/runtime/raids.hpp"
#include "jobs/testing.hpp"

namespace jobs::inline JOBS_ABI::detail {

class SchedulerCore;

// A thread: a context, what the library knows of its thread, and what it sleeps for.
struct VirtualThread {
  ThreadId id = 0;
  std::array<char, 16> name{};
  std::function<void()> body;
  std::byte* stack = nullptr;
  Context context = nullptr;
  SavedRegisters registers;
  [[no_unique_address]] sanitizer::FiberRecord record;
  ThreadState state;

  bool asleep = false;
  bool ended = false;
  bool timed_out = false;
  const void* place = nullptr;                   // what it sleeps at
  const Atomic<std::uintptr_t>* word = nullptr;  // a futex: ...
  std::uint32_t expected = 0;                    // ... and what it had
  os::Nanoseconds deadline = os::kNever;         // when it wakes up by itself
  std::uint64_t stalled_until = 0;               // step
  std::uint64_t steps = 0;                       // of its own
  std::uint64_t steps_before = 0;                // when a job was first seen neglected
};

class Simulation {
 public:
  Simulation(const testing::Options& options, std::uint64_t seed);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  ~Simulation();

  // Null: none runs, or it looks at the library itself.
  static Simulation* current() noexcept { return current_; }
  // pre: one runs; else the process ends with a line that says so.
  static Simulation& here() noexcept;

  testing::Result run(const std::function<void()>& body);

  // --- threads ---
  void step() noexcept;
  void spin() noexcept;
  ThreadId start(std::function<void()> body);  // 0: refused
  void join(ThreadId id) noexcept;
  // Sleeps until wake() of the place, or the deadline: false.
  bool sleep(const void* place, os::Nanoseconds deadline) noexcept;
  void wake_one(const void* place) noexcept;
  void wake_all(const void* place) noexcept;
  bool futex_wait(const Atomic<std::uintptr_t>& word, std::uintptr_t expected, os::Nanoseconds deadline) noexcept;
  VirtualThread& running() noexcept { return *running_; }
  [[noreturn]] void fail(std::string what) noexcept;
  bool all_others_sleep() const noexcept { return ready_.size() == 1; }

  // --- the rest of the machine ---
  os::Nanoseconds now() const noexcept { return now_; }
  std::uint32_t choose(std::uint32_t n) noexcept { return random_.below(n); }
  bool refuses_stack() noexcept { return options_.faults.no_stack && is_rare(); }
  bool refuses_thread() noexcept { return options_.faults.no_thread && choose(4) == 0; }
  // Rarer than others: a thief that misses forgets that it has asked for hidden jobs, and must get round to raiding all the same.
  bool misses() noexcept { return options_.faults.misses && choose(4 * rarity_) == 0; }
  unsigned cpus() const noexcept { return cpus_; }
  // What the machine grants at present; another number each time that somebody asks.
  std::optional<double> quota() noexcept;
  std::uint64_t number() const noexcept { return number_; }
  SchedulerCore& default_core();
  RaidBudget& raid_budget() noexcept { return raid_budget_; }

 private:
  static void enter(Arrival arrival);
  [[noreturn]] void end_of_thread() noexcept;
  void go_on_elsewhere() noexcept;
  void switch_to(VirtualThread& next) noexcept;
  VirtualThread& pick() noexcept;
  void pass_time(os::Nanoseconds time) noexcept;
  void wake_due() noexcept;
  void make_ready(VirtualThread& thread) noexcept;
  void look_after_rest();
  void look_for_neglect() noexcept;
  bool is_neglected() const;
  bool is_rare() noexcept { return choose(rarity_) == 0; }
  std::string describe_threads() const;

  static Simulation* current_;

  const testing::Options options_;
  const std::uint64_t seed_;
  const std::uint64_t number_;  // of simulations of the process, this one included
  const ThreadRegisters registers_;
  Random random_;
  // The character of this seed.
  const unsigned cpus_;
  const std::uint32_t switch_one_in_;  // steps
  const os::Nanoseconds step_time_;    // about
  const std::uint32_t rarity_;         // of faults

  std::vector<std::unique_ptr<VirtualThread>> threads_;
  std::vector<VirtualThread*> ready_;
  VirtualThread host_;  // who called run()
  VirtualThread* running_ = &host_;
  os::Nanoseconds now_ = 1'000'000'000;
  os::Nanoseconds next_deadline_ = os::kNever;
  std::uint64_t steps_ = 0;
  std::uint64_t digest_ = 0;
  bool neglect_seen_ = false;
  std::string finding_;
  std::unique_ptr<SchedulerCore> default_core_;
  ThreadMutex default_mutex_;
  RaidBudget raid_budget_;  // begins anew with the clock
};

}  // namespace jobs::inline JOBS_ABI::detail
