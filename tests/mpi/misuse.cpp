// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Violations of the contract of jobs::mpi: the program ends with one line. The argument is the
// case.
#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <thread>

#include "jobs/fiber.hpp"
#include "jobs/mpi/mpi.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/this_fiber.hpp"

namespace {

// The environment ends while a fiber waits for a message that no process sends.
void destroy_while_awaited() {
  std::optional<jobs::mpi::Environment> environment(std::in_place);
  const jobs::Scheduler scheduler({.worker_count = 1, .bind_caller = true});
  jobs::Fiber<> receiver([] {
    std::array<int, 1> never{};
    jobs::mpi::receive(never, 0);
  });
  jobs::this_fiber::sleep_for(std::chrono::milliseconds(1));  // the only worker runs the fiber
  environment.reset();
}

void destroy_elsewhere() {
  auto* const environment = new jobs::mpi::Environment;
  std::thread([environment] { delete environment; }).join();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view which = count == 2 ? arguments[1] : "";
  if (which == "awaited") destroy_while_awaited();
  if (which == "elsewhere") destroy_elsewhere();
  return 2;
}
