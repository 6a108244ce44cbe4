// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The team of a loop: workers that divide the iterations among themselves by a state that they
// share. Internal to the loops.
//
// Owner: the frame of the call, which waits until all members have returned. Each member runs once,
// on the call's thread or on a thief. It takes parts of the loop until none is left, and runs each
// by run_team_part(). A recorder sees each part as a chunk.
//
// The call publishes all other members before it runs the first one: half of them, then half of the
// rest, and so on. A thief does the same with its half. Therefore n members run at a time if n
// workers take part.
//
// Rejected: run_range() over the members. Its threads publish the next part between two chunks, and
// a member is one chunk: of 16 members, 5 ran at a time.
#pragma once

#include <cstdint>
#include <exception>
#include <utility>
#include <variant>

#include "jobs/fiber/current.hpp"
#include "jobs/runtime/job/job_result.hpp"
#include "jobs/runtime/parallel/fork_join.hpp"
#include "jobs/runtime/parallel/loop.hpp"
#include "jobs/runtime/parallel/loop_state.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

// Calls member() `size` times. Returns when all calls have ended. Owner of `context` only.
// pre: size > 0; member() does not throw.
template <class Member>
void run_team(WorkerContext& context, std::uint64_t size, Member& member) {
  if (size == 1) return member();
  const std::uint64_t half = size / 2;
  auto second = [&member, half] { run_team(*this_context(), half, member); };
  fork_two(
      context,
      [&context, &member, rest = size - half] {
        run_team(context, rest, member);
        return std::monostate();
      },
      second, [](std::monostate, std::monostate) { return std::monostate(); });
}

// The loop of a team begins. The call's thread, before other threads have parts.
inline void begin_team(LoopState& loop, const WorkerContext& caller) noexcept {
  if (!caller.is_traced()) [[likely]]
    return;
  loop.trace_chunks();
  trace_loop(&loop, true);
}
// All members have returned. The call's thread. Rethrows as LoopState::rethrow().
inline void end_team(LoopState& loop) {
  if (loop.is_traced()) [[unlikely]]
    trace_loop(&loop, false);
  loop.rethrow();
}

// A member has run its last part.
inline void end_team_parts(const LoopState& loop) noexcept {
  if (loop.is_traced()) [[unlikely]]
    trace_chunk(&loop, 0, false);
}

// Calls part(), the iterations of a loop from `begin` on, after a critical job if one waits. If the
// part throws, the loop is cancelled, and LoopState::rethrow() has the exception. Returns false,
// without a call, if the loop is cancelled. A member calls it for each of its parts.
template <class Part>
bool run_team_part(LoopState& loop, std::uint64_t begin, Part&& part) noexcept {
  if (loop.is_special()) [[unlikely]] {
    if (loop.is_cancelled()) return false;
    trace_chunk(&loop, begin, true);
  }
  WorkerContext& context = *this_context();
  if (context.critical().load(loop_order::kCritical) != 0) [[unlikely]]
    context.yield_to_critical();
  run_guarded(part, [&](std::exception_ptr exception) {
    loop.cancel();
    loop.fail(begin, std::move(exception));
  });
  return true;
}

}  // namespace jobs::inline JOBS_ABI::detail
