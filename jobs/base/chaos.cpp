// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Chaos: the random decisions of a build with JOBS_CHAOS; empty in every other build.
#include "jobs/base/chaos.hpp"

#if defined(JOBS_CHAOS) && !defined(JOBS_MODEL)

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/random.hpp"

namespace jobs::inline JOBS_ABI::detail::chaos {

namespace {

// The seed of JOBS_CHAOS; 0: no chaos.
std::uint64_t read_seed() noexcept {
  const char* const text = secure_getenv("JOBS_CHAOS");
  std::uint64_t seed = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), seed);
  return seed;
}

// The random numbers of one thread. The rate of interruptions changes over time. Like a real
// system, it leaves a thread alone for a while, interrupts it occasionally, or interrupts it all
// the time.
class Dice {
 public:
  bool is_quiet() noexcept {
    if (--left_ == 0) draw_intensity();
    return intensity_ == 0;
  }
  std::uint32_t below(std::uint32_t n) noexcept { return random_.below(n); }
  // The rate of interruptions, of 1024.
  std::uint32_t intensity() const noexcept { return intensity_; }

 private:
  static std::uint64_t seed_of_thread() noexcept {
    static const std::uint64_t seed = read_seed();
    static constinit std::atomic<std::uint64_t> threads{0};
    return seed == 0 ? 0
                     : seed + 0x9e3779b97f4a7c15u * threads.fetch_add(1, std::memory_order_relaxed);
  }
  void draw_intensity() noexcept {
    constexpr std::uint32_t kIntensities[] = {0, 0, 16, 16, 16, 16, 16, 256};
    intensity_ = seed_ == 0 ? 0 : kIntensities[random_.below(8)];
    left_ = 256 + random_.below(1024);
  }

  const std::uint64_t seed_ = seed_of_thread();
  Random random_{seed_};
  std::uint32_t left_ = 1;
  std::uint32_t intensity_ = 0;
};

// thread_local is correct here, because a fiber never leaves its thread.
Dice& dice() noexcept {
  static thread_local Dice own;
  return own;
}

}  // namespace

void inject_delay() noexcept {
  Dice& own = dice();
  if (own.is_quiet() || own.below(1024) >= own.intensity()) return;
  const std::uint32_t what = own.below(256);
  if (what == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(1 + own.below(100)));
  } else if (what < 128) {
    os::yield_thread();
  } else {
    for (std::uint32_t i = own.below(300); i > 0; --i) cpu_relax();
  }
}

bool injects_failure() noexcept {
  Dice& own = dice();
  return !own.is_quiet() && own.below(1024) < own.intensity();
}

}  // namespace jobs::inline JOBS_ABI::detail::chaos

#endif
