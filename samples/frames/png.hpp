// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a picture as a PNG file.
#pragma once

#include <filesystem>

#include "samples/frames/image.hpp"

namespace frames {

// Throws UserError if write_png() could not write there. Programs call it before the long work
// begins.
void check_writable(const std::filesystem::path& file);

// Writes to a temporary file beside `file` and renames it. `file` is therefore never half-written:
// it has either its old content or the whole picture. Throws UserError.
void write_png(const Image& image, const std::filesystem::path& file);

}  // namespace frames
