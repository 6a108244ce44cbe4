// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
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
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/submit.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Every so many calls the worker's loop gets a turn if it has more to do.
constexpr unsigned kCallsInARow = 32;
// What a batch costs is divided by its tokens; more than so many gain little.
constexpr std::size_t kMaxShare = 8;
// About 1 us: a turn that comes so soon is taken by whoever waits for it. If he puts his batch aside, it costs him a theft to find
// something else, and the one who brings the turn goes on with values that lie in his caches.
constexpr int kSpinsForTurn = 100;
constexpr std::size_t kLine = 64;

}  // namespace

// Neighbours in the order of the source, which go on together.
struct PipelineRun::Batch {
  Slot* slot = nullptr;  // of the first
  std::uint64_t first = 0;
  std::size_t count = 0;
  std::uint32_t stage = 0;   // where they go on
  bool is_admitted = false;  // they have that stage's turn
};

struct alignas(64) PipelineRun::Slot : Job {
  Slot() noexcept : Job(&execute) {}

  void write(const Batch& batch, std::size_t count_passed) noexcept {
    first = batch.first;
    count = batch.count;
    stage = batch.stage;
    is_admitted = batch.is_admitted;
    passed = count_passed;
    shown_by = nullptr;
  }

  PipelineRun* run = nullptr;
  // Of the batch that begins here, while it waits for its turn or stands in a deque.
  Plain<std::uint64_t> first{0};
  Plain<std::size_t> count{0};
  Plain<std::uint32_t> stage{0};
  Plain<bool> is_admitted{false};
  Plain<std::size_t> passed{0};           // so many that come before the one before it have passed that stage
  Plain<const Hands*> shown_by{nullptr};  // whose take_back() gets it as it was
};

// What a worker has put into its deque while it carries tokens.
struct PipelineRun::Hands {
  Lane& lane;
  Slot* offered = nullptr;  // the newest; each knows the one before it
  unsigned calls = 0;
  bool leaves = false;  // to the worker's loop

  // pre: the newest is the caller's again.
  void forget_newest() noexcept { offered = static_cast<Slot*>(static_cast<Job*>(offered->next)); }
};

PipelineRun::PipelineRun(std::size_t slots, const StageKind* kinds, std::size_t stages, bool measured)
    : slot_count_(slots),
      row_size_((stages * sizeof(Atomic<Gate>) + kLine - 1) / kLine * kLine),
      measured_(measured),
      kinds_(kinds, kinds + stages),
      times_(measured ? std::make_unique<StageTime[]>(stages) : nullptr) {
  if (slots == 0) throw Error(ErrorCode::kBadArgument, "pipeline: at most 0 tokens, so none could ever be read");
  for (const StageKind kind : kinds_) {
    limits_.push_back(kind == StageKind::kOutOfOrder ? std::make_unique<JobLimit>(1) : nullptr);
  }
  slots_ = std::make_unique<Slot[]>(slots);
  rows_.reset(static_cast<std::byte*>(::operator new (slots* row_size_, std::align_val_t{kLine})));
  for (std::size_t i = 0; i < slots; ++i) {
    slots_[i].run = this;
    for (std::size_t stage = 0; stage < stages; ++stage) ::new (&gate(slots_[i], stage)) Atomic<Gate>(Gate::kAway);
  }
  // All slots begin as one batch that has the source's turn.
  slots_[0].write({&slots_[0], 0, slots, 0, true}, 0);
  for (std::size_t stage = 1; stage < stages; ++stage) gate(slots_[0], stage).store(Gate::kOpen, pipeline_order::kHint);
}

PipelineRun::~PipelineRun() {
  for (std::size_t i = 0; i < slot_count_; ++i) std::destroy_n(&gate(slots_[i], 0), kinds_.size());
}

void PipelineRun::FreeRows::operator()(std::byte* rows) const noexcept {
  ::operator delete (rows, std::align_val_t{kLine});
}

void PipelineRun::run(std::stop_token stop) {
  struct Cancel {
    PipelineRun& run;
    void operator()() const noexcept { run.cancelled_.store(true, pipeline_order::kHint); }
  };
  const StopCallback<Cancel> on_stop(std::move(stop), Cancel{*this});
  shared_ = &current_shared();
  share_ = std::clamp<std::size_t>(slot_count_ / shared_->worker_count(), 1, kMaxShare);
  const WaitingThread here;
  here.host().prepare_wait();  // the last moment at which the wait can fail: from here on the jobs refer to this frame
  submit(*shared_, slots_[0]);
  wait_to_the_end(done_, Cancel{*this});
  if (failed_.load(pipeline_order::kHint)) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (skipped_.load(pipeline_order::kHint)) throw Cancelled("pipeline: stopped before its source had ended");
}

// --- workers ------------------------------------------------------------------------------------------------------------

