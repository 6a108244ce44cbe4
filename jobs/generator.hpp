// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Generator<T>: a sequence whose elements are computed when they are asked for.
//
//   jobs::Generator<int> squares(int n) { for (int i = 0; i < n; ++i) co_yield i * i; }
//   for (int square : squares(10)) ...
//
// It is a C++20 coroutine and not a fiber: a step costs two indirect jumps and no stack, and the body runs on whatever fiber asks
// for the next element. So the body may wait like any other code: the consumer waits then. A body on a fiber of its own could
// produce from nested calls, for a switch each way, a stack of memory and a home that the consumer would have to share; whoever
// wants that has a Fiber and this_fiber::suspend().
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

// An input range, to be walked through once. Movable. For one fiber or thread at a time. Destroying it destroys the body where it
// stands, as by an exception. One allocation for each generator, which compilers may elide.
template <class T>
class [[nodiscard]] Generator {
  using Value = std::remove_cvref_t<T>;
  using Reference = std::conditional_t<std::is_reference_v<T>, T, T&>;

 public:
  class Iterator;

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
    void unhandled_exception() { JOBS_RETHROW; }  // to whoever asked; the generator is at its end then
    void await_transform() = delete;              // waits need no co_await here

   private:
    friend class Generator::Iterator;
    std::remove_reference_t<Reference>* value_ = nullptr;
  };

  class Iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = Value;
    using difference_type = std::ptrdiff_t;

    Iterator() noexcept = default;
    Reference operator*() const noexcept { return static_cast<Reference>(*body_.promise().value_); }
    // Runs the body to its next element. Throws what the body throws; it is at its end then.
    Iterator& operator++() {
      body_.resume();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& at, std::default_sentinel_t) noexcept { return at.body_.done(); }

   private:
    friend Generator;
    explicit Iterator(std::coroutine_handle<promise_type> body) noexcept : body_(body) {}
    std::coroutine_handle<promise_type> body_;
  };

  Generator(Generator&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
  Generator& operator=(Generator other) noexcept {
    std::swap(body_, other.body_);
    return *this;
  }
  JOBS_TAG_OF_MODE ~Generator() {
    if (body_) body_.destroy();
  }

  // Once: runs the body to its first element.
  Iterator begin() {
    body_.resume();
    return Iterator(body_);
  }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  using Handle = std::coroutine_handle<promise_type>;
  explicit Generator(Handle body) noexcept : body_(body) {}
  Handle body_;
};

}  // namespace jobs::inline JOBS_ABI
