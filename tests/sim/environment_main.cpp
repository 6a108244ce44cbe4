// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs::testing and its environment: empty variables count as unset, bad values are findings with
// name and value. Prints each failure; returns 1 if there is one.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "jobs/testing.hpp"

namespace {

int failures = 0;

// Searches three seeds. `seeds`: number of those that run.
void check(const char* seed, const char* trace, std::uint64_t seeds, const std::string& finding) {
  setenv("JOBS_SIM_SEED", seed, 1);
  setenv("JOBS_SIM_TRACE", trace, 1);
  const jobs::testing::Search found = jobs::testing::search({}, 3, [] {});
  if (found.seeds == seeds && found.first.finding == finding) return;
  ++failures;
  std::printf("JOBS_SIM_SEED=\"%s\" JOBS_SIM_TRACE=\"%s\": %s", seed, trace, found.text().c_str());
}

}  // namespace

int main() {
  check("", "", 3, "");
  check("", "1", 3, "");
  check("7", "", 1, "");
  check("7", "0", 1, "");
  check("18446744073709551615", "", 1, "");
  for (const char* const bad : {"x", " 7", "7 ", "-1", "0x7", "18446744073709551616"}) {
    check(bad, "", 0,
          "JOBS_SIM_SEED=\"" + std::string(bad) +
              "\" is not a whole number from 0 to 18446744073709551615\n");
  }
  for (const char* const bad : {"yes", "2", "1 ", "-1"}) {
    check("7", bad, 0,
          "JOBS_SIM_TRACE=\"" + std::string(bad) + "\" is not a whole number from 0 to 1\n");
  }
  return failures != 0 ? 1 : 0;
}
