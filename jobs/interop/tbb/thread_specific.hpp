// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// enumerable_thread_specific and combinable of oneTBB: one value for each thread that accesses it.
// flattened2d shows containers of containers as one sequence.
//
// Difference from oneTBB: fast on the workers of the scheduler that accesses it first; other
// threads take a lock and a look-up.
//
// As in oneTBB, the jobs of one worker share its value. A job that waits may find the value changed
// after the wait. A copy keeps the assignment of values to threads.
#pragma once

#include <concepts>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/thread_state.hpp"
#include "jobs/interop/tbb/range.hpp"
#include "jobs/interop/tbb/values_iterator.hpp"
#include "jobs/per_worker.hpp"

namespace jobs::inline JOBS_ABI::tbb {

namespace detail {
// The table of pointers to the values. Partner: kFindTable.
JOBS_ORDER(kAddTable, release);
// Partner: kAddTable.
JOBS_ORDER(kFindTable, acquire);
}  // namespace detail

/// Key usages of oneTBB, without effect.
enum ets_key_usage_type { ets_key_per_instance, ets_no_key, ets_suspend_aware };

/// One value of type T per thread, which can be enumerated. The head of the file lists the
/// differences.
///
/// @snippet interop.cpp thread_specific
template <class T, class Allocator = std::allocator<T>, ets_key_usage_type = ets_no_key>
class enumerable_thread_specific {
  struct Element : jobs::detail::OwnCacheLines {
    Element(const jobs::detail::ThreadState* thread, const std::function<T()>& make)
        : owner(thread), value(make()) {}
    Element(const jobs::detail::ThreadState* thread, std::in_place_t, const T& other)
        : owner(thread), value(other) {}

    const jobs::detail::ThreadState* owner;
    T value;
  };
  using Elements = std::deque<std::unique_ptr<Element>>;
  // Of the workers: null, or a value in the elements.
  using Table = PerWorker<T*>;
  template <class, class, ets_key_usage_type>
  friend class enumerable_thread_specific;

 public:
  /// The type of a value.
  using value_type = T;
  /// A reference to a value.
  using reference = T&;
  /// A reference to a const value.
  using const_reference = const T&;
  /// A pointer to a value.
  using pointer = T*;
  /// A pointer to a const value.
  using const_pointer = const T*;
  /// The type of sizes.
  using size_type = std::size_t;
  /// The type of distances.
  using difference_type = std::ptrdiff_t;
  /// The allocator of oneTBB, without effect.
  using allocator_type = Allocator;
  /// A random access iterator over the values.
  using iterator = detail::ValuesIterator<T, typename Elements::iterator>;
  /// A random access iterator over const values.
  using const_iterator = detail::ValuesIterator<const T, typename Elements::const_iterator>;
  /// A range over the values, for parallel loops.
  using range_type = detail::ValuesRange<iterator>;
  /// A range over const values.
  using const_range_type = detail::ValuesRange<const_iterator>;

  /// Each value starts as T().
  enumerable_thread_specific() : make_([] { return T(); }) {}
  /// Each value starts as the result of make().
  template <class Make>
    requires(!std::same_as<Make, T> && std::is_invocable_r_v<T, Make&>)
  explicit enumerable_thread_specific(Make make) : make_(std::move(make)) {}
  /// Each value starts as a copy of `exemplar`.
  explicit enumerable_thread_specific(const T& exemplar) : make_([exemplar] { return exemplar; }) {}
  /// Each value starts as T(args...).
  template <class First, class... Others>
    requires(sizeof...(Others) > 0 || (!std::same_as<First, T> && !std::invocable<First&>))
  explicit enumerable_thread_specific(First first, Others... others)
      : make_([first, others...] { return T(first, others...); }) {}
  /// Copies the values of all threads, and how further ones start. No thread may use `other`.
  enumerable_thread_specific(const enumerable_thread_specific& other) : make_(other.make_) {
    add_copies(other);
  }
  /// Takes over the values of all threads. No thread may use `other`.
  enumerable_thread_specific(enumerable_thread_specific&& other)
      : make_(other.make_),
        table_(other.table_.exchange(nullptr, detail::kFindTable)),
        elements_(std::exchange(other.elements_, {})) {}
  /// The same for another allocator or usage of keys.
  template <class OtherAllocator, ets_key_usage_type kOther>
  enumerable_thread_specific(const enumerable_thread_specific<T, OtherAllocator, kOther>& other)
      : make_(other.make_) {
    add_copies(other);
  }
  ~enumerable_thread_specific() { delete table_.load(detail::kFindTable); }

