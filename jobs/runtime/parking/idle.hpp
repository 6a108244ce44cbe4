// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Idle: decides which workers search, which workers sleep, and which worker a push wakes.
//
// Promise (work conservation): no worker stays parked while a job that it could take exists and no
// worker searches for it.
//
// Each scheduler owns one Idle. Any thread may publish a job. Each worker calls the functions of
// the section "workers" for itself. An external participant takes and returns its seat itself.
//
// State. A worker is in one of three states:
//
//     running   --start_searching()-->  searching   it counts in `searching_`
//     searching --found_work()------->  running
//     searching --park()------------->  parked      its bit in `parked_` is set
//     parked    --token-------------->  searching   a waker has cleared the bit and counted it
//     parked    --message------------>  running     it has cleared its own bit; it does not count
//
//   `idlers` is the number of searching and parked workers, less the number of counted seats (see
//   below), so that a push reads one word. Workers that have not started count, too. Without
//   membarrier it is always positive: it contains `bias_`.
//
// Protocol.
//
//   Publishing a job                     Parking worker k, which is searching
//     P1 push the job                      W1 set bit k
//     P2 if idlers <= 0: done              W2 searching -= 1; if other workers search: go to W5
//     P3 if seats leave no idler: done     W3 heavy_fence
//     P4 light_fence                       W4 check every queue once more; if a job is visible:
//     P5 if searching == 0 and                retract and search
//        a bit is set: wake one            W5 sleep on the own inbox
//
//   Waking one:   1. CAS `searching_` from 0 to 1; at F2 also from 1 to 2. 2. Clear one bit k.
//                 3. Post the token to worker k, which searches. If there is no bit left:
//                 searching -= 1; if that was the last one and a bit has appeared, repeat.
//   Found work:   searching -= 1; F1 full_fence. The last searcher wakes one worker, even if it
//                 sees no more work, unless seats leave no idler (P3). F2: if it sees more work,
//                 it wakes a second one. So each wake-up adds two awake workers, not one.
//                 F0: if jobs usually come alone (LoneJobs), it executes P3, and a heavy_fence
//                 unless all other workers are idle and no seat is held. Then it checks every
//                 queue. If no job is visible, it wakes no worker.
//   Retracting:   Clear the own bit. If the bit is clear already, a waker has chosen this worker:
//                 wait for the token in the inbox, and search.
//   Standing by:  At W5, one worker may stand by (Standby): it looks at the queues in intervals.
//                 Meanwhile P5 and "found work" wake no worker if no CPU is free; and "found work"
//                 wakes none if it sees no more work. The worker that stands by begins to search
//                 afterwards, whatever has ended its sleep.
//   Offering:     A worker with more than its share of fibers leaves its jobs to others for a while
//                 (FiberShare). While it sees no searcher, it wakes one worker at each step,
//                 without regard to seats and standby. Then it continues as a running worker.
//   Passing on:   W4 may see only jobs that workers with higher numbers may take. Wake one of
//                 those workers, and sleep.
//
// Proof sketch. Only a sleeping worker can miss a job. Let k be the last worker that left
// `searching_` at 0 before all workers slept.
//   (1) k left by parking. The fences P4 and W3 are those of Dekker's algorithm. If the push
//       precedes the barrier in the publisher, W4 sees the job. Otherwise P5 follows the barrier,
//       and so does P2, because the compiler keeps P2 behind P1. k counted itself in `idlers`
//       before it searched, and counts until it wakes. So P2 continues to P5, which sees W1 and
//       W2. P5 wakes one worker, unless a worker has begun to search meanwhile. That worker is a
//       later last searcher than k.
//   (2) k left by finding work. It woke one worker, so a later searcher exists; or no bit was
//       set. Then all other workers run, and each searches before it sleeps. Or it woke none at F0.
//       That is (1) without the bit of k. With the fence, F0 is as W3 and W4. Without it, no other
//       thread could push by a light fence. A thread that begins to run later first changes
//       `balance_`: its change reads that of F0, so its P5 sees that k has left. A push that F0
//       does not see finds a bit at P5 and wakes its worker, or finds no bit. At P2, it reads the
//       sleeping idlers: they counted themselves before they left the search, and k left later.
//   (3) k left by parking while other workers searched (W2). Those are later searchers.
//   (4) A waker that finds no bit counts as a searcher that leaves: it repeats (2).
//   F2 adds a searcher, which the proof permits at any time.
//   W1 precedes W2, so a thread that sees the count without k sees the bit of k. One
//   read-modify-write clears a bit, so k gets at most one token per park.
//
//   Standing by. A thread that wakes no worker has seen that a worker stands by. If this worker
//   still stands by, its next look sees the job, and it takes part unless each awake worker starts
//   jobs (Standby::Looks). Otherwise it has ended its stay, and is a later searcher. Its last check
//   then follows the end of its stay, so W3 and the fence of the thread that has read the old state
//   are those of Dekker's algorithm.
//
//   Messages. A message ends the park of worker k without a waker. The worker clears its bit and
//   runs the content of the message, uncounted, or begins to search. In both cases it searches
//   before it sleeps. The proof needs no more of a running worker.
//
//   Jobs for some workers only. Worker 0, the bound thread, may not take every job. P5 wakes one
//   of the eligible workers. The proof still follows the last searcher of all. If that is worker
//   0, then W4 passes the job on to a later searcher, or finds no bit of another worker. In the
//   second case all other workers run, and search before they sleep.
//
//   Jobs for one worker (AffineJobs) are messages in its inbox and need no part of this protocol.
//   W5 does not sleep if there is one, and its push wakes exactly that worker. The worker must not
//   sleep again before it has run the drained jobs.
//
//   Seats. An external participant (a thread inside a call of its own) holds a seat while it
//   computes, and returns it before it parks. With g seats held, pushes leave the last g parked
//   workers asleep, so that no more threads compute than the scheduler has workers. Jobs from
//   outside ignore the seats. The promise holds for the workers in excess of the seats.
//
//   A seat is new until a thread skips a worker because of it. That thread counts all new seats:
//   it subtracts them from `idlers`, so that later pushes end at P2. The return of a new seat ends
//   the skipping of no worker, and costs no barrier. Seats are alike: a participant returns a new
//   one if there is one.
//
//     P3  if idlers > new seats: go on with P4. If the caller is a participant, and its seat is the
//         only one, it may end here. Otherwise count the new seats; done.
//
//   Returning a seat
//     L1 if a seat is new: new seats -= 1; done, unless the caller leaves jobs in its own deque.
//        Otherwise counted seats -= 1, idlers += 1; if idlers was positive before: done
//     L2 full_fence; if no bit is set: done
//     L3 if no other thread may push a job and the own deque is empty, or a worker searches
//        within about 200 ns: done
//     L4 heavy_fence
//     L5 check every queue; if a job is visible, wake one worker
//
//   Proof for seats. A publisher skips a worker because of a seat only while idlers <= 0, at P2; or
//   at P3, which found_work() executes as well. At P3 it makes idlers <= 0 before it skips, by a
//   read-modify-write that the next return of a counted seat reads. So a return of a new seat has
//   no skipped job to look for: while counted seats remain, the jobs are left to those who hold
//   them. Consider the first step that makes idlers positive afterwards. A worker that begins to
//   search is a later searcher than the publisher. If it is the return of a seat, L5 follows.
//   Either L4 follows the push, and L5 sees the job; or P2 follows L4, and reads a positive value.
//   If L2 sees no bit, the worker that sets one later is a later searcher, and L1 precedes its W3.
//   A searcher that L3 sees is a later searcher, too: if it finds other work, F1 makes it read the
//   value of L1, and it wakes a worker, or F0 looks as L4 and L5 do. A worker that is in no job has
//   an empty deque, and executes a full fence before its next job. Either L3 sees that it is in a
//   job, or its next push reads the value of L1. A participant that skips a worker because of its
//   own seat alone need not count it: only its own return ends this, and L1 and L3 see what it has
//   left in its deque. If another participant takes and returns a seat meanwhile, as many workers
//   are to spare as before.
//
// Rejected:
//   (a) A futex call per push.
//   (b) Waking one worker only if more work is visible. Two pushes can share one searcher, and then
//       no searcher is responsible for the second job.
//   (c) One counter of sleepers beside the bits. The two disagree between their updates.
//   (d) Step F0 always. Then no worker searches when the next job comes, so each push from outside
//       wakes one: 20 us instead of 0.8 us for the pusher, unless jobs come far apart.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "jobs/base/asymmetric_fence.hpp"
#include "jobs/base/atomic.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/runtime/parking/lone_jobs.hpp"
#include "jobs/runtime/parking/message_queue.hpp"
#include "jobs/runtime/parking/standby.hpp"
#include "jobs/runtime/parking/waker_habit.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace idle_order {
// [idle.1] Also a full barrier: the shutdown relies on it (Shared::before_park).
JOBS_ORDER(kAnnounce, seq_cst);
// [idle.2] A thread that sees the count without k sees the bit of k. Partners: kSeeCount, kLeave.
JOBS_ORDER(kLeave, acq_rel);
JOBS_ORDER(kSeeCount, acquire);  // [idle.2] Partner: kLeave.
JOBS_ORDER(kSeeBits, acquire);   // [idle.3] Partner: kAnnounce.
JOBS_ORDER(kClaim, acq_rel);     // [idle.3] Either the waker or the sleeper clears a bit.
// [idle.4] A fence: step P4 of publishers that need no cheap one. Partner: heavy_fence.
JOBS_ORDER(kFromOutside, seq_cst);
// [idle.5] Fences L2, F1, and that of end_pause(): a worker that a returning participant relies on
// sees the returned seat.
JOBS_ORDER(kSeat, seq_cst);
// [idle.6] A participant that returns its seat after another one has taken a seat sees that the
// latter is inside. A participant that takes its seat later reads the returned one.
JOBS_ORDER(kTakeSeat, acq_rel);    // partners: kReturnSeat, kSeat
JOBS_ORDER(kReturnSeat, acquire);  // partner: kTakeSeat
// [idle.7] A thread that begins to run after step F0 sees that the searcher has left: fence F1
// precedes the change of `balance_` at F0.
JOBS_ORDER(kRun, acquire);  // partner: kSeat
}  // namespace idle_order

