// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SuspendedFibers: what a thread has noted about its fibers that wait, by the id of the fiber. A
// table with open addresses, because each switch adds one entry and removes another. It belongs to
// one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// `Note`: a type with a default value, which is cheap to move.
template <class Note>
class SuspendedFibers {
 public:
  // Adds or replaces the note of a fiber. Without memory, does nothing.
  void put(std::uint64_t fiber, const Note& note) noexcept {
    if (2 * (count_ + 1) > size_ && !grow()) return;
    Slot& slot = find(fiber);
    if (slot.key == 0) ++count_;
    slot = {.key = fiber + 1, .note = note};
  }
  // Removes the note of a fiber, and returns true. Returns false if there is none.
  bool take(std::uint64_t fiber, Note& note) noexcept {
    if (count_ == 0) return false;
    Slot* hole = &find(fiber);
    if (hole->key == 0) return false;
    note = hole->note;
    --count_;
    // Moves later entries of the same row forward, so that searches find them.
    for (std::size_t i = next(hole - slots_.get()); slots_[i].key != 0; i = next(i)) {
      const std::size_t distance = (i - home(slots_[i].key)) & (size_ - 1);
      const std::size_t gap = (i - static_cast<std::size_t>(hole - slots_.get())) & (size_ - 1);
      if (distance < gap) continue;
      *hole = slots_[i];
      hole = &slots_[i];
    }
    hole->key = 0;
    return true;
  }
  void clear() noexcept {
    for (std::size_t i = 0; i < size_; ++i) slots_[i].key = 0;
    count_ = 0;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;  // the id of the fiber, plus 1; 0: empty
    Note note;
  };
  static constexpr std::size_t kFirstSize = 64;

  std::size_t home(std::uint64_t key) const noexcept {
    return key * 0x9e3779b97f4a7c15 >> 32 & (size_ - 1);
  }
  std::size_t next(std::size_t i) const noexcept { return (i + 1) & (size_ - 1); }
  std::size_t next(std::ptrdiff_t i) const noexcept { return next(static_cast<std::size_t>(i)); }
  // Returns the slot of the fiber, or the empty slot for it.
  Slot& find(std::uint64_t fiber) noexcept {
    std::size_t i = home(fiber + 1);
    while (slots_[i].key != 0 && slots_[i].key != fiber + 1) i = next(i);
    return slots_[i];
  }
  JOBS_NOINLINE bool grow() noexcept {
    const std::size_t size = size_ != 0 ? 2 * size_ : kFirstSize;
    std::unique_ptr<Slot[]> larger(new (std::nothrow) Slot[size]);
    if (larger == nullptr) return 2 * count_ < size_;
    std::swap(slots_, larger);
    const std::size_t old = std::exchange(size_, size);
    for (std::size_t i = 0; i < old; ++i) {
      if (larger[i].key != 0) find(larger[i].key - 1) = larger[i];
    }
    return true;
  }

  std::unique_ptr<Slot[]> slots_;
  std::size_t size_ = 0;  // a power of two, or 0
  std::size_t count_ = 0;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
