// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_pipeline() of oneTBB: filters that are composed at run time. Any thread may run a chain.
//
// Differences from oneTBB: the first filter is called one at a time even if it is parallel. Tokens
// of at most 32 bytes need no allocation; larger tokens need one per filter.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/interop/tbb/partitioner.hpp"
#include "jobs/runtime/graph/pipeline_run.hpp"

namespace jobs::inline JOBS_ABI::tbb {

/// Tells whether a filter runs concurrently, in the order of tokens, or one token at a time.
enum class filter_mode : unsigned { parallel, serial_in_order, serial_out_of_order };

/// Ends the input: the first filter calls stop(). Its return value is then dropped.
class flow_control {
 public:
  /// Ends the input.
  void stop() { is_stopped_ = true; }
  /// Returns true after stop(). Not in oneTBB.
  bool is_stopped() const { return is_stopped_; }

 private:
  bool is_stopped_ = false;
};

namespace detail {

// A value of any type, or none. One token carrier uses it at a time.
class Token {
 public:
  Token() = default;
  ~Token() { reset(); }
  Token(const Token&) = delete;
  Token& operator=(const Token&) = delete;

  template <class T>
  void set(T&& value) {
    using Value = std::decay_t<T>;
    using Held = std::conditional_t<kFits<Value>, Value, std::unique_ptr<Value>>;
    if constexpr (kFits<Value>) {
      ::new (static_cast<void*>(bytes_)) Held(std::forward<T>(value));
    } else {
      ::new (static_cast<void*>(bytes_)) Held(std::make_unique<Value>(std::forward<T>(value)));
    }
    destroy_ = [](std::byte* bytes) { std::launder(reinterpret_cast<Held*>(bytes))->~Held(); };
  }
  // Moves the value out. pre: the last call of set() stored a T.
  template <class T>
  T take() {
    struct Reset {
      Token& token;
      ~Reset() { token.reset(); }
    } const reset{*this};
    if constexpr (kFits<T>) {
      return std::move(*std::launder(reinterpret_cast<T*>(bytes_)));
    } else {
      return std::move(**std::launder(reinterpret_cast<std::unique_ptr<T>*>(bytes_)));
    }
  }
  void reset() {
    if (destroy_ != nullptr) std::exchange(destroy_, nullptr)(bytes_);
  }

 private:
  template <class T>
  static constexpr bool kFits = sizeof(T) <= 32 && alignof(T) <= alignof(std::max_align_t);

  alignas(std::max_align_t) std::byte bytes_[32];
  void (*destroy_)(std::byte*) = nullptr;
};

// How the first filter ends the input. The body takes a flow_control.
struct OwnControl {
  static flow_control make() { return {}; }
  static bool is_stopped(const flow_control& control) { return control.is_stopped(); }
};
// The same for the class of another library that means the same. jobs/interop/onetbb defines it for
// void.
template <class>
struct ForeignControl;
template <class T>
inline constexpr bool kIsControl = std::same_as<T, flow_control>;

template <class Body>
auto control_of() {
  if constexpr (std::invocable<const Body&, flow_control&>) {
    return OwnControl();
  } else {
    return ForeignControl<std::conditional_t<sizeof(Body) != 0, void, Body>>();
  }
}

struct FilterStage {
  filter_mode mode;
  jobs::detail::CodeAddress code;  // stage_code() of the body
  // Returns false if there is no further token.
  std::function<bool(Token&)> call;
};

template <class In, class Out, class Body>
bool call_filter(const Body& body, Token& token) {
  const auto give = [&](auto&& call) {
    if constexpr (std::is_void_v<Out>) {
      call();
    } else {
      token.set(Out(call()));
    }
  };
  if constexpr (std::is_void_v<In>) {
    const auto access = control_of<Body>();
    auto control = access.make();
    give([&]() -> decltype(auto) { return body(control); });
    if (access.is_stopped(control)) token.reset();
    return !access.is_stopped(control);
  } else {
    auto input = token.take<std::remove_cvref_t<In>>();
    give([&]() -> decltype(auto) { return body(std::move(input)); });
    return true;
  }
}

class FilterRun final : public jobs::detail::PipelineRun {
 public:
  // More tokens at a time than this make no pipeline faster, and each takes memory. Programs that
  // want no limit pass a huge number.
  static constexpr std::size_t kMostTokens = 4096;

  FilterRun(std::size_t tokens, const std::vector<FilterStage>& stages,
            const std::vector<StageKind>& kinds,
            const std::vector<jobs::detail::CodeAddress>& codes, Call& call)
      : PipelineRun(tokens, kinds.data(), codes.data(), kinds.size(), false),
        stages_(stages),
        call_(call),
        tokens_(tokens) {}