// A worker sleeps on its Parker: its messages and its token. Only the thread that has cleared the
// bit of the worker sends the token. The worker owns it; any thread pushes to the inbox.
struct Parker : MessageQueue {
  // pre: post() of the home pushes to the inbox of this object.
  explicit Parker(FiberHost& home) : MessageQueue(home) {}

  // Dispatches all messages, and records the token. Owner only.
  void drain() noexcept {
    if (MessageQueue::drain(token)) has_token = true;
  }

  // Sends the token. Only the thread that has cleared the bit of the worker. A kernel may wake a
  // thread on the CPU of its waker although another CPU idles. So the waker removes its CPU from
  // the mask of the sleeping thread, if `elsewhere` is true, and adds it after the token. The
  // worker adds it if the waker has not. `habit`: of a watched wake-up, otherwise null.
  void wake(bool elsewhere, WakerHabit* habit) noexcept;

  // Returns whether the mask of the worker may lack a CPU at present. Any thread; a hint.
  bool is_mask_reduced() const noexcept {
    return excluded_cpu.load(std::memory_order_relaxed) != os::kNoCpu;
  }

  Wakeup token{nullptr};
  Plain<bool> has_token{false};
  // The thread of the worker, if a waker may change its mask; otherwise 0. The worker sets it
  // before it parks.
  Atomic<os::ThreadId> sleeper{0};
  // The time of the last token; the token orders it.
  Plain<os::Nanoseconds> woken_at{0};
  // Whether the worker reports its start to the WakerHabit; the token orders it.
  Plain<bool> is_watched{false};
  // Whether the worker starts on the CPU of its waker, which may need the CPU again. The token
  // orders it. It stays until the next token: the worker may wake up by itself for the next job of
  // that thread.
  Plain<bool> shares_cpu{false};
  // Whether a last searcher has woken the worker, which has not searched to an end since. The token
  // orders it.
  Plain<bool> follows{false};
  // The CPU that the waker has excluded, until the worker has seen it in its mask. The token orders
  // it for the worker; a reader of masks takes it as a hint.
  Atomic<unsigned> excluded_cpu{os::kNoCpu};
};

