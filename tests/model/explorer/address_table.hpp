// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// AddressTable: maps an address to the number of the object that lives there. An execution does a
// look-up at each access; the next execution begins with an empty table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace jobs::model {

class AddressTable {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  void clear() {
    if (++epoch_ == 0) {
      entries_.assign(entries_.size(), {});
      epoch_ = 1;
    }
    used_ = 0;
  }
  std::size_t find(const void* address) const {
    for (std::size_t i = first(address);; i = next(i)) {
      const Entry& entry = entries_[i];
      if (entry.epoch != epoch_) return kNone;
      if (entry.address == address) return entry.number;
    }
  }
  // pre: find(address) == kNone.
  void add(const void* address, std::size_t number) {
    if (2 * used_ > mask_) [[unlikely]]
      grow();
    std::size_t i = first(address);
    while (entries_[i].epoch == epoch_ && entries_[i].address != nullptr) i = next(i);
    used_ += entries_[i].epoch != epoch_;
    entries_[i] = {address, epoch_, static_cast<std::uint32_t>(number)};
  }
  // pre: the address was added.
  void remove(const void* address) {
    std::size_t i = first(address);
    while (entries_[i].address != address) i = next(i);
    entries_[i].address = nullptr;  // a search for another address continues beyond this entry
  }

 private:
  struct Entry {
    const void* address = nullptr;  // null: removed
    std::uint32_t epoch = 0;        // the entry is free in all other epochs
    std::uint32_t number = 0;
  };

  std::size_t first(const void* address) const {
    return (reinterpret_cast<std::uintptr_t>(address) * 0x9E37'79B9'7F4A'7C15) >> shift_;
  }
  std::size_t next(std::size_t i) const { return (i + 1) & mask_; }
  void grow() {
    std::vector<Entry> old = std::move(entries_);
    entries_.assign(2 * old.size(), {});
    --shift_;
    mask_ = entries_.size() - 1;
    used_ = 0;
    for (const Entry& entry : old) {
      if (entry.epoch == epoch_ && entry.address != nullptr) add(entry.address, entry.number);
    }
  }

  static constexpr unsigned kFirstBits = 8;

  std::uint32_t epoch_ = 1;
  unsigned shift_ = 64 - kFirstBits;
  std::size_t mask_ = (std::size_t{1} << kFirstBits) - 1;
  std::size_t used_ = 0;  // includes removed entries
  std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << kFirstBits);
};

}  // namespace jobs::model
