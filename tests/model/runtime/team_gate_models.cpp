// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TeamGate: members enter before, during and after the end of a loop. A member that has entered
// sees the loop alive. The caller returns after all of them have left, and sees their effects. The
// last owner destroys the gate after all accesses.
#include "jobs/runtime/parallel/team_gate.hpp"

#include <cstdint>

#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using detail::Plain;
using detail::TeamGate;

// The loop, in the frame of the caller, and the memory of the gate. An access after the end of
// either is a data race.
struct Team {
  explicit Team(std::uint32_t owners) : gate(owners) {}

  TeamGate gate;
  Plain<int> parts[2]{Plain<int>{0}, Plain<int>{0}};
  Plain<int> frame{1};
  Plain<int> memory{1};
};

void release(Team& team) {
  check(team.memory == 1, "the owner accesses a gate that exists");
  if (team.gate.release()) team.memory = 0;
}

void call(Team& team) {
  team.gate.close();
  for (Plain<int>& part : team.parts) {
    check(part >= 0, "the caller sees whole parts");
    part = -1;  // The frame is gone.
  }
  team.frame = 0;
  release(team);
}

void help(Team& team, int index, int stints) {
  for (int i = 0; i < stints; ++i) {
    if (!team.gate.enter()) break;
    check(team.frame == 1, "a member that has entered sees the loop");
    team.parts[index] += 1;
    team.gate.leave();
  }
  release(team);
}

void one_member_twice() {
  Team team(2);
  run_threads([&] { call(team); }, [&] { help(team, 0, 2); });
  check(team.memory == 0, "the last owner destroys the team");
}

void two_members() {
  Team team(3);
  run_threads([&] { call(team); }, [&] { help(team, 0, 1); }, [&] { help(team, 1, 1); });
  check(team.memory == 0, "the last owner destroys the team");
}

}  // namespace

const Subject& subject() {
  static const Subject gate = {
      .headers = {"jobs/runtime/parallel/team_gate.hpp"},
      .not_shown = {},
      .models =
          {
              {"one_member_twice", one_member_twice, {.preemptions = 3}},
              {"two_members", two_members, {.preemptions = 2}},
          },
  };
  return gate;
}

}  // namespace jobs::model
