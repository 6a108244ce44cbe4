// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line, by CLI11; its errors become errors of this program, one line each.
#include "samples/pgz/options.hpp"

#include <CLI/CLI.hpp>

#include "jobs/version.hpp"

namespace pgz {

std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Compresses a file to .gz on all cores, by a pipeline of jobs. gunzip and everybody else can "
      "read it.");
  app.set_version_flag("--version", std::string("pgz ") + jobs::version());
  app.add_option("input", options.input, "the file to compress")->required()->type_name("FILE");
  app.add_option("--out", options.out, "the file to write; without it, the input's name with .gz")
      ->type_name("FILE");
  app.add_option("--level", options.level, "1 is fast, 9 is small")
      ->check(CLI::Range(1, 9))
      ->capture_default_str();
  app.add_option("--workers", options.workers,
                 "threads that compress; without it, one for each usable core")
      ->check(CLI::Range(1u, 4096u));
  app.add_option("--blocks", options.blocks,
                 "blocks of 512 KiB under way at a time; without it, four for each worker")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 16));
  app.add_flag("--stats", options.show_stats, "say what each stage did");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wish) {
    app.exit(wish);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw UserError(error.what());
  }
  if (options.out.empty()) {
    options.out = options.input;
    options.out += ".gz";
  }
  return options;
}

}  // namespace pgz
