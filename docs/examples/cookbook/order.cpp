// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Recipes of docs/cookbook.md: work with an order: dependencies, frames, priorities. The page shows
// the marked parts.
#include <chrono>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "docs/examples/check.hpp"
#include "jobs/jobs.hpp"
#include "jobs/priority_for.hpp"

namespace {

using example::check;
using namespace std::chrono_literals;

// What the compiler of the build system did, in the order of its calls.
jobs::Mutex log_mutex;
std::string compiled;
void compile(const std::string& name) {
  if (name == "broken") throw std::runtime_error("syntax error");
  const std::scoped_lock lock(log_mutex);
  compiled += name + ' ';
}

//! [build_system]
struct Target {
  std::string name;
  std::vector<std::string> needs;  // names of earlier targets of the list
};

// Returns the targets that have failed, and those that were left out because of them.
std::vector<std::string> build(const std::vector<Target>& targets) {
  std::map<std::string, jobs::JobHandle> builds;
  for (const Target& target : targets) {
    std::vector<jobs::JobHandle> needs;
    for (const std::string& name : target.needs) needs.push_back(builds.at(name));
    builds[target.name] = jobs::spawn_after(needs, [&target] { compile(target.name); });
  }
  std::vector<std::string> failed;
  for (const auto& [name, job] : builds) {
    try {
      job.wait();
    } catch (const std::exception&) {
      failed.push_back(name);
    }
  }
  return failed;
}
//! [build_system]

// Stands for a window with its graphics context: only its creating thread may use it.
class Device {
 public:
  void upload(std::size_t bytes) {
    expect_owner();
    uploaded += bytes;
  }
  void draw() {
    expect_owner();
    ++drawn;
  }
  std::size_t uploaded = 0;
  int drawn = 0;

 private:
  void expect_owner() const {
    if (std::this_thread::get_id() != owner_)
      throw std::logic_error("not the thread of the device");
  }
  const std::thread::id owner_ = std::this_thread::get_id();
};

struct Asset {
  std::string file;
  bool is_near;
};
std::string read_file(const std::string& name) { return name; }
std::string decode(const std::string& bytes) { return bytes + bytes; }

//! [assets]
// The caller waits for `loading` before it destroys the device or the list.
void stream(jobs::Counter& loading, const std::vector<Asset>& assets, Device& device,
            const std::stop_token& stop) {
  for (const Asset& asset : assets) {
    const auto load = [&loading, &asset, &device, stop] {
      if (stop.stop_requested()) return;  // the player has left the level
      const std::string bytes = jobs::blocking([&] { return read_file(asset.file); });
      const auto upload = [&device, mesh = decode(bytes)] { device.upload(mesh.size()); };
      jobs::spawn(loading, upload, {.on = jobs::main_thread});
    };
    jobs::spawn(loading, load,
                {.on = jobs::not_main_thread,
                 .priority = asset.is_near ? jobs::Priority::kNormal : jobs::Priority::kLow});
  }
}
//! [assets]

//! [main_thread]
// The thread that calls it owns the device. Returns the number of uploaded bytes.
std::size_t play_level(const std::vector<Asset>& assets) {
  jobs::Scheduler scheduler({.bind_caller = true});  // this thread is worker 0
  Device device;
  std::stop_source leave;
  jobs::Counter loading;
  stream(loading, assets, device, leave.get_token());
  while (!loading.wait_for(0ms)) {
    scheduler.run_main_thread_jobs();  // the uploads that have arrived
    device.draw();
  }
  return device.uploaded;
}
//! [main_thread]

//! [frame]
struct World {
  std::vector<float> heights;
  int sounds = 0;
};

int play(World& world, Device& device, int frames) {
  jobs::Scheduler scheduler({.bind_caller = true});  // this thread runs the nodes on main_thread
  const jobs::ParallelPhase phase;                   // the workers stay awake between frames
  jobs::TaskGraph frame;
  const auto physics = frame.node(
      [&] { jobs::parallel_for(world.heights, [](float& height) { height -= 0.5f; }); }, "physics");
  const auto audio = frame.node([&] { ++world.sounds; }, "audio");
  const auto draw = frame.node([&] { device.draw(); }, "draw");
  draw.on(jobs::main_thread).succeed(physics);
  audio.on(jobs::not_main_thread);
  for (int i = 0; i < frames; ++i) frame.run();  // from the third run on, nothing is allocated
  return device.drawn;
}
//! [frame]

//! [background]
// Computes light maps on at most one worker at a time, while the frames go on.
void bake(jobs::Scheduler& scheduler, jobs::Counter& baked, std::vector<float>& lights) {
  const auto bake_all = [&lights] {
    jobs::parallel_for(
        lights, [](float& light) { light = 2 * light + 1; },
        jobs::LoopPriority(jobs::Priority::kBackground));
  };
  scheduler.spawn(baked, bake_all, {.priority = jobs::Priority::kBackground});
}

float bake_beside_frames(std::vector<float>& lights) {
  jobs::Scheduler scheduler({.worker_count = 3, .max_background_workers = 1});
  jobs::Counter baked;
  bake(scheduler, baked, lights);
  // Frames run here, in jobs of a higher priority.
  baked.wait();
  return lights.front();
}
//! [background]

//! [log_in_order]
// Lines of one log, written one at a time, in the order of the calls; no job waits for the file.
class Log {
 public:
  void write(std::string line) {
    static_cast<void>(pipe_.spawn([this, line = std::move(line)] { text_ += line + '\n'; }));
  }
  ~Log() { pipe_.wait(); }  // its jobs use the text
  std::string close() {
    pipe_.wait();
    return text_;
  }

 private:
  jobs::Pipe pipe_;
  std::string text_;
};
//! [log_in_order]

void check_build() {
  check(
      build({{"base", {}}, {"net", {"base"}}, {"gui", {"base"}}, {"app", {"net", "gui"}}}).empty(),
      "build_system");
  check(compiled == "base net gui app " || compiled == "base gui net app ", "build_system, order");
  compiled.clear();
  check(build({{"broken", {}}, {"base", {}}, {"app", {"base", "broken"}}}) ==
                std::vector<std::string>{"app", "broken"} &&
            compiled == "base ",
        "build_system, failure");
}

void check_frames() {
  Device device;
  World world{.heights = std::vector<float>(1000, 100.0f)};
  check(play(world, device, 10) == 10 && world.heights[999] == 95.0f && world.sounds == 10,
        "frame");
}

void check_log() {
  Log log;
  for (int i = 0; i < 3; ++i) log.write(std::to_string(i));
  check(log.close() == "0\n1\n2\n", "log_in_order");
}

}  // namespace

int main() {
  check_build();
  check(play_level({{"tree", true}, {"house", false}}) == 18, "assets");
  check_frames();
  std::vector<float> lights(1000, 3.0f);
  check(bake_beside_frames(lights) == 7.0f && lights[999] == 7.0f, "background");
  check_log();
  return example::failures;
}
