// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The backend of oneTBB, used as its documentation advises: an arena of the requested size, and
// parallel_for() with the default partitioner.
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>

#include "samples/frames/backend.hpp"

namespace frames {
namespace {

class TbbBackend final : public Backend {
 public:
  explicit TbbBackend(unsigned worker_count)
      : worker_count_(worker_count != 0 ? worker_count
                                        : static_cast<unsigned>(tbb::info::default_concurrency())),
        control_(tbb::global_control::max_allowed_parallelism, worker_count_),
        arena_(static_cast<int>(worker_count_)) {}

  std::string name() const override { return "tbb"; }
  unsigned worker_count() const override { return worker_count_; }
  // With a number, Embree would limit oneTBB in the whole process for the lifetime of the scene.
  // This backend sets the limit itself.
  unsigned builder_threads() const override { return 0; }
  void build(Scene& scene) override {
    arena_.execute([&] { scene.commit(); });
  }
  void for_each_tile(int tile_count, const std::function<void(int)>& render) override {
    arena_.execute([&] { tbb::parallel_for(0, tile_count, render); });
  }

 private:
  unsigned worker_count_;
  // Without it, the market would give an arena no more threads than there are cores.
  tbb::global_control control_;
  tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<Backend> make_tbb_backend(unsigned worker_count) {
  return std::make_unique<TbbBackend>(worker_count);
}

std::string tbb_version() { return TBB_runtime_version(); }

}  // namespace frames
