// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/queue/inbox.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <thread>
#include <vector>

#include "jobs/base/os.hpp"

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
