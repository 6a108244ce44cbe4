// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PipelineRun: the movement of tokens through the stages of a pipeline. The functions of the stages
// are behind call().
//
// Owner: the frame of the call to pipeline(). The call's thread constructs, runs and destroys the
// run. Workers call all private functions, and call() through them. An external thread that calls
// pipeline() takes part: in the following, it is a worker, too.
//
// Slots. The run has one slot for each token that may be in the pipeline, in a ring. Slot s carries
// the tokens s, s + slots, s + 2 slots, ... in sequence. When a token has left the last stage, its
// slot returns to the source for the next token. The source is thus an in-order stage like any
// other, and the token limit needs no count.
//
// Batches. Neighbouring tokens move together as a batch. A batch enters a stage, the worker calls
// the stage token by token, and the batch moves to the next stage. It waits for its turn as one
// unit, passes the turn on as one unit, and is identified by its first slot. One worker stays with
// a batch. Turns, values and the data that serial stages write therefore move between caches once
// per batch. The source forms the batches: the worker with its turn reads a share, about slots /
// workers, and leaves the turn to other workers. With two workers and serial ends of a third of the
// work each, one worker reads while the other writes, and no thefts occur.
//
// States. An in-order stage needs one rendezvous per slot. Only those of first slots are used.
//
//   Rendezvous::kEmpty   the batch has not arrived, and it is not its turn.
//   Rendezvous::kToken   the batch has arrived and waits, as a job in no queue.
//   Rendezvous::kTurn   it is the batch's turn, and the batch has not arrived.
//
// Two parties meet at a rendezvous: the batch, and its turn. The worker that brings the second of
// them continues with the batch.
//
// Protocol of a worker with a batch:
//
//   step 1: meet the turn of the stage, or acquire a permit of an out-of-order stage; if neither
//           succeeds, leave the batch there
//   step 2: for each token, offer the other tokens as one job (see below), call the stage, and take
//           the job back
//   step 3: pass the turn or the permit on; offer the batch that receives it
//   step 4: continue with step 1 at the next stage
//
// Invariant. While a worker calls a stage, it withholds nothing that could advance: stages may wait
// for each other, and may run for any time. The other tokens of the worker stand in its deque as
// one job, under the name of their first slot:
//
//   serial stage, source   the tokens that have passed the stage.
//                          The later tokens must wait for this call in any case.
//   parallel stage         the tokens for which the worker has not called the stage.
//                          `passed` is the number of tokens that have passed it.
//
// After the call, the worker takes the job back, unless another worker has taken it, or this
// worker's loop has, while the call waited. In the latter cases the batches stay smaller from there
// on. At the source, neighbours that wait for the turn become one batch again.
//
// Proof. (1) Each slot is in one place: with one worker, in a job of one deque, or at one
// rendezvous or limit. It changes places by a push, by a pop or steal, or by an exchange with
// exactly one winner. So no stage is called twice for a token, and the worker with the token sees
// the effects of all earlier stages. (2) The turn of a stage is in one place, too: with the batch
// in the stage, or at a rendezvous in state Rendezvous::kTurn. It moves from batch [a, b) to the
// batch that begins with b. So calls of a serial stage do not overlap, and are in order. (3) The
// pipeline makes progress. Let t be the oldest token in the pipeline; it is the first of its batch.
// All tokens before t have left, and have passed the turn of each stage on to t, so no rendezvous
// stops it. Hence t is in a call, with a worker, or in a deque. (4) If no token is in the pipeline,
// all slots are back at the source, in batches that wait for its turn, and the turn goes to the
// first of them.
//
// End. The first slot without a token from the source passes the turn on, and so do the slots after
// it. When the turn has passed round the ring, all slots are back, and the run ends.
//
// Access to a run that ends. The rule of graph_run.hpp holds: a worker that has given up its token
// may only request its own offers from its own deque. It pushed these while it had a token.
//
// jobs/runtime/graph/README.md lists the rejected alternatives.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stop_token>
#include <vector>

#include "jobs/base/atomic.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/base/heap_vector.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_core.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JobLimit;
class WorkerContext;
class Shared;

namespace pipeline_order {
// [pipeline_run.1] orders two sets of effects: of the token, for the worker that brings the turn;
// of the stage's last call, for the worker that brings the token. partner: itself
JOBS_ORDER(kMeet, acq_rel);
JOBS_ORDER(kSeeOther, acquire);  // [pipeline_run.1] partner: kMeet
// Cancels, elects and counts only; pipeline_run.1 orders all data.
JOBS_ORDER(kHint, relaxed);
}  // namespace pipeline_order

// A function for each type of the function of a stage. Its symbol names this type, for recorders.
template <class F>
JOBS_DISTINCT void stage_code() noexcept {}

