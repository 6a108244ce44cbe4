// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// pipeline(): values go from a source through stages, several at the same time, each stage on what the one before returned.
//
//   jobs::pipeline(8, [&]() -> std::optional<Block> { return reader.next(); },
//                  jobs::parallel([](Block b) { return deflate(std::move(b)); }),
//                  jobs::in_order([&](Block b) { out.write(b); }));
//
//   in_order       one value at a time, in the order of the source
//   out_of_order   one value at a time, in any order
//   parallel       any number of values at a time
//
// The source is called one at a time, until it returns an empty optional. At most max_tokens values are under way, so a slow
// stage holds up the source, and memory is bounded; value n + max_tokens is read only after value n has left. Who must wait holds
// neither a worker nor a stack. Stages run as jobs: they may wait, for each other too.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/base/config.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/error.hpp"
#include "jobs/runtime/graph/pipeline_run.hpp"

namespace jobs::inline JOBS_ABI {

// What each stage has done; the source is the first. Busy: from call to return, waits included, of all calls together.
struct PipelineStats {
  struct Stage {
    std::uint64_t values = 0;
    std::chrono::nanoseconds busy{0};
  };
  std::vector<Stage> stages;
};

struct PipelineOptions {
  std::size_t max_tokens;          // values under way at a time; 0 throws Error(kBadArgument)
  std::stop_token stop = {};       // a request ends it early: no further call of source or stage begins
  PipelineStats* stats = nullptr;  // filled at the end, also if it fails. Costs two clock readings per call
};

namespace detail JOBS_OF_MODE {

template <PipelineRun::StageKind kStageKind, class F>
struct PipelineStage {
  static constexpr PipelineRun::StageKind kKind = kStageKind;
  F function;
};

template <class T>
inline constexpr bool kIsStage = false;
template <PipelineRun::StageKind kKind, class F>
inline constexpr bool kIsStage<PipelineStage<kKind, F>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class F>
inline constexpr bool kIsSource = false;
template <std::invocable F>
inline constexpr bool kIsSource<F> = kIsOptional<std::invoke_result_t<F&>>;

// Optionals of what goes into each stage; without stages, of what the source returns.
template <class Input, class... Stages>
struct PipelineValues {
  static_assert(sizeof...(Stages) == 0);
  using Type = std::tuple<std::optional<Input>>;
};
template <class Input, class Last>
struct PipelineValues<Input, Last> {
  static_assert(std::invocable<decltype(Last::function)&, Input>, "a stage does not take what comes from before it");
  using Type = std::tuple<std::optional<Input>>;
};
template <class Input, class First, class... Others>
struct PipelineValues<Input, First, Others...> {
  static_assert(std::invocable<decltype(First::function)&, Input>, "a stage does not take what comes from before it");
  using Output = std::decay_t<std::invoke_result_t<decltype(First::function)&, Input>>;
  static_assert(!std::is_void_v<Output>, "only the last stage may return nothing");
  using Type = decltype(std::tuple_cat(std::declval<std::tuple<std::optional<Input>>>(),
                                       std::declval<typename PipelineValues<Output, Others...>::Type>()));
};

// A function where it was, or moved from a temporary. On cache lines of its own: it is called on one worker while another one
// calls its neighbour, and what it captured may change with each call.
template <class F>
struct alignas(kDestructiveDistance) PipelineFunction {
  using Given = std::remove_reference_t<F>;
  static constexpr bool kIsMoved = !std::is_reference_v<F> && std::is_move_constructible_v<Given>;

  explicit PipelineFunction(Given& given)
      : function(static_cast<std::conditional_t<kIsMoved, Given&&, Given&>>(given)) {}

  std::conditional_t<kIsMoved, Given, Given&> function;
};

template <class Source, class... Stages>
class PipelineOf final : public PipelineRun {
 public:
  PipelineOf(const PipelineOptions& options, std::remove_reference_t<Source>& source,
             std::remove_reference_t<Stages>&... stages)
      : PipelineRun(options.max_tokens, kKinds.data(), kKinds.size(), options.stats != nullptr),
        source_(source),
        stages_(stages...),
        values_(options.max_tokens) {}

 private:
  // Those of one token, on lines of their own.
  struct alignas(kDestructiveDistance) Values {
    typename PipelineValues<typename std::invoke_result_t<Source&>::value_type,
                            std::remove_reference_t<Stages>...>::Type inputs;
  };
  static constexpr std::array<StageKind, sizeof...(Stages) + 1> kKinds{StageKind::kInOrder,
                                                                       std::remove_reference_t<Stages>::kKind...};

