// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs::mpi: messages between processes, and their errors.
#include "jobs/mpi/messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/mpi/processes.hpp"

namespace {

namespace mpi = jobs::mpi;
using namespace std::chrono_literals;
using jobs::test::next_rank;
using jobs::test::previous_rank;
using jobs::test::rank_count;
using jobs::test::this_rank;

using Messages = jobs::test::WithWorkers;
JOBS_TEST_IN_ALL_PLACES(Messages);

TEST_P(Messages, GoAroundTheRing) {
  run([] {
    std::vector<int> sent(100), received(100);
    std::iota(sent.begin(), sent.end(), 1000 * this_rank());
    mpi::Request sending = mpi::isend(sent, next_rank());
    mpi::receive(received, previous_rank());
    sending.wait();
    EXPECT_FALSE(sending.is_pending());
    EXPECT_EQ(received.front(), 1000 * previous_rank());
    EXPECT_EQ(received.back(), 1000 * previous_rank() + 99);
  });
}

TEST_P(Messages, OfMegabytesArriveWhole) {
  run([] {
    std::vector<unsigned> sent(1'000'000), received(1'000'000);
    std::iota(sent.begin(), sent.end(), static_cast<unsigned>(this_rank()));
    std::vector<unsigned> expected(sent.size());
    std::iota(expected.begin(), expected.end(), static_cast<unsigned>(previous_rank()));
    mpi::Request receiving = mpi::ireceive(received, previous_rank());
    mpi::send(sent, next_rank());
    EXPECT_EQ(receiving.wait().bytes, sent.size() * sizeof(unsigned));
    EXPECT_FALSE(receiving.is_pending());
    EXPECT_EQ(received, expected);
  });
}

TEST_P(Messages, ReportSourceTagAndLength) {
  run([] {
    const std::array<double, 3> sent{1, 2, 3};
    const mpi::Request sending = mpi::isend(sent, next_rank(), 7);
    std::array<double, 10> received{};
    const mpi::Received got = mpi::receive(received, mpi::kAnySource, mpi::kAnyTag);
    EXPECT_EQ(got.source, previous_rank());
    EXPECT_EQ(got.tag, 7);
    EXPECT_EQ(got.bytes, 24u);
    EXPECT_EQ(got.count<double>(), 3u);
    EXPECT_EQ(received[2], 3);
    EXPECT_EQ(received[3], 0);
  });
}

TEST_P(Messages, MayBeEmpty) {
  run([] {
    std::vector<int> nothing;
    const mpi::Request sending = mpi::isend(nothing, next_rank());
    EXPECT_EQ(mpi::receive(nothing, previous_rank()).bytes, 0u);
  });
}

TEST_P(Messages, OfManyFibersCross) {
  run([] {
    constexpr int kFibers = 100;
    jobs::Counter done;
    std::vector<int> received(kFibers, -1);
    for (int i = 0; i < kFibers; ++i) {
      jobs::spawn(done, [i, &received] {
        mpi::receive(std::span(&received[static_cast<std::size_t>(i)], 1), previous_rank(), i);
      });
    }
    for (int i = kFibers; i-- > 0;) {
      jobs::spawn(done, [i] { mpi::send(std::array{i + this_rank()}, next_rank(), i); });
    }
    done.wait();
    for (int i = 0; i < kFibers; ++i)
      EXPECT_EQ(received[static_cast<std::size_t>(i)], i + previous_rank());
  });
}

// The error of MPI that `f` throws; "" if it throws none.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().category(), mpi::error_category());
    return error.what();
  }
  return "";
}

TEST_P(Messages, ToAProcessThatDoesNotExistThrowTheTextOfMpi) {
  run([] {
    const std::array<int, 1> value{};
    const std::string text = error_of([&] { mpi::send(value, rank_count()); });
    EXPECT_THAT(text, testing::AllOf(testing::StartsWith("MPI_Isend: "),
                                     testing::HasSubstr("MPI_ERR_RANK")));
    std::array<int, 1> received{};
    EXPECT_THAT(error_of([&] { mpi::receive(received, rank_count()); }),
                testing::HasSubstr("MPI_ERR_RANK"));
  });
}

