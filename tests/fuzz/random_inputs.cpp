// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Main program of a fuzz program in a build without a fuzzer. It runs the named files, such as the
// findings of `scripts/fuzz`, or random inputs.
//     NAME_fuzz [FILE…]
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "jobs/base/random.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/seed.hpp"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot read %s\n", argv[0], argv[i]);
      return 2;
    }
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file),
                                  std::istreambuf_iterator<char>()};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  if (argc > 1) return 0;

  constexpr std::uint32_t kLongest = 400;
  jobs::detail::Random random(jobs::test::seed());
  std::vector<std::uint8_t> bytes;
  const int inputs = jobs::test::scaled(500);
  for (int i = 0; i < inputs; ++i) {
    bytes.resize(random.below(kLongest));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%d inputs\n", inputs);
}