  static std::vector<StageKind> kinds_of(const std::vector<FilterStage>& stages) {
    std::vector<StageKind> kinds;
    for (const FilterStage& stage : stages) {
      kinds.push_back(stage.mode == filter_mode::parallel          ? StageKind::kParallel
                      : stage.mode == filter_mode::serial_in_order ? StageKind::kInOrder
                                                                   : StageKind::kOutOfOrder);
    }
    kinds.front() = StageKind::kInOrder;
    return kinds;
  }
  static std::vector<jobs::detail::CodeAddress> codes_of(const std::vector<FilterStage>& stages) {
    std::vector<jobs::detail::CodeAddress> codes;
    for (const FilterStage& stage : stages) codes.push_back(stage.code);
    return codes;
  }

 private:
  bool call(std::size_t stage, std::size_t slot) override {
    bool goes_on = false;
    call_.run([&] { goes_on = stages_[stage].call(tokens_[slot]); });
    return goes_on;
  }

  const std::vector<FilterStage>& stages_;
  Call& call_;
  std::vector<Token> tokens_;
};

}  // namespace detail

namespace detail {

// Input and output of a filter whose body has one function operator.
template <class F>
struct BodyTypes : BodyTypes<decltype(&F::operator())> {};
template <class In, class Out>
struct BodyTypes<Out (*)(In)> {
  using Input =
      std::conditional_t<kIsControl<std::remove_cvref_t<In>>, void, std::remove_cvref_t<In>>;
  using Output = std::remove_cvref_t<Out>;
};
template <class In, class Out>
struct BodyTypes<Out (*)(In) noexcept> : BodyTypes<Out (*)(In)> {};
template <class F, class In, class Out>
struct BodyTypes<Out (F::*)(In) const> : BodyTypes<Out (*)(In)> {};
template <class F, class In, class Out>
struct BodyTypes<Out (F::*)(In) const noexcept> : BodyTypes<Out (*)(In)> {};

template <class F>
using FilterInput = typename BodyTypes<F>::Input;
template <class F>
using FilterOutput = typename BodyTypes<F>::Output;

}  // namespace detail

/// A chain of one or more stages. filter<void, T> is a source, called with flow_control&. filter<T,
/// void> is a sink. Copies share the bodies, as in oneTBB.
template <class In, class Out>
class filter {
 public:
  /// An empty chain, which cannot run.
  filter() = default;
  /// A chain of one stage.
  template <class Body>
  filter(filter_mode mode, const Body& body)
      : stages_{{mode, &jobs::detail::stage_code<Body>, [body](detail::Token& token) {
                   return detail::call_filter<In, Out>(body, token);
                 }}} {}
  /// A chain of these stages. Not in oneTBB.
  explicit filter(std::vector<detail::FilterStage> stages) : stages_(std::move(stages)) {}

  /// Appends a filter.
  filter& operator&=(const filter<Out, Out>& next) { return *this = *this & next; }
  /// Removes all stages.
  void clear() { stages_.clear(); }
  /// Returns the stages. Not in oneTBB.
  const std::vector<detail::FilterStage>& stages() const { return stages_; }

 private:
  std::vector<detail::FilterStage> stages_;
};

/// Deduces the types of a filter from the parameter and the result of its body.
template <class Body>
filter(filter_mode, const Body&) -> filter<detail::FilterInput<Body>, detail::FilterOutput<Body>>;

/// Returns a chain of one stage.
template <class In, class Out, class Body>
filter<In, Out> make_filter(filter_mode mode, const Body& body) {
  return {mode, body};
}
/// The same; the parameter and the result of the body give the types.
template <class Body>
filter<detail::FilterInput<Body>, detail::FilterOutput<Body>> make_filter(filter_mode mode,
                                                                          const Body& body) {
  return {mode, body};
}

/// Returns the chain of both.
template <class In, class Between, class Out>
filter<In, Out> operator&(const filter<In, Between>& first, const filter<Between, Out>& second) {
  std::vector<detail::FilterStage> stages = first.stages();
  stages.insert(stages.end(), second.stages().begin(), second.stages().end());
  return filter<In, Out>(std::move(stages));
}

/// Runs the chain until its first filter stops and all tokens have left it. At most `max_tokens`
/// are under way. Exceptions as jobs::pipeline(). pre: the chain is not empty. Unlike oneTBB's, the
/// first filter is never called concurrently.
///
/// @snippet interop.cpp pipeline
template <detail::Option... Options>
void parallel_pipeline(std::size_t max_tokens, const filter<void, void>& chain,
                       Options&&... options) {
  detail::in_arena([&] {
    detail::Call call(0, options...);
    const auto kinds = detail::FilterRun::kinds_of(chain.stages());
    const auto codes = detail::FilterRun::codes_of(chain.stages());
    const std::size_t tokens = std::min(max_tokens, detail::FilterRun::kMostTokens);
    detail::FilterRun(tokens, chain.stages(), kinds, codes, call).run({});
  });
}
/// The same for filters that are not composed yet.
template <class First, class... Filters>
  requires(sizeof...(Filters) >= 1 && (!detail::Option<Filters> && ...))
void parallel_pipeline(std::size_t max_tokens, const First& first, const Filters&... others) {
  parallel_pipeline(max_tokens, (first & ... & others));
}

}  // namespace jobs::inline JOBS_ABI::tbb
