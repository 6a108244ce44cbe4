// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A pipeline over lines of text: a serial source, a parallel filter that squares the numbers of a
// line, and a serial sink that keeps the order. The filters are joined by operator& and in one
// call; tokens are move-only, small and large.
#include <tbb/parallel_pipeline.h>

#include <array>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>

namespace {

std::string squares(const std::string& line) {
  std::istringstream in(line);
  std::ostringstream out;
  for (std::string word; in >> word;) {
    if (word.find_first_not_of("0123456789") == std::string::npos) {
      const long number = std::stol(word);
      out << number * number << ' ';
    } else {
      out << word << ' ';
    }
  }
  return out.str();
}

struct Block {
  std::array<int, 64> numbers{};
};

}  // namespace

int main() {
  std::string text;
  for (int i = 0; i < 300; ++i)
    text += "line " + std::to_string(i) + " has " + std::to_string(i * 7 % 50) + " items\n";

  std::istringstream input(text);
  std::string output;
  const auto read = tbb::make_filter<void, std::string>(tbb::filter_mode::serial_in_order,
                                                        [&](tbb::flow_control& control) {
                                                          std::string line;
                                                          if (!std::getline(input, line))
                                                            control.stop();
                                                          return line;
                                                        });
  const auto transform = tbb::make_filter<std::string, std::string>(
      tbb::filter_mode::parallel, [](const std::string& line) { return squares(line); });
  const auto write = tbb::make_filter<std::string, void>(
      tbb::filter_mode::serial_in_order, [&](const std::string& line) { output += line + '\n'; });
  tbb::parallel_pipeline(16, read & transform & write);
  std::printf("%s", output.c_str());

  // Pointers, and a filter that is one long chain.
  int next = 0;
  long sum = 0;
  tbb::parallel_pipeline(
      8,
      tbb::make_filter<void, int*>(tbb::filter_mode::serial_out_of_order,
                                   [&](tbb::flow_control& control) -> int* {
                                     if (next == 1000) {
                                       control.stop();
                                       return nullptr;
                                     }
                                     return new int(next++);
                                   }) &
          tbb::make_filter<int*, double>(tbb::filter_mode::parallel,
                                         [](int* number) {
                                           const std::unique_ptr<int> owner(number);
                                           return *owner * 0.5;
                                         }) &
          tbb::make_filter<double, void>(tbb::filter_mode::serial_out_of_order,
                                         [&](double half) { sum += static_cast<long>(2 * half); }));
  std::printf("%ld\n", sum);

  // Tokens of 256 bytes; the filters as arguments.
  int block = 0;
  long total = 0;
  tbb::parallel_pipeline(
      4,
      tbb::make_filter<void, Block>(tbb::filter_mode::serial_in_order,
                                    [&](tbb::flow_control& control) {
                                      Block result;
                                      if (block == 100) control.stop();
                                      result.numbers.fill(block++);
                                      return result;
                                    }),
      tbb::make_filter<Block, long>(tbb::filter_mode::parallel,
                                    [](const Block& numbers) {
                                      long result = 0;
                                      for (const int number : numbers.numbers) result += number;
                                      return result;
                                    }),
      tbb::make_filter<long, void>(tbb::filter_mode::serial_in_order,
                                   [&](long value) { total = (total * 31 + value) % 1'000'003; }));
  std::printf("%ld\n", total);
}
