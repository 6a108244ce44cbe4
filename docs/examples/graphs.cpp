// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Examples of the API reference: task graphs and access graphs. The headers show the marked parts.
#include <string>
#include <vector>

#include "docs/examples/check.hpp"
#include "jobs/jobs.hpp"

namespace {

using example::check;

//! [task_graph]
int render(int frames) {
  int steps = 0;
  int culled = 0;
  jobs::TaskGraph frame;
  auto physics = frame.node([&] { ++steps; }, "physics");
  auto cull = frame.node([&] { culled = steps; }, "cull");
  physics.precede(cull);
  for (int i = 0; i < frames; ++i) frame.run();  // allocates in the first two runs only
  return culled;
}
//! [task_graph]

//! [clear]
long draw_frames(int frames) {
  std::vector<long> sizes(8, 1);
  long drawn = 0;
  jobs::TaskGraph frame;
  for (int i = 0; i < frames; ++i) {
    frame.clear();  // the nodes of the last frame; the graph keeps their memory
    std::vector<jobs::TaskGraph::Node> culls;
    for (long& size : sizes) culls.push_back(frame.node([&size] { ++size; }));
    auto draw = frame.node([&] {
      for (const long size : sizes) drawn += size;
    });
    draw.succeed(culls);
    frame.run();
  }
  return drawn;
}
//! [clear]

//! [results]
std::string load_and_show() {
  std::string shown;
  jobs::TaskGraph graph;
  auto image = graph.node([] { return std::string("image"); }, "load");
  graph.node([&](const std::string& loaded) { shown = loaded; }, "show", image);
  graph.run();
  return shown;
}
//! [results]

//! [condition]
int count_rounds() {
  int rounds = 0;
  jobs::TaskGraph graph;
  auto begin = graph.node([&] { rounds = 0; }, "begin");
  auto work = graph.node([&] { ++rounds; }, "work");
  auto again = graph.condition([&] { return rounds < 10 ? 0 : 1; }, "again?");
  auto end = graph.node([] {}, "end");
  begin.precede(work);
  work.precede(again);
  again.precede(work, end);  // 0: work; 1: end
  graph.run();
  return rounds;
}
//! [condition]

//! [limit]
void load_all(const std::vector<std::string>& files, std::vector<std::size_t>& sizes) {
  jobs::TaskGraph::Limit disk(2);  // at most two loads at a time
  jobs::TaskGraph graph;
  for (std::size_t i = 0; i < files.size(); ++i) {
    graph.node([&, i] { sizes[i] = files[i].size(); }, files[i]).limit(disk);
  }
  graph.run();
}
//! [limit]

//! [graph_run]
int run_twice_at_a_time() {
  jobs::TaskGraph graph;
  auto answer = graph.node([] { return 21L; }, "answer");
  jobs::TaskGraph::Run a(graph);
  jobs::TaskGraph::Run b(graph);
  a.start();
  b.start();
  a.wait();
  b.wait();
  return static_cast<int>(a.get(answer) + b.get(answer));  // each run has its own results
}
//! [graph_run]

//! [argument]
struct Frame {
  int number = 0;
  int drawn = 0;
};

int draw_two_frames_at_a_time() {
  jobs::TaskGraph graph;
  auto frame = graph.argument<Frame>();
  auto update = graph.node([](Frame& its) { return its.number + 1; }, "update", frame);
  graph.node([](Frame& its, int next) { its.drawn = next; }, "draw", frame, update);
  Frame first{.number = 1};
  graph.run(first);
  Frame second{.number = 2}, third{.number = 3};
  jobs::TaskGraph::Run a(graph), b(graph);
  a.start(second);
  b.start(third);  // runs at the same time, with a frame of its own
  a.wait();
  b.wait();
  return first.drawn + second.drawn + third.drawn;
}
//! [argument]

//! [graph_move]
// A graph that one function builds and another function runs. Its index is rebuilt behind the
// frame.
jobs::TaskGraph frame_of(int& drawn, int& indexed) {
  jobs::TaskGraph frame;
  const auto cull = frame.node([] {}, "cull");
  const auto draw = frame.node([&] { ++drawn; }, "draw");
  const auto index = frame.node([&] { ++indexed; }, "index");
  index.priority(jobs::Priority::kLow);
  cull.precede(draw, index);
  return frame;
}

int draw_from_a_list(int frames) {
  int drawn = 0;
  int indexed = 0;
  std::vector<jobs::TaskGraph> graphs;
  for (int i = 0; i < frames; ++i) graphs.push_back(frame_of(drawn, indexed));
  for (jobs::TaskGraph& graph : graphs) graph.run();
  return drawn + indexed;
}
//! [graph_move]

//! [access_graph]
int simulate() {
  jobs::Resource<int> world("world");
  jobs::Resource<int> image("image");
  jobs::AccessGraph frame;
  frame.node([&](jobs::Access& access) { ++access.write(world); }, "physics", jobs::writes(world));
  frame.node([&](jobs::Access& access) { access.write(image) = access.read(world); }, "draw",
             jobs::reads(world), jobs::writes(image));
  for (int i = 0; i < 3; ++i) frame.run();
  return image.unguarded();
}
//! [access_graph]

}  // namespace

int main() {
  check(render(60) == 60, "task_graph");
  check(draw_frames(3) == 8 * (2 + 3 + 4), "clear");
  check(load_and_show() == "image", "results");
  check(count_rounds() == 10, "condition");
  std::vector<std::size_t> sizes(3);
  load_all({"a", "bb", "ccc"}, sizes);
  check(sizes[2] == 3, "limit");
  check(run_twice_at_a_time() == 42, "graph_run");
  check(draw_two_frames_at_a_time() == 2 + 3 + 4, "argument");
  check(draw_from_a_list(3) == 6, "graph_move");
  check(simulate() == 3, "access_graph");
  return example::failures;
}
