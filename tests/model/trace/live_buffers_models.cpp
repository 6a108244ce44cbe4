// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LiveBuffers: a reader sees a whole picture, while the writer overwrites the older one.
#include "jobs/trace/live/live_buffers.hpp"

#include <cstdint>

#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using Buffers = trace::detail::LiveBuffers<2>;

void write(Buffers& buffers, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t n = first; n <= last; ++n) buffers.publish({n, n});
}

// Returns the number of the picture, or 0.
std::uint64_t check_picture(const Buffers& buffers, unsigned attempts) {
  Buffers::Words picture{};
  const std::uint64_t number = buffers.read(picture, attempts);
  if (number == 0) return 0;
  check(picture[0] == picture[1], "the picture is whole");
  check(picture[0] == number, "the picture has its number");
  return number;
}

void read_the_first_picture() {
  Buffers buffers;
  run_threads([&] { write(buffers, 1, 1); }, [&] { check_picture(buffers, 1); });
  check(check_picture(buffers, 1) == 1, "the last picture is there");
}

void read_while_it_is_overwritten() {
  Buffers buffers;
  write(buffers, 1, 1);
  run_threads([&] { write(buffers, 2, 3); }, [&] { check_picture(buffers, 1); });
  check(check_picture(buffers, 1) == 3, "the last picture is there");
}

void read_again_after_a_change() {
  Buffers buffers;
  write(buffers, 1, 1);
  run_threads([&] { write(buffers, 2, 2); },
              [&] { check(check_picture(buffers, 2) != 0, "one change spoils one attempt"); });
}

void two_readers() {
  Buffers buffers;
  write(buffers, 1, 1);
  run_threads([&] { write(buffers, 2, 3); }, [&] { check_picture(buffers, 1); },
              [&] { check_picture(buffers, 1); });
}

}  // namespace

const Subject& subject() {
  static const Subject buffers = {
      .headers = {"jobs/trace/live/live_buffers.hpp"},
      .not_shown = {},
      .models =
          {
              {"read_the_first_picture", read_the_first_picture, {.preemptions = 3}},
              {"read_while_it_is_overwritten", read_while_it_is_overwritten, {.preemptions = 3}},
              {"read_again_after_a_change", read_again_after_a_change, {.preemptions = 3}},
              {"two_readers", two_readers, {.preemptions = 1}},
          },
  };
  return buffers;
}

}  // namespace jobs::model
