// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// frames: the picture of samples/frames, from the mesh to the pixels, by the backends of that
// sample. The mesh is the procedural one, which needs no file. The costs of tiles differ by a
// factor of ten and more. Unit: ns per picture; expected: the picture of the serial backend, byte
// for byte.
#pragma once

#include "bench/support/contender.hpp"
#include "samples/frames/backend.hpp"

namespace bench::frames {

// Returns the time to build the scene and to trace the picture once.
double picture_ns(::frames::Backend& backend, const Conditions& conditions);

Figures serial(const Conditions&);
Figures on_jobs(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::frames
