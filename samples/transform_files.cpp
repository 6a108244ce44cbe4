// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// transform_files SOURCE TARGET: copies a tree of files and rotates the letters of their contents
// by 13 places. A hundred fibers on one worker read, transform and write one file each at a time,
// in sequential code. None of their calls blocks the worker. The program proves this by counts:
// whenever the worker gave up its processor, there was no work. Finally the program reads both
// trees again, without jobs, and compares their checksums.
//
// With the sources of the kernel (Debian: linux-source-6.1):
//
//   mkdir sources
//   tar -C sources -xf /usr/src/linux-source-6.1.tar.xz
//   transform_files sources turned
#include <fcntl.h>
#include <sys/resource.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "jobs/io/io.hpp"
#include "jobs/jobs.hpp"

namespace {

namespace fs = std::filesystem;

constexpr int kFibers = 100;
constexpr std::size_t kChunk = 64 * 1024;

void turn(std::span<char> text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>((c - 'a' + 13) % 26 + 'a');
    if (c >= 'A' && c <= 'Z') c = static_cast<char>((c - 'A' + 13) % 26 + 'A');
  }
}

// All entries below `root`; a directory comes before its contents.
struct Tree {
  std::vector<fs::path> directories, files;
};
Tree list(const fs::path& root) {
  Tree tree;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_symlink()) continue;
    if (entry.is_directory()) tree.directories.push_back(entry.path().lexically_relative(root));
    if (entry.is_regular_file()) tree.files.push_back(entry.path().lexically_relative(root));
  }
  return tree;
}

// Runs in a fiber and waits like sequential code. Returns the number of bytes.
std::uint64_t transform(const fs::path& from, const fs::path& to) {
  struct File {
    ~File() { static_cast<void>(jobs::io::close(fd)); }
    const int fd;
  };
  const File in{jobs::io::open(from.c_str(), O_RDONLY).value()};
  const File out{jobs::io::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644).value()};
  std::vector<char> chunk(kChunk);
  std::uint64_t size = 0;
  while (const int got = jobs::io::read(in.fd, std::as_writable_bytes(std::span(chunk))).value()) {
    std::span<char> rest(chunk.data(), static_cast<std::size_t>(got));
    turn(rest);
    while (!rest.empty()) {
      const int put = jobs::io::write(out.fd, std::as_bytes(rest)).value();
      rest = rest.subspan(static_cast<std::size_t>(put));
    }
    size += static_cast<std::uint64_t>(got);
  }
  return size;
}

// Checksum of names and contents, independent of their order. Sequential code that blocks.
std::uint64_t checksum(const fs::path& root, const std::vector<fs::path>& files, bool turned) {
  std::uint64_t sum = 0;
  for (const fs::path& file : files) {
    std::ifstream in(root / file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (turned) turn(text);
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const char c : file.string() + '\n' + text)
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    sum += hash;
  }
  return sum;
}

int run(const fs::path& source, const fs::path& target) {
  jobs::Scheduler scheduler({.worker_count = 1});
  std::uint64_t bytes = 0, gave_up = 0, parks = 0;
  const std::vector<fs::path> files = scheduler.run([&] {
    const auto times_given_up = [] {
      rusage usage;
      getrusage(RUSAGE_THREAD, &usage);
      return static_cast<std::uint64_t>(usage.ru_nvcsw);
    };
    gave_up = times_given_up();
    parks = scheduler.stats().parks;
    Tree tree = jobs::blocking([&] {
      Tree found = list(source);
      fs::create_directories(target);
      for (const fs::path& directory : found.directories)
        fs::create_directories(target / directory);
      return found;
    });
    // Needs no atomic: all fibers are on one worker, so no two of them run at the same time.
    std::size_t next = 0;
    jobs::Counter done;
    for (int i = 0; i < kFibers; ++i) {
      jobs::spawn(done, [&] {
        while (next < tree.files.size()) {
          const fs::path& file = tree.files[next++];
          bytes += transform(source / file, target / file);
        }
      });
    }
    done.wait();
    gave_up = times_given_up() - gave_up;
    parks = scheduler.stats().parks - parks;
    return tree.files;
  });

  const char* const backend =
      jobs::io::backend() == jobs::io::Backend::kIoUring ? "io_uring" : "epoll";
  std::cout << files.size() << " files, " << bytes << " bytes, by " << kFibers
            << " fibers on one worker through " << backend << '\n'
            << "the worker gave up its processor " << gave_up << " times; " << parks
            << " times all fibers were waiting\n";
  // The kernel may make a thread wait for its memory map while another thread starts. The tolerance
  // is one in a thousand, and ten.
  const bool never_blocked = gave_up <= parks + parks / 1000 + 10;
  if (!never_blocked) std::cout << "so it was blocked by a call\n";

  const std::uint64_t expected = checksum(source, files, true);
  const std::uint64_t found = checksum(target, files, false);
  std::cout << "checksum " << std::hex << found
            << (found == expected ? ", as expected\n" : ", which is wrong\n");
  return never_blocked && found == expected ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "transform_files SOURCE TARGET\n";
    return 2;
  }
  try {
    return run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "transform_files: " << error.what() << '\n';
    return 1;
  }
}
