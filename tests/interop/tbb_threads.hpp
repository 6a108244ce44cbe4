// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TbbThreads: the threads that run bodies, and the largest number of bodies at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <set>
#include <thread>

namespace jobs::test {

// Any thread may call enter(); the other functions only after the bodies, except for calls().
class TbbThreads {
 public:
  void enter(std::chrono::microseconds time = std::chrono::microseconds(50)) {
    const int now = ++inside_;
    {
      const std::lock_guard guard(mutex_);
      all_.insert(std::this_thread::get_id());
      most_ = std::max(most_, now);
    }
    std::this_thread::sleep_for(time);
    --inside_;
    ++calls_;
  }
  int calls() const { return calls_; }
  int most() const { return most_; }
  std::size_t count() const { return all_.size(); }
  bool has_caller() const { return all_.contains(std::this_thread::get_id()); }

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> calls_{0};
  std::mutex mutex_;
  std::set<std::thread::id> all_;
  int most_ = 0;
};

}  // namespace jobs::test
