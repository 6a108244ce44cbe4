// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Simulates the scenarios under many seeds and prints a table of them; the last line is
//     sim: N seeds, F findings
//
// A run that allocates more than it frees is a finding, too. With --mutant the library contains a
// planted bug: the program must find the bug, and find it again by its seed alone.
//
//     sim [--seeds N] [--only SCENARIO] [--first SEED] [--trace] [--mutant]
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include "tests/sim/scenarios.hpp"
#include "tests/support/allocation_count.hpp"

namespace {

using jobs::test::allocation_count;
using jobs::test::Scenario;
using jobs::testing::Options;
using jobs::testing::Result;

struct Arguments {
  std::uint64_t seeds = 100;  // seeds per scenario
  std::uint64_t first = 1;
  std::string_view only;
  bool trace = false;
  bool mutant = false;
};

Arguments arguments_of(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const auto value = [&] { return std::string_view(i + 1 < argc ? argv[++i] : ""); };
    const auto number = [&] {
      const std::string_view text = value();
      std::uint64_t parsed = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
      if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
        std::fprintf(stderr, "sim: %s wants a whole number\n", argv[i - 1]);
        std::exit(2);
      }
      return parsed;
    };
    if (option == "--seeds") {
      arguments.seeds = number();
    } else if (option == "--first") {
      arguments.first = number();
    } else if (option == "--only") {
      arguments.only = value();
    } else if (option == "--trace") {
      arguments.trace = true;
    } else if (option == "--mutant") {
      arguments.mutant = true;
    } else {
      std::fprintf(stderr, "sim: what is %s?\n", argv[i]);
      std::exit(2);
    }
  }
  return arguments;
}

Options options_of(const Scenario& scenario, const Arguments& arguments) {
  // Yields until the end of a sleep of 8 ms: 1.6 million of 5 ns.
  constexpr std::uint64_t kMaxSteps = 10'000'000;
  return {.faults = scenario.faults, .max_steps = kMaxSteps, .trace = arguments.trace};
}

// A run may leave memory for the next run: then a further run keeps no more.
Result simulate(const Scenario& scenario, const Arguments& arguments, std::uint64_t seed) {
  const auto run = [&] {
    return jobs::testing::simulate(options_of(scenario, arguments), seed, scenario.body);
  };
  const auto live = [] { return allocation_count().live(); };
  const std::uint64_t before = live();
  const Result result = run();
  if (result || live() == before) return result;
  for (int i = 0; i < 8; ++i) {  // stacks are kept
    const std::uint64_t then = live();
    Result again = run();
    if (again.digest != result.digest) again.finding += "two runs of it differ\n";
    if (again || live() == then) return again;
  }
  Result leaking = run();
  leaking.finding += "it keeps memory\n";
  return leaking;
}

// The results that a process reports about the runs of one scenario.
struct Row {
  std::uint64_t seeds = 0;
  std::uint64_t steps = 0;
  std::uint64_t digest = 0;  // of the last run
  char finding[2048] = {};   // empty: none

  std::uint64_t last_seed(const Arguments& arguments) const { return arguments.first + seeds - 1; }
};

void run_here(const Scenario& scenario, const Arguments& arguments, Row& row) {
  while (row.seeds < arguments.seeds && row.finding[0] == '\0') {
    ++row.seeds;  // counted first: if the process ends here, this is the failing seed
    const Result result = simulate(scenario, arguments, row.last_seed(arguments));
    row.steps += result.steps;
    row.digest = result.digest;
    if (result) std::snprintf(row.finding, sizeof row.finding, "%s", result.text().c_str());
  }
}

// Runs in a process of its own: the state of a failed run is leaked, and the run might have crashed
// the process.
Row run(const Scenario& scenario, const Arguments& arguments) {
  void* const shared =
      mmap(nullptr, sizeof(Row), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) std::abort();
  auto* const row = new (shared) Row;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) std::abort();
  if (child == 0) {
    run_here(scenario, arguments, *row);
    std::fflush(nullptr);
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Row told = *row;
  munmap(shared, sizeof(Row));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::snprintf(told.finding, sizeof told.finding, "seed %" PRIu64 ": the process ended (%s)\n",
                  told.last_seed(arguments),
                  WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "by a sanitizer?");
  }
  return told;
}

bool comes_again(const Scenario& scenario, Arguments arguments, const Row& row) {
  arguments.first = row.last_seed(arguments);
  arguments.seeds = 1;
  const Row again = run(scenario, arguments);
  return again.finding[0] != '\0' && again.digest == row.digest &&
         std::strcmp(again.finding, row.finding) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = arguments_of(argc, argv);
  std::uint64_t seeds = 0, findings = 0, found_again = 0;
  std::printf("%-12s %10s %14s %10s %8s\n", "scenario", "seeds", "steps", "steps/seed", "seconds");
  for (const Scenario& scenario : jobs::test::scenarios()) {
    if (!arguments.only.empty() && arguments.only != scenario.name) continue;
    const auto start = std::chrono::steady_clock::now();
    const Row row = run(scenario, arguments);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%-12s %10" PRIu64 " %14" PRIu64 " %10" PRIu64 " %8.1f\n", scenario.name, row.seeds,
                row.steps, row.steps / (row.seeds != 0 ? row.seeds : 1), took.count());
    seeds += row.seeds;
    if (row.finding[0] != '\0') {
      ++findings;
      std::printf("%s: %s  again: sim --only %s --seeds 1 --first %" PRIu64 " --trace\n",
                  scenario.name, row.finding, scenario.name, row.last_seed(arguments));
      const bool is_same = comes_again(scenario, arguments, row);
      std::printf("  replayed: %s\n", is_same ? "the same, step by step" : "NOT the same");
      found_again += is_same;
      std::fflush(stdout);
      if (arguments.mutant) break;
    }
    std::fflush(stdout);
  }
  std::printf("sim: %" PRIu64 " seeds, %" PRIu64 " findings\n", seeds, findings);
  if (arguments.mutant) return findings != 0 && found_again == findings ? 0 : 1;
  return findings == 0 && seeds != 0 ? 0 : 1;
}
