// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PipelineRun: the call, and the steps of a worker with a batch. pipeline_run.hpp has the protocol
// and its proof.
#include "jobs/runtime/graph/pipeline_run.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "jobs/base/chaos.hpp"
#include "jobs/base/stop_callback.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/graph/job_limit.hpp"
#include "jobs/runtime/job/job_result.hpp"
#include "jobs/runtime/job/trace_points.hpp"
#include "jobs/runtime/parallel/external_participant.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/submit.hpp"
#include "jobs/runtime/worker/worker.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// After this number of calls, the worker's loop gets a turn if it has other work.
constexpr unsigned kCallsInARow = 32;
// The tokens of a batch share its cost; more tokens than this number gain little.
constexpr std::size_t kMaxShare = 8;
// About 1 us. A worker spins for a turn that comes within this time. If it left its batch instead,
// it would need a theft to find other work, and the worker with the turn would continue with values
// from the caches of the first.
constexpr int kSpinsForTurn = 100;
constexpr std::size_t kLine = 64;

}  // namespace

// Tokens that are neighbours in the order of the source, and advance together.
struct PipelineRun::Batch {
  Slot* slot = nullptr;  // of the first token
  std::uint64_t first = 0;
  std::size_t count = 0;
  std::uint32_t stage = 0;   // the next stage to call
  bool is_admitted = false;  // the batch has the turn or permit of this stage
};

struct alignas(64) PipelineRun::Slot : Job {
  Slot() noexcept : Job(&execute) {}

  void write(const Batch& batch, std::size_t count_passed) noexcept {
    first = batch.first;
    count = batch.count;
    stage = batch.stage;
    is_admitted = batch.is_admitted;
    passed = count_passed;
    published_by = nullptr;
  }

  PipelineRun* run = nullptr;
  // Of the batch that begins with this slot, while it waits for its turn or stands in a deque.
  Plain<std::uint64_t> first{0};
  Plain<std::size_t> count{0};
  Plain<std::uint32_t> stage{0};
  Plain<bool> is_admitted{false};
  // A worker calls the stage for the token before this slot; the `passed` tokens before that token
  // have passed the stage.
  Plain<std::size_t> passed{0};
  // The only object with a take_back() that finds the slot unchanged.
  Plain<const TokenCarrier*> published_by{nullptr};
};

// The offers of one worker in its deque while it advances tokens. Lives in the frame of execute();
// only this worker has access.
struct PipelineRun::TokenCarrier {
  WorkerContext& context;
  Slot* offered = nullptr;  // the newest offer; `next` links each offer to the offer before it
  unsigned calls = 0;
  bool leaves = false;  // the worker returns to its loop

  // pre: the caller has popped the newest offer from the deque.
  void pop_newest() noexcept { offered = static_cast<Slot*>(static_cast<Job*>(offered->next)); }
};

struct PipelineRun::Cancel {
  PipelineRun& run;
  void operator()() const noexcept { run.cancel(); }
};

PipelineRun::PipelineRun(std::size_t slots, const StageKind* kinds, const CodeAddress* codes,
                         std::size_t stages, bool measured)
    : slot_count_(slots),
      row_size_((stages * sizeof(Atomic<Rendezvous>) + kLine - 1) / kLine * kLine),
      measured_(measured),
      kinds_(kinds, kinds + stages),
      codes_(codes),
      times_(measured ? HeapArray<StageTime>(stages) : HeapArray<StageTime>()) {
  if (slots == 0)
    throw Error(ErrorCode::kBadArgument, "pipeline: at most 0 tokens, so none could ever be read");
  for (const StageKind kind : kinds_) {
    limits_.push_back(kind == StageKind::kOutOfOrder ? std::make_unique<JobLimit>(1) : nullptr);
  }
  slots_ = HeapArray<Slot>(slots);
  rows_.reset(static_cast<std::byte*>(heap_allocate_aligned(slots * row_size_, kLine)));
  for (std::size_t i = 0; i < slots; ++i) {
    slots_[i].run = this;
    for (std::size_t stage = 0; stage < stages; ++stage)
      ::new (&rendezvous(slots_[i], stage)) Atomic<Rendezvous>(Rendezvous::kEmpty);
  }
  // At the start, all slots form one batch that has the turn of the source.
  slots_[0].write({&slots_[0], 0, slots, 0, true}, 0);
  for (std::size_t stage = 1; stage < stages; ++stage)
    rendezvous(slots_[0], stage).store(Rendezvous::kTurn, pipeline_order::kHint);
}

