// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The interface between the program and a runtime, and its three implementations: build the scene,
// compute the tiles, count.
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

  // The number of threads that join in build(). 0: the number that oneTBB gives to Embree.
  virtual unsigned builder_threads() const { return 1; }
  virtual void build(Scene& scene) = 0;

  // Calls render(i) once for each i in [0, tile_count). Returns after all calls have returned.
  virtual void for_each_tile(int tile_count, const std::function<void(int)>& render) = 0;

  // The number of steals since the start of the backend. Empty if the runtime does not report it.
  // Any thread may call it at any time.
  virtual std::optional<std::uint64_t> steal_count() const { return std::nullopt; }
};

// 0 workers: the runtime chooses the number for this machine.
[[nodiscard]] std::unique_ptr<Backend> make_serial_backend();
[[nodiscard]] std::unique_ptr<Backend> make_tbb_backend(unsigned worker_count);
[[nodiscard]] std::unique_ptr<Backend> make_jobs_backend(unsigned worker_count);

[[nodiscard]] std::string tbb_version();

}  // namespace frames
