// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/call_once.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <type_traits>

#include "tests/support/sanitized.hpp"
#include "tests/sync/threads.hpp"

namespace {

using jobs::test::settle;
using jobs::test::threads;

// One contract for two functions: std::call_once validates the tests, jobs::call_once is under
// test.
struct Std {
  using Flag = std::once_flag;
  template <class... A>
  static void call(Flag& flag, A&&... arguments) {
    std::call_once(flag, std::forward<A>(arguments)...);
  }
};
struct Jobs {
  using Flag = jobs::OnceFlag;
  template <class... A>
  static void call(Flag& flag, A&&... arguments) {
    jobs::call_once(flag, std::forward<A>(arguments)...);
  }
};

template <class T>
struct CallOnceContract : testing::Test {
  typename T::Flag flag;
};
struct CallOnceNames {
  template <class T>
  static const char* GetName(int) {
    return std::is_same_v<T, Jobs> ? "jobs" : "std";
  }
};
using Implementations = testing::Types<Std, Jobs>;
TYPED_TEST_SUITE(CallOnceContract, Implementations, CallOnceNames);

TYPED_TEST(CallOnceContract, CallsOnceAndEverybodySeesIt) {
  for (int round = 0; round < 200; ++round) {
    typename TypeParam::Flag once;
    int calls = 0;  // not atomic: the thread sanitizer checks what call_once() promises
    const auto callers = threads(4, [&](std::size_t) {
      TypeParam::call(once, [&](int n) { calls += n; }, 1);
      EXPECT_EQ(calls, 1);
    });
  }
}

TYPED_TEST(CallOnceContract, OthersWaitForTheCallThatIsUnderWay) {
  std::atomic<bool> ended{false};
  const auto callers = threads(3, [&](std::size_t) {
    TypeParam::call(this->flag, [&] {
      settle();
      ended = true;
    });
    EXPECT_TRUE(ended);
  });
}

TYPED_TEST(CallOnceContract, IfItThrowsTheNextOneTries) {
  if (jobs::test::kUnderThreadSanitizer && std::is_same_v<TypeParam, Std>)
    GTEST_SKIP() << "std::call_once hangs here";
  int calls = 0;
  std::atomic<int> thrown{0};
  {
    const auto callers = threads(4, [&](std::size_t) {
      try {
        TypeParam::call(this->flag, [&] {
          if (++calls < 3) throw std::runtime_error("not yet");
        });
      } catch (const std::runtime_error&) {
        ++thrown;
      }
    });
  }
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(thrown, 2);
}

}  // namespace
