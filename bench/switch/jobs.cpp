// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The switch of the library's fiber layer, below scheduler and sync: the core of every wait.
#include "bench/support/stopwatch.hpp"
#include "bench/switch/workload.hpp"
#include "jobs/fiber/fiber_pool.hpp"

namespace bench::switching {
namespace {

namespace detail = jobs::detail;

// A home that never runs anything itself: the fibers of this benchmark switch to each other
// directly.
class IdleHost final : public detail::FiberHost {
 public:
  void arm(detail::Deadline&) noexcept override {}
  void disarm(detail::Deadline&) noexcept override {}
  void post(detail::Wakeup&) noexcept override {}
  const char* describe() const noexcept override { return "switch benchmark"; }

 private:
  void switch_away() noexcept override {}
};

struct Pair {
  IdleHost host;
  detail::StackPool stacks{64 * 1024, 0};
  detail::FiberPool fibers{host, stacks, 1};
  detail::AdoptedFiber here{host};
  detail::ThreadRegisters registers;
  detail::StackFiber* there = nullptr;
  std::int64_t switches = 0;
  bool stop = false;
};

template <FpFlags kFlags>
detail::StackFiber* partner(void* argument) noexcept {
  raise_flags(kFlags);
  auto& pair = *static_cast<Pair*>(argument);
  while (!pair.stop) {
    ++pair.switches;
    detail::switch_to(*pair.there, pair.here, pair.registers);
  }
  return &pair.here;
}

}  // namespace

template <FpFlags kFlags>
Figures on_jobs(const Conditions&) {
  Pair pair;
  return {checked_ns(kSwitches / 2,
                     [&pair] {
                       pair.stop = false;
                       pair.switches = 0;
                       pair.there = &pair.fibers.acquire(partner<kFlags>, &pair);
                       clear_flags();
                       for (std::int64_t i = 0; i < kSwitches / 2; ++i) {
                         detail::switch_to(pair.here, *pair.there, pair.registers);
                       }
                       pair.stop = true;
                       detail::switch_to(pair.here, *pair.there, pair.registers);
                       clear_flags();
                       return pair.switches;
                     }) /
          kSwitches};
}
template Figures on_jobs<FpFlags::kEqual>(const Conditions&);
template Figures on_jobs<FpFlags::kDiffering>(const Conditions&);

}  // namespace bench::switching