class Idle : public HeapObject<Idle> {
 public:
  // What ended the sleep of a worker. kToSearch: a token. kToLook: it has stood by, and searches.
  enum class Woken : std::uint8_t { kToSearch, kToLook, kByMessage };
  // Whether a worker stands by when it parks.
  enum class StandBy : std::uint8_t { kNever, kIfCrowded, kAlways };
  // The jobs in the queues: none; some that the calling worker may take; or some that only workers
  // with higher numbers may take.
  enum class Visible : std::uint8_t { kNothing, kJobs, kJobsOfOtherWorkers };

  // `parkers`: one for each worker. They outlive this object.
  // `publishes_always`: has_idle_workers() returns true also if all workers are awake.
  Idle(Parker* const* parkers, unsigned count, bool publishes_always = false);
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;
  ~Idle();

  // --- publishers ---
  // Step P2. Called by the owner of a deque after a push to it. If it returns false, the owner need
  // do no more.
  JOBS_ALWAYS_INLINE bool has_idle_workers() const noexcept {
    compiler_fence();
    return balance_.load(std::memory_order_relaxed) >= kIdler;
  }
  // Returns whether step P3 may end a push. The result may be stale.
  JOBS_ALWAYS_INLINE bool has_new_seats() const noexcept {
    return new_seats(balance_.load(std::memory_order_relaxed)) != 0;
  }
  // Step P3. If it returns true, the owner need do no more. Always false without membarrier.
  // `counts_seats`: false only for an external participant.
  bool leaves_to_seats(bool counts_seats) noexcept {
    return bias_ == 0 && !find_spare(counts_seats);
  }
  // Steps P4 and P5. Calls `before_wake` first if a worker may be woken.
  template <class BeforeWake>
  void published(BeforeWake&& before_wake) noexcept {
    light_fence();
    if (searching_.load(idle_order::kSeeCount) == 0 && any_parked()) [[unlikely]] {
      before_wake();
      wake_one(WakePolicy::kReserveSeats);
    }
  }
  void published() noexcept {
    published([] {});
  }
  // Any thread, after a push to a queue of all workers. Workers below `first` may not take the job.
  void published_outside(unsigned first = 0) noexcept;
  // Wakes a worker, from `first` on if one of those is parked, for a job that the caller leaves to
  // other workers. It wakes one although seats are held or no CPU is free, because the caller does
  // not compute meanwhile. The caller repeats it until the job is gone, and may run the job itself.
  void offered(unsigned first) noexcept;
  // Any thread. The result may be stale.
  bool is_parked(unsigned index) const noexcept {
    return (parked_[index / kBits].load(idle_order::kSeeBits) >> (index % kBits) & 1) != 0;
  }
  // Any thread. The result may be stale.
  bool has_searching_workers() const noexcept {
    return searching_.load(std::memory_order_relaxed) != 0;
  }
  // Any thread. Returns whether more threads are awake than CPUs exist: workers, seats, and an
  // external thread that publishes jobs. The result may be stale.
  bool is_crowded() const noexcept { return standby_.surplus(spare()) > 0; }
  // Returns true if no worker searches although a parked worker could be woken. The result may be
  // stale: simulations use it, and check that the state does not last.
  bool needs_searcher() const noexcept {
    return !has_searching_workers() && has_spare_workers() && any_parked() && !standby_.is_manned();
  }

