// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs::mpi::Environment: what it refuses. One process, without mpirun. MPI can start once in a
// process, so one test has all steps.
#include "jobs/mpi/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "jobs/error.hpp"
#include "jobs/mpi/messages.hpp"

namespace {

namespace mpi = jobs::mpi;

TEST(MpiEnvironment, RefusesWhatItCannotUse) {
  const auto send = [] { mpi::send(std::array{1}, 0); };
  EXPECT_THAT(send, testing::ThrowsMessage<jobs::Error>(
                        "jobs::mpi::send() without a jobs::mpi::Environment"));
  ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
  EXPECT_THAT([] { const mpi::Environment environment; },
              testing::ThrowsMessage<jobs::Error>(
                  testing::AllOf(testing::StartsWith("jobs::mpi: MPI provides MPI_THREAD_S"),
                                 testing::HasSubstr("jobs::mpi needs MPI_THREAD_MULTIPLE"),
                                 testing::HasSubstr("call MPI_Init_thread() with that level"))));
  EXPECT_THAT(send, testing::Throws<jobs::Error>());
  MPI_Finalize();
  EXPECT_THAT([] { const mpi::Environment environment; },
              testing::ThrowsMessage<jobs::Error>(
                  "jobs::mpi: MPI has ended; a process can initialise it once"));
}

TEST(MpiEnvironment, UsesWhatTheProgramHasInitialised) {
  int level = 0;
  int has_ended = 0;
  MPI_Finalized(&has_ended);
  if (has_ended != 0) GTEST_SKIP() << "another test of this process has used MPI";
  ASSERT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level), MPI_SUCCESS);
  for (int round = 0; round < 2; ++round) {
    const mpi::Environment environment;
    EXPECT_EQ(environment.rank(), 0);
    EXPECT_EQ(environment.size(), 1);
    EXPECT_THAT([] { const mpi::Environment second; },
                testing::ThrowsMessage<jobs::Error>(
                    "jobs::mpi: a second Environment; a process has one at a time"));
    std::array<int, 1> received{};
    const mpi::Request receiving = mpi::ireceive(received, 0);
    mpi::send(std::array{3}, 0);
  }
  MPI_Finalized(&has_ended);
  EXPECT_EQ(has_ended, 0);
  MPI_Finalize();
}

}  // namespace
