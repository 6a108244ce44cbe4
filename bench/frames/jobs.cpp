// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The picture by jobs::parallel_for(), one tile at a time: by the backend of samples/frames, which
// binds the calling thread, or by free functions.
#include "bench/frames/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::frames {
namespace {

class ExternalBackend final : public ::frames::Backend {
 public:
  std::string name() const override { return "jobs, external"; }
  unsigned worker_count() const override { return jobs::worker_count(); }
  unsigned builder_threads() const override { return worker_count(); }
  // As in samples/frames: Embree's builder blocks each joining thread.
  void build(::frames::Scene& scene) override {
    jobs::Counter built;
    for (unsigned i = 0; i < worker_count(); ++i) {
      jobs::spawn(built, [&scene] { jobs::blocking([&scene] { scene.join_commit(); }); });
    }
    built.wait();
  }
  void for_each_tile(int tile_count, const std::function<void(int)>& render) override {
    jobs::parallel_for(0, tile_count, render, jobs::Grain{1});
  }
};

}  // namespace

Figures on_jobs(const Conditions& conditions) {
  if (conditions.form == Form::kBound)
    return {picture_ns(*::frames::make_jobs_backend(conditions.workers), conditions)};
  return inside_jobs(conditions, [&conditions] {
    ExternalBackend backend;
    return Figures{picture_ns(backend, conditions)};
  });
}

}  // namespace bench::frames
