// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/fiber/current.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/fiber/test_host.hpp"

namespace jobs::detail {
namespace {

using testing::TestHost;

TEST(Wake, DeliversAtHome) {
  TestHost host;
  unsigned got = 0;
  const StackFiber& waiter = host.spawn([&] { got = host.suspend(kToken | kTimeout); });
  host.run();
  ASSERT_TRUE(waiter.suspended);
  Wakeup wakeup(const_cast<StackFiber*>(&waiter), kTimeout);
  wake(wakeup);
  EXPECT_TRUE(host.posted().empty());
  host.run();
  EXPECT_EQ(got, kTimeout);
}

TEST(Wake, PostsHomeFromElsewhere) {
  TestHost host;
  unsigned got = 0;
  StackFiber& waiter = host.spawn([&] { got = host.suspend(kToken); });
  host.run();
  Wakeup wakeup(&waiter, kToken);
  std::thread([&] { wake(wakeup); }).join();
  EXPECT_TRUE(waiter.suspended);
  const std::vector<Wakeup*> posted = host.posted();
  ASSERT_EQ(posted, std::vector<Wakeup*>{&wakeup});
  host.deliver(waiter, posted.front()->signal);
  host.run();
  EXPECT_EQ(got, kToken);
}

TEST(ContractViolationDeathTest, NamesObjectRuleFiberAndWorker) {
  int object = 0;
  EXPECT_DEATH(contract_violation("Mutex", &object, "unlock() by a fiber that does not own it"),
               "^jobs: Mutex 0x[0-9a-f]+: unlock\\(\\) by a fiber that does not own it \\[external "
               "thread\\]\n");
  EXPECT_DEATH(
      {
        TestHost host;
        contract_violation("Mutex", &object, "x");
      },
      "jobs: Mutex 0x[0-9a-f]+: x \\[worker 3\\]\n");
  EXPECT_DEATH(
      {
        TestHost host;
        host.spawn([&] { contract_violation("Mutex", &object, "x"); });
        host.run();
      },
      "\\[fiber 1, worker 3\\]\n");
  EXPECT_DEATH(
      {
        TestHost host;
        host.spawn([&] { contract_violation("Mutex", &object, "x"); }).name = "mesh-build";
        host.run();
      },
      "\\[fiber 1 \"mesh-build\", worker 3\\]\n");
}

TEST(ContractViolationDeathTest, OfALongTextIsCutNotLost) {
  const std::string text(2000, 'x');
  EXPECT_DEATH(contract_violation("Mutex", nullptr, text.c_str()),
               "^jobs: Mutex \\(address unknown\\): x+");
}

}  // namespace
}  // namespace jobs::detail
