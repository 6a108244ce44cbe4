// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The serial backend: one loop on the calling thread.
#include "samples/frames/backend.hpp"

namespace frames {
namespace {

class SerialBackend final : public Backend {
 public:
  std::string name() const override { return "serial"; }
  unsigned worker_count() const override { return 1; }
  void build(Scene& scene) override { scene.commit(); }
  void for_each_tile(int tile_count, const std::function<void(int)>& render) override {
    for (int i = 0; i < tile_count; ++i) render(i);
  }
};

}  // namespace

std::unique_ptr<Backend> make_serial_backend() { return std::make_unique<SerialBackend>(); }

}  // namespace frames
