// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The farm: a coordinator in process 0 hands out tiles, and renderers in all processes compute
// them. A renderer that has computed a tile delivers it and receives the number of the next one. So
// fast processes compute more tiles, and no process waits for the others before the end.
#pragma once

#include "samples/mpi_tiles/animation.hpp"
#include "samples/mpi_tiles/frame_files.hpp"

namespace tiles {

// Serves all renderers until each has been told that no tile is left.
void coordinate(const Animation& animation, FrameFiles& files, int renderer_count);

// Computes tiles until none is left. `renderer`: its number within this process. `most`: kills the
// process after so many tiles, to show what happens then; negative: never.
void render_tiles(const Animation& animation, int renderer, int most);

}  // namespace tiles