// Aligned, because it lies in the caller's frame, beside data that stages write.
class JOBS_EXPORT alignas(kDestructiveDistance) PipelineRun {
 public:
  enum class StageKind : std::uint8_t { kInOrder, kOutOfOrder, kParallel };
  struct StageTime {
    Atomic<std::uint64_t> calls{0};
    Atomic<std::uint64_t> busy_ns{0};
  };

  PipelineRun(const PipelineRun&) = delete;
  PipelineRun& operator=(const PipelineRun&) = delete;

  // Runs the pipeline to its end. The call's thread, once. Throws the first exception of a stage,
  // Cancelled, Error(kStopped) or Error(kNoStack).
  void run(std::stop_token stop);

  std::size_t slots() const noexcept { return slot_count_; }
  // Returns the times of a stage. pre: the run was constructed with `measured`.
  const StageTime& time(std::size_t stage) const noexcept { return times_[stage]; }

 protected:
  // Stage 0 is the source, in order. `codes`: stage_code() of each stage, which exist as long as
  // the run. Throws Error(kBadArgument) for 0 slots.
  PipelineRun(std::size_t slots, const StageKind* kinds, const CodeAddress* codes,
              std::size_t stages, bool measured);
  ~PipelineRun();

  // Calls a stage for the token in `slot`. The source returns false if it has no further token.
  virtual bool call(std::size_t stage, std::size_t slot) = 0;

 private:
  enum class Rendezvous : std::uint8_t { kEmpty, kToken, kTurn };
  struct Slot;
  struct Batch;
  struct TokenCarrier;
  struct Cancel;
  struct FreeRows {
    void operator()(std::byte* rows) const noexcept;
  };

  void run_to_end();
  static void execute(Job& job);
  void advance(Slot& slot, TokenCarrier& carrier) noexcept;
  Batch pass(const Batch& batch, TokenCarrier& carrier) noexcept;
  Batch read(Batch slots, TokenCarrier& carrier) noexcept;
  bool call_guarded(std::size_t stage, const Slot& slot, TokenCarrier& carrier) noexcept;
  bool call_special(std::size_t stage, const Slot& slot) noexcept;
  bool call_stage(std::size_t stage, const Slot& slot) noexcept;
  void cancel() noexcept {
    flags_.store(flags_.load(pipeline_order::kHint) | kCancelled, pipeline_order::kHint);
  }

  Slot* after(Slot* slot, std::size_t count) const noexcept;
  Batch after_stage(Batch batch) const noexcept;

  bool admit(Batch& batch, const TokenCarrier& carrier) noexcept;
  Slot* pass_turn(Slot& slot, std::size_t stage) const noexcept;
  Atomic<Rendezvous>& rendezvous(const Slot& slot, std::size_t stage) const noexcept;
  static bool is_there(Atomic<Rendezvous>& point, Rendezvous other) noexcept;
  static bool meet(Atomic<Rendezvous>& point, Rendezvous mine, Rendezvous other) noexcept;

  static void publish(const Batch& batch, std::size_t passed, TokenCarrier& carrier) noexcept;
  static bool take_back(Slot& published, TokenCarrier& carrier) noexcept;
  static void offer(const Batch& batch, TokenCarrier& carrier) noexcept;
  static void offer(Slot& slot, TokenCarrier& carrier) noexcept;
  void finish(WorkerContext& context) noexcept;

  const std::size_t slot_count_;
  const std::size_t
      row_size_;           // bytes of the row of one slot, one entry per stage: whole cache lines
  std::size_t share_ = 1;  // number of tokens that a worker reads before it passes the turn on
  const bool measured_;
  HeapVector<std::unique_ptr<JobLimit>> limits_;  // of out-of-order stages
  HeapVector<StageKind> kinds_;
  const CodeAddress* const codes_;
  HeapArray<Slot> slots_;
  std::unique_ptr<std::byte[], FreeRows> rows_;
  HeapArray<StageTime> times_;
  Shared* shared_ = nullptr;
  Plain<bool> has_participant_{false};  // the caller advances tokens, too; before the first job
  Event done_;
  // Of the source. Only the worker with its turn accesses the two.
  bool has_ended_ = false;
  std::uint64_t end_ = 0;
  std::exception_ptr failure_;  // written by the worker that set failed_
  Atomic<bool> failed_{false};
  static constexpr std::uint8_t kCancelled = 1;
  static constexpr std::uint8_t kTraced = 2;  // before the first job
  Atomic<std::uint8_t> flags_{0};
  Atomic<bool> skipped_{false};  // a stop prevented a call
};

}  // namespace jobs::inline JOBS_ABI::detail
