// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// enumerable_thread_specific and combinable of oneTBB: one value for each thread that accesses it.
//
// Differences from oneTBB:
// - Fast on the workers of the scheduler that accesses it first; other threads take a lock and a
//   look-up.
// - Not copyable. Iterators are forward iterators. There are neither range() nor flattened2d.
//
// As in oneTBB, the jobs of one worker share its value. A job that waits may find the value changed
// after the wait.
#pragma once

#include <concepts>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "jobs/per_worker.hpp"

namespace jobs::inline JOBS_ABI::tbb {

/// Key usages of oneTBB, without effect.
enum ets_key_usage_type { ets_key_per_instance, ets_no_key, ets_suspend_aware };

/// One value of type T per thread, which can be enumerated. The head of the file lists the
/// differences.
///
/// @snippet interop.cpp thread_specific
template <class T, class Allocator = std::allocator<T>, ets_key_usage_type = ets_no_key>
class enumerable_thread_specific {
  struct alignas(jobs::detail::kDestructiveDistance) Element {
    explicit Element(const std::function<T()>& make) : value(make()) {}
    T value;
  };
  template <class Value, class Base>
  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = Value&;
    using pointer = Value*;
    using iterator_category = std::forward_iterator_tag;

    Iterator() = default;
    explicit Iterator(Base at) : at_(at) {}
    reference operator*() const { return at_->value; }
    pointer operator->() const { return &at_->value; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator&) const = default;

   private:
    Base at_{};
  };

 public:
  /// The type of a value.
  using value_type = T;
  /// A reference to a value.
  using reference = T&;
  /// A reference to a const value.
  using const_reference = const T&;
  /// The type of sizes.
  using size_type = std::size_t;
  /// A forward iterator over the values.
  using iterator = Iterator<T, typename std::deque<Element>::iterator>;
  /// A forward iterator over const values.
  using const_iterator = Iterator<const T, typename std::deque<Element>::const_iterator>;

  /// Each value starts as T().
  enumerable_thread_specific() : make_([] { return T(); }) {}
  /// Each value starts as the result of make().
  template <class Make>
    requires std::invocable<Make&> && std::convertible_to<std::invoke_result_t<Make&>, T>
  explicit enumerable_thread_specific(Make make) : make_(std::move(make)) {}
  /// Each value starts as a copy of `exemplar`.
  explicit enumerable_thread_specific(const T& exemplar) : make_([exemplar] { return exemplar; }) {}
  /// Each value starts as T(args...).
  template <class First, class... Others>
    requires(sizeof...(Others) > 0 ||
             (!std::invocable<First&> && !std::convertible_to<First, const T&>))
  explicit enumerable_thread_specific(First first, Others... others)
      : make_([first, others...] { return T(first, others...); }) {}
  enumerable_thread_specific(const enumerable_thread_specific&) = delete;
  enumerable_thread_specific& operator=(const enumerable_thread_specific&) = delete;

  /// Returns the value of the calling thread; creates it at the first call.
  T& local() {
    bool exists;
    return local(exists);
  }
  /// The same; `exists` is false if this call has created the value.
  T& local(bool& exists) {
    std::call_once(once_, [this] { mine_.emplace(); });
    T*& mine = mine_->local();
    exists = mine != nullptr;
    if (!exists) {
      const std::lock_guard guard(mutex_);
      mine = &elements_.emplace_back(make_).value;
    }
    return *mine;
  }

  /// Removes all values. This and all functions below must not run concurrently with local().
  void clear() {
    if (mine_) mine_->for_each([](T*& mine) { mine = nullptr; });
    elements_.clear();
  }
  /// Returns the number of values.
  size_type size() const { return elements_.size(); }
  /// Returns true if there are no values.
  bool empty() const { return elements_.empty(); }
  /// Returns the first value.
  iterator begin() { return iterator(elements_.begin()); }
  /// Returns the end of the values.
  iterator end() { return iterator(elements_.end()); }
  /// Returns the first value.
  const_iterator begin() const { return const_iterator(elements_.begin()); }
  /// Returns the end of the values.
  const_iterator end() const { return const_iterator(elements_.end()); }

  /// Combines all values by f, in no particular order. Returns a new value if there are none.
  template <class F>
  T combine(F f) {
    if (empty()) return make_();
    auto at = begin();
    T all = *at;
    while (++at != end()) all = f(all, *at);
    return all;
  }
  /// Calls f(value) for each value.
  template <class F>
  void combine_each(F f) {
    for (T& value : *this) f(value);
  }

 private:
  const std::function<T()> make_;
  // A global object must not start the scheduler before main().
  std::once_flag once_;
  std::optional<PerWorker<T*>> mine_;
  std::mutex mutex_;
  std::deque<Element> elements_;
};

/// One value per thread, for a later combination: an enumerable_thread_specific without iterators.
template <class T>
class combinable {
 public:
  /// Each value starts as T().
  combinable() = default;
  /// Each value starts as the result of make().
  template <class Make>
  explicit combinable(Make make) : values_(std::move(make)) {}

  /// Returns the value of the calling thread; creates it at the first call.
  T& local() { return values_.local(); }
  /// The same; `exists` is false if this call has created the value.
  T& local(bool& exists) { return values_.local(exists); }
  /// Removes all values.
  void clear() { values_.clear(); }
  /// Combines all values by f, in no particular order.
  template <class F>
  T combine(F f) {
    return values_.combine(std::move(f));
  }
  /// Calls f(value) for each value.
  template <class F>
  void combine_each(F f) {
    values_.combine_each(std::move(f));
  }

 private:
  enumerable_thread_specific<T> values_;
};

}  // namespace jobs::inline JOBS_ABI::tbb
