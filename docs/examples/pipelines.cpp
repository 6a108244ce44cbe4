// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Example of the API reference: pipelines. The header shows the marked part.
#include <iostream>
#include <optional>
#include <string>

#include "jobs/jobs.hpp"

namespace {

//! [pipeline]
std::string compress(int blocks) {
  std::string out;
  int next = 0;
  jobs::PipelineStats stats;
  jobs::pipeline(
      {.max_tokens = 8, .stats = &stats},  // or just 8
      [&]() -> std::optional<std::string> {
        if (next == blocks) return std::nullopt;  // the end
        return std::to_string(next++) + "    ";
      },
      jobs::parallel([](std::string block) { return block.substr(0, block.find(' ')); }),
      jobs::in_order([&](std::string block) { out += block; }));
  for (const auto& stage : stats.stages) {
    std::cout << stage.values << " values in " << stage.busy.count() << " ns\n";
  }
  return out;
}
//! [pipeline]

}  // namespace

int main() { return compress(12) == "01234567891011" ? 0 : 1; }
