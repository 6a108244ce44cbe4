// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WorkerRemote: the part of a worker that other threads use: its lane (to steal from), its sleeper (to send messages to) and what it
// publishes about itself. Base class of Worker, which owns it; Shared lists the remotes of all workers.
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"
#include "jobs/runtime/parking/coalesced_message.hpp"
#include "jobs/runtime/parking/idle.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail {

class WorkerRemote {
 public:
  WorkerRemote(const WorkerRemote&) = delete;
  WorkerRemote& operator=(const WorkerRemote&) = delete;

  // --- any thread ---
  Lane& lane() noexcept { return lane_; }
  const Lane& lane() const noexcept { return lane_; }
  Sleeper& sleeper() noexcept { return sleeper_; }
  unsigned index() const noexcept { return index_; }
  // The worker is the bound thread.
  bool is_main() const noexcept { return is_main_; }
  // Makes the worker check whether it must rest or may work again. Call it after the change.
  void tell_change() noexcept { change_.post(sleeper_.inbox); }
  // The worker sleeps because it is surplus. A hint.
  bool is_resting() const noexcept { return resting_.load(std::memory_order_relaxed); }
  // The worker has nothing to do and keeps searching because of a HotRegion. A hint.
  bool is_hot() const noexcept { return hot_.load(std::memory_order_relaxed); }
  // 0: the worker has not started.
  os::ThreadId thread() const noexcept { return thread_.load(std::memory_order_relaxed); }

 protected:
  // `home`, `worker`: the worker itself, as the host of its fibers and for its lane.
  WorkerRemote(Shared& shared, Idle& idle, Worker* worker, FiberHost& home, unsigned index, bool is_main,
               bool has_thieves, os::Node node)
      : index_(index), is_main_(is_main), lane_(shared, idle, worker, has_thieves, node), sleeper_(home) {}
  ~WorkerRemote() = default;

  const unsigned index_;
  const bool is_main_;
  Lane lane_;
  Sleeper sleeper_;
  Notice change_;
  // The worker itself writes these.
  Atomic<bool> resting_{false};
  Atomic<bool> hot_{false};
  Atomic<os::ThreadId> thread_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
