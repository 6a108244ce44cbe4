// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Generator<T> is a sequence that computes each element on demand. Not part of `jobs/jobs.hpp`,
/// because few programs need `<coroutine>`.
#pragma once

#include "jobs/base/config.hpp"  // first: <coroutine> has an error of its own for older standards

#include <coroutine>
#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "jobs/base/exceptions.hpp"

namespace jobs::inline JOBS_ABI {

/// Input range: a coroutine computes its elements one at a time, on demand.
///
/// The coroutine is no fiber. A step costs two indirect jumps and no stack. The body runs on the
/// fiber that requests the next element, so it may wait like any other code: the consumer waits
/// then.
///
/// A body on a fiber of its own could produce elements from nested calls. It would cost a switch in
/// each direction, the memory of a stack, and a worker that the consumer would have to share. A
/// Fiber with this_fiber::suspend() serves that case.
///
/// The object is movable, can be traversed once, and is for one fiber or thread at a time. Its
/// destruction destroys the body at its current point, as an exception would.
///
/// @snippet fibers.cpp generator
///
/// @tparam T  type of the elements; a reference type yields references
/// @complexity one allocation per generator, which compilers may elide
/// @thread_safety one thread or fiber at a time
template <class T>
class [[nodiscard]] Generator {
  using Value = std::remove_cvref_t<T>;
  using Reference = std::conditional_t<std::is_reference_v<T>, T, T&>;

 public:
  class Iterator;

  /// @cond internal
  class promise_type {
   public:
    Generator get_return_object() noexcept { return Generator(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    // The value lives in the body until the next step.
    std::suspend_always yield_value(std::remove_reference_t<Reference>& value) noexcept {
      value_ = std::addressof(value);
      return {};
    }
    std::suspend_always yield_value(std::remove_reference_t<Reference>&& value) noexcept {
      value_ = std::addressof(value);
      return {};
    }
    void return_void() const noexcept {}
    void unhandled_exception() { JOBS_RETHROW; }  // to the consumer; the generator has ended then
    void await_transform() = delete;              // waits need no co_await here

   private:
    friend class Generator::Iterator;
    std::remove_reference_t<Reference>* value_ = nullptr;
  };
  /// @endcond

  /// Input iterator of a Generator.
  class Iterator {
   public:
    /// Category: input iterator.
    using iterator_concept = std::input_iterator_tag;
    /// Type of the elements without reference and cv-qualifiers.
    using value_type = Value;
    /// Type required of iterators; the difference of two iterators is not available.
    using difference_type = std::ptrdiff_t;

    /// Creates an iterator that refers to no generator.
    Iterator() noexcept = default;
    /// Returns the current element.
    ///
    /// @returns reference that is valid until the next step
    Reference operator*() const noexcept { return static_cast<Reference>(*body_.promise().value_); }
    /// Runs the body to its next element.
    ///
    /// @returns *this
    /// @throws exception that the body throws; the generator has ended then
    Iterator& operator++() {
      body_.resume();
      return *this;
    }
    /// Runs the body to its next element.
    ///
    /// @throws exception that the body throws; the generator has ended then
    void operator++(int) { ++*this; }
    /// Tells whether the generator has ended.
    ///
    /// @param at  iterator
    /// @returns true if the body has returned or thrown
    friend bool operator==(const Iterator& at, std::default_sentinel_t) noexcept {
      return at.body_.done();
    }

   private:
    friend Generator;
    explicit Iterator(std::coroutine_handle<promise_type> body) noexcept : body_(body) {}
    std::coroutine_handle<promise_type> body_;
  };

  /// Takes over the body of another generator, which becomes empty.
  ///
  /// @param other  source
  Generator(Generator&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
  /// Replaces the body.
  ///
  /// @param other  source
  /// @returns *this
  Generator& operator=(Generator other) noexcept {
    std::swap(body_, other.body_);
    return *this;
  }
  /// Destroys the body at its current point.
  JOBS_TAG_OF_MODE ~Generator() {
    if (body_) body_.destroy();
  }

  /// Runs the body to its first element; call it once.
  ///
  /// @returns iterator to the first element
  /// @throws exception that the body throws
  Iterator begin() {
    body_.resume();
    return Iterator(body_);
  }
  /// Returns the end of the range.
  ///
  /// @returns sentinel
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  using Handle = std::coroutine_handle<promise_type>;
  explicit Generator(Handle body) noexcept : body_(body) {}
  Handle body_;
};

}  // namespace jobs::inline JOBS_ABI
