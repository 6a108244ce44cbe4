// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The output: a table while the rounds run, and a file for programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/machine.hpp"
#include "bench/rounds.hpp"

namespace bench {

// Returns three significant digits; times in the scale that fits.
std::string show(double figure, std::string_view unit);
Gate::Verdict judge(const Row& row);
// Returns "PASS ", "MISS " or nothing.
std::string_view show(Gate::Verdict verdict);

void print_banner(const Machine& machine, const std::string& commit, const Effort& effort);
void print_row(const Row& row);
// `wrong_results`: the number of comparisons that have no rows, because a result was wrong.
void print_summary(const std::vector<Row>& rows, int wrong_results);

// Returns an array of rows. Times are in ns; a ratio that is not finite is null.
std::string to_json(const std::vector<Row>& rows, const Machine& machine, const std::string& commit,
                    bool quick);

}  // namespace bench
