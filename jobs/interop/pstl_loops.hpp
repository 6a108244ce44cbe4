// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Part of pstl.hpp: loops, reductions and memory for the parallel algorithms of libstdc++.
//
// An index of libstdc++ is an integer or a random access iterator. Any thread may call these
// functions. Their exceptions are those of the calls of jobs that they make.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include "jobs/parallel_for.hpp"
#include "jobs/parallel_reduce.hpp"

namespace jobs::inline JOBS_ABI::interop::pstl {

/// @cond internal
// Memory for n objects of type T. The algorithm that owns it constructs and destroys the objects.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t n) : n_(n), memory_(std::allocator<T>().allocate(n)) {}
  ~Buffer() { std::allocator<T>().deallocate(memory_, n_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  explicit operator bool() const noexcept { return memory_ != nullptr; }
  T* get() const noexcept { return memory_; }

 private:
  const std::size_t n_;
  T* const memory_;
};

template <class Index>
std::ptrdiff_t index_count(Index first, Index last) {
  return static_cast<std::ptrdiff_t>(last - first);
}
template <class Index>
Index index_at(Index first, std::ptrdiff_t i) {
  if constexpr (std::integral<Index>) {
    return static_cast<Index>(first + static_cast<Index>(i));
  } else {
    return first + static_cast<std::iter_difference_t<Index>>(i);
  }
}

// Calls f(begin, end) for parts that make up [first, last).
template <class Index, class F>
void for_parts(Index first, Index last, const F& f) {
  jobs::parallel_for(std::ptrdiff_t{0}, index_count(first, last),
                     [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                       f(index_at(first, begin), index_at(first, end));
                     });
}

// Returns the combination, from left to right, of fold(begin, end, identity) for parts that make up
// [first, last).
template <class T, class Index, class Fold, class Combine>
T reduce(Index first, Index last, const T& identity, const Fold& fold, const Combine& combine) {
  return jobs::parallel_reduce(
      std::ptrdiff_t{0}, index_count(first, last), identity,
      [&](T left, T right) -> T { return combine(std::move(left), std::move(right)); },
      [&](std::ptrdiff_t begin, std::ptrdiff_t end) -> T {
        return fold(index_at(first, begin), index_at(first, end), identity);
      });
}

// Returns the combination of `init` and unary(i) for each i in [first, last), which is not empty.
// fold(begin, end, value) continues a combination. There is no identity, and a result of `unary`
// need not be a T. A part therefore begins with the combination of two results.
template <class T, class Index, class Unary, class Combine, class Fold>
T transform_reduce(Index first, Index last, const Unary& unary, T init, const Combine& combine,
                   const Fold& fold) {
  const std::ptrdiff_t n = index_count(first, last);
  // Functions of a program may have a state, so each part calls its own copies.
  const auto op = [&combine](auto&& left, auto&& right) -> T {
    Combine op_here = combine;
    return static_cast<T>(
        op_here(std::forward<decltype(left)>(left), std::forward<decltype(right)>(right)));
  };
  Unary map = unary;
  if (n == 1) return op(std::move(init), map(first));
  // parallel_reduce() returns its identity for an empty range only.
  T sum = jobs::parallel_reduce(
      std::ptrdiff_t{0}, n / 2, init, op, [&](std::ptrdiff_t begin, std::ptrdiff_t end) -> T {
        Unary map_here = unary;
        const Index begin_of_part = index_at(first, 2 * begin);
        T value = op(map_here(begin_of_part), map_here(index_at(begin_of_part, 1)));
        return fold(index_at(begin_of_part, 2), index_at(first, 2 * end), std::move(value));
      });
  T all = op(std::move(init), std::move(sum));
  if (n % 2 == 0) return all;
  return op(std::move(all), map(index_at(first, n - 1)));
}
/// @endcond

}  // namespace jobs::inline JOBS_ABI::interop::pstl
