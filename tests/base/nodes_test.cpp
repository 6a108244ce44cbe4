// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory nodes, within the limits of a machine with one node. tests/runtime/numa_test.cpp uses a
// synthetic machine with two.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/queue/node_array.hpp"

namespace jobs {
namespace {

// Four pages; the second has been written.
class Nodes : public testing::Test {
 protected:
  Nodes() : page_(os::page_size()), base_(os::reserve_pages(4 * page_)) {
    base_[page_] = std::byte{1};
  }
  ~Nodes() override { os::release_pages(base_, 4 * page_); }

  const std::size_t page_;
  std::byte* const base_;
};

TEST_F(Nodes, AreThoseOfPagesThatHaveBeenWritten) {
  const std::array<const void*, 3> addresses{base_ + page_, base_ + 2 * page_ - 1,
                                             base_ + 2 * page_};
  std::array<os::Node, 3> nodes{7, 7, 7};
  os::find_nodes(addresses, nodes);
  EXPECT_EQ(nodes[2], os::kAnyNode);
  EXPECT_EQ(nodes[0], nodes[1]) << "addresses within a page";
  if (nodes[0] == os::kAnyNode) GTEST_SKIP() << "the kernel does not say where pages are";
  EXPECT_GE(nodes[0], 0);
}

TEST_F(Nodes, AreFoundForMoreAddressesThanOneCallTakes) {
  std::vector<const void*> addresses(1000, base_ + page_);
  addresses.back() = base_;
  std::vector<os::Node> nodes(addresses.size(), 7);
  os::find_nodes(addresses, nodes);
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) ASSERT_EQ(nodes[i], nodes[0]) << i;
  EXPECT_EQ(nodes.back(), os::kAnyNode);
}

TEST_F(Nodes, ThatCannotBeAreRefused) {
  EXPECT_FALSE(os::prefer_node(base_, page_, os::kAnyNode));
  EXPECT_FALSE(os::prefer_node(base_, page_, 1 << 20));
  const std::array<os::Node, 2> nodes{0, -1};
  EXPECT_FALSE(os::interleave_nodes(base_, page_, nodes));
}

TEST_F(Nodes, OfThisMachineArePreferredIfItIsAskedTo) {
  const std::array<const void*, 1> address{base_ + page_};
  std::array<os::Node, 1> node;
  os::find_nodes(address, node);
  if (node[0] == os::kAnyNode) GTEST_SKIP() << "the kernel does not say where pages are";
  if (!os::prefer_node(base_ + 2 * page_, page_, node[0]))
    GTEST_SKIP() << "the kernel refuses mbind";
  EXPECT_TRUE(os::interleave_nodes(base_ + 2 * page_, page_, node));
  base_[2 * page_] = std::byte{1};
  const std::array<const void*, 1> other{base_ + 2 * page_};
  std::array<os::Node, 1> found;
  os::find_nodes(other, found);
  EXPECT_EQ(found, node);
}

TEST(NodeArray, HasZeroesOrBytesAsTheyCome) {
  for (const os::Node node : {os::kAnyNode, 0}) {
    detail::NodeArray<detail::Atomic<int*>> pointers(5000, node);
    for (std::size_t i = 0; i < 5000; ++i)
      ASSERT_EQ(pointers[i].load(std::memory_order_relaxed), nullptr);
    const detail::NodeArray<std::byte> bytes(5000, node);
    bytes[4999] = std::byte{1};
  }
}

TEST(NodeArray, IsInPagesOfItsOwnOnANode) {
  const detail::NodeArray<std::byte> bytes(5000, 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.get()) % os::page_size(), 0u);
}

TEST(NodeArray, MovesWithoutItsElements) {
  detail::NodeArray<int> one(100, 0);
  int* const first = one.get();
  const detail::NodeArray<int> other = std::move(one);
  EXPECT_EQ(other.get(), first);
  other[99] = 1;
}

}  // namespace
}  // namespace jobs
