// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: which data a message may contain.
#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>

#include "jobs/base/config.hpp"
#include "jobs/mpi/handles.hpp"

namespace jobs::inline JOBS_ABI::mpi {

/// Values that a message may contain: a vector, an array, a span of trivially copyable elements.
///
/// The bytes are sent as they are. Therefore all processes need the same layout of the type, and no
/// pointer in it has a meaning elsewhere.
template <class R>
concept Data = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
               std::is_trivially_copyable_v<std::ranges::range_value_t<R>>;

/// Data that a message may be received into.
template <class R>
concept WritableData =
    Data<R> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

/// Data of integers or floating-point numbers, which MPI can combine.
template <class R>
concept NumberData = Data<R> && std::is_arithmetic_v<std::ranges::range_value_t<R>>;

}  // namespace jobs::inline JOBS_ABI::mpi

namespace jobs::inline JOBS_ABI::mpi::detail {

// Both types have the same elements.
template <class A, class B>
concept SameElements = std::same_as<std::ranges::range_value_t<A>, std::ranges::range_value_t<B>>;

template <Data R>
std::span<const std::byte> bytes_of(const R& values) noexcept {
  return std::as_bytes(std::span(std::ranges::data(values), std::ranges::size(values)));
}
template <WritableData R>
std::span<std::byte> writable_bytes_of(R& values) noexcept {
  return std::as_writable_bytes(std::span(std::ranges::data(values), std::ranges::size(values)));
}

// The type of MPI for a number.
template <class T>
MPI_Datatype data_type() noexcept {
  static_assert(std::is_arithmetic_v<T>);
  if constexpr (std::is_same_v<T, bool>) {
    return MPI_C_BOOL;
  } else if constexpr (std::is_same_v<T, float>) {
    return MPI_FLOAT;
  } else if constexpr (std::is_same_v<T, double>) {
    return MPI_DOUBLE;
  } else if constexpr (std::is_same_v<T, long double>) {
    return MPI_LONG_DOUBLE;
  } else if constexpr (sizeof(T) == 1) {
    return std::is_signed_v<T> ? MPI_INT8_T : MPI_UINT8_T;
  } else if constexpr (sizeof(T) == 2) {
    return std::is_signed_v<T> ? MPI_INT16_T : MPI_UINT16_T;
  } else if constexpr (sizeof(T) == 4) {
    return std::is_signed_v<T> ? MPI_INT32_T : MPI_UINT32_T;
  } else {
    static_assert(sizeof(T) == 8);
    return std::is_signed_v<T> ? MPI_INT64_T : MPI_UINT64_T;
  }
}

}  // namespace jobs::inline JOBS_ABI::mpi::detail