void PipelineRun::execute(Job& job) {
  Hands hands{*this_context()};
  for (auto* slot = static_cast<Slot*>(&job);;) {
    slot->run->carry(*slot, hands);
    // The run may be over. What is offered and still there is a part of it, or of the one that came to lie in its place.
    slot = hands.offered;
    if (slot == nullptr || hands.leaves || !hands.lane.pop_if(*slot)) return;
    hands.forget_newest();
  }
}

// Carries a batch on, as far as it gets.
void PipelineRun::carry(Slot& slot, Hands& hands) noexcept {
  Batch batch{&slot, slot.first, slot.count, slot.stage, slot.is_admitted};
  if (const std::size_t passed = slot.passed; passed != 0) {
    // It comes from a worker that is busy with the token in between. The older ones go first.
    const Batch older = behind({after(&slot, slot_count_ - passed - 1), batch.first - passed - 1, passed, batch.stage});
    offer(batch, hands);
    batch = older;
  }
  while (batch.count != 0) {
    if (hands.calls >= kCallsInARow) {
      hands.calls = 0;
      hands.leaves = hands.lane.worker()->has_more_to_do();
      if (hands.leaves) return offer(batch, hands);
    }
    if (!admit(batch, hands)) return;
    batch = batch.stage == 0 ? read(batch, hands) : pass(batch, hands);
  }
}

// pre: the batch may enter its stage. Calls that for all its tokens but those that somebody takes meanwhile, and returns those
// that go on to the next one.
PipelineRun::Batch PipelineRun::pass(const Batch& batch, Hands& hands) noexcept {
  const StageKind kind = kinds_[batch.stage];
  Batch current{batch.slot, batch.first, 1, batch.stage};
  Batch passed;
  for (std::size_t rest = batch.count; rest != 0;) {
    --rest;
    Slot* const next = after(current.slot, 1);
    Slot* shown = nullptr;
    if (rest != 0 && kind == StageKind::kParallel) {
      shown = next;
      show({next, current.first + 1, rest, current.stage}, passed.count, hands);
    } else if (passed.count != 0) {
      shown = passed.slot;
      show(passed, 0, hands);
    }
    call_guarded(current.stage, *current.slot, hands);
    if (shown != nullptr && !take_back(*shown, hands)) {
      passed.count = 0;
      if (kind == StageKind::kParallel) rest = 0;
    }
    if (passed.count == 0) passed = behind({current.slot, current.first, 0, current.stage});
    ++passed.count;
    current.slot = next;
    ++current.first;
  }
  Slot* other = nullptr;
  if (kind == StageKind::kInOrder) other = open(*current.slot, batch.stage);
  if (kind == StageKind::kOutOfOrder) other = static_cast<Slot*>(limits_[batch.stage]->release());
  if (other != nullptr) offer(*other, hands);
  return passed;
}

// pre: it is the turn of `slots` at the source. Reads for them and for those that wait behind them, up to a share, and leaves the
// others to whoever comes. Returns what it has read.
PipelineRun::Batch PipelineRun::read(Batch slots, Hands& hands) noexcept {
  Batch passed;
  for (;;) {
    while (slots.count != 0 && !has_ended_) {
      if (passed.count >= share_) {
        slots.is_admitted = true;
        offer(slots, hands);
        return passed;
      }
      Slot* const shown = passed.count != 0 ? passed.slot : nullptr;
      if (shown != nullptr) show(passed, 0, hands);
      const bool has_read = call_guarded(0, *slots.slot, hands);
      if (shown != nullptr && !take_back(*shown, hands)) passed.count = 0;
      if (!has_read) {
        has_ended_ = true;
        end_ = slots.first;
        break;
      }
      if (passed.count == 0) passed = behind({slots.slot, slots.first, 0, 0});
      ++passed.count;
      slots.slot = after(slots.slot, 1);
      ++slots.first;
      --slots.count;
    }
    if (has_ended_ && slots.first + slots.count == end_ + slot_count_) {
      finish(hands.lane);
      return Batch{};
    }
    const Slot* const others = open(*after(slots.slot, slots.count), 0);
    if (others == nullptr) return passed;
    slots = {after(slots.slot, slots.count), others->first, others->count, 0};
  }
}

// False: the stage was left out, or failed, or the source has ended.
bool PipelineRun::call_guarded(std::size_t stage, const Slot& slot, Hands& hands) noexcept {
  ++hands.calls;
  if (cancelled_.load(pipeline_order::kHint)) [[unlikely]] {
    skipped_.store(true, pipeline_order::kHint);
    return false;
  }
  bool result = false;
  const os::Nanoseconds start = measured_ ? os::now() : 0;
  run_guarded([&] { result = call(stage, static_cast<std::size_t>(&slot - slots_.get())); },
              [this](std::exception_ptr exception) {
                if (!failed_.exchange(true, pipeline_order::kHint)) failure_ = std::move(exception);
                cancelled_.store(true, pipeline_order::kHint);
              });
  if (measured_ && result) {
    times_[stage].calls.fetch_add(1, pipeline_order::kHint);
    times_[stage].busy_ns.fetch_add(static_cast<std::uint64_t>(os::now() - start), pipeline_order::kHint);
  }
  return result;
}

