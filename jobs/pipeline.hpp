// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// pipeline() passes values from a source through stages, several at the same time.
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
#include "jobs/base/heap_vector.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/error.hpp"
#include "jobs/runtime/graph/pipeline_run.hpp"

namespace jobs::inline JOBS_ABI {

/// Figures of a pipeline run.
struct PipelineStats {
  /// Figures of one stage.
  struct Stage {
    /// Number of values that the stage has processed or, for the source, produced.
    std::uint64_t values = 0;
    /// Total time from call to return of these values, waits included.
    std::chrono::nanoseconds busy{0};
  };
  /// One entry per stage; the source is the first one.
  std::vector<Stage> stages;
};

/// Options of pipeline().
struct PipelineOptions {
  /// Largest number of values in progress; at least 1, otherwise Error(kBadArgument).
  std::size_t max_tokens;
  /// A stop request ends the run early: no further call of source or stage begins.
  std::stop_token stop = {};
  /// Receives the figures at the end, also after a failure; null: none.
  ///
  /// It costs two clock readings per call.
  PipelineStats* stats = nullptr;
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

// Tuple of std::optional: the inputs of each stage; without stages, the type that the source
// returns.
template <class Input, class... Stages>
struct PipelineValues {
  static_assert(sizeof...(Stages) == 0);
  using Type = std::tuple<std::optional<Input>>;
};
template <class Input, class Last>
struct PipelineValues<Input, Last> {
  static_assert(std::invocable<decltype(Last::function)&, Input>,
                "a stage does not take what comes from before it");
  using Type = std::tuple<std::optional<Input>>;
};
template <class Input, class First, class... Others>
struct PipelineValues<Input, First, Others...> {
  static_assert(std::invocable<decltype(First::function)&, Input>,
                "a stage does not take what comes from before it");
  using Output = std::decay_t<std::invoke_result_t<decltype(First::function)&, Input>>;
  static_assert(!std::is_void_v<Output>, "only the last stage may return nothing");
  using Type =
      decltype(std::tuple_cat(std::declval<std::tuple<std::optional<Input>>>(),
                              std::declval<typename PipelineValues<Output, Others...>::Type>()));
};

// Reference to a function, or a copy moved from a temporary. It has cache lines of its own: one
// worker calls it while another worker calls its neighbour, and each call may change the captured
// values.
template <class F>
struct PipelineFunction : OwnCacheLines {
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
      : PipelineRun(options.max_tokens, kKinds.data(), kCodes.data(), kKinds.size(),
                    options.stats != nullptr),
        source_(source),
        stages_(stages...),
        values_(options.max_tokens) {}

