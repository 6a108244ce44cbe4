// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The slow paths of Idle: counting searchers, and waking one parked worker. idle.hpp has the
// protocol and its proof.
#include "jobs/runtime/parking/idle.hpp"

#include <algorithm>
#include <bit>

#include "jobs/base/affinity.hpp"
#include "jobs/base/chaos.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Greater than any number of seats.
constexpr std::int32_t kAlwaysPositive = 1 << 20;

// About 3 us. None in a model, so that it explores the sleep.
#if defined(JOBS_MODEL)
constexpr unsigned kSpinsForToken = 0;
#else
constexpr unsigned kSpinsForToken = 100;
#endif

}  // namespace

JOBS_COLD void Parker::wake(bool elsewhere, WakerHabit* habit) noexcept {
  woken_at = os::now();
  const os::ThreadId thread = elsewhere ? sleeper.load(std::memory_order_relaxed) : 0;
  os::CpuMask mask;
  bool is_excluded = false;
  if (thread != 0) {
    const unsigned cpu = os::current_cpu();
    excluded_cpu.store(cpu, std::memory_order_relaxed);  // before the mask changes
    is_excluded = os::exclude_cpu(thread, cpu, mask);
    if (!is_excluded) excluded_cpu.store(os::kNoCpu, std::memory_order_relaxed);
  }
  if (habit != nullptr) habit->sends_token(os::now(), os::cpu_time_of(habit->thread()));
  host.post(token);
  // The worker may have ended, and this object with it. The kernel has chosen a CPU for the worker,
  // so the mask may have all of them again. A whole mask, not one CPU more: the worker may change
  // its mask meanwhile, but then it adds the excluded CPU itself.
  if (is_excluded) os::set_mask(thread, mask);
}

Idle::Idle(Parker* const* parkers, unsigned count, bool publishes_always)
    : parkers_(parkers),
      words_((count + kBits - 1) / kBits),
      max_searching_(std::max(1u, count / 2)),
      bias_(light_fence_is_free() && !publishes_always ? 0 : kAlwaysPositive),
      others_idle_((bias_ + std::int64_t{count} - 1) * kIdler),
      balance_(bias_ * kIdler),
      words_on_heap_(words_ > 1 ? HeapArray<Atomic<std::uint64_t>>(words_)
                                : HeapArray<Atomic<std::uint64_t>>()),
      parked_(words_on_heap_ ? words_on_heap_.get() : &first_word_) {}

Idle::~Idle() = default;

void Idle::published_outside(unsigned first) noexcept {
  full_fence(idle_order::kFromOutside);
  if (searching_.load(idle_order::kSeeCount) == 0 && any_parked())
    wake_one(WakePolicy::kIgnoreSeats, first);
}

JOBS_COLD void Idle::offered(unsigned first) noexcept {
  wake_one(WakePolicy::kGiveWay, first);
  wake_one(WakePolicy::kGiveWay);  // does nothing if the first call has woken a worker
}

bool Idle::find_spare(bool counts_seats) noexcept {
  std::int64_t balance = balance_.load(std::memory_order_relaxed);
  for (;;) {
    const std::int64_t seats = new_seats(balance);
    if (idlers(balance) > seats) return true;
    if (idlers(balance) <= 0) return false;  // As at P2. Otherwise there are new seats.
    if (!counts_seats && seats + counted_seats(balance) == 1) return false;
    // Relaxed: L4 orders the push, as for a publisher that skips a worker at P2.
    const std::int64_t counted = balance + seats * (kCountedSeat - kNewSeat - kIdler);
    if (balance_.compare_exchange_weak(balance, counted, std::memory_order_relaxed,
                                       std::memory_order_relaxed))
      return false;
  }
}

bool Idle::start_searching() noexcept {
  balance_.fetch_add(kIdler, std::memory_order_relaxed);
  // Relaxed: the protocol depends on the moment at which a searcher leaves. An early or late
  // arrival does no harm.
  return searching_.fetch_add(1, std::memory_order_relaxed) < max_searching_;
}

bool Idle::leave_search() noexcept {
  balance_.fetch_sub(kIdler, idle_order::kRun);
  if (searching_.fetch_sub(1, idle_order::kLeave) != 1) return false;
  full_fence(idle_order::kSeat);  // Step F1.
  return true;
}