// --- batches ------------------------------------------------------------------------------------------------------------

// `count` slots behind it in the ring.
PipelineRun::Slot* PipelineRun::after(Slot* slot, std::size_t count) const noexcept {
  const auto left = static_cast<std::size_t>(slots_.get() + slot_count_ - slot);
  return count < left ? slot + count : slot - (slot_count_ - count);
}

// The same tokens at the next stage; behind the last one the slots come back to the source, for later tokens.
PipelineRun::Batch PipelineRun::behind(Batch batch) const noexcept {
  batch.is_admitted = false;
  if (++batch.stage == kinds_.size()) {
    batch.stage = 0;
    batch.first += slot_count_;
  }
  return batch;
}

// --- gates --------------------------------------------------------------------------------------------------------------

Atomic<PipelineRun::Gate>& PipelineRun::gate(const Slot& slot, std::size_t stage) const noexcept {
  std::byte* const row = rows_.get() + static_cast<std::size_t>(&slot - slots_.get()) * row_size_;
  return reinterpret_cast<Atomic<Gate>*>(row)[stage];
}

// True: the batch has its stage's turn. False: it is put aside, and no longer the caller's.
bool PipelineRun::admit(Batch& batch, const Hands& hands) noexcept {
  const StageKind kind = kinds_[batch.stage];
  if (std::exchange(batch.is_admitted, false) || kind == StageKind::kParallel) return true;
  Slot& slot = *batch.slot;
  if (kind == StageKind::kInOrder) {
    Atomic<Gate>& its = gate(slot, batch.stage);
    for (int spins = hands.offered == nullptr && hands.lane.has_thieves() ? kSpinsForTurn : 0;; --spins) {
      if (is_there(its, Gate::kOpen)) return true;
      if (spins == 0) break;
      cpu_relax();
    }
  }
  slot.write(batch, 0);
  slot.is_admitted = true;  // as whoever admits it later is to find it
  return kind == StageKind::kInOrder ? meet(gate(slot, batch.stage), Gate::kHere, Gate::kOpen)
                                     : limits_[batch.stage]->acquire(slot);
}

// The turn goes to the batch that begins with this slot: what waits for it there, or null.
PipelineRun::Slot* PipelineRun::open(Slot& slot, std::size_t stage) const noexcept {
  Atomic<Gate>& its = gate(slot, stage);
  return is_there(its, Gate::kHere) || meet(its, Gate::kOpen, Gate::kHere) ? &slot : nullptr;
}

// True: the other one is there, and the gate is as before both. The second one needs no read-modify-write.
bool PipelineRun::is_there(Atomic<Gate>& gate, Gate other) noexcept {
  chaos::point();
  if (gate.load(pipeline_order::kSeeOther) != other) return false;
  gate.store(Gate::kAway, pipeline_order::kHint);
  return true;
}

bool PipelineRun::meet(Atomic<Gate>& gate, Gate mine, Gate other) noexcept {
  if (gate.exchange(mine, pipeline_order::kMeet) != other) return false;
  gate.store(Gate::kAway, pipeline_order::kHint);
  return true;
}

// --- queues -------------------------------------------------------------------------------------------------------------

// Offers what a worker has in hand while it calls a stage. `passed`: so many have passed it, the token before the batch is there.
void PipelineRun::show(const Batch& batch, std::size_t passed, Hands& hands) noexcept {
  batch.slot->write(batch, passed);
  batch.slot->shown_by = &hands;
  offer(*batch.slot, hands);
}

// True: the caller has it again, as it was. False: somebody has taken it. Meanwhile the slot may have been round the ring, and stand
// in our deque as something else: that stays there.
bool PipelineRun::take_back(Slot& shown, Hands& hands) noexcept {
  if (hands.offered != &shown || !hands.lane.pop_if(shown)) return false;
  hands.forget_newest();
  if (shown.shown_by == &hands) return true;
  offer(shown, hands);
  return false;
}

void PipelineRun::offer(const Batch& batch, Hands& hands) noexcept {
  batch.slot->write(batch, 0);
  offer(*batch.slot, hands);
}

void PipelineRun::offer(Slot& slot, Hands& hands) noexcept {
  slot.next = hands.offered;
  try {
    hands.lane.push(slot);
    hands.offered = &slot;
  } catch (const std::bad_alloc&) {
    slot.run->shared_->resubmit(slot);
  }
}

void PipelineRun::finish(Lane& lane) noexcept {
  done_.signal();
  lane.finished.add(1);
}

}  // namespace jobs::inline JOBS_ABI::detail
