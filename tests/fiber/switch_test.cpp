// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The state that belongs to a fiber and not to its thread, and hence must survive a switch.
#include <gtest/gtest.h>

#include <cerrno>
#include <cfenv>
#include <exception>
#include <stdexcept>
#include <string>

#include "tests/fiber/test_host.hpp"
#include "tests/support/in_turn.hpp"

namespace jobs::detail {
namespace {

using testing::TestHost;

TEST(Switch, GoesBackAndForth) {
  TestHost host;
  std::string trace;
  for (const char name : {'a', 'b', 'c'}) {
    host.spawn([&trace, &host, name] {
      for (int i = 0; i < 3; ++i) {
        {
          const test::InTurn turn(&trace);
          trace += name;
        }
        host.yield();
      }
    });
  }
  host.run();
  EXPECT_EQ(trace, "abcabcabc");
}

TEST(Switch, KeepsValuesInCalleeSavedRegisters) {
  TestHost host;
  int right = 0;
  for (long seed = 1; seed <= 3; ++seed) {
    host.spawn([&host, &right, seed] {
      long a = seed, b = 10 * seed, c = 100 * seed, d = 1000 * seed, e = 10'000 * seed;
      for (int i = 0; i < 100; ++i) {
        asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
        host.yield();
        asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
      }
      if (a + b + c + d + e == 11'111 * seed) {
        const test::InTurn turn(&right);
        ++right;
      }
    });
  }
  host.run();
  EXPECT_EQ(right, 3);
}

#if defined(__aarch64__)
#define IN_FLOAT_REGISTER "+w"
#else
#define IN_FLOAT_REGISTER "+x"
#endif

// Some calling conventions have callee-saved registers of this kind, too, and more than five of the
// other kind.
TEST(Switch, KeepsValuesInFloatRegisters) {
  TestHost host;
  int right = 0;
  for (int seed = 1; seed <= 3; ++seed) {
    host.spawn([&host, &right, seed] {
      double a = seed, b = 10 * seed, c = 100 * seed, d = 1000 * seed, e = 2 * seed, f = 20 * seed,
             g = 200 * seed;
      long h = 2000 * seed, k = 3 * seed, l = 30 * seed, m = 300 * seed, n = 3000 * seed,
           o = 4 * seed;
      const auto touch = [&] {
        asm volatile(""
                     : IN_FLOAT_REGISTER(a), IN_FLOAT_REGISTER(b), IN_FLOAT_REGISTER(c),
                       IN_FLOAT_REGISTER(d), IN_FLOAT_REGISTER(e), IN_FLOAT_REGISTER(f),
                       IN_FLOAT_REGISTER(g));
        asm volatile("" : "+r"(h), "+r"(k), "+r"(l), "+r"(m), "+r"(n), "+r"(o));
      };
      for (int i = 0; i < 100; ++i) {
        touch();
        host.yield();
        touch();
      }
      const double reals = a + b + c + d + e + f + g;
      if (reals + static_cast<double>(h + k + l + m + n + o) == 6670.0 * seed) {
        const test::InTurn turn(&right);
        ++right;
      }
    });
  }
  host.run();
  EXPECT_EQ(right, 3);
}

TEST(Switch, KeepsErrnoOfEachFiber) {
  TestHost host;
  for (const int value : {ENOENT, EINTR, ENOMEM}) {
    host.spawn([&host, value] {
      EXPECT_EQ(errno, 0);
      errno = value;
      host.yield();
      EXPECT_EQ(errno, value);
    });
  }
  errno = EDOM;
  host.run();
  EXPECT_EQ(errno, EDOM);
}

// --- floating point ---

// Uses both floating-point units, at run time. "To the nearest" rounds down here, in both.
double seventh() {
  volatile double one = 1;
  return one / 7;
}
long double long_seventh() {
  volatile long double one = 1;
  return one / 7;
}

TEST(FloatEnvironment, OfAFiberIsSeenByNoOther) {
  TestHost host;
  const double nearest = seventh();
  const long double long_nearest = long_seventh();
  host.spawn([&] {
    std::fesetround(FE_UPWARD);
    const double up = seventh();
    const long double long_up = long_seventh();
    EXPECT_NE(up, nearest);
    EXPECT_NE(long_up, long_nearest);
    for (int i = 0; i < 3; ++i) {
      host.yield();
      EXPECT_EQ(seventh(), up);
      EXPECT_EQ(long_seventh(), long_up);
    }
  });
  host.spawn([&] {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(seventh(), nearest);
      EXPECT_EQ(long_seventh(), long_nearest);
      host.yield();
    }
  });
  host.run();
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(FloatEnvironment, IsTheDefaultInAFreshFiber) {
  TestHost host;
  std::fesetround(FE_DOWNWARD);
  host.spawn([] { EXPECT_EQ(std::fegetround(), FE_TONEAREST); });
  host.run();
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  std::fesetround(FE_TONEAREST);
}

TEST(FloatEnvironment, IsTheDefaultInAReusedFiber) {
  TestHost host;
  const StackFiber* first = &host.spawn([] { std::fesetround(FE_TOWARDZERO); });
  host.run();
  const StackFiber* second = &host.spawn([] { EXPECT_EQ(std::fegetround(), FE_TONEAREST); });
  host.run();
  EXPECT_EQ(first, second);
}

TEST(FloatEnvironment, CanBeResetByTheRunningFiber) {
  std::fesetround(FE_UPWARD);
  const long double up = long_seventh();
  reset_float_control();
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_NE(long_seventh(), up);
}

#if defined(__x86_64__) && defined(JOBS_BOOST_CONTEXT)
// To restore the flags would cost 50 ns per switch on some processors.
TEST(FloatEnvironment, HasAllStickyFlagsRaisedAfterAWaitAndItsControlUnchanged) {
  TestHost host;
  host.spawn([&] {
    EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), FE_ALL_EXCEPT);
    std::fesetround(FE_UPWARD);
    for (int i = 0; i < 3; ++i) {
      std::feclearexcept(FE_ALL_EXCEPT);
      host.yield();
      EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), FE_ALL_EXCEPT);
      EXPECT_EQ(std::fegetround(), FE_UPWARD);
    }
  });
  host.spawn([&] {
    for (int i = 0; i < 3; ++i) host.yield();
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  });
  host.run();
}
#endif

