// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/worker_threads.hpp"

#include "jobs/base/os.hpp"
#include "jobs/base/spin.hpp"
#include "jobs/runtime/worker/worker_remote.hpp"

namespace jobs::inline JOBS_ABI::detail {

void WorkerThreads::end_moves() noexcept {
  Spin spin;
  for (Moves seen = Moves::kAllowed;  // An external participant may be moving the threads.
       !moves_.compare_exchange_strong(seen, Moves::kEnded, threads_order::kMove,
                                       threads_order::kMove) &&
       seen != Moves::kEnded;
       seen = Moves::kAllowed) {
    spin.once();
  }
}

void WorkerThreads::join() noexcept {
  for (Thread& thread : threads_) thread.join();
  threads_.clear();
}

JOBS_COLD void WorkerThreads::move_new(std::span<WorkerRemote* const> workers) noexcept {
  Moves seen = Moves::kAllowed;
  if (!moves_.compare_exchange_strong(seen, Moves::kUnderWay, threads_order::kMove,
                                      threads_order::kMove))
    return;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (workers[i]->thread() == 0) os::move_thread(threads_[i].native_handle(), os::current_cpu());
  }
  moves_.store(Moves::kEnded, threads_order::kMoved);
}

}  // namespace jobs::inline JOBS_ABI::detail
