// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// mpi_tiles: the frames of an animation, computed by several processes.
//
// Exit status: 0; 2 for an error that the user can correct; 1 for all other errors; 3 if another
// process has died.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <optional>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/mpi/mpi.hpp"
#include "jobs/scheduler.hpp"
#include "samples/mpi_tiles/farm.hpp"
#include "samples/mpi_tiles/options.hpp"

namespace tiles {
namespace {

// A renderer that waits for its next tile leaves its worker to another one.
constexpr int kRenderersPerWorker = 2;

// For the handler below.
std::atomic<const FrameFiles*> the_files{nullptr};
std::atomic<int> frame_count{0};

// mpirun sends SIGTERM to the living processes when a process has died. Process 0 states what is
// done. snprintf() with integers alone takes no lock in the C library of GNU.
void report_death(int) {
  const FrameFiles* const files = the_files.load(std::memory_order_relaxed);
  if (files != nullptr) {
    char line[120];
    const int length = std::snprintf(
        line, sizeof line,
        "mpi_tiles: ended early, as another process has: %d of %d frames are complete\n",
        files->complete_count(), frame_count.load(std::memory_order_relaxed));
    [[maybe_unused]] const ssize_t written =
        write(STDERR_FILENO, line, static_cast<std::size_t>(length));
  }
  _exit(3);
}

// Calls f(). An error ends all processes, because the others would wait for this one. It happens
// here, in the fiber: a caller that let the exception pass would wait for the other fibers first.
template <class F>
void run_or_abort(int rank, F&& f) {
  try {
    f();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpi_tiles: process %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

// The work of this process.
void run(const jobs::mpi::Environment& environment, const Options& options) {
  const Animation animation(options.width, options.height, options.frames);
  jobs::Scheduler scheduler;
  const int renderers = kRenderersPerWorker * static_cast<int>(scheduler.worker_count());
  const int all_renderers = jobs::mpi::all_reduce(renderers, MPI_SUM);
  const int rank = environment.rank();
  const bool is_first = rank == 0;
  std::optional<FrameFiles> files;
  if (is_first) {
    files.emplace(animation, options.out);
    frame_count.store(options.frames, std::memory_order_relaxed);
    the_files.store(&*files, std::memory_order_relaxed);
    signal(SIGTERM, report_death);
  }
  scheduler.run([&] {
    std::vector<jobs::Fiber<>> fibers;
    if (is_first) {
      fibers.emplace_back(
          [&] { run_or_abort(rank, [&] { coordinate(animation, *files, all_renderers); }); });
    }
    const int most = rank == options.dying_process ? options.tiles_before_death : -1;
    for (int i = 0; i < renderers; ++i) {
      fibers.emplace_back(
          [&, i] { run_or_abort(rank, [&] { render_tiles(animation, i, most); }); });
    }
    for (jobs::Fiber<>& fiber : fibers) fiber.join();
  });
  if (is_first) {
    signal(SIGTERM, SIG_DFL);
    std::printf("%d frames in %s, by %d processes\n", files->complete_count(),
                options.out.string().c_str(), environment.size());
  }
}

}  // namespace
}  // namespace tiles

int main(int argc, char** argv) {
  const jobs::mpi::Environment environment(&argc, &argv);
  std::optional<tiles::Options> options;
  try {
    options = tiles::parse_options(argc, argv);
  } catch (const tiles::UserError& error) {  // all processes have the same arguments
    if (environment.rank() == 0) std::fprintf(stderr, "mpi_tiles: %s\n", error.what());
    return 2;
  }
  if (!options) return 0;
  tiles::run_or_abort(environment.rank(), [&] { tiles::run(environment, *options); });
  return 0;
}
