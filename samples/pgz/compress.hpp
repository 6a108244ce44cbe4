// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The pipeline: read, compress, write.
#pragma once

#include <cstdint>

#include "jobs/pipeline.hpp"
#include "samples/pgz/options.hpp"

namespace pgz {

struct Report {
  std::uint64_t text_size = 0;
  std::uint64_t data_size = 0;
  jobs::PipelineStats stats;
};

// Writes options.out; removes it on failure. Throws UserError and std::runtime_error.
Report compress_file(const Options& options, std::size_t blocks);

}  // namespace pgz