PipelineRun::~PipelineRun() {
  for (std::size_t i = 0; i < slot_count_; ++i)
    std::destroy_n(&rendezvous(slots_[i], 0), kinds_.size());
}

void PipelineRun::FreeRows::operator()(std::byte* rows) const noexcept {
  heap_deallocate_aligned(rows, kLine);
}

void PipelineRun::run(std::stop_token stop) {
  const StopCallback<Cancel> on_stop(std::move(stop), Cancel{*this});
  shared_ = &current_shared();
  if (observer_of_parts() != nullptr) flags_.store(kTraced, pipeline_order::kHint);
  share_ = std::clamp<std::size_t>(slot_count_ / shared_->worker_count(), 1, kMaxShare);
  run_to_end();
  if (failed_.load(pipeline_order::kHint)) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (skipped_.load(pipeline_order::kHint))
    throw Cancelled("pipeline: stopped before its source had ended");
}

// An external thread takes part, as a participant of the scheduler.
void PipelineRun::run_to_end() {
  if (const ExternalParticipant participant; participant.context() != nullptr) {
    shared_->admit();
    has_participant_ = true;
    execute(slots_[0]);
    return wait_or_cancel(done_, Cancel{*this});
  }
  const WaitingThread here;
  // The wait can fail here, and not later: from the submission on, jobs refer to this frame.
  here.host().prepare_wait();
  submit(*shared_, slots_[0]);
  wait_or_cancel(done_, Cancel{*this});
}

// --- workers ------------------------------------------------------------------------------------

void PipelineRun::execute(Job& job) {
  TokenCarrier carrier{*this_context()};
  if (const PipelineRun& run = *static_cast<Slot&>(job).run; run.has_participant_) [[unlikely]]
    carrier.context.serve(&run.done_);
  for (auto* slot = static_cast<Slot*>(&job);;) {
    slot->run->advance(*slot, carrier);
    // The run may have ended. An offer that is still in the deque belongs to this run, or to a
    // later run in the same memory.
    slot = carrier.offered;
    if (slot == nullptr || carrier.leaves || !carrier.context.pop_if(*slot)) return;
    carrier.pop_newest();
  }
}

// Advances a batch until it waits, ends, or belongs to another worker.
void PipelineRun::advance(Slot& slot, TokenCarrier& carrier) noexcept {
  Batch batch{&slot, slot.first, slot.count, slot.stage, slot.is_admitted};
  if (const std::size_t passed = slot.passed; passed != 0) {
    // The publishing worker is busy with the token between the two batches. The older batch goes
    // first.
    const Batch older = after_stage(
        {after(&slot, slot_count_ - passed - 1), batch.first - passed - 1, passed, batch.stage});
    offer(batch, carrier);
    batch = older;
  }
  while (batch.count != 0) {
    if (carrier.calls >= kCallsInARow) {
      carrier.calls = 0;
      carrier.leaves = !carrier.context.is_external() && carrier.context.worker()->has_other_work();
      if (carrier.leaves) return offer(batch, carrier);
    }
    if (!admit(batch, carrier)) return;
    batch = batch.stage == 0 ? read(batch, carrier) : pass(batch, carrier);
  }
}

// Calls the stage for all tokens of the batch, except for tokens that another worker takes in the
// meantime. Returns the tokens that advance to the next stage. pre: the batch may enter its stage.
PipelineRun::Batch PipelineRun::pass(const Batch& batch, TokenCarrier& carrier) noexcept {
  const StageKind kind = kinds_[batch.stage];
  Batch current{batch.slot, batch.first, 1, batch.stage};
  Batch passed;
  for (std::size_t remaining = batch.count; remaining != 0;) {
    --remaining;
    Slot* const next = after(current.slot, 1);
    Slot* published = nullptr;
    if (remaining != 0 && kind == StageKind::kParallel) {
      published = next;
      publish({next, current.first + 1, remaining, current.stage}, passed.count, carrier);
    } else if (passed.count != 0) {
      published = passed.slot;
      publish(passed, 0, carrier);
    }
    call_guarded(current.stage, *current.slot, carrier);
    if (published != nullptr && !take_back(*published, carrier)) {
      passed.count = 0;
      if (kind == StageKind::kParallel) remaining = 0;
    }
    if (passed.count == 0) passed = after_stage({current.slot, current.first, 0, current.stage});
    ++passed.count;
    current.slot = next;
    ++current.first;
  }
  Slot* other = nullptr;
  if (kind == StageKind::kInOrder) other = pass_turn(*current.slot, batch.stage);
  if (kind == StageKind::kOutOfOrder) other = static_cast<Slot*>(limits_[batch.stage]->release());
  if (other != nullptr) offer(*other, carrier);
  return passed;
}

