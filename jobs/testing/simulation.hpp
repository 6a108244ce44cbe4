// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Simulation: the virtual threads of one run, their schedule, and the clock. One random generator
// makes all open decisions, so the seed determines the run. Internal to jobs/testing:
// testing::simulate() owns it, and its virtual threads call it, all on one OS thread.
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
#include "jobs/runtime/parking/forced_publication.hpp"
#include "jobs/testing.hpp"

namespace jobs::inline JOBS_ABI::detail {

class SchedulerCore;

// A virtual thread: a context, the library's state of its thread, and the reason of its sleep.
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
  const void* place = nullptr;  // the object that it sleeps at
  // The futex word that it sleeps at, and the value of the word when it fell asleep.
  const Atomic<std::uintptr_t>* word = nullptr;
  std::uint32_t expected = 0;
  // The time at which it wakes up by itself.
  os::Nanoseconds deadline = os::kNever;
  std::uint64_t stalled_until = 0;  // a step of the simulation
  std::uint64_t steps = 0;          // steps of this thread
  // The value of `steps` when a neglected job was first seen.
  std::uint64_t steps_before = 0;
};

class Simulation {
 public:
  Simulation(const testing::Options& options, std::uint64_t seed);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  ~Simulation();

  // Returns the running simulation. Null if none runs, or while the simulation itself reads the
  // library's state.
  static Simulation* current() noexcept { return current_; }
  // Returns the running simulation. Without one, the process ends with an error message.
  static Simulation& here() noexcept;

  testing::Result run(const std::function<void()>& body);

  // --- threads ---
  void step() noexcept;
  void spin() noexcept;
  // Returns 0 if the fault options refuse a thread.
  ThreadId start(std::function<void()> body);
  void join(ThreadId id) noexcept;
  // Sleeps until wake_one() or wake_all() of the object. Returns false if the deadline passes
  // first.
  bool sleep(const void* place, os::Nanoseconds deadline) noexcept;
  void wake_one(const void* place) noexcept;
  void wake_all(const void* place) noexcept;
  bool futex_wait(const Atomic<std::uintptr_t>& word, std::uintptr_t expected,
                  os::Nanoseconds deadline) noexcept;
  VirtualThread& running() noexcept { return *running_; }
  [[noreturn]] void fail(std::string what) noexcept;
  bool all_others_sleep() const noexcept { return ready_.size() == 1; }

  // --- the rest of the machine ---
  os::Nanoseconds now() const noexcept { return now_; }
  std::uint32_t choose(std::uint32_t n) noexcept { return random_.below(n); }
  bool refuses_stack() noexcept { return options_.faults.no_stack && is_rare(); }
  bool refuses_thread() noexcept { return options_.faults.no_thread && choose(4) == 0; }
  // Rarer than other faults: a thief that misses discards its request for private jobs, but must
  // reach its forced publication nevertheless.
  bool misses() noexcept { return options_.faults.misses && choose(4 * rarity_) == 0; }
  unsigned cpus() const noexcept { return cpus_; }
  // The CPU quota at present; another value at each call.
  std::optional<double> quota() noexcept;
  // The number of CPUs in the masks of the threads at present; another value at each call.
  unsigned affinity() noexcept;
  std::uint64_t number() const noexcept { return number_; }
  SchedulerCore& default_core();
  void set_default_options(SchedulerOptions&& options);
  ForcedPublicationBudget& forced_publication_budget() noexcept {
    return forced_publication_budget_;
  }

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
  // The number of simulations of the process up to this one.
  const std::uint64_t number_;
  const ThreadRegisters registers_;
  Random random_;
  // Properties of the whole run, chosen by the seed.
  const unsigned cpus_;
  // On average, one in this many steps lets another thread continue.
  const std::uint32_t switch_one_in_;
  const os::Nanoseconds step_time_;  // the virtual time per step
  // On average, one in this many opportunities is a fault.
  const std::uint32_t rarity_;

  std::vector<std::unique_ptr<VirtualThread>> threads_;
  std::vector<VirtualThread*> ready_;
  VirtualThread host_;  // the caller of run()
  VirtualThread* running_ = &host_;
  os::Nanoseconds now_ = 1'000'000'000;
  os::Nanoseconds next_deadline_ = os::kNever;
  std::uint64_t steps_ = 0;
  std::uint64_t digest_ = 0;
  bool neglect_seen_ = false;
  std::string finding_;
  SchedulerOptions default_options_;
  std::unique_ptr<SchedulerCore> default_core_;
  ThreadMutex default_mutex_;
  ForcedPublicationBudget forced_publication_budget_;  // starts again with the clock
};

}  // namespace jobs::inline JOBS_ABI::detail
