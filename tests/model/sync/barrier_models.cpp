// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Barrier: each thread sees everything that any thread did before the phase ended. No thread stays
// behind in an old phase, and the last thread to pass may destroy the barrier.
#include <optional>

#include "jobs/sync/barrier.hpp"
#include "tests/model/sync/waiting.hpp"

namespace jobs::model {
namespace {

using detail::Plain;

struct Parties {
  std::optional<Barrier<>> barrier;
  Plain<int> data[3];

  explicit Parties(std::size_t count) : barrier(std::in_place, count) {}

  int sum() const { return data[0] + data[1] + data[2]; }
};

void two_parties_two_phases() {
  Parties parties(2);
  const auto party = [&](int me) {
    parties.data[me] = 1;
    parties.barrier->arrive_and_wait();
    check(parties.sum() == 2, "it sees what the other one did");
    parties.barrier->arrive_and_wait();
    parties.data[me] = 2;
  };
  run_threads([&] { party(0); }, [&] { party(1); });
}

void last_to_pass_destroys() {
  Parties parties(2);
  Arrivals passed(2);
  const auto party = [&] {
    parties.barrier->arrive_and_wait();
    if (passed.is_last()) parties.barrier.reset();
  };
  run_threads(party, party);
}

void waiter_destroys() {
  Parties parties(2);
  run_threads(
      [&] {
        parties.barrier->arrive_and_wait();
        parties.barrier.reset();
      },
      [&] { static_cast<void>(parties.barrier->arrive()); });
}

void three_parties() {
  Parties parties(3);
  const auto party = [&](int me) {
    parties.data[me] = 1;
    parties.barrier->arrive_and_wait();
    check(parties.sum() == 3, "it sees what the others did");
  };
  run_threads([&] { party(0); }, [&] { party(1); }, [&] { party(2); });
}

void late_waiter_waits_again() {
  Parties parties(2);
  run_threads(
      [&] {
        const auto token = parties.barrier->arrive();
        if (!parties.barrier->wait_until(token, kSoon)) parties.barrier->wait(token);
        check(parties.sum() == 1, "it sees what the other one did");
        parties.barrier.reset();
      },
      [&] {
        parties.data[1] = 1;
        static_cast<void>(parties.barrier->arrive());
      });
}

}  // namespace

const Subject& subject() {
  static const Subject barrier = {
      .headers = {"jobs/sync/core/barrier_core.hpp"},
      .not_shown = {},
      .models =
          {
              {"waiter_destroys", waiter_destroys, {.preemptions = 3}},
              {"last_to_pass_destroys", last_to_pass_destroys, {.preemptions = 3}},
              {"late_waiter_waits_again", late_waiter_waits_again, {.preemptions = 2}},
              {"two_parties_two_phases", two_parties_two_phases, {.preemptions = 2}},
              {"three_parties", three_parties, {.preemptions = 1}},
          },
  };
  return barrier;
}

}  // namespace jobs::model
