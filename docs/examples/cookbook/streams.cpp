// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Recipes of docs/cookbook.md: producers and consumers, actors, files, caches. The page shows the
// marked parts.
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "docs/examples/check.hpp"
#include "docs/examples/cookbook/folder.hpp"
#include "jobs/jobs.hpp"

namespace {

using example::check;
namespace fs = std::filesystem;

//! [producers]
// Two producers, three consumers, and at most 64 numbers between them.
long sum_of_squares(int numbers) {
  jobs::Channel<int> work(64);
  std::atomic<long> sum{0};
  jobs::Counter producers;
  jobs::Counter consumers;
  for (int consumer = 0; consumer < 3; ++consumer) {
    jobs::spawn(consumers, [&] {
      for (const int number : work) sum += long{number} * number;
    });
  }
  for (int producer = 0; producer < 2; ++producer) {
    jobs::spawn(producers, [&, producer] {
      for (int number = producer; number < numbers && work.push(number);) number += 2;
    });
  }
  producers.wait();
  work.close();  // the last producer has ended; the consumers end when the channel is empty
  consumers.wait();
  return sum;
}
//! [producers]

//! [actor]
class Account {
 public:
  ~Account() {
    const jobs::CancelShield shield;  // the join ends even if the calling fiber was stopped
    inbox_.close();
    actor_.join();  // the messages that have arrived are processed first
  }
  void deposit(int amount) { static_cast<void>(inbox_.push(amount)); }
  int balance() {
    const auto answer = std::make_shared<jobs::Channel<int>>(1);  // a stop may end the wait below
    static_cast<void>(inbox_.push(Question{answer}));
    return *answer->pop();
  }

 private:
  struct Question {
    std::shared_ptr<jobs::Channel<int>> answer;
  };
  jobs::Channel<std::variant<int, Question>> inbox_{16};
  jobs::Fiber<> actor_{[this] {
    int balance = 0;  // only this fiber sees it: no lock
    for (const auto& message : inbox_) {
      if (const int* const amount = std::get_if<int>(&message)) balance += *amount;
      if (const Question* const question = std::get_if<Question>(&message))
        static_cast<void>(question->answer->push(balance));
    }
  }};
};
//! [actor]

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::string compress(const std::string& text) { return text.substr(0, text.size() / 2); }

//! [file_pipeline]
void archive(const std::vector<fs::path>& files, std::ofstream& target) {
  std::size_t next = 0;
  jobs::pipeline(
      16,  // at most 16 files are in memory
      [&]() -> std::optional<fs::path> {
        if (next == files.size()) return std::nullopt;
        return files[next++];
      },
      jobs::parallel(
          [](const fs::path& file) { return jobs::blocking([&] { return read_file(file); }); }),
      jobs::parallel([](const std::string& text) { return compress(text); }),
      jobs::in_order(
          [&](const std::string& packed) { jobs::blocking([&] { target << packed; }); }));
}
//! [file_pipeline]

std::atomic<int> loads{0};
std::string load(const std::string& name) {
  ++loads;
  return "mesh of " + name;
}

//! [cache]
class Cache {
 public:
  const std::string& get(const std::string& name) {
    Entry& entry = entry_of(name);
    jobs::call_once(entry.once, [&] { entry.mesh = load(name); });  // other callers wait for it
    return entry.mesh;
  }

 private:
  struct Entry {
    jobs::OnceFlag once;
    std::string mesh;
  };
  Entry& entry_of(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    return entries_[name];  // the entries of a std::map stay where they are
  }

  jobs::Mutex mutex_;
  std::map<std::string, Entry> entries_;
};
//! [cache]

void check_actor() {
  Account account;
  jobs::parallel_for(0, 100, [&](int i) { account.deposit(i); });
  check(account.balance() == 4950, "actor");
}

void check_archive() {
  const cookbook::Folder folder;
  std::vector<fs::path> files;
  std::string expected;
  for (int i = 0; i < 50; ++i) {
    files.push_back(folder / std::to_string(i));
    const std::string text(static_cast<std::size_t>(2 * i), static_cast<char>('a' + i % 26));
    std::ofstream(files.back()) << text;
    expected += compress(text);
  }
  {
    std::ofstream target(folder / "archive", std::ios::binary);
    archive(files, target);
  }
  check(read_file(folder / "archive") == expected, "file_pipeline");
}

void check_cache() {
  Cache cache;
  std::atomic<int> right{0};
  jobs::parallel_for(0, 1000, [&](int i) {
    const std::string name(1, static_cast<char>('a' + i % 5));
    if (cache.get(name) == "mesh of " + name) ++right;
  });
  check(right == 1000 && loads == 5, "cache");
}

}  // namespace

int main() {
  check(sum_of_squares(1000) == 332'833'500, "producers");
  check_actor();
  check_archive();
  check_cache();
  return example::failures;
}
