// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WorkerContext: a push wakes a sleeping worker, also a push that grows the deque or finds that the
// deque has room after all. The owner is busy: it takes no job itself. A model ends only if no
// wake-up is lost.
#include "jobs/runtime/worker/worker_context.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "jobs/runtime/worker/shared.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using detail::Shared;
using detail::WorkerContext;

struct Task : detail::Job {
  Task() : Job([](Job& job) { static_cast<Task&>(job).execute(); }) {}
  void execute() {
    check(!std::exchange(ran, true), "no job runs twice");
    check(input == 1, "the job sees what its pusher wrote");
  }

  detail::Plain<int> input{0};
  bool ran = false;
};

// Worker 0 pushes `kPushes` jobs while worker 1 serves. Its deque contains `kBefore` jobs already,
// and has contained `kGone` more; it has room for two.
template <std::size_t kGone, std::size_t kBefore, std::size_t kPushes>
void push_wakes() {
  Shared shared(2, kBefore + kPushes);
  WorkerContext& owner = shared.worker(0).context();
  Task gone;
  for (std::size_t i = 0; i < kGone; ++i) {
    owner.push(gone);
    check(owner.pop() == &gone, "no other thread takes it");
  }
  std::array<Task, kBefore + kPushes> tasks;
  const auto push = [&](std::size_t i) {
    tasks[i].input = 1;
    owner.push(tasks[i]);
  };
  for (std::size_t i = 0; i < kBefore; ++i) push(i);
  run_threads(
      [&] {
        for (std::size_t i = kBefore; i < kBefore + kPushes; ++i) push(i);
      },
      [&] { shared.serve(1); });
  for (const Task& task : tasks) check(task.ran, "every job has run");
}

}  // namespace

const Subject& subject() {
  static const Subject contexts = {
      .headers = {"jobs/runtime/worker/worker_context.hpp"},
      .not_shown = {},
      .models =
          {
              {"push", push_wakes<0, 0, 1>, {.preemptions = 2}},
              {"push_that_grows", push_wakes<0, 2, 1>, {.preemptions = 2}},
              {"push_that_finds_room", push_wakes<2, 0, 2>, {.preemptions = 2}},
              {"third_push_grows", push_wakes<0, 0, 3>, {.preemptions = 1}},
              {"push_that_grows_one_by_one",
               push_wakes<0, 2, 1>,
               {.preemptions = 1, .membarrier = Membarrier::kOneByOne}},
              {"push_that_grows_by_fences",
               push_wakes<0, 2, 1>,
               {.preemptions = 2, .membarrier = Membarrier::kRefused}},
          },
  };
  return contexts;
}

}  // namespace jobs::model
