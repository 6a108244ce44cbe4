// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Prepares stacks before their first use. Each stack goes to the StackPool of its size, from which
// any worker of the memory node takes it: the distribution of the fibers over the workers does not
// matter, and no worker takes part in the call.
#include "jobs/runtime/scheduler/prewarm.hpp"

#include <utility>

#include "jobs/base/heap_vector.hpp"
#include "jobs/base/message.hpp"
#include "jobs/error.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// A limit of 0 means that only the machine limits the number.
void check_limit(const StackLimit& limit, std::size_t fibers) {
  const std::size_t in_use = limit.in_use();
  if (limit.max() == 0 || (in_use <= limit.max() && fibers <= limit.max() - in_use)) return;
  MessageLine text;
  text << "prewarm(" << std::uint64_t{fibers} << "): " << std::uint64_t{in_use}
       << " stacks exist already, and SchedulerOptions::max_fibers = "
       << std::uint64_t{limit.max()};
  throw_error(ErrorCode::kNoStack, text);
}

}  // namespace

JOBS_COLD void SchedulerCore::prewarm(std::size_t fibers, std::size_t stack_size) {
  check_open();
  const StackClass stack_class = stack_size == 0 ? kLoopStack : class_of_size(stack_size);
  const bool is_loop = workers_[0]->fibers().runs_on_loop(stack_class);
  check_limit(stacks_.of_any().limit(), fibers);
  // The number of workers of each memory node that has some.
  HeapVector<std::pair<StackAllocator*, std::size_t>> nodes;
  for (unsigned i = 0; i < worker_count(); ++i) {
    StackAllocator& stacks = stacks_.of(node_of(i));
    auto node = nodes.begin();
    while (node != nodes.end() && node->first != &stacks) ++node;
    if (node == nodes.end()) node = nodes.insert(node, {&stacks, 0});
    ++node->second;
  }
  for (const auto& [stacks, workers] : nodes) {
    const std::size_t share = nodes.size() == 1 ? fibers : (fibers / worker_count() + 1) * workers;
    (is_loop ? stacks->loops() : stacks->of(stack_class)).prewarm(share);
  }
}

void prewarm(Shared& shared, std::size_t fibers, std::size_t stack_size) {
  SchedulerCore::of(shared).prewarm(fibers, stack_size);
}

}  // namespace jobs::inline JOBS_ABI::detail
