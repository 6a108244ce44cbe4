// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A million fibers that wait at the same time, each on a stack of 16 KiB. The program wakes and
// joins all of them and prints the cost of each.
//
//   million_fibers [fibers] [workers]
//
// A million guard pages need Linux 6.13. On older kernels, or with JOBS_STACK_GUARD=mprotect in the
// environment, each guard splits a mapping. A process has at most vm.max_map_count mappings. The
// program then prints the number of fibers at which it had to stop, and ends these fibers normally.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "jobs/jobs.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Returns the value of a line of /proc/self/status, in KiB.
double status_kib(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kib = 0;
    if (word == key && status >> kib) return kib;
  }
  return 0;
}

std::size_t count_maps() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) ++count;
  return count;
}

std::optional<std::size_t> to_number(const char* text) {
  std::size_t number = 0;
  const char* const end = text + std::strlen(text);
  const auto [stopped, error] = std::from_chars(text, end, number);
  if (error != std::errc{} || stopped != end || number == 0) return std::nullopt;
  return number;
}

// The fibers of one worker. Each runs at once, until it waits.
struct Share {
  std::vector<jobs::Fiber<>> fibers;
  // Needs no atomic: fibers stay on their worker.
  std::size_t resumed = 0;
  std::string error;
};

void start_fibers(Share& share, std::size_t count, jobs::Event& release) {
  share.fibers.reserve(count);
  try {
    for (std::size_t i = 0; i < count; ++i) {
      share.fibers.emplace_back(
          [&share, &release] {
            release.wait();
            ++share.resumed;
          },
          jobs::FiberOptions{.stack_size = 16 * 1024, .start = jobs::FiberStart::kNow});
    }
  } catch (const jobs::Error& error) {
    // The refused fiber was not started; all earlier ones exist.
    share.error = error.what();
  }
}

int run(std::size_t count, unsigned workers) {
  jobs::Scheduler scheduler({.worker_count = workers});
  const double kib_before = status_kib("VmRSS:");
  const double tables_before = status_kib("VmPTE:");
  const auto start = Clock::now();

  jobs::Event release;
  std::vector<Share> shares(workers);
  scheduler.run([&] {
    jobs::Counter started;
    for (unsigned i = 0; i < workers; ++i) {
      const std::size_t part = count / workers + (i < count % workers ? 1 : 0);
      jobs::spawn(started, [&, i, part] { start_fibers(shares[i], part, release); },
                  {.on = jobs::worker(i)});
    }
    started.wait();
  });
  const double creating = seconds_since(start);
  const double kib = status_kib("VmRSS:") - kib_before;
  const double tables_kib = status_kib("VmPTE:") - tables_before;
  const std::size_t maps = count_maps();

  const auto released = Clock::now();
  release.signal();
  std::size_t blocked = 0;
  std::size_t resumed = 0;
  std::string error;
  for (Share& share : shares) {
    for (jobs::Fiber<>& fiber : share.fibers) fiber.join();
    blocked += share.fibers.size();
    resumed += share.resumed;
    if (error.empty()) error = share.error;
  }
  const double joining = seconds_since(released);

  std::printf("%zu fibers waited at once, on %u workers; %zu resumed and joined\n", blocked,
              workers, resumed);
  if (!error.empty()) std::printf("stopped there: %s\n", error.c_str());
  const auto per_fiber = [&](double amount) {
    return amount / static_cast<double>(blocked != 0 ? blocked : 1);
  };
  std::printf("memory      %.2f KiB for each, and %.3f KiB of page tables\n", per_fiber(kib),
              per_fiber(tables_kib));
  std::printf("mappings    %zu\n", maps);
  std::printf("start       %.3f s, %.0f ns for each\n", creating, per_fiber(creating * 1e9));
  std::printf("wake, join  %.3f s, %.0f ns for each\n", joining, per_fiber(joining * 1e9));
  return resumed == blocked ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<std::size_t> count = argc > 1 ? to_number(argv[1]) : 1'000'000;
  const std::optional<std::size_t> workers = argc > 2 ? to_number(argv[2]) : 2;
  if (!count || !workers || *workers > 4096 || argc > 3) {
    std::fprintf(stderr, "usage: million_fibers [fibers] [workers]\n");
    return 2;
  }
  const auto too_many = [&] {
    std::fprintf(stderr, "million_fibers: there is no memory for the handles of %zu fibers\n",
                 *count);
    return 1;
  };
  try {
    return run(*count, static_cast<unsigned>(*workers));
  } catch (const std::bad_alloc&) {
    return too_many();
  } catch (const std::length_error&) {
    return too_many();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "million_fibers: %s\n", error.what());
    return 1;
  }
}
