// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WorkerThreads: the threads that the scheduler starts for its workers. The scheduler starts and joins them; any thread of the scheduler
// may move those that have not begun to another CPU.
//
// A kernel may start a thread on the CPU of its creator although another CPU idles (Worker::settle() has the reason). The new thread would
// wait there for milliseconds. So the first push after the start moves all threads that have not begun.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jobs/base/atomic.hpp"
#include "jobs/base/thread.hpp"

namespace jobs::inline JOBS_ABI::detail {

class WorkerRemote;

namespace threads_order {
JOBS_ORDER(kMoved, release);  // [S8] threads have been moved before they are joined; partner: kMove
JOBS_ORDER(kMove, acquire);   // [S8] partner: kMoved
}  // namespace threads_order

class WorkerThreads {
 public:
  // --- the scheduler ---
  // Starts one thread more. Throws std::system_error, std::bad_alloc.
  template <class Main>
  void start(Main&& main) {
    threads_.emplace_back(std::forward<Main>(main));
  }
  // All threads are started, and the kernel chooses their CPUs: they may be moved until they begin.
  void allow_moves() noexcept { moves_.store(Moves::kAllowed, std::memory_order_relaxed); }
  // Ends the moves: waits for one that is under way, and prevents further ones.
  void end_moves() noexcept;
  std::size_t size() const noexcept { return threads_.size(); }
  void join() noexcept;

  // --- any thread of the scheduler ---
  // After a push: moves the threads that have not begun, once. `workers`: of all threads, in the order of start().
  void move_new(std::span<WorkerRemote* const> workers) noexcept {
    if (moves_.load(std::memory_order_relaxed) == Moves::kAllowed) [[unlikely]]
      move_all(workers);
  }

 private:
  enum class Moves : std::uint32_t { kAllowed, kUnderWay, kEnded };

  void move_all(std::span<WorkerRemote* const> workers) noexcept;

  std::vector<Thread> threads_;
  Atomic<Moves> moves_{Moves::kEnded};
};

}  // namespace jobs::inline JOBS_ABI::detail
