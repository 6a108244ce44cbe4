// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// The pipeline: a source of extents, parallel compression, an ordered writer.
#include "samples/pgz/compress.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "jobs/per_worker.hpp"
#include "samples/pgz/deflate.hpp"

namespace pgz {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw std::runtime_error(std::string(what) + " '" + path.string() + "': " + std::strerror(errno));
}

// The position of a block in the file.
struct Extent {
  std::size_t begin;
  std::size_t end;
  bool is_last;
};

// The file as of its opening. The worker that compresses a block also reads it, so no text waits in
// memory.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : path_(path), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) throw UserError("cannot read '" + path.string() + "': " + std::strerror(errno));
    size_ = static_cast<std::size_t>(lseek(file_, 0, SEEK_END));
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { close(file_); }

  // Returns the next extent. An empty file has one empty block.
  std::optional<Extent> next() {
    if (is_done_) return std::nullopt;
    const Extent extent{next_, std::min(next_ + kBlockSize, size_), next_ + kBlockSize >= size_};
    next_ = extent.end;
    is_done_ = extent.is_last;
    return extent;
  }

  // Reads a block into `buffer`. Any number of threads may call it concurrently.
  Block read(const Extent& extent, Bytes& buffer) const {
    const std::size_t dictionary_size = std::min(extent.begin, kDictionarySize);
    const std::size_t begin = extent.begin - dictionary_size;
    const std::size_t size = extent.end - begin;
    // Reads one byte more than the file had, to detect growth.
    buffer.resize(kDictionarySize + kBlockSize + 1);
    if (read_up_to(size + (extent.is_last ? 1 : 0), begin, buffer) != size) {
      throw std::runtime_error("'" + path_.string() + "' was changed while it was read");
    }
    const std::span<const unsigned char> all(buffer.data(), size);
    return {all.first(dictionary_size), all.subspan(dictionary_size), extent.is_last};
  }

 private:
  std::size_t read_up_to(std::size_t size, std::size_t at, Bytes& buffer) const {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t count =
          pread(file_, buffer.data() + done, size - done, static_cast<off_t>(at + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(path_, "cannot read");
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

  const std::filesystem::path path_;
  const int file_;
  std::size_t size_ = 0;
  std::size_t next_ = 0;
  bool is_done_ = false;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Writes beside the target and renames at the end: no program ever sees half of the file.
class Writer {
 public:
  explicit Writer(const std::filesystem::path& path)
      : path_(path), partial_(path.string() + ".partial") {
    if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) {
      throw UserError("'" + path.string() + "' is not a file");
    }
    file_.reset(std::fopen(partial_.c_str(), "wb"));
    if (!file_) throw UserError("cannot write '" + path.string() + "': " + std::strerror(errno));
  }
  ~Writer() {
    if (file_ == nullptr) return;
    file_.reset();
    std::error_code ignored;
    std::filesystem::remove(partial_, ignored);
  }
  void write(const Bytes& bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
      fail(path_, "cannot write");
    size_ += bytes.size();
  }
  std::uint64_t finish() {
    if (std::fflush(file_.get()) != 0) fail(path_, "cannot write");
    std::filesystem::rename(partial_, path_);
    file_.reset();
    return size_;
  }

 private:
  const std::filesystem::path path_;
  const std::filesystem::path partial_;
  File file_;
  std::uint64_t size_ = 0;
};

}  // namespace

Report compress_file(const Options& options, std::size_t blocks) {
  if (!std::filesystem::is_regular_file(options.input)) {
    throw UserError("no file '" + options.input.string() + "'");
  }
  Reader reader(options.input);
  Writer writer(options.out);
  Report report;
  uLong checksum = crc32(0, nullptr, 0);
  struct Tools {
    Deflater deflater;
    Bytes buffer;
  };
  jobs::PerWorker<Tools> tools([&] { return Tools{Deflater(options.level), {}}; });

  writer.write(gzip_header(options.level));
  jobs::pipeline(
      {.max_tokens = blocks, .stats = &report.stats},  //
      [&] { return reader.next(); },                   //
      jobs::parallel([&](const Extent& extent) {
        // Nothing here waits, so no other job uses the tools meanwhile.
        Tools& own = tools.local();
        return own.deflater.compress(reader.read(extent, own.buffer));
      }),
      jobs::in_order([&](const CompressedBlock& block) {
        writer.write(block.data);
        checksum = crc32_combine(checksum, block.checksum, static_cast<z_off_t>(block.text_size));
        report.text_size += block.text_size;
      }));
  writer.write(gzip_trailer(static_cast<std::uint32_t>(checksum), report.text_size));
  report.data_size = writer.finish();
  return report;
}

}  // namespace pgz