  LoneJobs& lone_jobs() noexcept { return lone_jobs_; }
  WakerHabit& waker_habit() noexcept { return waker_habit_; }
  Standby& standby() noexcept { return standby_; }
  const Standby& standby() const noexcept { return standby_; }

  // --- external participants ---
  // Takes a seat: one more thread computes that is no worker.
  void take_seat() noexcept { balance_.fetch_add(kNewSeat, idle_order::kTakeSeat); }
  // Returns the seat. `leaves_jobs`: the caller leaves jobs in its own deque. `may_other_push()`
  // returns whether another thread may push jobs now; `work_visible()` checks every queue and
  // returns a bool.
  template <class MayPush, class Look>
  void return_seat(bool leaves_jobs, MayPush&& may_other_push, Look&& work_visible) noexcept;

  // --- workers ---
  // The end of a pause between two jobs, in which `pausing` was set. During the pause, the worker
  // does not count as searching, and its deque is empty.
  static void end_pause(Atomic<bool>& pausing) noexcept {
    pausing.store(false, std::memory_order_relaxed);
    full_fence(idle_order::kSeat);
  }
  // Makes publishers check while `workers` workers have not started. Called before any of them
  // starts.
  void expect(unsigned workers) noexcept {
    balance_.fetch_add(workers * kIdler, std::memory_order_relaxed);
  }
  void begun() noexcept { balance_.fetch_sub(kIdler, idle_order::kRun); }
  // Counts the caller as searching. If it returns false, enough other workers search, and the
  // caller should check the queues less often.
  [[nodiscard]] bool start_searching() noexcept;
  // Worker `index` stops searching because it has work to run. `work_visible()` checks every queue
  // and returns a bool.
  template <class Look>
  void found_work(unsigned index, Look&& work_visible) noexcept;
  // Parks worker `index`. `work_visible()` checks every queue and returns a Visible. `cpu_time()`
  // returns the CPU time of all workers, `all_progress()` whether each awake worker has started a
  // job since the last call.
  // pre: worker `index` is searching.
  // post: kToSearch, kToLook: the worker counts as searching. kByMessage: it does not; the inbox is
  // not empty, the deadline has passed, or the wake-up is spurious.
  template <class Look, class CpuTime, class Progress>
  [[nodiscard]] Woken park(unsigned index, os::Nanoseconds deadline, StandBy may_stand_by,
                           Look&& work_visible, CpuTime&& cpu_time,
                           Progress&& all_progress) noexcept;

