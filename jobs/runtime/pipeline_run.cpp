// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/pipeline_run.hpp"

#include <new>
#include <utility>

#include "jobs/base/error.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/job_limit.hpp"
#include "jobs/runtime/job_result.hpp"
#include "jobs/runtime/lane.hpp"
#include "jobs/runtime/scheduler_core.hpp"
#include "jobs/runtime/submit.hpp"
#include "jobs/sync/interrupt.hpp"
#include "jobs/sync/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Every so many tokens the worker's loop gets a turn if it has more to do.
constexpr unsigned kTokensInARow = 16;
constexpr std::size_t kGatesPerLine = 64;

}  // namespace

struct alignas(64) PipelineRun::Slot : Job {
  Slot() noexcept : Job(&execute) {}

  PipelineRun* run = nullptr;
  std::uint64_t token = 0;
  std::size_t stage = 0;  // where it goes on
  // A list of tokens that are to enter the first stage, queued as one job.
  Slot* link = nullptr;
  Slot* last = nullptr;      // of the first one: the last one,
  std::size_t count = 1;     // and how many they are
  bool is_admitted = false;  // to a stage that takes one at a time
};

// The one that was offered before it.
PipelineRun::Slot* PipelineRun::below(const Slot& offered) noexcept {
  return static_cast<Slot*>(static_cast<Job*>(offered.next));
}

PipelineRun::PipelineRun(std::size_t slots, const StageKind* kinds, std::size_t stages, bool measured)
    : slot_count_(slots),
      gates_per_slot_((stages + kGatesPerLine - 1) / kGatesPerLine * kGatesPerLine),
      measured_(measured),
      kinds_(kinds, kinds + stages),
      times_(std::make_unique<StageTime[]>(stages)) {
  if (slots == 0) throw Error(ErrorCode::kBadArgument, "pipeline: at most 0 tokens, so none could ever be read");
  slots_ = std::make_unique<Slot[]>(slots);
  gates_ = std::make_unique<Atomic<Gate>[]>(slots * gates_per_slot_);
  for (std::size_t i = 0; i < slots; ++i) {
    slots_[i].run = this;
    slots_[i].token = i;
    slots_[i].is_admitted = true;
    if (i != 0) gate(slots_[i], 0).store(Gate::kHere, pipeline_order::kHint);
  }
  for (std::size_t stage = 1; stage < stages; ++stage) gate(slots_[0], stage).store(Gate::kOpen, pipeline_order::kHint);
  for (const StageKind kind : kinds_) {
    limits_.push_back(kind == StageKind::kOutOfOrder ? std::make_unique<JobLimit>(1) : nullptr);
  }
}

PipelineRun::~PipelineRun() = default;

void PipelineRun::run(std::stop_token stop) {
  struct Cancel {
    PipelineRun& run;
    void operator()() const noexcept { run.cancelled_.store(true, pipeline_order::kHint); }
  };
  const std::stop_callback<Cancel> on_stop(std::move(stop), Cancel{*this});
  core_ = &current_core();
  const WaitingThread here;
  here.host().prepare_wait();  // the last moment at which the wait can fail: from here on the jobs refer to this frame
  submit(*core_, slots_[0]);
  wait_to_the_end(done_, Cancel{*this});
  if (failed_.load(pipeline_order::kHint)) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (skipped_.load(pipeline_order::kHint)) throw Cancelled("pipeline: stopped before its source had ended");
}

// --- workers ------------------------------------------------------------------------------------------------------------

void PipelineRun::execute(Job& job) {
  auto& slot = static_cast<Slot&>(job);
  slot.run->go_on(&slot, *this_thread().lane);
}

void PipelineRun::go_on(Slot* current, Lane& lane) noexcept {
  Slot* offered = nullptr;
  for (unsigned turns = 1;; ++turns) {
    Slot* const rest = std::exchange(current->link, nullptr);
    if (rest != nullptr) {
      rest->last = current->last;
      rest->count = current->count - 1;
      offer_list(*rest, offered, lane);
    }

    Slot* next = current->stage == 0 ? current : carry(*current, offered, lane);
    if (next != nullptr && next->stage == 0) {
      Slot* const list = rest != nullptr && take_back(*rest, offered, lane) ? rest : nullptr;
      next = read(next, list, lane);
    }

    const bool leaves = turns >= kTokensInARow && lane.worker()->has_more_to_do();
    if (turns >= kTokensInARow) turns = 0;
    if (next == nullptr) {
      if (offered == nullptr || leaves || !lane.pop_if(*offered)) return;
      next = offered;
      offered = below(*offered);
    } else if (leaves) {
      offer(*next, offered, lane);
      return;
    }
    current = next;
  }
}

// pre: it is the turn of `slot` at the source. Reads for it and for those after it that are there. Adds to `list` what it has read,
// and returns what nobody has stolen meanwhile, or null.
PipelineRun::Slot* PipelineRun::read(Slot* slot, Slot* list, Lane& lane) noexcept {
  for (;;) {
    const std::uint64_t token = slot->token;
    if (!has_ended_) {
      Slot* offered = nullptr;
      if (list != nullptr) offer_list(*list, offered, lane);
      const bool has_read = call_guarded(0, *slot);
      if (list != nullptr && !take_back(*list, offered, lane)) list = nullptr;
      if (has_read) {
        slot->stage = 1;
        slot->is_admitted = false;
        append(list, *slot);
      } else {
        has_ended_ = true;
        end_ = token;
      }
    }
    if (has_ended_ && token == end_ + slot_count_ - 1) {
      finish(lane);
      return nullptr;
    }
    slot = open(token + 1, 0);
    if (slot == nullptr) return list;
  }
}

