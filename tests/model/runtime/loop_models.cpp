// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A complete loop on worker contexts, between which their owners steal. Each iteration runs once.
// The call returns after all iterations have ended, and sees their effects. No thread accesses the
// loop, or a part of it, after its end.
#include "jobs/runtime/parallel/loop.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using detail::Atomic;
using detail::Plain;
using detail::WorkerContext;

template <std::size_t kLanes>
class Workers {
 public:
  WorkerContext& context(std::size_t index) {
    detail::this_thread().context = &contexts_[index];
    return contexts_[index];
  }
  void end() { is_over_.store(true, std::memory_order_relaxed); }
  // The loop of a worker until the end: it runs its own jobs first, then stolen ones.
  void serve(std::size_t index) {
    context(index);
    while (!is_over_.load(std::memory_order_relaxed)) {
      if (detail::Job* const job = take(index)) {
        job->run();
      } else {
        detail::cpu_relax();
      }
    }
  }

 private:
  detail::Job* take(std::size_t index) {
    detail::Job* job = contexts_[index].pop();
    for (std::size_t i = 1; i < kLanes && job == nullptr; ++i)
      job = contexts_[(index + i) % kLanes].steal();
    return job;
  }

  std::array<WorkerContext, kLanes> contexts_;
  Atomic<bool> is_over_{false};
};

// The iterations access plain data: two runs of one iteration, or a call that returns too early,
// are data races.
template <std::size_t kIterations, std::size_t kLanes>
void call(Workers<kLanes>& workers) {
  std::array<Plain<int>, kIterations> runs{};
  {
    auto chunk = [&runs](std::uint64_t begin, std::uint64_t end) {
      for (; begin < end; ++begin) runs[begin] += 1;
    };
    detail::LoopState loop;
    detail::run_range(loop, workers.context(0), 0, kIterations, detail::ChunkSize::fixed(1), chunk);
  }
  for (const Plain<int>& run : runs) check(run == 1, "each iteration runs once");
  workers.end();
}

// The caller and one thief. Each may split its range again.
void two_workers() {
  Workers<2> workers;
  run_threads([&] { call<3>(workers); }, [&] { workers.serve(1); });
}

// A thief's thief: the caller waits for a worker to which it has given nothing.
void three_workers() {
  Workers<3> workers;
  run_threads([&] { call<3>(workers); }, [&] { workers.serve(1); }, [&] { workers.serve(2); });
}

}  // namespace

const Subject& subject() {
  static const Subject loops = {
      .headers = {"jobs/runtime/parallel/loop.hpp", "jobs/runtime/parallel/loop_state.hpp",
                  "jobs/runtime/job/job.hpp"},
      .not_shown = {{"kLink", "[job.2]: nobody takes the job for whose end the call waits"},
                    {"kRun", "as kLink"}},
      .models =
          {
              {"two_workers", two_workers, {.preemptions = 2}},
              {"three_workers", three_workers, {.preemptions = 1}},
          },
  };
  return loops;
}

}  // namespace jobs::model
