// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::SharedSpinLock, a reader-writer spin lock. jobs.hpp does not include it.
//
// State: one word has the number of readers, and the bit of the writer.
// step 1: A writer sets its bit. No reader and no other writer enters from then on.
// step 2: The writer waits until no reader is inside. Only the readers change the word meanwhile.
// step 3: The writer stores 0, because no reader is inside. A writer that waits in step 1 sets the
//         bit that is set already, so this store takes nothing from it.
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/base/thread_safety.hpp"
#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail::shared_spin_lock_order {
// [shared_spin_lock.1] A writer or a reader sees the section of the writer before it.
JOBS_ORDER(kLock, acquire);        // partners: kUnlock, kUnlockShared
JOBS_ORDER(kLockShared, acquire);  // partner: kUnlock
JOBS_ORDER(kUnlock, release);      // partners: kLock, kLockShared
// [shared_spin_lock.2] A writer enters after the sections of all readers.
JOBS_ORDER(kUnlockShared, release);  // partners: kSeeReaders, kLock
JOBS_ORDER(kSeeReaders, acquire);    // partner: kUnlockShared
// A guess: decides whether to try, and checks the owner against the caller only.
JOBS_ORDER(kGuess, relaxed);
}  // namespace detail::shared_spin_lock_order

/// Reader-writer spin lock: one writer or any number of readers, for sections of a few
/// instructions that never wait.
///
/// Meets *Lockable* and *SharedLockable* of the standard, so `std::scoped_lock` and
/// `std::shared_lock` accept it. A waiter computes in a loop on its worker, as for a
/// jobs::SpinLock. Readers modify one word, so the lock pays if readers would otherwise exclude
/// each other for longer than an exchange takes. Use a jobs::SharedMutex for longer sections.
///
/// A writer that waits keeps new readers out, so readers do not starve writers. A steady stream of
/// writers starves readers. A reader must not call lock_shared() again: a writer between the two
/// calls would wait for the first lock, and the second call would wait for the writer.
///
/// A wait that has to suspend or park inside of a section aborts, in every build. These calls
/// abort, too: lock() and lock_shared() by the writer, unlock() by a thread that is not the writer,
/// and unlock_shared() by a thread without a spin lock or without a reader inside.
///
/// @snippet sync.cpp shared_spin_lock
class JOBS_CAPABILITY("shared_spin_lock") JOBS_EXPORT SharedSpinLock {
 public:
  /// Creates an unlocked spin lock.
  ///
  /// @complexity O(1), no allocation
  SharedSpinLock() noexcept = default;
  SharedSpinLock(const SharedSpinLock&) = delete;
  SharedSpinLock& operator=(const SharedSpinLock&) = delete;

  /// Locks for writing; spins while a writer or a reader is inside.
  ///
  /// A call by the writer aborts.
  ///
  /// @complexity one compare-and-swap if the lock is free
  /// @thread_safety any thread or fiber, concurrently
  void lock() noexcept JOBS_ACQUIRE() {
    if (!try_lock()) [[unlikely]]
      lock_contended();
  }

  /// Locks for writing if the lock is free.
  ///
  /// @returns true if the caller is the writer
  /// @complexity O(1), one compare-and-swap
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool try_lock() noexcept JOBS_TRY_ACQUIRE(true) {
    std::uint32_t free = 0;
    if (!word_.compare_exchange_strong(free, kWriter, detail::shared_spin_lock_order::kLock,
                                       detail::shared_spin_lock_order::kGuess))
      return false;
    locked();
    return true;
  }

  /// Ends the section of the writer.
  ///
  /// The next owner may destroy the lock at once. A call by another thread than the writer aborts.
  ///
  /// @complexity O(1), one store
  /// @thread_safety the writer only
  void unlock() noexcept JOBS_RELEASE() {
    detail::ThreadState& thread = detail::this_thread();
    if (writer_.load(detail::shared_spin_lock_order::kGuess) != &thread) [[unlikely]]
      not_the_writer();
    writer_.store(nullptr, detail::shared_spin_lock_order::kGuess);
    --thread.spin_locks;
    word_.store(0, detail::shared_spin_lock_order::kUnlock);
  }

  /// Locks for reading; spins while a writer is inside or waits.
  ///
  /// A call by the writer aborts.
  ///
  /// @complexity one compare-and-swap if no writer is inside and no other reader enters or leaves
  /// @thread_safety any thread or fiber, concurrently
  void lock_shared() noexcept JOBS_ACQUIRE_SHARED() {
    if (!try_lock_shared()) [[unlikely]]
      lock_shared_contended();
  }

  /// Locks for reading if no writer is inside or waits.
  ///
  /// @returns true if the caller is a reader; false also if another reader enters or leaves at the
  ///   same time
  /// @complexity O(1), one compare-and-swap
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool try_lock_shared() noexcept JOBS_TRY_ACQUIRE_SHARED(true) {
    std::uint32_t seen = word_.load(detail::shared_spin_lock_order::kGuess);
    if ((seen & kWriter) != 0 ||
        !word_.compare_exchange_strong(seen, seen + 1, detail::shared_spin_lock_order::kLockShared,
                                       detail::shared_spin_lock_order::kGuess))
      return false;
    ++detail::this_thread().spin_locks;
    return true;
  }

  /// Ends the section of a reader.
  ///
  /// The next writer may destroy the lock at once.
  ///
  /// @complexity O(1), one subtraction
  /// @thread_safety a thread that is a reader
  void unlock_shared() noexcept JOBS_RELEASE_SHARED() {
    detail::ThreadState& thread = detail::this_thread();
    const std::uint32_t seen = word_.load(detail::shared_spin_lock_order::kGuess);
    if (thread.spin_locks == 0 || (seen & ~kWriter) == 0) [[unlikely]]
      not_a_reader();
    --thread.spin_locks;
    word_.fetch_sub(1, detail::shared_spin_lock_order::kUnlockShared);
  }

 private:
  static constexpr std::uint32_t kWriter = std::uint32_t{1} << 31;  // inside or in step 2

  void locked() noexcept {
    detail::ThreadState& thread = detail::this_thread();
    writer_.store(&thread, detail::shared_spin_lock_order::kGuess);
    ++thread.spin_locks;
  }
  JOBS_NOINLINE void lock_contended() noexcept JOBS_NO_THREAD_SAFETY_ANALYSIS;
  JOBS_NOINLINE void lock_shared_contended() noexcept JOBS_NO_THREAD_SAFETY_ANALYSIS;
  void check_not_the_writer(const char* rule) const noexcept;
  [[noreturn]] JOBS_COLD void not_the_writer() const noexcept;
  [[noreturn]] JOBS_COLD void not_a_reader() const noexcept;

  detail::Atomic<std::uint32_t> word_{0};
  detail::Atomic<const void*> writer_{nullptr};
};

}  // namespace jobs::inline JOBS_ABI
