// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// One gzip file from blocks that are compressed independently. Each block is deflated with the
// preceding 32 KiB as a dictionary, so the compression is hardly worse. It ends at a byte boundary,
// so the next block can follow directly. The checksum of the whole is computed from the checksums
// of the blocks. Source: the format is RFC 1951 and 1952; dictionaries for parallel blocks are
// pigz's idea (M. Adler).
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pgz {

// Loading the dictionary costs as much as 2 % of a block of 128 KiB.
inline constexpr std::size_t kBlockSize = 512 * 1024;
inline constexpr std::size_t kDictionarySize = 32 * 1024;

using Bytes = std::vector<unsigned char>;

struct Block {
  // The preceding bytes, at most kDictionarySize.
  std::span<const unsigned char> dictionary;
  // At most kBlockSize bytes.
  std::span<const unsigned char> text;
  bool is_last;
};

struct CompressedBlock {
  Bytes data;
  std::size_t text_size;
  std::uint32_t checksum;  // of the text
};

// Holds zlib's state of 256 KiB, which takes longer to create than a small block to compress, and
// room for the longest result.
class Deflater {
 public:
  // Throws std::bad_alloc.
  explicit Deflater(int level);
  Deflater(Deflater&& other) noexcept;
  Deflater& operator=(Deflater&&) = delete;
  ~Deflater();

  // Pure: the result depends only on the block and the level.
  CompressedBlock compress(const Block& block);

 private:
  z_stream* stream_;
  Bytes room_;
};

// The bytes before the first block and after the last one.
Bytes gzip_header(int level);
Bytes gzip_trailer(std::uint32_t checksum, std::uint64_t text_size);

}  // namespace pgz
