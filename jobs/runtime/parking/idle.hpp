// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Idle: who looks for work, who sleeps, and how a push wakes exactly one. The promise is work conservation: no worker stays
// parked while a job that it could take exists and nobody looks for it.
//
// Each worker is running, searching (counted in `searching_`) or parked (its bit in `parked_`).
//
//   Publishing a job             Parking worker k, which is searching
//     P1 push the job              W1 set bit k
//     P2 light_fence               W2 searching -= 1; if others still search, go to W5
//     P3 searching == 0 and        W3 heavy_fence
//        some bit set? hand over   W4 look at every queue once more; found: retract and search on
//                                  W5 sleep on the own inbox
//
//   P0, before P2: does anybody search or sleep at all? One count of both, `idlers_`, so that a push looks at one word. Without
//   membarrier it is never 0.
//
//   Handing over: CAS searching 0 -> 1, clear one bit k, post worker k its token: k wakes up searching. No bit left:
//                 searching -= 1, and again if that was the last one and a bit has appeared.
//   Found work:   searching -= 1; the last searcher always hands over, whether or not it sees more work.
//   Retracting:   clear the own bit. Already clear: somebody handed over to us, wait for the token and search.
//   Passing on:   what W4 sees may be only for workers with higher numbers: hand over to one of those, and sleep.
//
// Proof sketch. A job can be missed only by a worker that sleeps, so let k be the last one that left searching at 0 before all
// slept. (1) k left by parking: fences P2 and W3 are Dekker's. If the push was before the barrier in the publisher, W4 sees it.
// Otherwise P3 comes after the barrier, and so does P0 (the compiler keeps it behind P1): k has counted itself in idlers_ before it
// searched, and does so until it wakes, so P0 goes on to P3, which sees W1 and W2: it hands over, unless somebody began to search meanwhile, who then is
// a later last searcher than k. (2) k left by finding work: it handed over, so a later searcher exists, or no bit was set; then
// all others run and will search before they sleep. (3) k left by parking while others searched (W2): they are later. (4) A
// hand-over that finds no bit counts as a searcher that leaves: it repeats (2). W1 comes before W2, so whoever sees the count
// without k sees the bit of k; a bit is cleared by one RMW, so k gets at most one token per park.
//
// A message takes worker k out of its park without a hand-over: it clears its bit and runs what came, uncounted, or begins to search.
// Either way it will search before it sleeps, which is all that the proof wants of those that run.
//
// Jobs for some workers only (not for the bound thread, worker 0): P3 hands over to one of them. The proof still goes by the last
// searcher of all: is it worker 0, W4 passes the job on to a later searcher, or finds no bit of the others: then all of them run and
// will search before they sleep. Jobs for one worker (PlacedJobs) are messages in its inbox and need none of this: W5 does not
// sleep if there is one, and its push wakes exactly that worker. It must not sleep again before it has run what it drained.
//
// Guests (external threads inside a loop of their own) take seats: while g guests compute, the last g sleepers are left asleep
// by work that somebody computes on already. Jobs from outside ignore the seats.
//
// Rejected: (a) a futex call per push; (b) handing over only if more work is visible: two pushes can share one searcher, and
// the second is then nobody's; (c) one counter of sleepers beside the bits: the two disagree between their updates.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "jobs/base/asymmetric_fence.hpp"
#include "jobs/base/atomic.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/runtime/parking/message_queue.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace idle_order {
JOBS_ORDER(kAnnounce, seq_cst);  // [W1] a full barrier too: shutdown counts on it (Shared::before_park)
JOBS_ORDER(kLeave, acq_rel);     // [W2] whoever sees the count without k sees the bit of k; partner: kSeeCount, kLeave
JOBS_ORDER(kSeeCount, acquire);  // [W2] partner: kLeave
JOBS_ORDER(kSeeBits, acquire);   // [W3] partner: kAnnounce
JOBS_ORDER(kClaim, acq_rel);     // [W3] one of waker and sleeper clears a bit
JOBS_ORDER(kFromOutside, seq_cst);  // [W4] a fence: P2 of publishers that need no cheap one; partner: heavy_fence
}  // namespace idle_order

// What a worker sleeps on: its messages and its token. Only the thread that has cleared the worker's bit sends the token.
struct Sleeper : MessageQueue {
  explicit Sleeper(FiberHost& home) : MessageQueue(home) {}

  // Dispatches all messages. Owner only.
  void drain() noexcept {
    if (MessageQueue::drain(token)) has_token = true;
  }

  Wakeup token{nullptr};
  Plain<bool> has_token{false};
};

class Idle {
 public:
  enum class Woken : std::uint8_t { kToSearch, kByMessage };
  // Jobs in the queues: none, some that the asking worker may take, some that only workers with higher numbers may.
  enum class Visible : std::uint8_t { kNothing, kJobs, kJobsOfOthers };

  // `sleepers`: one for each worker, all alive as long as this.
  Idle(Sleeper* const* sleepers, unsigned count);
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;
  ~Idle();

