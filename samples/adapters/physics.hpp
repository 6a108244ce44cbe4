// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A stub of a physics engine with a C interface, as Box2D 3 has one. The engine starts tasks
// through one function of its host and waits for them through another one. Its host is
// task_callbacks.cpp.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace physics {

// A part of a task: the items in [begin, end). At any time, one thread at most has a `thread`
// index.
using Task = void(int begin, int end, unsigned thread, void* context);

// The functions of the host. `user` is the host's own pointer.
struct Host {
  // The thread indices are below this number.
  unsigned max_threads;
  // Starts a task with items [0, count), in parts of `min_items` or more. Returns a handle.
  void* (*enqueue)(Task* task, int count, int min_items, void* context, void* user);
  // Waits for a task. The engine calls it once for each handle.
  void (*finish)(void* handle, void* user);
  void* user;
};

// Bodies on a line. A step moves the bodies and lists the pairs of neighbours that overlap.
class World {
 public:
  World(int bodies, const Host& host) : host_(host), threads_(host.max_threads) {
    for (int i = 0; i < bodies; ++i) bodies_.push_back({i * 16, i % 7 - 3});
  }

  void step() {
    const int count = static_cast<int>(bodies_.size());
    void* const moved = host_.enqueue(&World::move, count, 256, this, host_.user);
    host_.finish(moved, host_.user);
    for (Thread& thread : threads_) thread.overlaps = 0;
    void* const paired = host_.enqueue(&World::pair, count - 1, 256, this, host_.user);
    host_.finish(paired, host_.user);
    for (const Thread& thread : threads_) overlaps_ += thread.overlaps;
  }

  std::int64_t overlaps() const { return overlaps_; }

 private:
  struct Body {
    int position;
    int velocity;
  };
  // What a thread may change without a lock.
  struct alignas(64) Thread {
    std::int64_t overlaps = 0;
    bool is_busy = false;
  };

  static void move(int begin, int end, unsigned thread, void* context) {
    World& world = *static_cast<World*>(context);
    const Use use(world.threads_.at(thread));
    for (int i = begin; i < end; ++i) {
      Body& body = world.bodies_[static_cast<std::size_t>(i)];
      body.position += body.velocity;
    }
  }
  static void pair(int begin, int end, unsigned thread, void* context) {
    World& world = *static_cast<World*>(context);
    const Use use(world.threads_.at(thread));
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const int distance = world.bodies_[i + 1].position - world.bodies_[i].position;
      if (-10 < distance && distance < 10) ++world.threads_[thread].overlaps;
    }
  }

  // Ends the program if two threads use one index at the same time.
  class Use {
   public:
    explicit Use(Thread& thread) : thread_(thread) {
      if (thread.is_busy) throw std::logic_error("two threads have one index");
      thread.is_busy = true;
    }
    ~Use() { thread_.is_busy = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Thread& thread_;
  };

  const Host host_;
  std::vector<Body> bodies_;
  std::vector<Thread> threads_;
  std::int64_t overlaps_ = 0;
};

}  // namespace physics
