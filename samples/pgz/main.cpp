// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// pgz: gzip on all cores.
//
// Exit status: 0; 2 for an error that the user can correct, with one line of explanation; 1 for all
// other errors.
#include <fmt/format.h>

#include <chrono>
#include <exception>

#include "jobs/scheduler.hpp"
#include "samples/pgz/compress.hpp"
#include "samples/pgz/deflate.hpp"

namespace {

void show(const pgz::Report& report, std::size_t blocks, double seconds) {
  constexpr const char* kStages[] = {"split", "compress", "write"};
  fmt::print("{} -> {} bytes, {:.1f} %, in {:.2f} s\n", report.text_size, report.data_size,
             report.text_size == 0 ? 100.0
                                   : 100.0 * static_cast<double>(report.data_size) /
                                         static_cast<double>(report.text_size),
             seconds);
  fmt::print("at most {} blocks of {} KiB under way\n", blocks, pgz::kBlockSize / 1024);
  for (std::size_t i = 0; i < report.stats.stages.size(); ++i) {
    const auto& stage = report.stats.stages[i];
    fmt::print("{:<9} {:>8} blocks {:>9.2f} s\n", kStages[i], stage.values,
               std::chrono::duration<double>(stage.busy).count());
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto options = pgz::parse_options(argc, argv);
    if (!options) return 0;
    jobs::Scheduler scheduler({.worker_count = options->workers, .bind_caller = true});
    const std::size_t blocks =
        options->blocks != 0 ? options->blocks : std::size_t{4} * scheduler.worker_count();
    const auto start = std::chrono::steady_clock::now();
    const pgz::Report report = scheduler.run([&] { return pgz::compress_file(*options, blocks); });
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (options->show_stats) show(report, blocks, time.count());
    return 0;
  } catch (const pgz::UserError& error) {
    fmt::print(stderr, "pgz: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pgz: {}\n", error.what());
    return 1;
  }
}
