// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/parallel/priority_team.hpp"

#include <algorithm>

#include "jobs/fiber/current.hpp"
#include "jobs/runtime/parking/affine_jobs.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"
#include "jobs/spawn_options.hpp"

namespace jobs::inline JOBS_ABI::detail {

PriorityTeam::PriorityTeam(Priority priority, std::uint32_t helpers, ChunkSize size, Step step,
                           void* loop)
    : step_(step),
      loop_(loop),
      priority_(priority),
      helpers_(helpers),
      members_(helpers),
      gate_(helpers + 1) {
  for (std::uint32_t i = 0; i < helpers; ++i) {
    members_[i].team = this;
    members_[i].size = size;
  }
}

void PriorityTeam::run(WorkerContext& caller, Priority priority, std::uint64_t helpers,
                       ChunkSize size, Step step, void* loop) {
  Shared::check_priority(priority);
  const std::uint64_t others = caller.shared().worker_count() - (caller.is_external() ? 0 : 1);
  const auto count = static_cast<std::uint32_t>(std::min(helpers, others));
  PriorityTeam* const team =
      count != 0 ? new PriorityTeam(priority, count, size, step, loop) : nullptr;
  if (team != nullptr) team->submit(caller);
  while (step(loop, size)) {
  }
  if (team == nullptr) return;
  team->gate_.close();
  team->release(1);
}

// A scheduler that refuses the members leaves all parts to the caller.
void PriorityTeam::submit(WorkerContext& caller) noexcept {
  std::uint32_t submitted = 0;
  try {
    JobMessage unused;  // Only jobs for one worker need a message.
    for (; submitted < helpers_; ++submitted)
      caller.shared().submit_with_options(members_[submitted], unused, {.priority = priority_});
  } catch (...) {
    release(helpers_ - submitted);
  }
}

void PriorityTeam::execute(Job& job) {
  auto& member = static_cast<Member&>(job);
  PriorityTeam& team = *member.team;
  WorkerContext& context = *this_context();
  bool is_over = !team.gate_.enter();
  if (!is_over) {
    do {
      is_over = !team.step_(team.loop_, member.size);
    } while (!is_over && !team.gives_way(context));
    team.gate_.leave();
  }
  if (is_over) {
    team.release(1);
    context.finished.add(1);
    return;
  }
  JobMessage unused;
  context.shared().resubmit_with_options(member, unused, {.priority = team.priority_});
}

// Only members of lower priorities give way. Members of upper ones run critical jobs between parts.
bool PriorityTeam::gives_way(const WorkerContext& context) const noexcept {
  return priority_ > Priority::kNormal && context.worker()->has_work_before(priority_);
}

void PriorityTeam::release(std::uint32_t references) noexcept {
  if (gate_.release(references)) delete this;
}

}  // namespace jobs::inline JOBS_ABI::detail
