// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A complete PipelineRun on two workers that steal from each other. Each stage runs once per token.
// Serial stages run alone and in order. The run ends, and no thread accesses it after it has
// returned to the caller.
#include "jobs/runtime/graph/pipeline_run.hpp"

#include <array>
#include <memory>
#include <vector>

#include "jobs/runtime/worker/shared.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using detail::Atomic;
using detail::PipelineRun;
using detail::Plain;
using Kind = PipelineRun::StageKind;

constexpr std::array kOrdered{Kind::kInOrder, Kind::kParallel, Kind::kInOrder};
constexpr std::array kUnordered{Kind::kInOrder, Kind::kOutOfOrder, Kind::kParallel};

// The stages access plain data: two calls in a serial stage at a time, or two stages on one token
// at a time, are data races.
template <std::size_t kStages>
class Tokens final : public PipelineRun {
 public:
  Tokens(std::size_t slots, int tokens, const std::array<Kind, kStages>& kinds, bool waits)
      : PipelineRun(slots, kinds.data(), nullptr, kStages, false),
        kinds_(kinds),
        tokens_(tokens),
        waits_(waits),
        slots_(slots) {}
  ~Tokens() {
    check(counts_[0] == tokens_ + 1, "the source is called until it has no more, and not again");
    for (const Slot& slot : slots_) check(slot.passed % kStages == 0, "nothing is left on its way");
  }

 private:
  struct Slot {
    Plain<int> token{0};
    Plain<std::size_t> passed{0};
  };

  bool call(std::size_t stage, std::size_t slot) override {
    Slot& point = slots_[slot];
    check(point.passed % kStages == stage, "a token enters each stage once, one after the other");
    const int count = kinds_[stage] == Kind::kParallel ? 0 : counts_[stage]++;
    if (stage == 0) {
      if (count == tokens_) return false;
      point.token = count;
    }
    if (kinds_[stage] == Kind::kInOrder) check(point.token == count, "in order");
    point.passed += 1;
    if (waits_ && choose(3) == 0) detail::Shared::current->wait_in_call();
    return true;
  }

  const std::array<Kind, kStages> kinds_;
  const int tokens_;
  const bool waits_;
  std::vector<Slot> slots_;
  std::array<Plain<int>, kStages> counts_;
};

template <std::size_t kSlots, int kTokens, unsigned kWorkers, const auto& kKinds,
          bool kWaits = false>
void run() {
  detail::Shared shared(kWorkers);
  auto pipeline = std::make_unique<Tokens<kKinds.size()>>(kSlots, kTokens, kKinds, kWaits);
  const auto call = [&] {
    pipeline->run({});
    pipeline.reset();
  };
  if constexpr (kWaits) {
    run_threads([&] { shared.serve_as_fiber(0); }, [&] { shared.serve_as_fiber(1); },
                [&] { shared.serve(1); }, call);
  } else {
    run_threads([&] { shared.serve(0); }, [&] { shared.serve(1); }, call);
  }
  check(shared.is_empty(), "nothing is left in the deques");
}

// The caller takes part, beside one worker.
template <std::size_t kSlots, int kTokens, const auto& kKinds>
void run_as_participant() {
  detail::Shared shared(1, true);
  auto pipeline = std::make_unique<Tokens<kKinds.size()>>(kSlots, kTokens, kKinds, false);
  run_threads([&] { shared.serve(0); },
              [&] {
                pipeline->run({});
                pipeline.reset();
              });
  check(shared.is_empty(), "nothing is left in the deques");
}

}  // namespace

const Subject& subject() {
  static const Options kOnce = {.preemptions = 1, .seconds = 100};
  static const Options kSampled = {
      .search = Search::kPriorities, .max_executions = 20'000, .seconds = 100};
  static const Options kDiced = {
      .search = Search::kRandom, .max_executions = 10'000, .seconds = 100};
  static const Subject pipeline = {
      .headers = {"jobs/runtime/graph/pipeline_run.hpp"},
      .not_shown = {},
      .models =
          {
              {"tokens_alone", run<2, 2, 2, kOrdered>, kOnce},
              {"a_batch_of_two", run<2, 2, 1, kOrdered>, kOnce},
              {"a_participant", run_as_participant<2, 2, kOrdered>, kOnce},
              // Too large to exhaust.
              {"a_participant_with_batches", run_as_participant<4, 6, kOrdered>, kSampled},
              {"the_ring_twice", run<2, 4, 2, kOrdered>, kSampled},
              {"a_batch_of_three", run<3, 4, 1, kOrdered>, kSampled},
              {"batches_of_two", run<4, 6, 2, kOrdered>, kSampled},
              {"batches_of_two_by_dice", run<4, 6, 2, kOrdered>, kDiced},
              {"calls_that_wait", run<3, 4, 1, kOrdered, true>, kSampled},
              {"calls_that_wait_by_dice", run<4, 6, 2, kOrdered, true>, kDiced},
              {"out_of_order", run<3, 4, 1, kUnordered>, kSampled},
          },
  };
  return pipeline;
}

}  // namespace jobs::model