 private:
  // The values of one token, on cache lines of their own.
  struct Values : OwnCacheLines {
    typename PipelineValues<typename std::invoke_result_t<Source&>::value_type,
                            std::remove_reference_t<Stages>...>::Type inputs;
  };
  static constexpr std::array<StageKind, sizeof...(Stages) + 1> kKinds{
      StageKind::kInOrder, std::remove_reference_t<Stages>::kKind...};
  static constexpr std::array<CodeAddress, sizeof...(Stages) + 1> kCodes{
      &stage_code<std::remove_cvref_t<Source>>,
      &stage_code<std::remove_cvref_t<decltype(std::remove_reference_t<Stages>::function)>>...};

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
  detail::HeapVector<Values> values_;  // one entry per slot
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Makes a stage that takes one value at a time, in the order of the source.
///
/// @param f  callable with the result of the stage before
/// @returns stage for pipeline()
template <class F>
auto in_order(F f) {
  return detail::PipelineStage<detail::PipelineRun::StageKind::kInOrder, F>{std::move(f)};
}
/// Makes a stage that takes one value at a time, in any order.
///
/// @param f  callable with the result of the stage before
/// @returns stage for pipeline()
template <class F>
auto out_of_order(F f) {
  return detail::PipelineStage<detail::PipelineRun::StageKind::kOutOfOrder, F>{std::move(f)};
}
/// Makes a stage that takes any number of values concurrently.
///
/// @param f  callable with the result of the stage before; several workers call it concurrently
/// @returns stage for pipeline()
template <class F>
auto parallel(F f) {
  return detail::PipelineStage<detail::PipelineRun::StageKind::kParallel, F>{std::move(f)};
}

/// Passes the values of a source through stages, until the source ends.
///
/// One thread at a time calls the source, until it returns an empty std::optional. Each
/// stage takes the result of the stage before:
///
/// - in_order(): one value at a time, in the order of the source
/// - out_of_order(): one value at a time, in any order
/// - parallel(): any number of values concurrently
///
/// At most `max_tokens` values are in progress: value n + max_tokens is read only after value n has
/// left the last stage. A slow stage therefore slows the source down, and memory is bounded. A
/// value that waits occupies neither a worker nor a stack. Stages may wait, also for each other.
///
/// The call returns when all values have left the last stage, and suspends the calling fiber
/// meanwhile. An external thread calls source and stages itself, beside the workers of its current
/// scheduler. The result of the last stage is dropped. If a call throws, no further call begins,
/// and pipeline() throws the first exception when the running calls have ended. After a stop
/// request it throws Cancelled in the same way, unless all values had passed. Values that a failure
/// or a stop leaves in progress are destroyed. Source and stages that are temporaries are moved.
///
/// @snippet pipelines.cpp pipeline
///
/// Workers exchange batches of neighbouring tokens: max_tokens / workers of them, at most 8. Take
/// three stages of 1 us, the outer ones in order, and two workers. They lose 40 to 150 ns per token
/// if batches have two tokens or more. They lose 600 ns, the cost of a steal, if batches have one
/// token. The worst case is an in-order stage that takes longer than all other stages together. Its
/// tokens come from other workers one by one. A token costs 0.2 us if the stage is the source and
/// 0.9 us if it is the last one.
///
/// Source: the token limit and the worker that stays with its tokens are those of oneTBB's
/// parallel_pipeline.
///
/// @param options  token limit, stop token, figures
/// @param source  callable without arguments; returns a std::optional
/// @param stages  results of in_order(), out_of_order() and parallel(); may be none
/// @throws exception of the first call that threw
/// @throws Cancelled if a stop was requested before all values had passed
/// @throws Error(kBadArgument) if `max_tokens` is 0
/// @throws Error(kStopped) if the scheduler is shut down
/// @throws Error(kNoStack) see @ref waiting
/// @complexity about 70 ns per token of three stages. Allocates O(max_tokens) memory at its
///   beginning only, beyond the allocations of source and stages.
/// @thread_safety any thread or fiber, concurrently
template <class Source, class... Stages>
  requires((detail::kIsStage<std::remove_cvref_t<Stages>> && ...) &&
           detail::kIsOptional<std::invoke_result_t<Source&>>)
void pipeline(const PipelineOptions& options, Source&& source, Stages&&... stages) {
  detail::PipelineOf<Source, Stages...> run(options, source, stages...);
  if (options.stats != nullptr)
    options.stats->stages.reserve(sizeof...(Stages) +
                                  1);  // allocates at once, because the end must not fail
  struct StatsWriter {
    ~StatsWriter() {
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
  const StatsWriter writer{options, run};
  run.run(options.stop);
}

/// Passes the values of a source through stages, with a token limit only.
///
/// @param max_tokens  largest number of values in progress; at least 1
/// @param source  callable without arguments; returns a std::optional
/// @param stages  results of in_order(), out_of_order() and parallel(); may be none
/// @throws exception of the first call that threw
/// @throws Error(kBadArgument) if `max_tokens` is 0
/// @throws Error(kStopped) if the scheduler is shut down
/// @throws Error(kNoStack) see @ref waiting
/// @complexity as pipeline() with options
/// @thread_safety any thread or fiber, concurrently
template <class Source, class... Stages>
  requires requires(const PipelineOptions& options, Source&& source, Stages&&... stages) {
    jobs::pipeline(options, std::forward<Source>(source), std::forward<Stages>(stages)...);
  }
void pipeline(std::size_t max_tokens, Source&& source, Stages&&... stages) {
  pipeline(PipelineOptions{.max_tokens = max_tokens}, std::forward<Source>(source),
           std::forward<Stages>(stages)...);
}

JOBS_OF_MODE_END

namespace detail JOBS_OF_MODE {
template <class Source, class... Stages>
struct PipelineCheck {
  static constexpr bool kHasStages = (kIsStage<std::remove_cvref_t<Stages>> && ...);
  static constexpr bool kIsRight = kIsSource<Source> && kHasStages;
  static void explain() {
    static_assert(kIsSource<Source>,
                  "jobs::pipeline: source must be callable without arguments, for a std::optional");
    static_assert(!kIsSource<Source> || kHasStages,
                  "jobs::pipeline: each stage is written jobs::in_order(f), jobs::out_of_order(f) "
                  "or jobs::parallel(f)");
  }
};
}  // namespace detail

JOBS_OF_MODE_BEGIN

/// @cond internal
// Wrong calls (jobs/base/wrong_call.hpp).
template <class Source, class... Stages>
  requires(!detail::PipelineCheck<Source, Stages...>::kIsRight)
auto pipeline(const PipelineOptions&, Source&&, Stages&&...) {
  return detail::PipelineCheck<Source, Stages...>::explain();
}
template <class Source, class... Stages>
  requires(!detail::PipelineCheck<Source, Stages...>::kIsRight)
auto pipeline(std::size_t, Source&&, Stages&&...) {
  return detail::PipelineCheck<Source, Stages...>::explain();
}
/// @endcond

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
