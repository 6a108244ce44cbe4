// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// enumerable_thread_specific and combinable of oneTBB: a value for each thread that asks for one.
//
// Differs from oneTBB: quick on the workers of the scheduler that asks first, a lock and a look-up on other threads; not copyable;
// iterators are forward iterators, and there are neither range() nor flattened2d. As there, jobs of one worker share its value,
// and one that waits in between may find it changed.
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

// Makes no difference here.
enum ets_key_usage_type { ets_key_per_instance, ets_no_key, ets_suspend_aware };

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
  using value_type = T;
  using reference = T&;
  using const_reference = const T&;
  using size_type = std::size_t;
  using iterator = Iterator<T, typename std::deque<Element>::iterator>;
  using const_iterator = Iterator<const T, typename std::deque<Element>::const_iterator>;

  // Values are T(), make(), copies of `exemplar`, or T(args...).
  enumerable_thread_specific() : make_([] { return T(); }) {}
  template <class Make>
  requires std::invocable<Make&> && std::convertible_to<std::invoke_result_t<Make&>, T>
  explicit enumerable_thread_specific(Make make) : make_(std::move(make)) {}
  explicit enumerable_thread_specific(const T& exemplar) : make_([exemplar] { return exemplar; }) {}
  template <class First, class... Others>
  requires(sizeof...(Others) > 0 ||
           (!std::invocable<First&> &&
            !std::convertible_to<First, const T&>)) explicit enumerable_thread_specific(First first, Others... others)
      : make_([first, others...] { return T(first, others...); }) {}
  enumerable_thread_specific(const enumerable_thread_specific&) = delete;
  enumerable_thread_specific& operator=(const enumerable_thread_specific&) = delete;

  // The calling thread's, made now if it has none.
  T& local() {
    bool exists;
    return local(exists);
  }
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

  // What follows: not while anybody calls local().
  void clear() {
    if (mine_) mine_->for_each([](T*& mine) { mine = nullptr; });
    elements_.clear();
  }
  size_type size() const { return elements_.size(); }
  bool empty() const { return elements_.empty(); }
  iterator begin() { return iterator(elements_.begin()); }
  iterator end() { return iterator(elements_.end()); }
  const_iterator begin() const { return const_iterator(elements_.begin()); }
  const_iterator end() const { return const_iterator(elements_.end()); }

  // f(f(a, b), c) ... of all values, in no particular order; a new one if there are none.
  template <class F>
  T combine(F f) {
    if (empty()) return make_();
    auto at = begin();
    T all = *at;
    while (++at != end()) all = f(all, *at);
    return all;
  }
  // f(value) for all values.
  template <class F>
  void combine_each(F f) {
    for (T& value : *this) f(value);
  }

 private:
  const std::function<T()> make_;
  std::once_flag once_;  // a global object must not start the scheduler before main
  std::optional<PerWorker<T*>> mine_;
  std::mutex mutex_;
  std::deque<Element> elements_;
};

template <class T>
class combinable {
 public:
  combinable() = default;
  template <class Make>
  explicit combinable(Make make) : values_(std::move(make)) {}

  T& local() { return values_.local(); }
  T& local(bool& exists) { return values_.local(exists); }
  void clear() { values_.clear(); }
  template <class F>
  T combine(F f) {
    return values_.combine(std::move(f));
  }
  template <class F>
  void combine_each(F f) {
    values_.combine_each(std::move(f));
  }

 private:
  enumerable_thread_specific<T> values_;
};

}  // namespace jobs::inline JOBS_ABI::tbb
