// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// Blocks by zlib, and the gzip header and trailer.
#include "samples/pgz/deflate.hpp"

#include <new>
#include <stdexcept>
#include <utility>

namespace pgz {

Deflater::Deflater(int level) : stream_(new z_stream{}) {
  // The largest window, without zlib's own header and trailer.
  constexpr int kRawDeflate = -15;
  constexpr int kMemoryLevel = 8;
  if (deflateInit2(stream_, level, Z_DEFLATED, kRawDeflate, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    delete stream_;
    throw std::bad_alloc();
  }
  constexpr std::size_t kSyncMarker = 16;
  room_.resize(deflateBound(stream_, kBlockSize) + kSyncMarker);
}

Deflater::Deflater(Deflater&& other) noexcept
    : stream_(std::exchange(other.stream_, nullptr)), room_(std::move(other.room_)) {}

Deflater::~Deflater() {
  if (stream_ == nullptr) return;
  deflateEnd(stream_);
  delete stream_;
}

CompressedBlock Deflater::compress(const Block& block) {
  deflateReset(stream_);
  if (!block.dictionary.empty()) {
    deflateSetDictionary(stream_, block.dictionary.data(),
                         static_cast<uInt>(block.dictionary.size()));
  }
  stream_->next_in = const_cast<Bytef*>(block.text.data());  // NOLINT: zlib does not write there
  stream_->avail_in = static_cast<uInt>(block.text.size());
  stream_->next_out = room_.data();
  stream_->avail_out = static_cast<uInt>(room_.size());
  const int status = deflate(stream_, block.is_last ? Z_FINISH : Z_SYNC_FLUSH);
  if (status != (block.is_last ? Z_STREAM_END : Z_OK) || stream_->avail_in != 0) {
    throw std::runtime_error("zlib could not compress a block");
  }
  return {.data = Bytes(room_.data(), stream_->next_out),
          .text_size = block.text.size(),
          .checksum = static_cast<std::uint32_t>(
              crc32(0, block.text.data(), static_cast<uInt>(block.text.size())))};
}

Bytes gzip_header(int level) {
  // Magic number, deflate, no flags, no time, effort of the compression, Unix.
  const auto effort = static_cast<unsigned char>(level == 9 ? 2 : level == 1 ? 4 : 0);
  return {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, effort, 3};
}

Bytes gzip_trailer(std::uint32_t checksum, std::uint64_t text_size) {
  Bytes bytes;
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<unsigned char>(checksum >> shift));
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<unsigned char>(text_size >> shift));
  return bytes;
}

}  // namespace pgz
