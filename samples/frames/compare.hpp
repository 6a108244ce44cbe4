// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Renders the same picture with each backend, checks that all pictures are equal, and prints which
// backend was faster.
#pragma once

#include "samples/frames/image.hpp"
#include "samples/frames/mesh.hpp"
#include "samples/frames/options.hpp"

namespace frames {

// Renders one picture with the backend of `options`, or several in turns with all backends. Prints
// lines and a table to standard output. Throws std::runtime_error if two pictures differ.
[[nodiscard]] Image render_and_report(const Mesh& mesh, const Options& options);

}  // namespace frames
