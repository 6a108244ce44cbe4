// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// FiberLocal<T> is a variable of which each Fiber has its own value.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "jobs/runtime/fibers/fiber_control.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

JOBS_EXPORT std::uint64_t next_local_key() noexcept;
// Returns the value of the Fiber that runs the caller. Throws Error(kBadArgument) if there is none.
JOBS_EXPORT std::unique_ptr<LocalValue>& current_local(std::uint64_t key);

}  // namespace detail

/// Variable of which each Fiber has its own value.
///
/// All fibers of a worker share a `thread_local` variable; they have separate values of a
/// FiberLocal. Only a Fiber has fiber-local values: a value must end with its owner, and that would
/// cost time in every plain job.
///
/// A value is made at the first use on the fiber. It is destroyed on the fiber at the end of the
/// fiber, the last one first, even if the FiberLocal has been destroyed before. The type of the
/// value must therefore not refer to the FiberLocal. A FiberLocal is usually a global variable.
///
/// @snippet fibers.cpp fiber_local
///
/// @tparam T  type of the values
/// @thread_safety any number of fibers, concurrently; each sees its own value
template <class T>
class FiberLocal {
 public:
  /// Creates the variable; each value begins as T().
  FiberLocal()
    requires std::default_initializable<T>
      : FiberLocal([] { return T(); }) {}
  /// Creates the variable; each value begins as make().
  ///
  /// @param make  called on the fiber at its first use
  template <class F>
    requires std::is_invocable_r_v<T, const F&>
  explicit FiberLocal(F make) : make_(std::move(make)) {}
  FiberLocal(const FiberLocal&) = delete;
  FiberLocal& operator=(const FiberLocal&) = delete;

  /// Returns the value of the calling fiber; makes it at the first use.
  ///
  /// @returns reference that stays valid until the fiber ends
  /// @throws Error(kBadArgument) outside of a Fiber
  /// @throws std::bad_alloc if there is no memory for a new value
  /// @throws exception of making a T
  /// @complexity linear search among the variables that the fiber has used, in the order of their
  ///   first use; one allocation at the first use
  /// @thread_safety any number of fibers, concurrently
  JOBS_TAG_OF_MODE T& operator*() const { return get(); }
  /// Returns a pointer to the value of the calling fiber; makes it at the first use.
  ///
  /// @returns pointer that stays valid until the fiber ends
  /// @throws Error(kBadArgument) outside of a Fiber
  /// @throws std::bad_alloc if there is no memory for a new value
  /// @throws exception of making a T
  /// @complexity as operator*()
  /// @thread_safety any number of fibers, concurrently
  JOBS_TAG_OF_MODE T* operator->() const { return &get(); }

 private:
  struct JOBS_TAG_OF_MODE Value final : detail::LocalValue {
    explicit Value(const std::function<T()>& make) : value(make()) {}
    T value;
  };

  JOBS_TAG_OF_MODE T& get() const {
    if (const auto& known = detail::current_local(key_)) return static_cast<Value&>(*known).value;
    auto fresh = std::make_unique<Value>(make_);  // may use other variables, and so move the values
    T& value = fresh->value;
    detail::current_local(key_) = std::move(fresh);
    return value;
  }

  const std::function<T()> make_;
  const std::uint64_t key_ = detail::next_local_key();
};

}  // namespace jobs::inline JOBS_ABI