 private:
  // kFollowing: as kReserveSeats, by a last searcher. kBesideAnother: as kReserveSeats, while one
  // other worker searches, too.
  enum class WakePolicy : std::uint8_t {
    kReserveSeats,
    kIgnoreSeats,
    kGiveWay,
    kFollowing,
    kBesideAnother
  };
  static constexpr unsigned kBits = 64;
  // About 200 ns: a worker that has just ended the last part of a loop counts as searching by then.
  // In a model, a thread that relaxes waits for a write of another thread, which may never come.
#if defined(JOBS_MODEL)
  static constexpr int kSpinsForSearcher = 0;
#else
  static constexpr int kSpinsForSearcher = 20;
#endif

  // The parts of `balance_`: new seats (12 bits), counted seats (12 bits), idlers. P2 compares with
  // kIdler, which is a constant of one instruction.
  static constexpr std::int64_t kNewSeat = 1;
  static constexpr std::int64_t kCountedSeat = kNewSeat << 12;
  static constexpr std::int64_t kIdler = kCountedSeat << 12;
  static constexpr std::int64_t new_seats(std::int64_t balance) noexcept {
    return balance & (kCountedSeat - 1);
  }
  static constexpr std::int64_t counted_seats(std::int64_t balance) noexcept {
    return balance >> 12 & (kCountedSeat - 1);
  }
  // Returns the number of idle workers less the counted seats.
  std::int64_t idlers(std::int64_t balance) const noexcept { return (balance >> 24) - bias_; }