TEST_P(Messages, ThatAreTooLongThrowInTheReceiver) {
  run([] {
    const std::array<int, 2> sent{1, 2};
    std::array<int, 1> received{};
    const auto receive = [&](int from) {
      return error_of([&] { mpi::receive(received, from, 1); });
    };
    {  // the message has arrived before
      const mpi::Request sending = mpi::isend(sent, this_rank(), 1);
      EXPECT_THAT(receive(this_rank()), testing::HasSubstr("MPI_ERR_TRUNCATE"));
    }
    if (rank_count() > 1) {  // a message to the own process that arrives during the wait is cut off
      jobs::Fiber<std::string> receiver([&] { return receive(previous_rank()); });
      std::array<int, 1> also_received{};
      jobs::Fiber<> beside([&] { mpi::receive(also_received, previous_rank(), 2); });
      mpi::barrier();
      jobs::this_fiber::sleep_for(1ms);
      mpi::send(sent, next_rank(), 1);
      mpi::send(std::array{3}, next_rank(), 2);
      EXPECT_THAT(receiver.join(), testing::HasSubstr("MPI_ERR_TRUNCATE"));
      beside.join();
      EXPECT_EQ(also_received[0], 3) << "the error has reached another wait";
    }
    const mpi::Request sending = mpi::isend(sent, this_rank());  // the next message is received
    std::array<int, 2> whole{};
    mpi::receive(whole, this_rank());
    EXPECT_EQ(whole, sent);
  });
}

TEST_P(Messages, OfMoreThanTwoGibibytesAreRefused) {
  run([] {
    const char byte = 0;
    const std::span huge(&byte, std::size_t{1} << 31);  // never read
    EXPECT_THAT([&] { mpi::send(huge, this_rank()); },
                testing::ThrowsMessage<jobs::Error>(testing::StartsWith(
                    "jobs::mpi::send(): 2147483648 are too many; at most 2147483647 bytes")));
  });
}

using Requests = jobs::test::WithWorkers;
JOBS_TEST_IN_ALL_PLACES(Requests);

TEST_P(Requests, AreAwaitedByTheirDestructor) {
  run([] {
    int received = 0;
    jobs::Fiber<> sender;
    {
      mpi::Request first = mpi::ireceive(std::span(&received, 1), this_rank());
      mpi::Request second = std::move(first);
      EXPECT_FALSE(first.is_pending());  // NOLINT(bugprone-use-after-move): what is tested
      EXPECT_TRUE(second.is_pending());
      sender = jobs::Fiber<>([] {
        jobs::this_fiber::sleep_for(1ms);
        mpi::send(std::array{42}, this_rank());
      });
    }
    EXPECT_EQ(received, 42);
    sender.join();
  });
}

TEST_P(Requests, OfMpiItselfAreAwaited) {
  run([] {
    int received = 0;
    MPI_Request persistent = MPI_REQUEST_NULL;
    ASSERT_EQ(MPI_Recv_init(&received, 1, MPI_INT, previous_rank(), 3, MPI_COMM_WORLD, &persistent),
              MPI_SUCCESS);
    for (int round = 1; round <= 3; ++round) {
      ASSERT_EQ(MPI_Start(&persistent), MPI_SUCCESS);
      const mpi::Request sending = mpi::isend(std::span(&round, 1), next_rank(), 3);
      const MPI_Status status = mpi::wait(persistent);
      EXPECT_EQ(status.MPI_SOURCE, previous_rank());
      EXPECT_EQ(received, round);
      EXPECT_NE(persistent, MPI_REQUEST_NULL);
    }
    MPI_Request_free(&persistent);
    MPI_Request none = MPI_REQUEST_NULL;
    mpi::wait(none);
  });
}

}  // namespace
