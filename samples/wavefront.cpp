// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The edit distance of two texts, by blocks of the table. Each block needs its upper and its left
// neighbour, so the ready blocks form a diagonal. The program builds the graph once and runs it for
// each pair of texts.
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include "jobs/task_graph.hpp"

namespace {

constexpr std::size_t kBlock = 256;
constexpr std::size_t kBlocks = 12;
constexpr std::size_t kLength = kBlock * kBlocks;

using Table = std::vector<unsigned>;  // (kLength + 1) squared

void fill(Table& table, const std::string& a, const std::string& b, std::size_t row,
          std::size_t column, std::size_t size) {
  constexpr std::size_t kStride = kLength + 1;
  for (std::size_t i = row; i < row + size; ++i) {
    for (std::size_t j = column; j < column + size; ++j) {
      unsigned* const cell = &table[(i + 1) * kStride + j + 1];
      const unsigned replaced =
          cell[-static_cast<std::ptrdiff_t>(kStride) - 1] + (a[i] == b[j] ? 0 : 1);
      const unsigned removed = std::min(cell[-1], cell[-static_cast<std::ptrdiff_t>(kStride)]) + 1;
      *cell = std::min(replaced, removed);
    }
  }
}

Table empty_table() {
  Table table((kLength + 1) * (kLength + 1));
  for (unsigned i = 0; i <= kLength; ++i) table[i] = table[i * (kLength + 1)] = i;
  return table;
}

// Returns pseudo-random letters, the same on every machine.
std::string text(unsigned seed) {
  std::string result(kLength, ' ');
  for (char& c : result) {
    seed = seed * 1664525u + 1013904223u;
    c = static_cast<char>('a' + (seed >> 24) % 4);
  }
  return result;
}

}  // namespace

int main() {
  std::string a;
  std::string b;
  Table table = empty_table();

  jobs::TaskGraph graph;
  std::vector<jobs::TaskGraph::Node> blocks;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    for (std::size_t j = 0; j < kBlocks; ++j) {
      blocks.push_back(
          graph.node([&, i, j] { fill(table, a, b, i * kBlock, j * kBlock, kBlock); }));
      if (i > 0) blocks[(i - 1) * kBlocks + j].precede(blocks.back());
      if (j > 0) blocks[i * kBlocks + j - 1].precede(blocks.back());
    }
  }
  graph.freeze();

  for (unsigned seed = 1; seed <= 3; ++seed) {
    a = text(seed);
    b = text(seed + 100);
    graph.run();
    Table serial = empty_table();
    fill(serial, a, b, 0, 0, kLength);
    std::cout << "distance " << table.back() << '\n';
    if (table != serial) {
      std::cerr << "differs from the serial table\n";
      return 1;
    }
  }
}
