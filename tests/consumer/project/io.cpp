// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A user's program on the component jobs::io: three bytes through a pipe.
#include <unistd.h>
#include <jobs/io/io.hpp>

#include <array>
#include <cstddef>

int main() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return 2;
  const std::array<std::byte, 3> sent{std::byte{1}, std::byte{2}, std::byte{3}};
  std::array<std::byte, 3> received{};
  if (jobs::io::write(ends[1], sent).value() != 3 || jobs::io::read(ends[0], received).value() != 3)
    return 1;
  return received == sent ? 0 : 1;
}
