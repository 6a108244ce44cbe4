// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// An engine that keeps its own threads. The simulation thread becomes a worker while it simulates.
// The render thread owns the device; it takes part in its own loops as an external participant. A
// loader thread of another library hands its results over.
#include <iostream>
#include <optional>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"

namespace {

constexpr int kFrames = 100;

struct Frame {
  int number;
  std::vector<int> heights;
};

void simulate(jobs::Scheduler& scheduler, jobs::Channel<int>& loaded,
              jobs::Channel<Frame>& frames) {
  // The thread is a worker until the end of the function: it runs jobs while it waits.
  const jobs::ThreadBinding binding = scheduler.bind_current_thread();
  std::vector<int> heights;
  while (const std::optional<int> asset = loaded.pop()) heights.push_back(*asset);
  for (int number = 0; number < kFrames; ++number) {
    jobs::parallel_for(heights, [](int& height) { height += 1; });
    // Waits while the render thread is two frames behind.
    if (!frames.push({number, heights})) break;
  }
  frames.close();
}

long render(jobs::Scheduler& scheduler, jobs::Channel<Frame>& frames) {
  // Loops of this thread use this scheduler. The thread runs its share of them itself.
  const jobs::SchedulerScope scope(scheduler);
  long drawn = 0;
  while (const std::optional<Frame> frame = frames.pop())
    drawn += jobs::parallel_reduce(frame->heights, 0L);
  return drawn;
}

}  // namespace

int main() {
  jobs::Scheduler scheduler({.bound_threads = 1});
  jobs::Channel<int> loaded(16);
  jobs::Channel<Frame> frames(2);

  std::thread loader([&] {
    for (int asset = 0; asset < 1000 && loaded.push(asset);) ++asset;
    loaded.close();
  });
  long drawn = 0;
  std::thread renderer([&] { drawn = render(scheduler, frames); });
  std::thread simulation([&] { simulate(scheduler, loaded, frames); });
  loader.join();
  simulation.join();
  renderer.join();

  long expected = 0;
  for (int frame = 0; frame < kFrames; ++frame) {
    for (int asset = 0; asset < 1000; ++asset) expected += asset + frame + 1;
  }
  std::cout << "drawn: " << drawn << '\n';
  return drawn == expected ? 0 : 1;
}