void PipelineRun::append(Slot*& list, Slot& slot) noexcept {
  slot.link = nullptr;
  if (list == nullptr) {
    list = &slot;
    list->count = 0;
  } else {
    list->last->link = &slot;
  }
  list->last = &slot;
  ++list->count;
}

// The newer half for a thief, if there may be one, and what is left for this worker to take back.
void PipelineRun::offer_list(Slot& list, Slot*& offered, Lane& lane) noexcept {
  if (list.count > 1 && lane.should_offer()) {
    Slot* middle = &list;
    for (std::size_t i = 1; i < list.count - list.count / 2; ++i) middle = middle->link;
    Slot& newer = *std::exchange(middle->link, nullptr);
    newer.last = list.last;
    newer.count = list.count / 2;
    list.last = middle;
    list.count -= newer.count;
    offer(newer, offered, lane);
  }
  offer(list, offered, lane);
}

// Carries a token on, as far as it gets. Returns what to go on with, if that is known.
PipelineRun::Slot* PipelineRun::carry(Slot& slot, Slot*& offered, Lane& lane) noexcept {
  const std::size_t last = kinds_.size() - 1;
  for (std::size_t stage = slot.stage;; ++stage) {
    const StageKind kind = kinds_[stage];
    if (kind != StageKind::kParallel && !std::exchange(slot.is_admitted, false)) {
      // Whoever admits it later finds it so.
      slot.stage = stage;
      slot.is_admitted = true;
      if (kind == StageKind::kInOrder ? !arrive(slot, stage) : !limits_[stage]->acquire(slot)) return nullptr;
      slot.is_admitted = false;
    }
    call_guarded(stage, slot);
    Slot* admitted = nullptr;
    if (kind == StageKind::kInOrder) {
      admitted = open(slot.token + 1, stage);
    } else if (kind == StageKind::kOutOfOrder) {
      admitted = static_cast<Slot*>(limits_[stage]->release());
    }
    if (stage == last) {
      slot.token += slot_count_;
      slot.stage = 0;
      slot.is_admitted = true;
      if (!arrive(slot, 0)) return admitted;
      if (admitted != nullptr) offer(*admitted, offered, lane);
      return &slot;
    }
    if (admitted != nullptr) offer(*admitted, offered, lane);
  }
}

// False: the stage was left out, or failed, or the source has ended.
bool PipelineRun::call_guarded(std::size_t stage, const Slot& slot) noexcept {
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

// --- gates --------------------------------------------------------------------------------------------------------------

PipelineRun::Slot& PipelineRun::slot_of(std::uint64_t token) const noexcept {
  return slots_[static_cast<std::size_t>(token % slot_count_)];
}

Atomic<PipelineRun::Gate>& PipelineRun::gate(const Slot& slot, std::size_t stage) const noexcept {
  return gates_[static_cast<std::size_t>(&slot - slots_.get()) * gates_per_slot_ + stage];
}

// True: the other one is there, and the gate is as before both. The second one needs no read-modify-write.
bool PipelineRun::meet(Atomic<Gate>& gate, Gate mine, Gate other) noexcept {
  if (gate.load(pipeline_order::kSeeOther) != other && gate.exchange(mine, pipeline_order::kMeet) != other)
    return false;
  gate.store(Gate::kAway, pipeline_order::kHint);
  return true;
}

// True: it is its turn. False: the slot is put aside, and no longer the caller's.
bool PipelineRun::arrive(Slot& slot, std::size_t stage) noexcept {
  return meet(gate(slot, stage), Gate::kHere, Gate::kOpen);
}

// The turn of `token`: its slot, if it waits for that, else null.
PipelineRun::Slot* PipelineRun::open(std::uint64_t token, std::size_t stage) noexcept {
  Slot& slot = slot_of(token);
  return meet(gate(slot, stage), Gate::kOpen, Gate::kHere) ? &slot : nullptr;
}

// --- queues -------------------------------------------------------------------------------------------------------------

// True: the caller has its list again. False: somebody has taken it. Meanwhile the slot may have been round the ring, and stand in our
// deque as something else: that stays there.
bool PipelineRun::take_back(Slot& list, Slot*& offered, Lane& lane) noexcept {
  if (offered != &list || !lane.pop_if(list)) return false;
  offered = below(list);
  if (list.stage == 1 && !list.is_admitted) return true;
  offer(list, offered, lane);
  return false;
}

void PipelineRun::offer(Slot& slot, Slot*& offered, Lane& lane) noexcept {
  slot.next = offered;
  try {
    lane.push(slot);
    offered = &slot;
  } catch (const std::bad_alloc&) {
    core_->resubmit(slot);
  }
}

void PipelineRun::finish(Lane& lane) noexcept {
  done_.signal();
  lane.finished.add(1);
}

}  // namespace jobs::inline JOBS_ABI::detail