// Reads tokens for `slots` and for the slots that wait after them, up to a share, and offers the
// remaining slots. Returns the tokens that it has read. pre: `slots` have the turn of the source.
PipelineRun::Batch PipelineRun::read(Batch slots, TokenCarrier& carrier) noexcept {
  Batch passed;
  for (;;) {
    while (slots.count != 0 && !has_ended_) {
      if (passed.count >= share_) {
        slots.is_admitted = true;
        offer(slots, carrier);
        return passed;
      }
      Slot* const published = passed.count != 0 ? passed.slot : nullptr;
      if (published != nullptr) publish(passed, 0, carrier);
      const bool has_read = call_guarded(0, *slots.slot, carrier);
      if (published != nullptr && !take_back(*published, carrier)) passed.count = 0;
      if (!has_read) {
        has_ended_ = true;
        end_ = slots.first;
        break;
      }
      if (passed.count == 0) passed = after_stage({slots.slot, slots.first, 0, 0});
      ++passed.count;
      slots.slot = after(slots.slot, 1);
      ++slots.first;
      --slots.count;
    }
    if (has_ended_ && slots.first + slots.count == end_ + slot_count_) {
      finish(carrier.context);
      return Batch{};
    }
    const Slot* const next_slots = pass_turn(*after(slots.slot, slots.count), 0);
    if (next_slots == nullptr) return passed;
    slots = {after(slots.slot, slots.count), next_slots->first, next_slots->count, 0};
  }
}

// Calls a stage for one token. Returns false if a stop skipped the call, if the stage threw, or if
// the source has ended.
bool PipelineRun::call_guarded(std::size_t stage, const Slot& slot,
                               TokenCarrier& carrier) noexcept {
  ++carrier.calls;
  if (flags_.load(pipeline_order::kHint) != 0) [[unlikely]]
    return call_special(stage, slot);
  return call_stage(stage, slot);
}

// The run is cancelled, or recorded.
JOBS_COLD bool PipelineRun::call_special(std::size_t stage, const Slot& slot) noexcept {
  if ((flags_.load(pipeline_order::kHint) & kCancelled) != 0) {
    skipped_.store(true, pipeline_order::kHint);
    return false;
  }
  const auto run = reinterpret_cast<std::uintptr_t>(this);
  if (TraceObserver* const recorder = observer_of_parts()) {
    recorder->begin_part(TraceEvent::kStageBegin, run,
                         pack_stage(stage, static_cast<std::size_t>(&slot - slots_.get())),
                         codes_[stage], {});
  }
  const bool result = call_stage(stage, slot);
  trace(trace_observer(), TraceEvent::kStageEnd, run);
  return result;
}

JOBS_ALWAYS_INLINE bool PipelineRun::call_stage(std::size_t stage, const Slot& slot) noexcept {
  bool result = false;
  const os::Nanoseconds start = measured_ ? os::now() : 0;
  run_guarded([&] { result = call(stage, static_cast<std::size_t>(&slot - slots_.get())); },
              [this](std::exception_ptr exception) {
                if (!failed_.exchange(true, pipeline_order::kHint)) failure_ = std::move(exception);
                cancel();
              });
  if (measured_ && result) {
    times_[stage].calls.fetch_add(1, pipeline_order::kHint);
    times_[stage].busy_ns.fetch_add(static_cast<std::uint64_t>(os::now() - start),
                                    pipeline_order::kHint);
  }
  return result;
}

// --- batches ------------------------------------------------------------------------------------

// Returns the slot `count` positions after `slot` in the ring.
PipelineRun::Slot* PipelineRun::after(Slot* slot, std::size_t count) const noexcept {
  const auto left = static_cast<std::size_t>(slots_.get() + slot_count_ - slot);
  return count < left ? slot + count : slot - (slot_count_ - count);
}

// Returns the same tokens at the next stage. After the last stage, the slots return to the source
// for later tokens.
PipelineRun::Batch PipelineRun::after_stage(Batch batch) const noexcept {
  batch.is_admitted = false;
  if (++batch.stage == kinds_.size()) {
    batch.stage = 0;
    batch.first += slot_count_;
  }
  return batch;
}

