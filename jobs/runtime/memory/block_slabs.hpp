// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockSlabs: the slabs of one BlockPool. It cuts slabs into blocks, sorts free blocks by slab, and
// returns the memory of slabs without a used block to the system. The BlockPool owns it. Only the
// owner of the pool may call it, except bytes().
//
// A slab is a range of 64 KiB. Slabs lie in regions, which reserve address space. A region has as
// many slabs as all earlier regions together, but at most 1024.
//
// Invariants
//   1. A slab is unused, or all of it is cut into blocks. An unused slab has no memory.
//   2. Each block of a cut slab is in exactly one of three places: it is filed, it is in a list of
//      the BlockPool, or it is in use. A block on its way to its pool is in use.
//   3. A filed block is in the list of its own slab, and counted there.
//   4. A slab with filed blocks is in `full_` if all of its blocks are filed, else in `partial_`.
//
// Proof that no slab with a used block loses its memory: by 2, a slab in `full_` has no block in
// use, and no list outside the slab contains one. Only slabs in `full_` lose their memory.
//
// README.md has the design and its figures.
#pragma once

#include <cstddef>
#include <cstdint>

#include "jobs/base/config.hpp"
#include "jobs/base/counters.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

// A free block. Lists of free blocks are linked through the blocks.
struct FreeBlock {
  FreeBlock* next;
};

class BlockSlabs {
 public:
  static constexpr std::size_t kSlabSize = 64 * 1024;

  // block_size: bytes, at most kSlabSize. node: the memory node that the slabs prefer.
  BlockSlabs(std::size_t block_size, os::Node node) noexcept
      : block_size_(block_size), node_(node) {}
  BlockSlabs(const BlockSlabs&) = delete;
  BlockSlabs& operator=(const BlockSlabs&) = delete;
  ~BlockSlabs();

  // Files a free block.
  void file(FreeBlock& block) noexcept;
  // Returns the filed blocks of one slab as a list; null if no block is filed. Prefers slabs with
  // used blocks, so that other slabs stay without one.
  FreeBlock* take_filed() noexcept;
  // Returns the blocks of an unused slab as a list, lowest address first. Throws std::bad_alloc.
  FreeBlock* cut();
  // Returns the memory of up to `max` slabs without a used block to the system. Keeps `keep` bytes
  // of such slabs. Returns the number of slabs.
  unsigned release(std::size_t keep, unsigned max) noexcept;
  // Bytes of the slabs with filed blocks only.
  std::size_t full_bytes() const noexcept { return full_count_ * kSlabSize; }

  // Bytes of all slabs that are cut. Any thread.
  std::uint64_t bytes() const noexcept { return bytes_.read(); }

 private:
  struct Slab {
    std::byte* base = nullptr;
    FreeBlock* filed = nullptr;  // its filed blocks
    std::size_t count = 0;       // number of its filed blocks
    Slab* next = nullptr;        // in one of the lists below
    Slab* previous = nullptr;
  };
  class SlabList {
   public:
    Slab* first() const noexcept { return first_; }
    void push(Slab& slab) noexcept;
    void remove(Slab& slab) noexcept;

   private:
    Slab* first_ = nullptr;
  };
  struct Region : HeapObject<Region> {
    std::byte* base = nullptr;
    std::size_t size = 0;   // bytes
    HeapArray<Slab> slabs;  // at least one per kSlabSize bytes
    Region* older = nullptr;
  };

  void reserve_region();
  Slab& slab_of(const FreeBlock& block) const noexcept;

  const std::size_t block_size_;
  const os::Node node_;
  Region* regions_ = nullptr;  // newest first, which is the largest
  SlabList partial_;
  SlabList full_;
  SlabList unused_;
  std::size_t full_count_ = 0;
  std::size_t slab_count_ = 0;  // of all regions
  SingleWriterCounter bytes_;
};

}  // namespace jobs::inline JOBS_ABI::detail
