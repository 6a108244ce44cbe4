// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/wait_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "jobs/sync/core/thread_host.hpp"

namespace {

using jobs::detail::Waiter;
using jobs::detail::WaitList;
using testing::ElementsAre;

struct WaitListTest : testing::Test {
  std::vector<Waiter*> drain() {
    std::vector<Waiter*> popped;
    while (Waiter* waiter = list.pop_front()) popped.push_back(waiter);
    return popped;
  }

  jobs::detail::ThreadHost host;
  Waiter a{host.current()}, b{host.current()}, c{host.current()};
  WaitList list;
};

TEST_F(WaitListTest, GivesThemBackInOrder) {
  list.push_back(a);
  list.push_back(b);
  list.push_back(c);
  EXPECT_THAT(drain(), ElementsAre(&a, &b, &c));
  EXPECT_TRUE(list.empty());
}

TEST_F(WaitListTest, PushFrontGoesBeforeAll) {
  list.push_front(b);
  list.push_front(a);
  list.push_back(c);
  EXPECT_THAT(drain(), ElementsAre(&a, &b, &c));
}

TEST_F(WaitListTest, AnyOfThemCanBeRemoved) {
  for (Waiter* gone : {&a, &b, &c}) {
    std::vector<Waiter*> rest;
    for (Waiter* waiter : {&a, &b, &c}) {
      list.push_back(*waiter);
      if (waiter != gone) rest.push_back(waiter);
    }
    list.remove(*gone);
    EXPECT_EQ(gone->previous, nullptr) << "says that it is on no list";
    EXPECT_EQ(drain(), rest);
  }
}

TEST_F(WaitListTest, TakeAllLeavesAChainOfUnlistedWaiters) {
  list.push_back(a);
  list.push_back(b);
  Waiter* first = list.take_all();
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(first, &a);
  EXPECT_EQ(WaitList::next_of(a), &b);
  EXPECT_EQ(WaitList::next_of(b), nullptr);
  EXPECT_EQ(a.previous, nullptr);
  EXPECT_EQ(b.previous, nullptr);
  EXPECT_EQ(list.take_all(), nullptr);
}

}  // namespace