// --- rendezvous ---------------------------------------------------------------------------------

Atomic<PipelineRun::Rendezvous>& PipelineRun::rendezvous(const Slot& slot,
                                                         std::size_t stage) const noexcept {
  std::byte* const row = rows_.get() + static_cast<std::size_t>(&slot - slots_.get()) * row_size_;
  return reinterpret_cast<Atomic<Rendezvous>*>(row)[stage];
}

// Returns true if the batch has the turn or permit of its stage. Otherwise it leaves the batch
// there, and the batch does not belong to the caller.
bool PipelineRun::admit(Batch& batch, const TokenCarrier& carrier) noexcept {
  const StageKind kind = kinds_[batch.stage];
  if (std::exchange(batch.is_admitted, false) || kind == StageKind::kParallel) return true;
  Slot& slot = *batch.slot;
  if (kind == StageKind::kInOrder) {
    Atomic<Rendezvous>& point = rendezvous(slot, batch.stage);
    for (int spins = carrier.offered == nullptr && carrier.context.has_thieves() ? kSpinsForTurn
                                                                                 : 0;
         ; --spins) {
      if (is_there(point, Rendezvous::kTurn)) return true;
      if (spins == 0) break;
      cpu_relax();
    }
  }
  slot.write(batch, 0);
  slot.is_admitted = true;  // as the worker that continues with it later expects it
  return kind == StageKind::kInOrder
             ? meet(rendezvous(slot, batch.stage), Rendezvous::kToken, Rendezvous::kTurn)
             : limits_[batch.stage]->acquire(slot);
}

// Passes the turn to the batch that begins with `slot`. Returns the slot if its batch waits there,
// otherwise null.
PipelineRun::Slot* PipelineRun::pass_turn(Slot& slot, std::size_t stage) const noexcept {
  Atomic<Rendezvous>& point = rendezvous(slot, stage);
  return is_there(point, Rendezvous::kToken) || meet(point, Rendezvous::kTurn, Rendezvous::kToken)
             ? &slot
             : nullptr;
}

// Returns true if the other party is there, and resets the rendezvous. The second party needs no
// read-modify-write.
bool PipelineRun::is_there(Atomic<Rendezvous>& point, Rendezvous other) noexcept {
  chaos::inject_delay();
  if (point.load(pipeline_order::kSeeOther) != other) return false;
  point.store(Rendezvous::kEmpty, pipeline_order::kHint);
  return true;
}

// Arrives as the party `mine`. Returns true if the other party was there, and resets the
// rendezvous.
bool PipelineRun::meet(Atomic<Rendezvous>& point, Rendezvous mine, Rendezvous other) noexcept {
  if (point.exchange(mine, pipeline_order::kMeet) != other) return false;
  point.store(Rendezvous::kEmpty, pipeline_order::kHint);
  return true;
}

// --- queues -------------------------------------------------------------------------------------

// Offers the other tokens of a worker for the time of a call. `passed`: the number of tokens that
// have passed the stage; the worker calls it for the token between them and the batch.
void PipelineRun::publish(const Batch& batch, std::size_t passed, TokenCarrier& carrier) noexcept {
  batch.slot->write(batch, passed);
  batch.slot->published_by = &carrier;
  offer(*batch.slot, carrier);
}

// Returns true if the caller has its offer again, unchanged. Returns false if another worker, or
// this worker's loop, has taken it. In that case the slot may have passed round the ring, and stand
// in this worker's deque as another batch; this batch stays there.
bool PipelineRun::take_back(Slot& published, TokenCarrier& carrier) noexcept {
  if (carrier.offered != &published || !carrier.context.pop_if(published)) return false;
  carrier.pop_newest();
  if (published.published_by == &carrier) return true;
  offer(published, carrier);
  return false;
}

void PipelineRun::offer(const Batch& batch, TokenCarrier& carrier) noexcept {
  batch.slot->write(batch, 0);
  offer(*batch.slot, carrier);
}

void PipelineRun::offer(Slot& slot, TokenCarrier& carrier) noexcept {
  slot.next = carrier.offered;
  try {
    carrier.context.push(slot);
    carrier.offered = &slot;
  } catch (const std::bad_alloc&) {
    slot.run->shared_->resubmit(slot);
  }
}

void PipelineRun::finish(WorkerContext& context) noexcept {
  done_.signal();
  context.finished.add(1);
}

}  // namespace jobs::inline JOBS_ABI::detail