  // Returns whether more workers search or sleep than seats are held. The result may be stale.
  bool has_spare_workers() const noexcept {
    const std::int64_t balance = balance_.load(std::memory_order_relaxed);
    return idlers(balance) > new_seats(balance);
  }
  // Step P3. Returns whether a worker may be woken in spite of the seats.
  bool find_spare(bool counts_seats) noexcept;
  // Returns whether a worker begins to search within about the time of a heavy fence.
  bool await_searcher() const noexcept;
  bool any_parked() const noexcept {
    for (unsigned i = 0; i < words_; ++i) {
      if (parked_[i].load(idle_order::kSeeBits) != 0) return true;
    }
    return false;
  }
  // Returns whether one of the workers from `first` on is parked.
  bool any_parked_from(unsigned first) const noexcept;
  // Counts the caller as running. Returns whether it was the last searcher.
  bool leave_search() noexcept;
  // Wakes one of the workers from `first` on.
  JOBS_EXPORT void wake_one(WakePolicy policy, unsigned first = 0) noexcept;
  // Returns the bits of a word that belong to workers from `first` on.
  static constexpr std::uint64_t bits_from(unsigned first, unsigned word) noexcept {
    const unsigned begin = word * kBits;
    if (first <= begin) return ~std::uint64_t{0};
    return first - begin < kBits ? ~std::uint64_t{0} << (first - begin) : 0;
  }
  template <class Look, class CpuTime, class Progress>
  void stand_by(Parker& parker, os::Nanoseconds deadline, Look&& work_visible, CpuTime&& cpu_time,
                Progress&& all_progress) noexcept;
  bool claim_one(unsigned first, unsigned& index) noexcept;
  bool claim_lowest(unsigned first, unsigned& index) noexcept;
  bool retract(unsigned index) noexcept;
  Woken await_token(Parker& parker) noexcept;
  // Returns the number of parked workers less the seats.
  JOBS_ALWAYS_INLINE std::int32_t spare() const noexcept {
    const std::int64_t balance = balance_.load(std::memory_order_relaxed);
    return static_cast<std::int32_t>(idlers(balance) - new_seats(balance)) -
           static_cast<std::int32_t>(searching_.load(std::memory_order_relaxed));
  }
  // Returns whether each CPU has an awake thread. The result may be stale.
  bool has_no_free_cpu() const noexcept { return standby_.is_machine_taken(spare()); }

  Parker* const* const parkers_;
  const unsigned words_;
  const unsigned max_searching_;
  // What the idlers of `balance_` contain besides their count.
  const std::int32_t bias_;
  // The value of `balance_` if all workers but one are idle, and no seat is held.
  const std::int64_t others_idle_;
  // A cache line that all publishers read. Only searching, parking and waking write to it.
  alignas(kDestructiveDistance) Atomic<std::int64_t> balance_;
  Atomic<std::uint32_t> searching_{0};
  Atomic<std::uint64_t> first_word_{0};
  Standby standby_;
  // Of wake-ups from outside. A thread that wakes a watched worker has raised searching_ from 0,
  // and owns it until it sends the token; then the woken worker owns it, until it stops searching.
  WakerHabit waker_habit_;
  LoneJobs lone_jobs_;
  const HeapArray<Atomic<std::uint64_t>> words_on_heap_;  // none for up to 64 workers
  // Points to `first_word_`, or to the array.
  Atomic<std::uint64_t>* const parked_;
};