  // --- publishers ---
  // After a push to a lane's deque, by its owner. False: no need for published().
  JOBS_ALWAYS_INLINE bool is_anyone_idle() const noexcept {
    compiler_fence();
    return idlers_.load(std::memory_order_relaxed) != 0;
  }
  // `before_wake`: called first if somebody may be woken.
  template <class BeforeWake>
  void published(BeforeWake&& before_wake) noexcept {
    light_fence();
    if (searching_.load(idle_order::kSeeCount) == 0 && any_parked()) [[unlikely]] {
      before_wake();
      hand_over(Seats::kKept);
    }
  }
  void published() noexcept {
    published([] {});
  }
  // After a push to a queue of all workers, by any thread. `first`: those below may not take the job.
  void published_outside(unsigned first = 0) noexcept;
  // Any thread. May be stale.
  bool is_parked(unsigned index) const noexcept {
    return (parked_[index / kBits].load(idle_order::kSeeBits) >> (index % kBits) & 1) != 0;
  }
  // May be stale.
  bool is_anyone_searching() const noexcept { return searching_.load(std::memory_order_relaxed) != 0; }
  // Nobody searches although somebody could be woken for it. May be stale: for simulations, which see that it does not last.
  bool does_nobody_look() const noexcept {
    return !is_anyone_searching() && guests_.load(std::memory_order_relaxed) == 0 && any_parked();
  }

  // --- guests ---
  void enter_guest() noexcept;
  template <class Look>
  void leave_guest(Look&& work_visible) noexcept;

  // --- workers ---
  // So many have not begun: publishers are to look. Before any of them has.
  void expect(unsigned workers) noexcept { idlers_.fetch_add(workers, std::memory_order_relaxed); }
  void begun() noexcept { idlers_.fetch_sub(1, std::memory_order_relaxed); }
  // Counts the caller as searching. False: enough others search, it should look less often.
  [[nodiscard]] bool start_searching() noexcept;
  // The caller stops searching because it has something to run.
  void found_work() noexcept;
  // pre: worker `index` is searching. `work_visible()`: looks at every queue, and returns a Visible. Returns counted as searching (kToSearch), or not
  // (kByMessage: the inbox is not empty, or the deadline has passed, or a spurious wake-up).
  template <class Look>
  [[nodiscard]] Woken park(unsigned index, os::Nanoseconds deadline, Look&& work_visible) noexcept;

 private:
  enum class Seats : std::uint8_t { kKept, kIgnored };
  static constexpr unsigned kBits = 64;

  bool any_parked() const noexcept {
    for (unsigned i = 0; i < words_; ++i) {
      if (parked_[i].load(idle_order::kSeeBits) != 0) return true;
    }
    return false;
  }
  // To one of the workers from `first` on.
  JOBS_EXPORT void hand_over(Seats seats, unsigned first = 0) noexcept;
  // The bits of a word that belong to workers from `first` on.
  static constexpr std::uint64_t bits_from(unsigned first, unsigned word) noexcept {
    const unsigned begin = word * kBits;
    if (first <= begin) return ~std::uint64_t{0};
    return first - begin < kBits ? ~std::uint64_t{0} << (first - begin) : 0;
  }
  unsigned parked_count(unsigned first) const noexcept;
  bool claim_one(unsigned first, unsigned& index) noexcept;
  bool claim_lowest(unsigned first, unsigned& index) noexcept;
  bool retract(unsigned index) noexcept;
  Woken await_token(Sleeper& sleeper) noexcept;

  Sleeper* const* const sleepers_;
  const unsigned words_;
  const unsigned max_searching_;
  // One line that all publishers read and only parking and waking write.
  alignas(kDestructiveDistance) Atomic<std::uint32_t> idlers_;
  Atomic<std::uint32_t> searching_{0};
  Atomic<std::uint32_t> guests_{0};
  Atomic<std::uint64_t> first_word_{0};
  Atomic<std::uint64_t>* const parked_;  // first_word_, or words of its own if there are more than 64 workers
};

template <class Look>
Idle::Woken Idle::park(unsigned index, os::Nanoseconds deadline, Look&& work_visible) noexcept {
  Sleeper& sleeper = *sleepers_[index];
  parked_[index / kBits].fetch_or(std::uint64_t{1} << (index % kBits), idle_order::kAnnounce);  // W1
  chaos::point();
  if (searching_.fetch_sub(1, idle_order::kLeave) == 1) {  // W2
    chaos::point();
    heavy_fence();             // W3
    switch (work_visible()) {  // W4
      case Visible::kNothing:
        break;
      case Visible::kJobs:
        if (!retract(index)) return await_token(sleeper);
        searching_.fetch_add(1, std::memory_order_relaxed);  // only adds a searcher: nobody reads more into it
        return Woken::kToSearch;
      case Visible::kJobsOfOthers:
        hand_over(Seats::kIgnored, index + 1);
        break;
    }
  }
  chaos::point();
  // W5; the result does not matter: timers are looked at either way
  if (!chaos::strikes()) sleeper.inbox.park(deadline);
  if (!retract(index)) return await_token(sleeper);
  idlers_.fetch_sub(1, std::memory_order_relaxed);
  return Woken::kByMessage;
}

template <class Look>
void Idle::leave_guest(Look&& work_visible) noexcept {
  guests_.fetch_sub(1, std::memory_order_relaxed);
  heavy_fence();  // as W3: a publisher that still saw the seat taken has pushed before, and we see that
  if (any_parked() && work_visible()) hand_over(Seats::kKept);
}

}  // namespace jobs::inline JOBS_ABI::detail
