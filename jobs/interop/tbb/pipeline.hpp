// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_pipeline of oneTBB: filters that are put together while the program runs.
//
// Differs from oneTBB: the first filter is called one at a time even if it is parallel. Tokens of up to 32 bytes cost no
// allocation, larger ones one for each filter.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/interop/tbb/partitioner.hpp"
#include "jobs/runtime/pipeline_run.hpp"

namespace jobs::inline JOBS_ABI::tbb {

enum class filter_mode : unsigned { parallel, serial_in_order, serial_out_of_order };

// How the first filter says that there is nothing more; what it returns with that is dropped.
class flow_control {
 public:
  void stop() { is_stopped_ = true; }
  bool is_stopped() const { return is_stopped_; }

 private:
  bool is_stopped_ = false;
};

namespace detail {

// A value of whatever type comes next, or none.
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
  // pre: set() with a T came last.
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

struct FilterStage {
  filter_mode mode;
  std::function<bool(Token&)> call;  // false: there is no further token
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
    flow_control control;
    give([&]() -> decltype(auto) { return body(control); });
    if (control.is_stopped()) token.reset();
    return !control.is_stopped();
  } else {
    auto input = token.take<std::remove_cvref_t<In>>();
    give([&]() -> decltype(auto) { return body(std::move(input)); });
    return true;
  }
}

class FilterRun final : public jobs::detail::PipelineRun {
 public:
  FilterRun(std::size_t tokens, const std::vector<FilterStage>& stages, const std::vector<StageKind>& kinds, Call& call)
      : PipelineRun(tokens, kinds.data(), kinds.size(), false), stages_(stages), call_(call), tokens_(tokens) {}

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

// One or more stages. filter<void, T> is a source: body(flow_control&). filter<T, void> is a sink. Copies share the bodies.
template <class In, class Out>
class filter {
 public:
  filter() = default;
  template <class Body>
  filter(filter_mode mode, const Body& body)
      : stages_{{mode, [body](detail::Token& token) { return detail::call_filter<In, Out>(body, token); }}} {}
  explicit filter(std::vector<detail::FilterStage> stages) : stages_(std::move(stages)) {}

  filter& operator&=(const filter<Out, Out>& next) { return *this = *this & next; }
  void clear() { stages_.clear(); }
  const std::vector<detail::FilterStage>& stages() const { return stages_; }

 private:
  std::vector<detail::FilterStage> stages_;
};

template <class In, class Out, class Body>
filter<In, Out> make_filter(filter_mode mode, const Body& body) {
  return {mode, body};
}

template <class In, class Between, class Out>
filter<In, Out> operator&(const filter<In, Between>& first, const filter<Between, Out>& second) {
  std::vector<detail::FilterStage> stages = first.stages();
  stages.insert(stages.end(), second.stages().begin(), second.stages().end());
  return filter<In, Out>(std::move(stages));
}

// Runs the chain until its first filter stops it and all tokens have left; at most max_tokens are under way. Exceptions as
// jobs::pipeline. pre: the chain is not empty.
template <detail::Option... Options>
void parallel_pipeline(std::size_t max_tokens, const filter<void, void>& chain, Options&&... options) {
  detail::in_arena([&] {
    detail::Call call(0, options...);
    const auto kinds = detail::FilterRun::kinds_of(chain.stages());
    detail::FilterRun(max_tokens, chain.stages(), kinds, call).run({});
  });
}
template <class First, class... Filters>
requires(sizeof...(Filters) >= 1 &&
         (!detail::Option<Filters> && ...)) void parallel_pipeline(std::size_t max_tokens, const First& first,
                                                                   const Filters&... others) {
  parallel_pipeline(max_tokens, (first & ... & others));
}

}  // namespace jobs::inline JOBS_ABI::tbb