  bool call(std::size_t stage, std::size_t slot) override {
    return run_contained([&] { return call_here(stage, slot); });
  }
  JOBS_ALWAYS_INLINE bool call_here(std::size_t stage, std::size_t slot) {
    Values& values = values_[slot];
    if (stage == 0) {
      auto& value = std::get<0>(values.inputs);
      value = std::invoke(source_.function);
      const bool has_read = value.has_value();
      if constexpr (sizeof...(Stages) == 0) value.reset();
      return has_read;
    }
    call_stage(stage, values, std::index_sequence_for<Stages...>());
    return true;
  }
  template <std::size_t... kIndices>
  void call_stage([[maybe_unused]] std::size_t stage, [[maybe_unused]] Values& values,
                  std::index_sequence<kIndices...>) {
    static_cast<void>(((stage == kIndices + 1 && (call_one<kIndices>(values), true)) || ...));
  }
  template <std::size_t kIndex>
  void call_one(Values& values) {
    auto& input = std::get<kIndex>(values.inputs);
    auto& function = std::get<kIndex>(stages_).function.function;
    if constexpr (kIndex + 1 < sizeof...(Stages)) {
      std::get<kIndex + 1>(values.inputs).emplace(std::invoke(function, std::move(*input)));
    } else {
      std::invoke(function, std::move(*input));
    }
    input.reset();
  }

  PipelineFunction<Source> source_;
  std::tuple<PipelineFunction<Stages>...> stages_;
  std::vector<Values> values_;  // of each slot
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

template <class F>
auto in_order(F f) {
  return detail::PipelineStage<detail::PipelineRun::StageKind::kInOrder, F>{std::move(f)};
}
template <class F>
auto out_of_order(F f) {
  return detail::PipelineStage<detail::PipelineRun::StageKind::kOutOfOrder, F>{std::move(f)};
}
template <class F>
auto parallel(F f) {
  return detail::PipelineStage<detail::PipelineRun::StageKind::kParallel, F>{std::move(f)};
}

// Returns when all values have left the last stage: suspends the calling fiber; from an unbound thread, the default scheduler does
// the work. If a call throws, no further ones begin, and the first exception is thrown here when those that run have ended. A stop:
// the same, with Cancelled, unless all was done already. What the last stage returns is dropped. Values that a failure or stop
// leaves on the way are destroyed. Allocates at its beginning only, O(max_tokens), beyond what source and stages do. Source and
// stages that are temporaries are moved. Throws Error(kBadArgument), Error(kStopped), Error(kNoStack).
//
// Cost: some 70 ns for a token of three stages. Between workers go batches of neighbours, max_tokens / workers of them, 8 at most.
// Three stages of 1 us, the outer ones in order: two workers lose 40 to 150 ns a token if batches have two tokens or more, and 600 ns,
// a theft, if tokens go alone. Worst is a stage in order that is longer than all others together: its tokens come from
// other workers, one by one, at 0.2 us if it is the source and 0.9 us if it is the last.
//
// Source: the token limit and the worker that stays with its tokens are those of oneTBB's parallel_pipeline.
template <class Source, class... Stages>
requires((detail::kIsStage<std::remove_cvref_t<Stages>> && ...) &&
         detail::kIsOptional<std::invoke_result_t<Source&>>) void pipeline(const PipelineOptions& options,
                                                                           Source&& source, Stages&&... stages) {
  detail::PipelineOf<Source, Stages...> run(options, source, stages...);
  if (options.stats != nullptr) options.stats->stages.reserve(sizeof...(Stages) + 1);  // at the end nothing may fail
  struct ToldStats {
    ~ToldStats() {
      if (options.stats == nullptr) return;
      options.stats->stages.clear();
      for (std::size_t i = 0; i <= sizeof...(Stages); ++i) {
        options.stats->stages.push_back(
            {run.time(i).calls.load(std::memory_order_relaxed),
             std::chrono::nanoseconds(run.time(i).busy_ns.load(std::memory_order_relaxed))});
      }
    }
    const PipelineOptions& options;
    const detail::PipelineRun& run;
  };
  const ToldStats told{options, run};
  run.run(options.stop);
}

template <class Source, class... Stages>
requires requires(const PipelineOptions& options, Source&& source, Stages&&... stages) {
  jobs::pipeline(options, std::forward<Source>(source), std::forward<Stages>(stages)...);
}
void pipeline(std::size_t max_tokens, Source&& source, Stages&&... stages) {
  pipeline(PipelineOptions{.max_tokens = max_tokens}, std::forward<Source>(source), std::forward<Stages>(stages)...);
}

JOBS_OF_MODE_END

namespace detail JOBS_OF_MODE {
template <class Source, class... Stages>
struct PipelineCheck {
  static constexpr bool kHasStages = (kIsStage<std::remove_cvref_t<Stages>> && ...);
  static constexpr bool kIsRight = kIsSource<Source> && kHasStages;
  static void explain() {
    static_assert(kIsSource<Source>, "jobs::pipeline: source must be callable without arguments, for a std::optional");
    static_assert(
        !kIsSource<Source> || kHasStages,
        "jobs::pipeline: each stage is written jobs::in_order(f), jobs::out_of_order(f) or jobs::parallel(f)");
  }
};
}  // namespace detail

JOBS_OF_MODE_BEGIN

// Wrong calls (jobs/base/wrong_call.hpp).
template <class Source, class... Stages>
requires(!detail::PipelineCheck<Source, Stages...>::kIsRight) auto pipeline(const PipelineOptions&, Source&&,
                                                                            Stages&&...) {
  return detail::PipelineCheck<Source, Stages...>::explain();
}
template <class Source, class... Stages>
requires(!detail::PipelineCheck<Source, Stages...>::kIsRight) auto pipeline(std::size_t, Source&&, Stages&&...) {
  return detail::PipelineCheck<Source, Stages...>::explain();
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
