// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_radix_sort(): sorts by an integer or floating-point key without comparisons; stable.
// parallel_sort_by_key(): sorts two ranges by the first of them.
//
//   jobs::parallel_radix_sort(particles, &Particle::cell);
//   jobs::parallel_sort_by_key(distances, indices);
//
// Any thread may call them. From a million elements with 32-bit keys on it is faster than
// parallel_sort(). The price is memory for as many elements again.
#pragma once

#include <array>
#include <bit>
#include <climits>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/algorithm/core/blocks.hpp"
#include "jobs/algorithm/core/order.hpp"
#include "jobs/algorithm/core/wrong_call.hpp"
#include "jobs/algorithm/stable_sort.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/base/heap_vector.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail JOBS_OF_MODE {

template <class K>
concept RadixKey = std::integral<K> || std::same_as<K, float> || std::same_as<K, double>;

// Returns an unsigned number with the same order. For floating-point keys this is the total order
// of IEEE 754: -NaN, ..., -0, +0, ..., NaN.
template <RadixKey K>
constexpr auto radix_bits(K key) noexcept {
  if constexpr (std::same_as<K, bool>) {
    return static_cast<std::uint8_t>(key);
  } else if constexpr (std::integral<K>) {
    using Unsigned = std::make_unsigned_t<K>;
    constexpr Unsigned kSign =
        std::is_signed_v<K> ? static_cast<Unsigned>(Unsigned{1} << (sizeof(K) * CHAR_BIT - 1)) : 0;
    return static_cast<Unsigned>(static_cast<Unsigned>(key) ^ kSign);
  } else {
    using Unsigned = std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint64_t>;
    constexpr Unsigned kSign = Unsigned{1} << (sizeof(K) * CHAR_BIT - 1);
    const auto bits = std::bit_cast<Unsigned>(key);
    return (bits & kSign) != 0 ? static_cast<Unsigned>(~bits) : static_cast<Unsigned>(bits | kSign);
  }
}

// One call of parallel_radix_sort(): sorts by one digit of 8 bits per pass, the lowest digit first.
// Each block counts its digits. The elements of a digit in a block follow all lower digits, and the
// same digit in earlier blocks.
template <class It, class Key>
class RadixSort {
  using T = std::iter_value_t<It>;
  using Distance = std::iter_difference_t<It>;
  using Counts = std::array<std::size_t, 256>;

 public:
  RadixSort(It first, std::size_t n, Key& key)
      : first_(first),
        n_(n),
        key_(key),
        blocks_(n, 64, 16384),
        counts_(blocks_.count()),
        buffer_(n) {}

  void run(WorkerContext& context) {
    T* const buffer = buffer_.begin();
    bool is_in_buffer = false;
    for (unsigned shift = 0; shift < kBits; shift += 8) {
      if (is_in_buffer ? pass(context, buffer, first_, shift)
                       : pass(context, first_, buffer, shift)) {
        is_in_buffer = !is_in_buffer;
      }
    }
    if (!is_in_buffer) return;
    for_each_part(context, n_, [&](std::size_t begin, std::size_t end) {
      std::copy(buffer + begin, buffer + end, first_ + static_cast<Distance>(begin));
    });
  }

 private:
  static constexpr unsigned kBits =
      sizeof(radix_bits(std::declval<std::remove_cvref_t<std::invoke_result_t<Key&, T&>>>())) *
      CHAR_BIT;

  std::size_t digit(const T& element, unsigned shift) const {
    return static_cast<std::size_t>(radix_bits(std::invoke(key_, element)) >> shift) & 255u;
  }

  // Sorts `from` into `to` by one digit. Returns false, and moves nothing, if all digits are equal.
  template <class From, class To>
  bool pass(WorkerContext& context, From from, To to, unsigned shift) {
    for_each_index(context, blocks_.count(), [&](std::size_t block) {
      Counts counts{};
      for (std::size_t i = blocks_.begin(block); i < blocks_.end(block); ++i)
        ++counts[digit(at(from, i), shift)];
      counts_[block] = counts;
    });
    std::size_t place = 0;
    for (std::size_t d = 0; d < 256; ++d) {
      const std::size_t before = place;
      for (Counts& counts : counts_) place += std::exchange(counts[d], place);
      if (place - before == n_) return false;
    }
    for_each_index(context, blocks_.count(), [&](std::size_t block) {
      Counts places = counts_[block];
      for (std::size_t i = blocks_.begin(block); i < blocks_.end(block); ++i) {
        at(to, places[digit(at(from, i), shift)]++) = at(from, i);
      }
    });
    return true;
  }
  template <class Base>
  static decltype(auto) at(Base base, std::size_t i) {
    return base[static_cast<std::iter_difference_t<Base>>(i)];
  }

