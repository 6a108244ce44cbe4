// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums over trees: task_group recursion, parallel_invoke, and a parallel_for_each with a body that
// feeds the children. Also Fibonacci numbers by tasks that share one group.
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

namespace {

struct Tree {
  long value;
  std::unique_ptr<Tree> left, right;
};

std::unique_ptr<Tree> plant(int levels, long value) {
  if (levels == 0) return nullptr;
  return std::make_unique<Tree>(Tree{value, plant(levels - 1, 2 * value),
                                     plant(levels - 2 > 0 ? levels - 2 : 0, 2 * value + 1)});
}

long sum_by_groups(const Tree* tree) {
  if (tree == nullptr) return 0;
  long left = 0, right = 0;
  tbb::task_group group;
  group.run([&] { left = sum_by_groups(tree->left.get()); });
  group.run_and_wait([&] { right = sum_by_groups(tree->right.get()); });
  return tree->value + left + right;
}

long sum_by_invoke(const Tree* tree) {
  if (tree == nullptr) return 0;
  long left = 0, right = 0;
  tbb::parallel_invoke([&] { left = sum_by_invoke(tree->left.get()); },
                       [&] { right = sum_by_invoke(tree->right.get()); });
  return tree->value + left + right;
}

long sum_by_feeding(const Tree* tree) {
  std::atomic<long> sum{0};
  const std::vector<const Tree*> roots{tree};
  tbb::parallel_for_each(roots.begin(), roots.end(),
                         [&](const Tree* node, tbb::feeder<const Tree*>& feeder) {
                           sum += node->value;
                           if (node->left) feeder.add(node->left.get());
                           if (node->right) feeder.add(node->right.get());
                         });
  return sum;
}

int leaves_of_fibonacci(int n) {
  tbb::task_group group;
  std::atomic<int> leaves{0};
  std::function<void(int)> grow = [&](int k) {
    if (k < 2) {
      ++leaves;
      return;
    }
    group.run([&grow, k] { grow(k - 1); });
    group.run([&grow, k] { grow(k - 2); });
  };
  group.run([&] { grow(n); });
  const bool is_complete = group.wait() == tbb::task_group_status::complete;
  return is_complete ? leaves.load() : -1;
}

}  // namespace

int main() {
  const auto tree = plant(16, 1);
  std::printf("%ld %ld %ld\n", sum_by_groups(tree.get()), sum_by_invoke(tree.get()),
              sum_by_feeding(tree.get()));
  std::printf("%d leaves\n", leaves_of_fibonacci(15));
}
