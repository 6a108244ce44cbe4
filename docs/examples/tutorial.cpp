// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps of docs/tutorial.md, which shows these functions line for line (scripts/check-readme).
// main() compares their results with serial computations.
#include <cstddef>
#include <functional>
#include <iostream>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "docs/examples/check.hpp"
#include "jobs/jobs.hpp"

namespace {

using example::check;

using Row = std::vector<int>;
using Picture = std::vector<Row>;

// Returns the number of steps until a point leaves a circle, from 1 to 100. The point is a part of
// a square picture, which shows a part of the plane.
int escape_time(std::size_t x, std::size_t y, std::size_t size, std::size_t zoom) {
  const auto along = [&](std::size_t i) {
    return (2.0 * static_cast<double>(i) / static_cast<double>(size) - 1) /
           static_cast<double>(zoom);
  };
  double re = 0;
  double im = 0;
  int steps = 0;
  for (; steps < 100 && re * re + im * im < 4; ++steps) {
    const double next = re * re - im * im + along(x) - 0.7;
    im = 2 * re * im + along(y);
    re = next;
  }
  return steps;
}

Picture draw(std::size_t size, std::size_t zoom) {
  Picture picture(size, Row(size));
  jobs::parallel_for(0, size, [&](std::size_t y) {
    for (std::size_t x = 0; x < size; ++x) picture[y][x] = escape_time(x, y, size, zoom);
  });
  return picture;
}

long total_steps(const Picture& picture) {
  return jobs::parallel_reduce(picture, 0L, std::plus{}, [](long sum, const Row& row) {
    return std::accumulate(row.begin(), row.end(), sum);
  });
}

bool is_uniform(const Picture& picture, std::size_t x, std::size_t y, std::size_t size) {
  for (std::size_t i = 0; i < size * size; ++i) {
    if (picture[y + i / size][x + i % size] != picture[y][x]) return false;
  }
  return true;
}

// Returns the number of one-coloured squares that make up a square of the picture.
int count_squares(const Picture& picture, std::size_t x, std::size_t y, std::size_t size) {
  if (is_uniform(picture, x, y, size)) return 1;
  const std::size_t half = size / 2;
  const auto [a, b, c, d] =
      jobs::fork_join([&] { return count_squares(picture, x, y, half); },
                      [&] { return count_squares(picture, x + half, y, half); },
                      [&] { return count_squares(picture, x, y + half, half); },
                      [&] { return count_squares(picture, x + half, y + half, half); });
  return a + b + c + d;
}

std::vector<long> steps_of_film(std::size_t frames) {
  std::vector<long> steps(frames);
  jobs::Counter done;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    jobs::spawn(done, [&steps, frame] { steps[frame] = total_steps(draw(32, 1 + frame)); });
  }
  done.wait();  // all jobs have ended: their results are visible
  return steps;
}

std::string error_of_job() {
  jobs::Counter done;
  jobs::spawn(done, [] { throw std::runtime_error("the disk is full"); });
  try {
    done.wait();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

long paint_on_request(std::size_t requests) {
  jobs::Channel<std::size_t> frames(2);
  jobs::Fiber painter([&] {
    long steps = 0;
    for (const std::size_t frame : frames) steps += total_steps(draw(32, 1 + frame));
    return steps;
  });
  for (std::size_t frame = 0; frame < requests; ++frame) {
    if (!frames.push(frame)) break;  // waits while two requests are in the channel
  }
  frames.close();
  return painter.join();
}

std::vector<long> compare_frames(std::size_t frames) {
  std::vector<long> differences;
  std::size_t frame = 0;
  jobs::TaskGraph graph;
  const auto now = graph.node([&] { return draw(32, 1 + frame); }, "now");
  const auto next = graph.node([&] { return draw(32, 2 + frame); }, "next");
  graph.node([&](const Picture& a,
                 const Picture& b) { differences.push_back(total_steps(b) - total_steps(a)); },
             "compare", now, next);
  for (; frame < frames; ++frame) graph.run();
  return differences;
}

std::string to_text(const Picture& picture) {
  std::string text;
  for (const Row& row : picture) {
    for (const int steps : row) text += " .:-=+*#%@"[steps / 11];
    text += '\n';
  }
  return text;
}

std::string film_as_text(std::size_t frames) {
  std::string film;
  std::size_t next = 0;
  jobs::pipeline(
      4,  // at most four frames are in memory
      [&]() -> std::optional<std::size_t> {
        if (next == frames) return std::nullopt;  // the end
        return next++;
      },
      jobs::parallel([](std::size_t frame) { return draw(32, 1 + frame); }),
      jobs::parallel([](const Picture& picture) { return to_text(picture); }),
      jobs::in_order([&](const std::string& text) { film += text; }));
  return film;
}

}  // namespace

int main() {
  constexpr std::size_t kFrames = 6;
  std::vector<long> steps;
  std::vector<long> differences;
  std::string film;
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    long sum = 0;
    Picture serial(32, Row(32));
    for (std::size_t i = 0; i < 32 * 32; ++i) {
      int& steps_here = serial[i / 32][i % 32];
      steps_here = escape_time(i % 32, i / 32, 32, 1 + frame);
      sum += steps_here;
    }
    check(draw(32, 1 + frame) == serial, "parallel_for");
    steps.push_back(sum);
    film += to_text(serial);
    if (frame > 0) differences.push_back(steps[frame] - steps[frame - 1]);
  }
  check(total_steps(draw(32, 1)) == steps[0], "parallel_reduce");
  // Four squares: one of them is divided again.
  const Picture squares = {{1, 1, 2, 2}, {1, 1, 2, 2}, {3, 3, 4, 5}, {3, 3, 6, 7}};
  check(count_squares(squares, 0, 0, 4) == 7, "fork_join");
  check(steps_of_film(kFrames) == steps, "spawn");
  check(error_of_job() == "the disk is full", "exception");
  check(paint_on_request(kFrames) == std::accumulate(steps.begin(), steps.end(), 0L), "Fiber");
  check(compare_frames(kFrames - 1) == differences, "TaskGraph");
  check(film_as_text(kFrames) == film, "pipeline");
  std::cout << film;
  return example::failures;
}