  const It first_;
  const std::size_t n_;
  Key& key_;
  const Blocks blocks_;
  HeapVector<Counts> counts_;
  SortBuffer<T> buffer_;
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Sorts trivially copyable elements by a number; equal keys keep their order.
///
/// The result is therefore unique. Floating-point keys sort in the total order of IEEE 754: -0
/// before +0, NaN at the ends. Fewer than 2048 elements are sorted by parallel_stable_sort().
///
/// @snippet algorithms.cpp radix_sort
///
/// Source: LSD radix sort (H. Seward, 1954) with one histogram per block: M. Zagha, G. Blelloch,
/// "Radix sort for vector multiprocessors", Supercomputing 1991.
///
/// @tparam R  sized random access range of trivially copyable elements
/// @tparam Key  function from an element to an integer, a float or a double
/// @param range  elements to sort
/// @param key  returns the key of an element and must not throw; several workers call it
///   concurrently, twice per element and byte of the key
/// @throws std::bad_alloc if there is not enough memory; the range is unchanged then
/// @complexity O(n) for each byte of the key in which two keys differ; memory for n elements and
///   128 KiB
/// @thread_safety any thread or fiber; concurrent calls need disjoint ranges
template <std::ranges::random_access_range R, class Key = std::identity>
  requires std::ranges::sized_range<R> && std::permutable<std::ranges::iterator_t<R>> &&
           std::is_trivially_copyable_v<std::ranges::range_value_t<R>> &&
           detail::RadixKey<
               std::remove_cvref_t<std::invoke_result_t<Key&, std::ranges::range_reference_t<R>>>>
void parallel_radix_sort(R&& range, Key key = {}) {
  // Comparisons are faster for fewer elements.
  constexpr std::size_t kShort = 2048;
  const auto first = detail::unwrap(std::ranges::begin(range));
  const auto n = static_cast<std::size_t>(std::ranges::size(range));
  if (n < kShort) {
    return parallel_stable_sort(range, {}, [&](const auto& element) {
      return detail::radix_bits(std::invoke(key, element));
    });
  }
  detail::with_context([&](detail::WorkerContext& context) {
    detail::RadixSort<std::remove_const_t<decltype(first)>, Key>(first, n, key).run(context);
  });
}

/// Sorts the keys and moves the values along; equal keys keep their order.
///
/// The i-th value stays with the i-th key. Keys are integers, floats or doubles.
///
/// @snippet algorithms.cpp sort_by_key
///
/// @tparam Keys  sized random access range of numbers
/// @tparam Values  sized random access range of trivially copyable elements
/// @param keys  numbers to sort
/// @param values  one value for each key
/// @throws std::invalid_argument if the ranges have different sizes
/// @throws std::bad_alloc if there is not enough memory; the ranges are unchanged then
/// @complexity as parallel_radix_sort(), with twice the memory
/// @thread_safety any thread or fiber; concurrent calls need disjoint ranges
template <std::ranges::random_access_range Keys, std::ranges::random_access_range Values>
  requires std::ranges::sized_range<Keys> && std::ranges::sized_range<Values> &&
           detail::RadixKey<std::ranges::range_value_t<Keys>> &&
           std::permutable<std::ranges::iterator_t<Keys>> &&
           std::permutable<std::ranges::iterator_t<Values>> &&
           std::is_trivially_copyable_v<std::ranges::range_value_t<Values>>
void parallel_sort_by_key(Keys&& keys, Values&& values) {
  struct Pair {
    std::ranges::range_value_t<Keys> key;
    std::ranges::range_value_t<Values> value;
  };
  const auto n = static_cast<std::size_t>(std::ranges::size(keys));
  if (n != static_cast<std::size_t>(std::ranges::size(values))) {
    JOBS_THROW(std::invalid_argument("jobs::parallel_sort_by_key: as many values as keys, please"));
  }
  const auto key = detail::unwrap(std::ranges::begin(keys));
  const auto value = detail::unwrap(std::ranges::begin(values));
  using KeyDistance = std::ranges::range_difference_t<Keys>;
  using ValueDistance = std::ranges::range_difference_t<Values>;
  const auto pairs = detail::HeapBuffer<Pair>(n);
  const std::span<Pair> all(pairs.get(), n);
  detail::with_context([&](detail::WorkerContext& context) {
    detail::for_each_part(context, n, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        all[i] = {key[static_cast<KeyDistance>(i)], value[static_cast<ValueDistance>(i)]};
      }
    });
    parallel_radix_sort(all, &Pair::key);
    detail::for_each_part(context, n, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        key[static_cast<KeyDistance>(i)] = all[i].key;
        value[static_cast<ValueDistance>(i)] = all[i].value;
      }
    });
  });
}

/// @cond internal: readable errors for wrong calls
JOBS_REFUSE_OTHER_CALLS(parallel_radix_sort,
                        "takes (range, key) of trivially copyable elements (a std::pair is not), "
                        "where key(element) is an integer, a float or a double")
JOBS_REFUSE_OTHER_CALLS(parallel_sort_by_key,
                        "takes a range of numbers and a range of trivially copyable values")
JOBS_REFUSE_OTHER_RANGES(parallel_radix_sort)
JOBS_REFUSE_OTHER_RANGES(parallel_sort_by_key)
/// @endcond

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