template <class Look, class CpuTime, class Progress>
Idle::Woken Idle::park(unsigned index, os::Nanoseconds deadline, StandBy may_stand_by,
                       Look&& work_visible, CpuTime&& cpu_time, Progress&& all_progress) noexcept {
  Parker& parker = *parkers_[index];
  if (parker.follows) {
    parker.follows = false;
    lone_jobs_.woken_in_vain();
  }
  parked_[index / kBits].fetch_or(std::uint64_t{1} << (index % kBits),
                                  idle_order::kAnnounce);  // Step W1.
  chaos::inject_delay();
  if (searching_.fetch_sub(1, idle_order::kLeave) == 1) {  // Step W2.
    chaos::inject_delay();
    heavy_fence();             // Step W3.
    switch (work_visible()) {  // Step W4.
      case Visible::kNothing:
        break;
      case Visible::kJobs:
        if (!retract(index)) return await_token(parker);
        // Relaxed: this only adds a searcher, and no thread concludes more from it.
        searching_.fetch_add(1, std::memory_order_relaxed);
        return Woken::kToSearch;
      case Visible::kJobsOfOtherWorkers:
        wake_one(WakePolicy::kIgnoreSeats, index + 1);
        break;
    }
  }
  chaos::inject_delay();
  // Step W5. The result of a park is ignored, because the worker checks its timers in any case.
  const bool stands_by = may_stand_by != StandBy::kNever &&
                         (may_stand_by == StandBy::kAlways || has_no_free_cpu()) &&
                         standby_.enter(index);
  if (stands_by) {
    stand_by(parker, deadline, work_visible, cpu_time, all_progress);
  } else if (!chaos::injects_failure()) {
    parker.inbox.park(deadline);
  }
  if (!retract(index)) return await_token(parker);
  if (stands_by) {
    searching_.fetch_add(1, std::memory_order_relaxed);
    return Woken::kToLook;
  }
  balance_.fetch_sub(kIdler, idle_order::kRun);
  return Woken::kByMessage;
}

// Step W5 of the worker that stands by.
template <class Look, class CpuTime, class Progress>
void Idle::stand_by(Parker& parker, os::Nanoseconds deadline, Look&& work_visible,
                    CpuTime&& cpu_time, Progress&& all_progress) noexcept {
  Standby::Looks looks(standby_);
  for (;;) {
    const os::Nanoseconds next = os::now() + Standby::kInterval;
    if (parker.inbox.park(next < deadline ? next : deadline) || next >= deadline) break;
    if (looks.look([this] { return has_no_free_cpu(); },
                   [&] { return work_visible() != Visible::kNothing; }, cpu_time, all_progress))
      break;
  }
  standby_.leave();
}

template <class Look>
void Idle::found_work(unsigned index, Look&& work_visible) noexcept {
  if (Parker& parker = *parkers_[index]; parker.follows) {
    parker.follows = false;
    lone_jobs_.more_came();
  }
  if (!leave_search()) return;
  if (standby_.is_manned() && !work_visible()) return;
  if (lone_jobs_.are_usual()) {  // Step F0.
    if (!find_spare(true) || !any_parked()) return;
    chaos::inject_delay();
    if (balance_.fetch_add(0, std::memory_order_relaxed) != others_idle_) heavy_fence();
    if (!work_visible()) return lone_jobs_.left_alone(os::now());
    lone_jobs_.more_came();
  }
  wake_one(WakePolicy::kFollowing);
  if (spare() > 0 && work_visible()) wake_one(WakePolicy::kBesideAnother);  // Step F2.
}

JOBS_ALWAYS_INLINE bool Idle::await_searcher() const noexcept {
  for (int i = 0; searching_.load(idle_order::kSeeCount) == 0; ++i) {
    if (i == kSpinsForSearcher) return false;
    cpu_relax();
  }
  return true;
}

template <class MayPush, class Look>
void Idle::return_seat(bool leaves_jobs, MayPush&& may_other_push, Look&& work_visible) noexcept {
  std::int64_t before = balance_.load(std::memory_order_relaxed);
  std::int64_t after = 0;
  do {
    after = before + (new_seats(before) != 0 ? -kNewSeat : kIdler - kCountedSeat);
  } while (!balance_.compare_exchange_weak(before, after, idle_order::kReturnSeat,
                                           std::memory_order_relaxed));
  if (new_seats(before) != 0 ? !leaves_jobs : idlers(before) > 0) return;  // Step L1.
  chaos::inject_delay();
  full_fence(idle_order::kSeat);
  if (!any_parked()) return;                                            // Step L2.
  if ((!leaves_jobs && !may_other_push()) || await_searcher()) return;  // Step L3.
  chaos::inject_delay();
  heavy_fence();
  if (work_visible()) wake_one(WakePolicy::kReserveSeats);
}

}  // namespace jobs::inline JOBS_ABI::detail
