// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PipelineRun: how tokens go through the stages of a pipeline; what the stages do is behind call().
//
// There are as many slots as tokens are allowed, in a ring. A slot carries the tokens s, s + slots, s + 2 slots ... one after the
// other: when one has left the last stage, the slot goes back to the source for its next. So the source is an in-order stage like
// any other, a token limit needs no counting, and a stage in order needs one gate for each slot, with three states:
//
//   away   neither has the token come, nor is it its turn
//   here   the token has come and waits, put aside as a job that is in no queue
//   open   it is its turn, and it has not come
//
// Whoever comes second, the token or its turn, goes on. A worker stays with its token from stage to stage. The one that has the
// source reads as long as there are slots. The tokens that it has read stand in its deque as one job, a list, from which it takes the
// oldest and a thief half or all: so a token of a fast pipeline costs a fraction of a steal. All that could run is in a deque
// while a stage runs, so stages may wait for each other.
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
#include "jobs/runtime/job.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JobLimit;
class Lane;
class SchedulerCore;

namespace pipeline_order {
JOBS_ORDER(kMeet,
           acq_rel);  // [P2] the token to whom opens its gate, or the stage as its last user left it; partner: itself
JOBS_ORDER(kSeeOther, acquire);  // [P2] partner: kMeet
JOBS_ORDER(kHint, relaxed);      // cancels, elects, counts: what matters travels with P2
}  // namespace pipeline_order

class JOBS_EXPORT PipelineRun {
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
  // Filled only if it was to be measured.
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
  struct Stage;

  static void execute(Job& job);
  static Slot* below(const Slot& offered) noexcept;
  void go_on(Slot* current, Lane& lane) noexcept;
  Slot* read(Slot* slot, Slot* list, Lane& lane) noexcept;
  void offer_list(Slot& list, Slot*& offered, Lane& lane) noexcept;
  bool take_back(Slot& list, Slot*& offered, Lane& lane) noexcept;
  static void append(Slot*& list, Slot& slot) noexcept;
  Slot* carry(Slot& slot, Slot*& offered, Lane& lane) noexcept;
  bool call_guarded(std::size_t stage, const Slot& slot) noexcept;
  Atomic<Gate>& gate(const Slot& slot, std::size_t stage) const noexcept;
  Slot& slot_of(std::uint64_t token) const noexcept;
  bool arrive(Slot& slot, std::size_t stage) noexcept;
  Slot* open(std::uint64_t token, std::size_t stage) noexcept;
  static bool meet(Atomic<Gate>& gate, Gate mine, Gate other) noexcept;
  void offer(Slot& slot, Slot*& offered, Lane& lane) noexcept;
  void finish(Lane& lane) noexcept;

  const std::size_t slot_count_;
  const std::size_t gates_per_slot_;
  const bool measured_;
  std::vector<std::unique_ptr<JobLimit>> limits_;  // of stages out of order
  std::vector<StageKind> kinds_;
  std::unique_ptr<Slot[]> slots_;
  std::unique_ptr<Atomic<Gate>[]> gates_;
  std::unique_ptr<StageTime[]> times_;
  SchedulerCore* core_ = nullptr;
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
