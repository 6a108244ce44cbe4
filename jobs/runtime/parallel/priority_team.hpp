// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PriorityTeam: the members of a loop with a priority. The caller of the loop runs parts itself,
// and queues one job of that priority for each worker that may help. Internal to the loops.
//
// Owner: the caller and the members, by the references of the gate; the last of them destroys the
// team. A member may begin after the end of the loop, because upper jobs go first: the caller waits
// only for members that run (team_gate.hpp). The loop itself lies in the frame of the caller.
//
// A member of a lower priority gives way between two parts: if its worker has other work, or
// another worker has jobs, it leaves the loop and queues itself again. A member runs at least one
// part at a time, so the loop advances.
//
// Rejected: the lazy splitting of run_range() with parts in the shared queues. A thief of a private
// deque takes half of a range; a queued part that never starts would keep it from the caller.
#pragma once

#include <cstdint>

#include "jobs/base/heap.hpp"
#include "jobs/priority.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/parallel/chunk_size.hpp"
#include "jobs/runtime/parallel/team_gate.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail {

class PriorityTeam : public HeapObject<PriorityTeam> {
 public:
  // Takes and runs the next part of a loop. Returns false if none is left.
  using Step = bool (*)(void* loop, ChunkSize& size) noexcept;

  // Calls step(loop) on the calling thread and on at most `helpers` workers until it returns false.
  // Returns when no call runs. Owner of `caller` only. Throws Error(kBadArgument), std::bad_alloc;
  // then no call has been made.
  JOBS_EXPORT static void run(WorkerContext& caller, Priority priority, std::uint64_t helpers,
                              ChunkSize size, Step step, void* loop);

 private:
  struct Member : Job {
    Member() noexcept : Job(&PriorityTeam::execute) {}
    PriorityTeam* team = nullptr;
    ChunkSize size = ChunkSize::automatic();
  };

  PriorityTeam(Priority priority, std::uint32_t helpers, ChunkSize size, Step step, void* loop);
  static void execute(Job& job);
  void submit(WorkerContext& caller) noexcept;
  void release(std::uint32_t references) noexcept;
  bool gives_way(const WorkerContext& context) const noexcept;

  const Step step_;
  void* const loop_;
  const Priority priority_;
  const std::uint32_t helpers_;
  const HeapArray<Member> members_;
  TeamGate gate_;
};

}  // namespace jobs::inline JOBS_ABI::detail
