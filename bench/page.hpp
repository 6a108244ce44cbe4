// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A report as a file: a page in Markdown and a picture of all ratios with losses in red.
// docs/benchmarks.md is such a page.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/machine.hpp"
#include "bench/rounds.hpp"

namespace bench {

// Writes `page`, and the picture under the same name with .svg. Throws std::ios_base::failure if
// one of them cannot be written.
void write_page(const std::filesystem::path& page, const std::vector<Row>& rows,
                const Machine& machine, const std::string& commit, const Effort& effort);

}  // namespace bench
