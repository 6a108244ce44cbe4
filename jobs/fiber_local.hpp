// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberLocal<T>: a variable of which every Fiber has its own, as thread_local gives one to every thread. (A thread_local is shared
// by all fibers of a worker.)
//
//   jobs::FiberLocal<std::string> last_error;                 // usually a global
//   ... *last_error = "no such page"; ...
//
// Only Fibers have them. A plain job has nothing that would end with it without a cost for every job: Error(kBadArgument).
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
// Of the Fiber that runs the caller. Throws Error(kBadArgument) if there is none.
JOBS_EXPORT std::unique_ptr<LocalValue>& current_local(std::uint64_t key);

}  // namespace detail

// May be used by any number of fibers at the same time, each of which sees its own value. A value is made at the fiber's first use and
// destroyed at its end, on it, the last one first, even if the FiberLocal is gone by then: its type must not need it.
// Cost: a search among the locals that the fiber has used, in the order of their first use; one allocation at the first use.
template <class T>
class FiberLocal {
 public:
  // Values begin as T().
  FiberLocal() requires std::default_initializable<T> : FiberLocal([] { return T(); }) {}
  // Values begin as make(), which is called on the fiber.
  template <class F>
  requires std::is_invocable_r_v<T, const F&>
  explicit FiberLocal(F make) : make_(std::move(make)) {}
  FiberLocal(const FiberLocal&) = delete;
  FiberLocal& operator=(const FiberLocal&) = delete;

  // Throws Error(kBadArgument) outside of a Fiber, std::bad_alloc, what make() throws.
  JOBS_TAG_OF_MODE T& operator*() const { return get(); }
  JOBS_TAG_OF_MODE T* operator->() const { return &get(); }

 private:
  struct JOBS_TAG_OF_MODE Value final : detail::LocalValue {
    explicit Value(const std::function<T()>& make) : value(make()) {}
    T value;
  };

  JOBS_TAG_OF_MODE T& get() const {
    if (const auto& known = detail::current_local(key_)) return static_cast<Value&>(*known).value;
    auto fresh = std::make_unique<Value>(make_);  // may use other locals, and so move them
    T& value = fresh->value;
    detail::current_local(key_) = std::move(fresh);
    return value;
  }

  const std::function<T()> make_;
  const std::uint64_t key_ = detail::next_local_key();
};

}  // namespace jobs::inline JOBS_ABI
