// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "samples/pgz/compress.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "jobs/per_worker.hpp"
#include "samples/pgz/deflate.hpp"

namespace pgz {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw std::runtime_error(std::string(what) + " '" + path.string() + "': " + std::strerror(errno));
}

// One block ahead of the caller, to know which one is the last.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    if (!file_) throw UserError("cannot read '" + path.string() + "': " + std::strerror(errno));
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
    ahead_ = read();
  }

  // An empty file has one block, an empty one.
  std::optional<Block> next() {
    if (is_done_) return std::nullopt;
    Block block{std::move(dictionary_), std::move(ahead_), false};
    const std::size_t keep = std::min(block.text.size(), kDictionarySize);
    dictionary_.assign(block.text.end() - static_cast<std::ptrdiff_t>(keep), block.text.end());
    ahead_ = read();
    block.is_last = is_done_ = ahead_.empty();
    return block;
  }

 private:
  Bytes read() {
    Bytes bytes(kBlockSize);
    bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file_.get()));
    if (std::ferror(file_.get()) != 0) fail(path_, "cannot read");
    return bytes;
  }

  const std::filesystem::path path_;
  const File file_;
  Bytes dictionary_;
  Bytes ahead_;
  bool is_done_ = false;
};

// Writes beside the wanted file and renames at the end, so that nobody ever sees half of it.
class Writer {
 public:
  explicit Writer(const std::filesystem::path& path) : path_(path), partial_(path.string() + ".partial") {
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
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail(path_, "cannot write");
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
  jobs::PerWorker<Deflater> deflaters([&] { return Deflater(options.level); });

  writer.write(gzip_header(options.level));
  jobs::pipeline(
      {.max_tokens = blocks, .stats = &report.stats},  //
      [&] { return reader.next(); },                   //
      jobs::parallel([&](const Block& block) { return deflaters.local().compress(block); }),
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