  /// Copies the values of all threads. No thread may use either object.
  enumerable_thread_specific& operator=(const enumerable_thread_specific& other) {
    if (this != &other) {
      clear();
      make_ = other.make_;
      add_copies(other);
    }
    return *this;
  }
  /// Takes over the values of all threads. No thread may use either object.
  enumerable_thread_specific& operator=(enumerable_thread_specific&& other) {
    if (this != &other) {
      make_ = other.make_;
      elements_ = std::exchange(other.elements_, {});
      delete table_.exchange(other.table_.exchange(nullptr, detail::kFindTable),
                             detail::kFindTable);
    }
    return *this;
  }
  /// Copies from an object with another allocator or usage of keys.
  template <class OtherAllocator, ets_key_usage_type kOther>
  enumerable_thread_specific& operator=(
      const enumerable_thread_specific<T, OtherAllocator, kOther>& other) {
    clear();
    make_ = other.make_;
    add_copies(other);
    return *this;
  }

  /// Returns the value of the calling thread; creates it at the first call.
  T& local() {
    bool exists;
    return local(exists);
  }
  /// The same; `exists` is false if this call has created the value.
  T& local(bool& exists) {
    Table* const table = table_.load(detail::kFindTable);
    T*& mine = (table != nullptr ? *table : new_table()).local();
    exists = true;
    if (mine == nullptr) mine = &find_or_make(exists);
    return *mine;
  }

  /// Removes all values. This and all functions below must not run concurrently with local().
  void clear() {
    if (Table* const table = table_.load(detail::kFindTable))
      table->for_each([](T*& mine) { mine = nullptr; });
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
  /// Returns a range over the values.
  range_type range(size_type grainsize = 1) { return {begin(), end(), grainsize}; }
  /// Returns a range over const values.
  const_range_type range(size_type grainsize = 1) const { return {begin(), end(), grainsize}; }

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
  template <class Other>
  void add_copies(const Other& other) {
    for (const auto& element : other.elements_)
      elements_.push_back(std::make_unique<Element>(element->owner, std::in_place, element->value));
  }
  // A global object must not start the scheduler before main(), so the first access makes the
  // table.
  JOBS_COLD Table& new_table() {
    const std::lock_guard guard(mutex_);
    Table* table = table_.load(detail::kFindTable);
    if (table == nullptr) {
      table = new Table;
      table_.store(table, detail::kAddTable);
    }
    return *table;
  }
  // The table has no value of the calling thread, but it may have one from a copy.
  JOBS_COLD T& find_or_make(bool& exists) {
    if (T* const known = find()) return *known;
    auto fresh = std::make_unique<Element>(&jobs::detail::this_thread(), make_);
    // make_() may have waited, and another fiber of this thread may have made the value meanwhile.
    if (T* const known = find()) return *known;
    exists = false;
    const std::lock_guard guard(mutex_);
    return elements_.emplace_back(std::move(fresh))->value;
  }
  // Returns the value of the calling thread; null if there is none.
  T* find() {
    const std::lock_guard guard(mutex_);
    for (const std::unique_ptr<Element>& element : elements_) {
      if (element->owner == &jobs::detail::this_thread()) return &element->value;
    }
    return nullptr;
  }

  std::function<T()> make_;
  jobs::detail::Atomic<Table*> table_{nullptr};
  std::mutex mutex_;
  Elements elements_;
};

/// A container of containers as one sequence, such as an enumerable_thread_specific of vectors. It
/// refers to the container.
template <class Container>
class flattened2d {
 public:
  /// The type of the elements.
  using value_type = typename Container::value_type::value_type;
  /// The type of sizes.
  using size_type = std::size_t;
  /// A forward iterator over the elements.
  using iterator = detail::FlatIterator<Container>;
  /// The same.
  using const_iterator = iterator;

  /// The elements of all inner containers.
  explicit flattened2d(const Container& all) : flattened2d(all, all.begin(), all.end()) {}
  /// The elements of the inner containers [first, last).
  flattened2d(const Container&, typename Container::const_iterator first,
              typename Container::const_iterator last)
      : first_(first), last_(last) {}

  /// Returns the first element.
  iterator begin() const { return iterator(first_, last_); }
  /// Returns the end of the elements.
  iterator end() const { return iterator(last_, last_); }
  /// Returns the number of elements.
  size_type size() const {
    size_type sum = 0;
    for (auto at = first_; at != last_; ++at) sum += at->size();
    return sum;
  }

 private:
  typename Container::const_iterator first_;
  typename Container::const_iterator last_;
};

// The constraints of flatten2d() let an unqualified call choose it over oneTBB's, which a container
// with an allocator of oneTBB makes visible, too.

/// Returns the elements of all inner containers as one sequence.
template <class Container>
  requires requires { typename Container::value_type; }
flattened2d<Container> flatten2d(const Container& all) {
  return flattened2d<Container>(all);
}
/// Returns the elements of the inner containers [first, last).
template <class Container>
  requires requires { typename Container::value_type; }
flattened2d<Container> flatten2d(const Container& all, typename Container::const_iterator first,
                                 typename Container::const_iterator last) {
  return flattened2d<Container>(all, first, last);
}

/// One value per thread, for a later combination: an enumerable_thread_specific without iterators.
template <class T>
class combinable {
 public:
  /// Each value starts as T().
  combinable() = default;
  /// Each value starts as the result of make().
  template <class Make>
    requires std::invocable<Make&>
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
