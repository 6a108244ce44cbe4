// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// UniqueFunction<R(Args...)>: a callable object that owns its target. It can be moved but not
// copied, so its target may hold a promise or a file.
//
// - A closure that fits into the object and cannot throw when it is moved is stored inside, without
//   an allocation. Other closures are on the heap, with the alignment that they need.
// - Moving a UniqueFunction never throws. Its target is destroyed exactly once.
// - A call of an empty UniqueFunction prints an error message and aborts.
//
// Not thread-safe: only its owner may use it. Constness is not passed on to the target.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "jobs/base/config.hpp"
#include "jobs/base/heap.hpp"

namespace jobs::inline JOBS_ABI::detail {

[[noreturn]] JOBS_COLD inline void call_of_empty_function() noexcept {
  std::fputs("jobs: call of an empty UniqueFunction\n", stderr);
  std::abort();
}

// Operations that depend on the type of the target.
template <class R, class... Args>
struct FunctionOperations {
  R (*call)(void* storage, Args&&... args);
  void (*move)(void* from, void* to) noexcept;  // leaves no object at `from`
  void (*destroy)(void* storage) noexcept;
};

template <class Signature, std::size_t kSize = 64>
class UniqueFunction;

// kSize is the size of the whole object; one pointer of it is not available to the target.
template <class R, class... Args, std::size_t kSize>
class UniqueFunction<R(Args...), kSize> {
  using Operations = FunctionOperations<R, Args...>;

 public:
  static constexpr std::size_t kCapacity = kSize - sizeof(const Operations*);

  // Whether a target of type F is stored inside the object.
  template <class F>
  static constexpr bool kInside =
      sizeof(F) <= kCapacity && alignof(F) <= alignof(std::max_align_t) &&
      std::is_nothrow_move_constructible_v<F>;

  UniqueFunction() noexcept = default;

  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, UniqueFunction> &&
             std::is_invocable_r_v<R, std::decay_t<F>&, Args...> &&
             std::constructible_from<std::decay_t<F>, F>)
  UniqueFunction(F&& target) {  // NOLINT(google-explicit-constructor): as std::function
    using Target = std::decay_t<F>;
    if constexpr (kInside<Target>) {
      std::construct_at(reinterpret_cast<Target*>(storage_), std::forward<F>(target));
      operations_ = &kInsideOperations<Target>;
    } else {
      std::construct_at(reinterpret_cast<OnHeap<Target>**>(storage_),
                        new OnHeap<Target>(std::forward<F>(target)));
      operations_ = &kHeapOperations<Target>;
    }
  }

  UniqueFunction(UniqueFunction&& other) noexcept { take(other); }
  UniqueFunction& operator=(UniqueFunction&& other) noexcept {
    // Destroyed last, because its destructor may access *this.
    UniqueFunction old(std::move(*this));
    take(other);
    return *this;
  }
  UniqueFunction(const UniqueFunction&) = delete;
  UniqueFunction& operator=(const UniqueFunction&) = delete;
  ~UniqueFunction() { operations_->destroy(storage_); }

  explicit operator bool() const noexcept { return operations_ != &kEmpty; }

  R operator()(Args... args) { return operations_->call(storage_, std::forward<Args>(args)...); }

 private:
  template <class Target>
  static Target& inside(void* storage) noexcept {
    return *std::launder(reinterpret_cast<Target*>(storage));
  }

  template <class Target>
  static R invoke_target(Target& target, Args&&... args) {
    if constexpr (std::is_void_v<R>) {
      std::invoke(target, std::forward<Args>(args)...);
    } else {
      return std::invoke(target, std::forward<Args>(args)...);
    }
  }

  void take(UniqueFunction& other) noexcept {
    other.operations_->move(other.storage_, storage_);
    operations_ = std::exchange(other.operations_, &kEmpty);
  }

  static constexpr Operations kEmpty{
      .call = [](void*, Args&&...) -> R { call_of_empty_function(); },
      .move = [](void*, void*) noexcept {},
      .destroy = [](void*) noexcept {},
  };

  template <class Target>
  static constexpr Operations kInsideOperations{
      .call = [](void* storage, Args&&... args) -> R {
        return invoke_target(inside<Target>(storage), std::forward<Args>(args)...);
      },
      .move =
          [](void* from, void* to) noexcept {
            Target& target = inside<Target>(from);
            std::construct_at(static_cast<Target*>(to), std::move(target));
            std::destroy_at(&target);
          },
      .destroy = [](void* storage) noexcept { std::destroy_at(&inside<Target>(storage)); },
  };

  template <class Target>
  static constexpr Operations kHeapOperations{
      .call = [](void* storage, Args&&... args) -> R {
        return invoke_target(inside<OnHeap<Target>*>(storage)->value, std::forward<Args>(args)...);
      },
      .move =
          [](void* from, void* to) noexcept {
            std::construct_at(static_cast<OnHeap<Target>**>(to), inside<OnHeap<Target>*>(from));
          },
      .destroy = [](void* storage) noexcept { delete inside<OnHeap<Target>*>(storage); },
  };

  alignas(std::max_align_t) std::byte storage_[kCapacity];
  const Operations* operations_ = &kEmpty;
};

}  // namespace jobs::inline JOBS_ABI::detail
