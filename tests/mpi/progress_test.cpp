// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs::mpi: what a wait holds, and what the thread costs that completes the waits.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <thread>

#include "jobs/cancel.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber.hpp"
#include "jobs/mpi/messages.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/mpi/processes.hpp"

namespace {

namespace mpi = jobs::mpi;
using namespace std::chrono_literals;
using jobs::test::this_rank;

using Progress = jobs::test::WithWorkers;
JOBS_TEST_IN_ALL_PLACES(Progress);

TEST_P(Progress, LetsTheWorkerGoOnWhileAFiberWaits) {
  run([] {
    std::array<int, 1> received{};
    // With one worker, the send below runs only if the receive does not hold the worker.
    jobs::Fiber<> receiver([&] { mpi::receive(received, this_rank()); });
    jobs::this_fiber::sleep_for(2ms);
    mpi::send(std::array{5}, this_rank());
    receiver.join();
    EXPECT_EQ(received[0], 5);
  });
}

TEST_P(Progress, KeepsAWaitWhoseFiberIsAskedToStop) {
  run([] {
    std::array<int, 1> received{};
    bool has_received = false;
    jobs::Fiber<> receiver([&] {
      mpi::receive(received, this_rank());
      has_received = true;
      jobs::this_fiber::sleep_for(1h);  // the next wait ends
    });
    jobs::this_fiber::sleep_for(1ms);
    receiver.request_stop();
    jobs::this_fiber::sleep_for(1ms);
    mpi::send(std::array{5}, this_rank());
    EXPECT_THROW(receiver.join(), jobs::Cancelled);
    EXPECT_TRUE(has_received);
    EXPECT_EQ(received[0], 5);
  });
}

TEST_P(Progress, KeepsAWaitBeyondATimeLimit) {
  run([] {
    std::array<int, 1> received{};
    jobs::Fiber<> sender([] {
      jobs::this_fiber::sleep_for(5ms);
      mpi::send(std::array{5}, this_rank());
    });
    jobs::cancel_after(1ms, [&] { mpi::receive(received, this_rank()); });
    EXPECT_EQ(received[0], 5);
    sender.join();
  });
}

// What the kernel states about the thread of jobs::mpi.
struct ThreadStat {
  char state = '?';                     // S: it sleeps; R: it runs or waits for a core
  std::chrono::milliseconds ran = 0ms;  // on cores, in steps of 10 ms
};
ThreadStat stat_of_thread() {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name, line;
    std::getline(std::ifstream(task.path() / "comm"), name);
    std::getline(std::ifstream(task.path() / "stat"), line);
    const std::size_t end = line.rfind(") ");
    if (name != "jobs mpi" || end == std::string::npos) continue;
    ThreadStat stat;
    std::istringstream fields(line.substr(end + 2));
    fields >> stat.state;
    std::string skipped;
    for (int i = 0; i < 10; ++i) fields >> skipped;
    long user = 0, system = 0;
    fields >> user >> system;
    stat.ran = (user + system) * 10ms;
    return stat;
  }
  return {};
}

TEST(ProgressThread, SleepsWhileNoFiberWaits) {
  // At first it has no name, and may still run for the waits of the tests before.
  int sleeps = 0;
  for (int i = 0; i < 1000 && sleeps < 20; ++i) {
    std::this_thread::sleep_for(2ms);
    sleeps = stat_of_thread().state == 'S' ? sleeps + 1 : 0;
  }
  EXPECT_EQ(sleeps, 20) << "20 times in turn";
}

TEST(ProgressThread, SleepsMostOfTheTimeOfALongWait) {
  std::array<int, 1> received{};
  std::chrono::milliseconds ran = 0ms;
  std::chrono::nanoseconds passed = 0ns;
  std::thread sender([&] {
    std::this_thread::sleep_for(20ms);
    const auto start = std::chrono::steady_clock::now();
    const std::chrono::milliseconds before = stat_of_thread().ran;
    std::this_thread::sleep_for(200ms);
    ran = stat_of_thread().ran - before;
    passed = std::chrono::steady_clock::now() - start;
    mpi::send(std::array{5}, this_rank());
  });
  mpi::receive(received, this_rank());
  sender.join();
  EXPECT_EQ(received[0], 5);
  EXPECT_LE(ran, passed / 4) << "a quarter of a core";
}

}  // namespace
