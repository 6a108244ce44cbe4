// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// For each position of a Fibonacci string: the start of the longest earlier sub-string that also
// starts at this position. Uses a body class over blocked_range<size_t>, the same by indices, and
// with a step.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace {

class Finder {
 public:
  Finder(const std::string& text, std::vector<std::size_t>& longest,
         std::vector<std::size_t>& where)
      : text_(text), longest_(longest), where_(where) {}
  void operator()(const oneapi::tbb::blocked_range<std::size_t>& range) const {
    for (std::size_t i = range.begin(); i != range.end(); ++i) find(i);
  }
  void find(std::size_t i) const {
    std::size_t best = 0;
    std::size_t at = 0;
    for (std::size_t j = 0; j < text_.size(); ++j) {
      if (j == i) continue;
      std::size_t length = 0;
      while (std::max(i, j) + length < text_.size() && text_[i + length] == text_[j + length])
        ++length;
      if (length > best) {
        best = length;
        at = j;
      }
    }
    longest_[i] = best;
    where_[i] = at;
  }

 private:
  const std::string& text_;
  std::vector<std::size_t>& longest_;
  std::vector<std::size_t>& where_;
};

}  // namespace

int main() {
  std::string text = "b", next = "a";
  while (text.size() < 500) {
    next += text;
    text.swap(next);
  }
  const auto find = [&](auto&& loop) {
    std::vector<std::size_t> longest(text.size()), where(text.size());
    loop(Finder(text, longest, where));
    unsigned long long hash = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
      hash = hash * 1'000'003 + longest[i] * 7 + where[i];
    std::printf("%zu positions, %llx\n", text.size(), hash);
  };
  find([&](const Finder& finder) {
    oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::size_t>(0, text.size(), 10), finder);
  });
  find([&](const Finder& finder) {
    oneapi::tbb::parallel_for(std::size_t{0}, text.size(), [&](std::size_t i) { finder.find(i); });
  });
  find([&](const Finder& finder) {
    oneapi::tbb::parallel_for(std::size_t{0}, text.size(), std::size_t{3}, [&](std::size_t i) {
      for (std::size_t k = i; k < std::min(i + 3, text.size()); ++k) finder.find(k);
    });
  });
}
