// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// An allocator of the program: an engine that accounts for all memory sees the memory of the
// library, too.
#include "jobs/allocator.hpp"

#include <atomic>
#include <cstddef>
#include <iostream>
#include <new>

#include "jobs/jobs.hpp"

namespace {

//! [allocator]
class EngineHeap final : public jobs::Allocator {
 public:
  void* allocate(std::size_t size, std::size_t alignment) noexcept override {
    bytes_ += size;
    return ::operator new(size, std::align_val_t{alignment}, std::nothrow);
  }
  void deallocate(void* memory, std::size_t size, std::size_t alignment) noexcept override {
    bytes_ -= size;
    ::operator delete(memory, std::align_val_t{alignment});
  }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::atomic<std::size_t> bytes_{0};
};

constinit EngineHeap heap;  // lives until the process ends

void start_engine() {
  jobs::set_allocator(heap);  // before any other call of the library
}
//! [allocator]

}  // namespace

int main() {
  start_engine();
  std::size_t used = 0;
  {
    jobs::Scheduler scheduler({.worker_count = 2});
    scheduler.run([] {
      jobs::Channel<int> levels(4);
      jobs::Fiber<> loader([&] { static_cast<void>(levels.push(1)); });
      static_cast<void>(levels.pop());
      loader.join();
    });
    used = heap.bytes();
    std::cout << "two workers, a fiber and a channel: " << used << " bytes\n";
  }
  std::cout << "after the end: " << heap.bytes() << " bytes\n";
  return used > 0 && heap.bytes() == 0 ? 0 : 1;
}
