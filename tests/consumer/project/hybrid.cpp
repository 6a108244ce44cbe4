// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A user's program with jobs::tbb: a loop of jobs fills a container of oneTBB. Returns 0 if it
// does.
#include <tbb/concurrent_queue.h>
#include <tbb/parallel_for.h>

#include <jobs/scheduler.hpp>
#include <type_traits>

static_assert(std::is_same_v<tbb::task_group, jobs::tbb::task_group>);

int main() {
  tbb::concurrent_queue<int> queue;
  tbb::parallel_for(0, 100, [&](int i) { queue.push(i); });
  return queue.unsafe_size() == 100 ? 0 : 1;
}
