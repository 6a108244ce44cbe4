// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/queue/inbox.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "jobs/base/os.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seccomp.hpp"
#include "tests/support/thread_state.hpp"

namespace jobs::detail {
namespace {

struct Letter {
  Letter* next = nullptr;
  std::size_t sender = 0;
  std::size_t number = 0;
};

constexpr os::Nanoseconds kMillisecond = 1'000'000;

TEST(Inbox, IsEmptyAtFirst) {
  Inbox<Letter> inbox;
  EXPECT_TRUE(inbox.is_empty());
  EXPECT_EQ(inbox.drain(), nullptr);
}

TEST(Inbox, DrainsOldestFirst) {
  Inbox<Letter> inbox;
  Letter letters[3];
  for (Letter& letter : letters) inbox.push(letter);
  EXPECT_FALSE(inbox.is_empty());
  const Letter* letter = inbox.drain();
  for (const Letter& expected : letters) {
    ASSERT_EQ(letter, &expected);
    letter = letter->next;
  }
  EXPECT_EQ(letter, nullptr);
  EXPECT_TRUE(inbox.is_empty());
}

TEST(Inbox, DoesNotParkWhenSomethingIsThere) {
  Inbox<Letter> inbox;
  Letter letter;
  inbox.push(letter);
  EXPECT_TRUE(inbox.park(os::kNever));
  EXPECT_EQ(inbox.drain(), &letter);
}

TEST(Inbox, TimesOutAndWorksOn) {
  Inbox<Letter> inbox;
  Letter letter;
  const os::Nanoseconds deadline = os::now() + 2 * kMillisecond;
  EXPECT_FALSE(inbox.park(deadline));
  EXPECT_GE(os::now(), deadline);
  EXPECT_FALSE(inbox.park(deadline)) << "a deadline in the past";
  EXPECT_TRUE(inbox.is_empty());
  inbox.push(letter);
  EXPECT_EQ(inbox.drain(), &letter);
}

TEST(Inbox, APushWakesTheOwner) {
  Inbox<Letter> inbox;
  Letter letter;
  std::thread sender([&] {
    // The owner most likely sleeps by then.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    inbox.push(letter);
  });
  EXPECT_TRUE(inbox.park(os::kNever));
  EXPECT_EQ(inbox.drain(), &letter);
  sender.join();
}

// The system refuses to wake anyone, so errno shows which pushes have made the call.
TEST(Inbox, OnlyThePushThatFindsTheOwnerAsleepRings) {
  if (jobs::test::kSanitized) GTEST_SKIP() << "sanitizers make such calls of their own";
  const int result = jobs::test::in_child([] {
    Inbox<Letter> inbox;
    Letter letters[5];
    const auto rings = [&](Letter& letter) {
      errno = 0;
      inbox.push(letter);
      return errno == EPERM;
    };
    std::atomic<pid_t> owner_id{0};
    std::thread owner([&] {
      owner_id = gettid();
      static_cast<void>(inbox.park(os::kNever));
    });
    while (owner_id == 0 || !jobs::test::is_asleep(owner_id))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    constexpr long kFutex[] = {SYS_futex};
    if (!jobs::test::deny(kFutex, EPERM)) _exit(10);
    int rung = 0;
    if (!rings(letters[0])) _exit(1);
    for (int i = 1; i < 4; ++i) rung += rings(letters[i]) ? 1 : 0;
    static_cast<void>(inbox.drain());
    rung += rings(letters[4]) ? 1 : 0;
    _exit(rung == 0 ? 0 : 2);
    return 0;
  });
  if (result == 10) GTEST_SKIP() << "the system has no seccomp";
  EXPECT_EQ(result, 0) << "1: the first push did not ring; 2: a later push rang";
}

// Three senders, and an owner that parks whenever its inbox is empty: no letter is lost, and each
// sender's letters stay in order.
TEST(Inbox, DeliversEverythingInOrderToAnOwnerThatParks) {
  constexpr std::size_t kSenders = 3;
  constexpr std::size_t kLetters = 30'000;
  Inbox<Letter> inbox;
  std::vector<std::vector<Letter>> letters(kSenders, std::vector<Letter>(kLetters));
  std::vector<std::thread> senders;
  for (std::size_t s = 0; s < kSenders; ++s) {
    senders.emplace_back([&, s] {
      for (std::size_t i = 0; i < kLetters; ++i) {
        letters[s][i].sender = s;
        letters[s][i].number = i;
        inbox.push(letters[s][i]);
        if (i % 64 == 0) std::this_thread::yield();
      }
    });
  }
  std::vector<std::size_t> expected(kSenders, 0);
  std::size_t out_of_order = 0;
  for (std::size_t received = 0; received < kSenders * kLetters;) {
    const Letter* letter = inbox.drain();
    if (letter == nullptr)
      inbox.park(received % 2 == 0 ? os::kNever : os::now() + kMillisecond / 100);
    for (; letter != nullptr; letter = letter->next, ++received)
      out_of_order += letter->number != expected[letter->sender]++;
  }
  for (std::thread& sender : senders) sender.join();
  EXPECT_EQ(out_of_order, 0u);
  EXPECT_TRUE(inbox.is_empty());
}

}  // namespace
}  // namespace jobs::detail
