// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PipelineRun: how tokens go through the stages of a pipeline; what the stages do is behind call().
//
// There are as many slots as tokens are allowed, in a ring. A slot carries the tokens s, s + slots, s + 2 slots ... one after the
// other: when one has left the last stage, the slot goes back to the source for its next. So the source is an in-order stage like
// any other, and a token limit needs no counting.
//
// Batches. Tokens that are neighbours go together: a batch enters a stage, is called for token by token, and goes on to the next
// one. It waits for its turn as one, passes the turn on as one, and is known by its first slot. One worker stays with it, so what
// wanders between caches (turns, values, what serial stages write) does so once for each batch. The source makes them: whoever has
// its turn reads a share, about slots / workers, and leaves the turn to others. With two workers and serial ends of a
// third each, one reads while the other writes, and nobody steals anything.
//
// A stage in order needs one gate for each slot, with three states; only those of first slots are used:
//
//   away   neither has the batch come, nor is it its turn
//   here   the batch has come and waits, put aside as a job that is in no queue
//   open   it is its turn, and it has not come
//
// Whoever comes second, the batch or its turn, goes on with it.
//
// While a stage is called, nothing that could go on is kept back: stages may wait for each other, and take as long as they like.
// What the worker has in hand stands in its deque as one job meanwhile, under the name of its first slot:
//
//   serial stage, source   those that have passed it. The others of the batch must wait for this call by nature
//   parallel stage         those that it has not been called for, and `passed`, those that have passed it
//
// After the call it takes that back, or finds that somebody has taken it: another worker, or this one's loop, on which the call
// waits. Then batches are smaller from there on; at the source, neighbours that wait for its turn become one again.
//
// Proof sketch. (1) Each slot is in one place: in the hands of one worker, in the job of one deque, or behind one gate or limit. It
// changes places by a push, a pop or steal, or an exchange that one of two wins: so no token is called for twice, and who has
// it sees what was done to it. (2) The turn of a stage is in one place, too: with the batch that is in the stage, or in a gate that
// is open; it goes from batch [a, b) to b. So a serial stage is alone, and in order. (3) Nothing stands still: let t be the oldest
// token under way; so it is the first of its batch. All before it have left, and passed the turn of each stage on to it: no
// gate stops it. So it is in a call, in hands, or in a deque. (4) If nothing is under way, all slots are behind the source, in batches
// that wait for its turn, and that goes to the first of them.
//
// The end: the first slot for which the source has nothing passes the turn on, and so do those after it. When the turn has been
// round the ring, all slots are back.
//
// Who may touch a run that ends: as in graph_run.hpp, a worker that has let go of its token may only ask its own deque for what it
// pushed while it had one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stop_token>
#include <vector>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JobLimit;
class Lane;
class Shared;

namespace pipeline_order {
JOBS_ORDER(kMeet,
           acq_rel);  // [P2] the token to whom opens its gate, or the stage as its last user left it; partner: itself
JOBS_ORDER(kSeeOther, acquire);  // [P2] partner: kMeet
JOBS_ORDER(kHint, relaxed);      // cancels, elects, counts: what matters travels with P2
}  // namespace pipeline_order

// Aligned: it lies in the frame of the caller, beside what stages write.
class JOBS_EXPORT alignas(kDestructiveDistance) PipelineRun {
 public:
  enum class StageKind : std::uint8_t { kInOrder, kOutOfOrder, kParallel };
  struct StageTime {
    Atomic<std::uint64_t> calls{0};
    Atomic<std::uint64_t> busy_ns{0};
  };

  PipelineRun(const PipelineRun&) = delete;
  PipelineRun& operator=(const PipelineRun&) = delete;

  // Once. Throws the first exception of a stage, Cancelled, Error(kStopped), Error(kNoStack).
  void run(std::stop_token stop);

  std::size_t slots() const noexcept { return slot_count_; }
  // pre: it was to be measured.
  const StageTime& time(std::size_t stage) const noexcept { return times_[stage]; }

 protected:
  // Stage 0 is the source, in order. Throws Error(kBadArgument) for 0 slots.
  PipelineRun(std::size_t slots, const StageKind* kinds, std::size_t stages, bool measured);
  ~PipelineRun();

  // Calls a stage for the token in `slot`. The source returns false if there are no more.
  virtual bool call(std::size_t stage, std::size_t slot) = 0;

 private:
  enum class Gate : std::uint8_t { kAway, kHere, kOpen };
  struct Slot;
  struct Batch;
  struct Hands;
  struct FreeRows {
    void operator()(std::byte* rows) const noexcept;
  };

  static void execute(Job& job);
  void carry(Slot& slot, Hands& hands) noexcept;
  Batch pass(const Batch& batch, Hands& hands) noexcept;
  Batch read(Batch slots, Hands& hands) noexcept;
  bool call_guarded(std::size_t stage, const Slot& slot, Hands& hands) noexcept;

  Slot* after(Slot* slot, std::size_t count) const noexcept;
  Batch behind(Batch batch) const noexcept;

  bool admit(Batch& batch, const Hands& hands) noexcept;
  Slot* open(Slot& slot, std::size_t stage) const noexcept;
  Atomic<Gate>& gate(const Slot& slot, std::size_t stage) const noexcept;
  static bool is_there(Atomic<Gate>& gate, Gate other) noexcept;
  static bool meet(Atomic<Gate>& gate, Gate mine, Gate other) noexcept;

  static void show(const Batch& batch, std::size_t passed, Hands& hands) noexcept;
  static bool take_back(Slot& shown, Hands& hands) noexcept;
  static void offer(const Batch& batch, Hands& hands) noexcept;
  static void offer(Slot& slot, Hands& hands) noexcept;
  void finish(Lane& lane) noexcept;

  const std::size_t slot_count_;
  const std::size_t row_size_;  // of the gates of one slot, in bytes: whole cache lines
  std::size_t share_ = 1;       // so many tokens are read at a time, before somebody else may read
  const bool measured_;
  std::vector<std::unique_ptr<JobLimit>> limits_;  // of stages out of order
  std::vector<StageKind> kinds_;
  std::unique_ptr<Slot[]> slots_;
  std::unique_ptr<std::byte[], FreeRows> rows_;
  std::unique_ptr<StageTime[]> times_;
  Shared* shared_ = nullptr;
  Event done_;
  // The source's, for whoever has its turn.
  bool has_ended_ = false;
  std::uint64_t end_ = 0;
  std::exception_ptr failure_;  // of whoever set failed_
  Atomic<bool> failed_{false};
  Atomic<bool> cancelled_{false};
  Atomic<bool> skipped_{false};  // something was left out because of a stop
};

}  // namespace jobs::inline JOBS_ABI::detail
