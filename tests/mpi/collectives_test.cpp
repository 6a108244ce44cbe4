// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs::mpi: operations of all processes.
#include "jobs/mpi/collectives.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "jobs/error.hpp"
#include "jobs/fiber.hpp"
#include "tests/mpi/processes.hpp"

namespace {

namespace mpi = jobs::mpi;
using jobs::test::rank_count;
using jobs::test::this_rank;

using Collectives = jobs::test::WithWorkers;
JOBS_TEST_IN_ALL_PLACES(Collectives);

// The sum of the ranks.
int sum_of_ranks() { return rank_count() * (rank_count() - 1) / 2; }

TEST_P(Collectives, MeetAtABarrier) {
  run([] {
    for (int i = 0; i < 3; ++i) mpi::barrier();
  });
}

TEST_P(Collectives, BroadcastFromEachProcess) {
  run([] {
    for (int root = 0; root < rank_count(); ++root) {
      std::vector<int> values(1000, this_rank() == root ? 7 * root : -1);
      mpi::broadcast(values, root);
      EXPECT_EQ(values, std::vector<int>(1000, 7 * root));
    }
  });
}

TEST_P(Collectives, ReduceToOneProcess) {
  run([] {
    const std::array<std::int64_t, 2> values{this_rank(), 1};
    const int root = rank_count() - 1;
    std::vector<std::int64_t> result;
    if (this_rank() == root) result.resize(2);
    mpi::reduce(values, result, MPI_SUM, root);
    const std::vector<std::int64_t> expected{sum_of_ranks(), rank_count()};
    EXPECT_EQ(result, this_rank() == root ? expected : std::vector<std::int64_t>());
  });
}

TEST_P(Collectives, ReduceToAllProcesses) {
  run([] {
    EXPECT_EQ(mpi::all_reduce(1, MPI_SUM), rank_count());
    EXPECT_EQ(mpi::all_reduce(static_cast<float>(this_rank()), MPI_MAX),
              static_cast<float>(rank_count() - 1));
    EXPECT_EQ(mpi::all_reduce(static_cast<std::uint8_t>(this_rank() + 1), MPI_MIN), 1);
    EXPECT_EQ(mpi::all_reduce(this_rank() == 0, MPI_LAND), rank_count() == 1);
    EXPECT_EQ(mpi::all_reduce('a', MPI_MAX), 'a');
    const std::array<double, 2> values{1.0 * this_rank(), 2.0};
    std::array<double, 2> result{};
    mpi::all_reduce(values, result, MPI_SUM);
    EXPECT_THAT(result, testing::ElementsAre(sum_of_ranks(), 2 * rank_count()));
  });
}

struct Pair {
  int rank;
  float half;
  bool operator==(const Pair&) const = default;
};

TEST_P(Collectives, GatherInTheOrderOfRanks) {
  run([] {
    const std::array<Pair, 1> mine{{{this_rank(), 0.5f * static_cast<float>(this_rank())}}};
    std::vector<Pair> expected;
    for (int i = 0; i < rank_count(); ++i) expected.push_back({i, 0.5f * static_cast<float>(i)});
    std::vector<Pair> all(expected.size());
    mpi::all_gather(mine, all);
    EXPECT_EQ(all, expected);
    std::vector<Pair> at_root(this_rank() == 0 ? expected.size() : 0);
    mpi::gather(mine, at_root, 0);
    EXPECT_EQ(at_root, this_rank() == 0 ? expected : std::vector<Pair>());
  });
}

TEST_P(Collectives, RunBesideEachOtherOnCommunicatorsOfTheirOwn) {
  run([] {
    std::array<MPI_Comm, 4> communicators{};
    for (MPI_Comm& communicator : communicators)
      ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &communicator), MPI_SUCCESS);
    {
      std::vector<jobs::Fiber<int>> fibers;
      for (int i = 0; i < 4; ++i) {
        fibers.emplace_back([i, &communicators] {
          int sum = 0;
          for (int k = 0; k < 4; ++k)
            sum += mpi::all_reduce(i, MPI_SUM, communicators[static_cast<std::size_t>(i)]);
          return sum;
        });
      }
      for (int i = 0; i < 4; ++i)
        EXPECT_EQ(fibers[static_cast<std::size_t>(i)].join(), 4 * i * rank_count());
    }
    for (MPI_Comm& communicator : communicators) MPI_Comm_free(&communicator);
  });
}

TEST_P(Collectives, RefuseResultsOfTheWrongSize) {
  run([] {
    const std::array<int, 3> values{};
    std::array<int, 2> room{};
    EXPECT_THAT([&] { mpi::all_reduce(values, room, MPI_SUM); },
                testing::ThrowsMessage<jobs::Error>(
                    "jobs::mpi::all_reduce(): the result has room for 2 numbers and needs 3"));
    EXPECT_THAT([&] { mpi::all_gather(values, room); },
                testing::ThrowsMessage<jobs::Error>(testing::StartsWith(
                    "jobs::mpi::all_gather(): the result has room for 8 bytes and needs ")));
  });
}

}  // namespace