JOBS_ALWAYS_INLINE bool Idle::any_parked_from(unsigned first) const noexcept {
  for (unsigned i = 0; i < words_; ++i) {
    if ((parked_[i].load(idle_order::kSeeBits) & bits_from(first, i)) != 0) return true;
  }
  return false;
}

// Chooses worker 0 last. If worker 0 is the bound thread, it has work of its own, and may only pass
// on the job that it is woken for.
JOBS_ALWAYS_INLINE bool Idle::claim_one(unsigned first, unsigned& index) noexcept {
  return claim_lowest(std::max(first, 1u), index) || claim_lowest(first, index);
}

JOBS_COLD void Idle::wake_one(WakePolicy policy, unsigned first) noexcept {
  for (;;) {
    if ((policy == WakePolicy::kReserveSeats || policy == WakePolicy::kFollowing) &&
        !find_spare(true))
      return;
    if (!any_parked_from(first)) return;
    if (policy != WakePolicy::kGiveWay && (standby_.is_manned(first) && has_no_free_cpu())) return;
    const bool has_free_cpu = !has_no_free_cpu();
    // kBesideAnother: raises the number of searchers from 0 to 1 or from 1 to 2. From another
    // number, or if the relaxed load is old, the exchange fails.
    std::uint32_t others =
        policy == WakePolicy::kBesideAnother ? searching_.load(std::memory_order_relaxed) & 1 : 0;
    if (!searching_.compare_exchange_strong(others, others + 1, idle_order::kLeave,
                                            std::memory_order_relaxed))
      return;
    unsigned index = 0;
    chaos::inject_delay();
    if (claim_one(first, index)) {
      Parker& parker = *parkers_[index];
      parker.follows = policy == WakePolicy::kFollowing;
      if (!parker.follows) lone_jobs_.woken_by_push(os::now());
      parker.is_watched = policy == WakePolicy::kIgnoreSeats && has_free_cpu;
      // No other thread uses the habit before the woken worker stops searching.
      const bool shares_cpu = parker.is_watched && waker_habit_.is_known_of(os::thread_id());
      parker.shares_cpu = shares_cpu;
      parker.wake(has_free_cpu && !shares_cpu, parker.is_watched ? &waker_habit_ : nullptr);
      return;
    }
    if (searching_.fetch_sub(1, idle_order::kLeave) != 1) return;
    // A publisher may have counted this thread as a searcher. So any parked worker may have to be
    // woken, for any job.
    first = 0;
  }
}

// Clears the lowest bit from `first` on, if a bit is set. The lowest: a few workers stay warm, and
// the remaining workers sleep deeply.
bool Idle::claim_lowest(unsigned first, unsigned& index) noexcept {
  for (unsigned i = 0; i < words_; ++i) {
    std::uint64_t word = parked_[i].load(idle_order::kSeeBits);
    while (const std::uint64_t eligible = word & bits_from(first, i)) {
      const std::uint64_t bit = eligible & (~eligible + 1);
      if (parked_[i].compare_exchange_weak(word, word & ~bit, idle_order::kClaim,
                                           idle_order::kSeeBits)) {
        index = i * kBits + static_cast<unsigned>(std::countr_zero(bit));
        return true;
      }
    }
  }
  return false;
}

bool Idle::retract(unsigned index) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (index % kBits);
  return (parked_[index / kBits].fetch_and(~bit, idle_order::kClaim) & bit) != 0;
}

// Waits for the token. A waker has cleared the bit of this worker, so the token is in the inbox or
// arrives within a few instructions. If it does not, the waker has lost its CPU, perhaps to this
// worker. Then this worker sleeps, because the waker may have a lower priority.
JOBS_COLD Idle::Woken Idle::await_token(Parker& parker) noexcept {
  for (unsigned spins = 0; !parker.has_token; ++spins) {
    parker.drain();
    if (parker.has_token) break;
    if (spins < kSpinsForToken) {
      cpu_relax();
    } else {
      parker.inbox.park(os::kNever);
    }
  }
  parker.has_token = false;
  if (parker.is_watched) waker_habit_.started(os::now(), os::cpu_time_of(waker_habit_.thread()));
  return Woken::kToSearch;
}

}  // namespace jobs::inline JOBS_ABI::detail
