// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The backend of jobs: a scheduler of its own, and parallel_for() over the tiles.
#include "jobs/jobs.hpp"
#include "samples/frames/backend.hpp"

namespace frames {
namespace {

class JobsBackend final : public Backend {
 public:
  explicit JobsBackend(unsigned worker_count)
      : scheduler_({.worker_count = worker_count, .bind_caller = true}) {}

  std::string name() const override { return "jobs"; }
  unsigned worker_count() const override { return scheduler_.worker_count(); }

  unsigned builder_threads() const override { return worker_count(); }
  // Embree's builder is a oneTBB program. It blocks each joining thread until the build is done. It
  // also lets a thread steal only on a stack that oneTBB knows as the thread's own, which a fiber's
  // stack is not. Therefore the build gets as many threads as there are workers; the workers sleep
  // meanwhile.
  void build(Scene& scene) override {
    scheduler_.run([&] {
      jobs::Counter built;
      for (unsigned i = 0; i < worker_count(); ++i) {
        jobs::spawn(built, [&scene] { jobs::blocking([&scene] { scene.join_commit(); }); });
      }
      built.wait();
    });
  }

  // A tile justifies a job of its own: it takes about 1 to 30 ms.
  void for_each_tile(int tile_count, const std::function<void(int)>& render) override {
    scheduler_.run([&] { jobs::parallel_for(0, tile_count, render, jobs::Grain{1}); });
  }

  std::optional<std::uint64_t> steal_count() const override { return scheduler_.stats().steals; }

 private:
  jobs::Scheduler scheduler_;
};

}  // namespace

std::unique_ptr<Backend> make_jobs_backend(unsigned worker_count) {
  return std::make_unique<JobsBackend>(worker_count);
}

}  // namespace frames
