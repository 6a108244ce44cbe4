// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The iterators of thread_specific.hpp: over values that lie in elements, with their ranges, and
// over the elements of inner containers. Plain values.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "jobs/base/config.hpp"
#include "jobs/interop/tbb/range.hpp"

namespace jobs::inline JOBS_ABI::tbb::detail {

// A random access iterator over the member `value` of elements, by pointers to them.
template <class Value, class Base>
class ValuesIterator {
 public:
  using value_type = std::remove_const_t<Value>;
  using difference_type = std::ptrdiff_t;
  using reference = Value&;
  using pointer = Value*;
  using iterator_category = std::random_access_iterator_tag;

  ValuesIterator() = default;
  explicit ValuesIterator(Base at) : at_(at) {}
  // From an iterator over values that are not const.
  template <class OtherValue, class OtherBase>
    requires(std::is_const_v<Value> && !std::is_const_v<OtherValue>)
  ValuesIterator(const ValuesIterator<OtherValue, OtherBase>& other) : at_(other.base()) {}

  reference operator*() const { return (*at_)->value; }
  pointer operator->() const { return &(*at_)->value; }
  reference operator[](difference_type i) const { return at_[i]->value; }
  ValuesIterator& operator++() { return *this += 1; }
  ValuesIterator operator++(int) { return ValuesIterator(at_++); }
  ValuesIterator& operator--() { return *this += -1; }
  ValuesIterator operator--(int) { return ValuesIterator(at_--); }
  ValuesIterator& operator+=(difference_type n) {
    at_ += n;
    return *this;
  }
  ValuesIterator& operator-=(difference_type n) { return *this += -n; }
  friend ValuesIterator operator+(ValuesIterator at, difference_type n) { return at += n; }
  friend ValuesIterator operator+(difference_type n, ValuesIterator at) { return at += n; }
  friend ValuesIterator operator-(ValuesIterator at, difference_type n) { return at -= n; }
  friend difference_type operator-(const ValuesIterator& a, const ValuesIterator& b) {
    return a.at_ - b.at_;
  }
  friend bool operator==(const ValuesIterator& a, const ValuesIterator& b) = default;
  friend auto operator<=>(const ValuesIterator& a, const ValuesIterator& b) {
    return a.at_ - b.at_ <=> 0;
  }
  const Base& base() const { return at_; }

 private:
  Base at_{};
};

// A range of such iterators, with the member types of oneTBB.
template <class Iterator>
class ValuesRange : public blocked_range<Iterator> {
 public:
  using iterator = Iterator;
  using value_type = typename Iterator::value_type;
  using reference = typename Iterator::reference;
  using difference_type = typename Iterator::difference_type;

  using blocked_range<Iterator>::blocked_range;
  // From a range over values that are not const.
  template <class Other>
    requires(!std::same_as<Other, Iterator> && std::convertible_to<Other, Iterator>)
  ValuesRange(const ValuesRange<Other>& other)
      : blocked_range<Iterator>(other.begin(), other.end(), other.grainsize()) {}
};

// A forward iterator over the elements of the containers [outer, last). Empty ones are skipped. The
// elements are mutable, as in oneTBB.
template <class Container>
class FlatIterator {
  using Outer = typename Container::const_iterator;
  using InnerContainer = typename Container::value_type;
  using Inner = typename InnerContainer::iterator;

 public:
  using value_type = typename InnerContainer::value_type;
  using difference_type = std::ptrdiff_t;
  using reference = typename std::iterator_traits<Inner>::reference;
  using pointer = typename std::iterator_traits<Inner>::pointer;
  using iterator_category = std::forward_iterator_tag;

  FlatIterator() = default;
  FlatIterator(Outer outer, Outer last) : outer_(outer), last_(last) { enter(); }

  reference operator*() const { return *inner_; }
  pointer operator->() const { return &*inner_; }
  FlatIterator& operator++() {
    if (++inner_ == container().end()) {
      ++outer_;
      enter();
    }
    return *this;
  }
  FlatIterator operator++(int) {
    FlatIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const FlatIterator& a, const FlatIterator& b) {
    return a.outer_ == b.outer_ && (a.outer_ == a.last_ || a.inner_ == b.inner_);
  }

 private:
  InnerContainer& container() const { return const_cast<InnerContainer&>(*outer_); }
  // Goes to the first element from `outer_` on.
  void enter() {
    while (outer_ != last_ && container().begin() == container().end()) ++outer_;
    if (outer_ != last_) inner_ = container().begin();
  }

  Outer outer_{};
  Outer last_{};
  Inner inner_{};
};

}  // namespace jobs::inline JOBS_ABI::tbb::detail
