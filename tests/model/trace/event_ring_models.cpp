// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// EventRing: a reader sees whole events, in their order and without a gap, while the writer
// overwrites the ring.
#include "jobs/trace/event_ring.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "jobs/base/os.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::inline JOBS_ABI::os {

// Only rings and stacks need pages that are never huge.
std::byte* reserve_pages(std::size_t size) noexcept { return reserve_data(size); }

}  // namespace jobs::inline JOBS_ABI::os

namespace jobs::model {
namespace {

using trace::detail::EventRing;
using trace::detail::RawEvent;

using Ring = EventRing<2>;

void write(Ring& ring, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t n = first; n <= last; ++n) ring.push({n, n, n, n});
}

// Returns the number of the last event, or 0.
std::uint64_t check_copy(const Ring& ring, std::uint64_t first) {
  std::uint64_t before = 0;
  for (const RawEvent& event : ring.copy(first)) {
    const std::uint64_t n = event[0];
    check(event[1] == n && event[2] == n && event[3] == n, "the event is whole");
    check(n > first, "the event is not older than the reader wants");
    check(before == 0 || n == before + 1, "the events follow each other");
    before = n;
  }
  return before;
}

void read_while_it_fills() {
  Ring ring;
  run_threads([&] { write(ring, 1, 2); }, [&] { check_copy(ring, 0); });
  check(check_copy(ring, 0) == 2, "the last event is there");
}

void read_while_it_wraps() {
  Ring ring;
  write(ring, 1, 2);
  run_threads([&] { write(ring, 3, 4); }, [&] { check_copy(ring, 0); });
  check(check_copy(ring, 0) == 4, "the last event is there");
}

void read_from_a_number() {
  Ring ring;
  write(ring, 1, 1);
  run_threads([&] { write(ring, 2, 3); }, [&] { check_copy(ring, 1); });
  check(check_copy(ring, 1) == 3, "the last event is there");
  check(ring.copy(3).empty(), "no event after the last one");
}

void two_readers() {
  Ring ring;
  write(ring, 1, 1);
  run_threads([&] { write(ring, 2, 3); }, [&] { check_copy(ring, 0); },
              [&] { check_copy(ring, 0); });
}

}  // namespace

const Subject& subject() {
  static const Subject ring = {
      .headers = {"jobs/trace/event_ring.hpp"},
      .not_shown = {},
      .models =
          {
              {"read_while_it_fills", read_while_it_fills, {.preemptions = 3}},
              {"read_while_it_wraps", read_while_it_wraps, {.preemptions = 3}},
              {"read_from_a_number", read_from_a_number, {.preemptions = 3}},
              {"two_readers", two_readers, {.preemptions = 1}},
          },
  };
  return ring;
}

}  // namespace jobs::model
