// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// engine_frames: the main loops of samples/engine, 100 frames at 125 per second. Each frame
// rebuilds a graph, steps bodies, animates and culls characters, and bakes a light map in the time
// that is left; textures are streamed meanwhile. The textures are files that the workload writes.
// Units: ns from the begin of a frame to its presentation, as the median and as the 99th percentile
// of the frames. Expected: the pictures and the textures of the serial loop.
//
// The window belongs to the thread of the loop, so the row of jobs has the bound form only.
#pragma once

#include "bench/support/contender.hpp"

namespace bench::engine {

Figures serial(const Conditions&);
Figures on_jobs(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::engine
