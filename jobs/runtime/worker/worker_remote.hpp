// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WorkerRemote: the part of a worker that other threads use. It has the WorkerContext, from which
// thieves steal; the Parker, which receives messages; and figures that the worker publishes about
// itself.
//
// It is a base class of Worker, which owns it. Shared lists the remotes of all workers. Any thread
// may call the public functions; functions of the WorkerContext and the Parker have rules of their
// own.
#pragma once

#include "jobs/base/affinity.hpp"
#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"
#include "jobs/runtime/parking/coalesced_message.hpp"
#include "jobs/runtime/parking/idle.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace pause_order {
// [worker_remote.1] A thread that sees the pause sees all pushes of the worker before it.
JOBS_ORDER(kBeginPause, release);  // partner: kSeePause
JOBS_ORDER(kSeePause, acquire);    // partner: kBeginPause
}  // namespace pause_order

class WorkerRemote {
 public:
  WorkerRemote(const WorkerRemote&) = delete;
  WorkerRemote& operator=(const WorkerRemote&) = delete;

  // --- any thread ---
  WorkerContext& context() noexcept { return context_; }
  const WorkerContext& context() const noexcept { return context_; }
  Parker& parker() noexcept { return parker_; }
  unsigned index() const noexcept { return index_; }
  // Returns whether the worker is for a bound thread.
  bool is_main() const noexcept { return is_main_; }
  // Returns whether the worker is for a bound thread, and no thread is bound. A hint.
  bool is_vacant() const noexcept { return is_main_ && thread() == 0; }
  // Makes the worker check whether it must retire or may work again. The caller has made the change
  // before the call.
  void notify_change() noexcept { change_message_.post(parker_.inbox); }
  // Returns whether the worker sleeps because it is an excess worker. A hint.
  bool is_retired() const noexcept { return retired_.load(std::memory_order_relaxed); }
  // Returns whether the worker has no work and keeps searching because of a ParallelPhase. A hint.
  bool is_spinning() const noexcept { return spinning_.load(std::memory_order_relaxed); }
  // Returns whether the worker pauses between two jobs (Worker::pause_after_theft). Its deque is
  // empty then.
  bool is_pausing() const noexcept { return pausing_.load(pause_order::kSeePause); }
  // The id of the thread; 0 if the worker has not started.
  os::ThreadId thread() const noexcept { return thread_.load(std::memory_order_relaxed); }

 protected:
  // `home`, `worker`: the worker itself, as the host of its fibers and for its WorkerContext.
  WorkerRemote(Shared& shared, Idle& idle, Worker* worker, FiberHost& home, unsigned index,
               bool is_main, bool has_thieves, os::Node node)
      : index_(index),
        is_main_(is_main),
        context_(shared, idle, worker, has_thieves, node),
        parker_(home) {}
  ~WorkerRemote() = default;

  const unsigned index_;
  const bool is_main_;
  WorkerContext context_;
  Parker parker_;
  CoalescedMessage change_message_;
  // Only the worker itself writes these members.
  Atomic<bool> retired_{false};
  Atomic<bool> spinning_{false};
  Atomic<bool> pausing_{false};
  Atomic<os::ThreadId> thread_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
