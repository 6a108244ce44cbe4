// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What the program needs of a runtime, and the three that it knows. Build the scene, compute the tiles, count.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "samples/frames/scene.hpp"

namespace frames {

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string name() const = 0;
  virtual unsigned worker_count() const = 0;

  // How many threads join in build(); 0: as many as oneTBB gives Embree.
  virtual unsigned builder_threads() const { return 1; }
  virtual void build(Scene& scene) = 0;

  // Calls render(i) once for each i in [0, tile_count), and returns when all have returned.
  virtual void for_each_tile(int tile_count, const std::function<void(int)>& render) = 0;

  // Since the start of the backend; empty if this runtime does not say. From any thread, at any time.
  virtual std::optional<std::uint64_t> steal_count() const { return std::nullopt; }
};

// 0 workers: as many as the runtime finds right for this machine.
[[nodiscard]] std::unique_ptr<Backend> make_serial_backend();
[[nodiscard]] std::unique_ptr<Backend> make_tbb_backend(unsigned worker_count);
[[nodiscard]] std::unique_ptr<Backend> make_jobs_backend(unsigned worker_count);

[[nodiscard]] std::string tbb_version();

}  // namespace frames
