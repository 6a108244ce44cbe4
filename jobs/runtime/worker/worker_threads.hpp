// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WorkerThreads: the threads that the scheduler starts for its workers. Shared owns it. Only the
// constructing and the stopping thread start and join threads. Any thread of the scheduler may move
// threads that have not begun to another CPU.
//
// Reason: a kernel may start a thread on the CPU of its creator although another CPU idles
// (Worker::migrate_off_busy_cpu() has the reason). The new thread would wait there for
// milliseconds. So the first push after the start moves all threads that have not begun.
//
// States of `moves_`: kEnded → kAllowed → kUnderWay → kEnded, or without kUnderWay.
//   step 1  allow_moves() sets kAllowed, once all threads are started.
//   step 2  The first thread that pushes a job sets kUnderWay, moves the threads and sets kEnded.
//   step 3  end_moves() sets kEnded. If a move is under way, it waits for its end first.
// So no thread is moved after it has been joined.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jobs/base/atomic.hpp"
#include "jobs/base/heap_vector.hpp"
#include "jobs/base/thread.hpp"

namespace jobs::inline JOBS_ABI::detail {

class WorkerRemote;

namespace threads_order {
// [worker_threads.1] Each move of a thread happens before the join of this thread.
JOBS_ORDER(kMoved, release);  // partner: kMove
JOBS_ORDER(kMove, acquire);   // partner: kMoved
}  // namespace threads_order

class WorkerThreads {
 public:
  // --- the scheduler ---
  // Starts another thread. Throws std::system_error, std::bad_alloc.
  template <class Main>
  void start(Main&& main) {
    threads_.emplace_back(std::forward<Main>(main));
  }
  // Allows moves of the threads until they begin.
  // pre: all threads are started, and the kernel chooses their CPUs.
  void allow_moves() noexcept { moves_.store(Moves::kAllowed, std::memory_order_relaxed); }
  // Waits for a move that is under way, and prevents further moves.
  void end_moves() noexcept;
  std::size_t size() const noexcept { return threads_.size(); }
  void join() noexcept;

  // --- any thread of the scheduler ---
  // Returns whether move_new() has something to do. The result may be stale.
  bool are_moves_allowed() const noexcept {
    return moves_.load(std::memory_order_relaxed) == Moves::kAllowed;
  }
  // Moves the threads that have not begun, once. WorkerContext::publish() calls it after a push.
  // `workers`: the workers of all threads, in the order of start().
  void move_new(std::span<WorkerRemote* const> workers) noexcept;

 private:
  enum class Moves : std::uint32_t { kAllowed, kUnderWay, kEnded };

  HeapVector<Thread> threads_;
  Atomic<Moves> moves_{Moves::kEnded};
};

}  // namespace jobs::inline JOBS_ABI::detail