// --- exceptions ---

TEST(Exceptions, StayWithTheFiberThatHandlesThem) {
  TestHost host;
  for (const std::string name : {"a", "b", "c"}) {
    host.spawn([&host, name] {
      try {
        throw std::runtime_error(name);
      } catch (const std::exception&) {
        for (int i = 0; i < 3; ++i) {
          host.yield();
          try {
            throw;  // the innermost exception that this fiber handles
          } catch (const std::runtime_error& error) {
            EXPECT_EQ(error.what(), name);
          }
        }
      }
      EXPECT_EQ(std::current_exception(), nullptr);
    });
  }
  host.run();
  EXPECT_EQ(std::current_exception(), nullptr);
}

// Yields while an exception passes through its scope.
struct YieldsInDestructor {
  explicit YieldsInDestructor(TestHost& the_host) : host(the_host) {}
  ~YieldsInDestructor() {
    EXPECT_EQ(std::uncaught_exceptions(), 1);
    host.yield();
    EXPECT_EQ(std::uncaught_exceptions(), 1);
  }
  TestHost& host;
};

TEST(Exceptions, SurviveASwitchDuringUnwinding) {
  TestHost host;
  int caught = 0;
  for (int thrown = 1; thrown <= 3; ++thrown) {
    host.spawn([&host, &caught, thrown] {
      try {
        const YieldsInDestructor outer(host);
        const YieldsInDestructor inner(host);
        throw thrown;
      } catch (int value) {
        EXPECT_EQ(value, thrown);
        const test::InTurn turn(&caught);
        ++caught;
      }
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    });
  }
  host.spawn([&host] {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(std::uncaught_exceptions(), 0) << "a bystander";
      EXPECT_EQ(std::current_exception(), nullptr);
      host.yield();
    }
  });
  host.run();
  EXPECT_EQ(caught, 3);
}

TEST(Exceptions, AreNotSeenByAFiberStartedInACatchBlock) {
  TestHost host;
  try {
    throw 1;
  } catch (int) {
    host.spawn([] { EXPECT_EQ(std::current_exception(), nullptr); });
    host.run();
    EXPECT_NE(std::current_exception(), nullptr);
  }
}

TEST(Exceptions, PassThroughManyFramesOfAFiber) {
  TestHost host;
  bool caught = false;
  host.spawn([&] {
    std::function<void(int)> descend = [&](int depth) {
      if (depth == 0) throw std::runtime_error("bottom");
      descend(depth - 1);
    };
    try {
      descend(100);
    } catch (const std::runtime_error&) {
      caught = true;
    }
  });
  host.run();
  EXPECT_TRUE(caught);
}

}  // namespace
}  // namespace jobs::detail
