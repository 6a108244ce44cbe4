// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The raw file of a recording: its reader writes the file that the recording itself would write,
// and refuses files that are none or damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>

#include "jobs/jobs.hpp"
#include "jobs/trace.hpp"
#include "jobs/trace/tools/raw_reader.hpp"
#include "tests/support/seed.hpp"
#include "tests/trace/trace_file.hpp"
#include "tests/trace/until_waiting.hpp"

namespace jobs::test {
namespace {

using testing::EndsWith;
using trace::detail::RawReader;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& contents) {
  std::ofstream(path, std::ios::binary) << contents;
}

// Returns the message of the refusal; empty if the reader takes the file.
std::string refusal_of(const std::string& path) {
  try {
    const RawReader reader(path);
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

class RawFile : public testing::Test {
 protected:
  RawFile() {
    Scheduler scheduler({.worker_count = 2});
    trace::Recording recording;
    scheduler.run([this] {
      Event event;
      trace::name_object(&event, "the event of raw");
      Fiber waiter([&event] { event.wait(); }, {.name = "waiter of raw"});
      until_waiting(waiter);
      Counter counter;
      for (int i = 0; i < 50; ++i) {
        spawn(counter, [i] {
          const trace::Zone zone(trace::intern("zone " + std::to_string(i % 3)));
          trace::counter("level", i / 3.0);
        });
        trace::frame("raw");
      }
      counter.wait();
      trace::message("a message that is longer than one event can hold");
      event.signal();
      waiter.join();
      event_ = &event;
    });
    recording.stop();
    recording.write(raw_);
    recording.write(direct_);
    trace::forget_object(event_);
  }
  ~RawFile() override {
    for (const std::string& path : {raw_, direct_, converted_}) std::remove(path.c_str());
  }

  const void* event_ = nullptr;
  const std::string raw_ = temporary_file(".jtr");
  const std::string direct_ = temporary_file(".direct.json");
  const std::string converted_ = temporary_file(".converted.json");
};

TEST_F(RawFile, HasWhatTheRecordingHas) {
  RawReader(raw_).write(converted_);
  std::ifstream direct(direct_);
  std::ifstream converted(converted_);
  std::string wanted;
  std::string line;
  std::size_t lines = 0;
  // Each file has the rate of the clock that is known when it is written, and times are rounded.
  const auto without_time = [](std::string text, double& time) {
    const std::size_t at = text.find("\"ts\":");
    if (at == text.npos) return text;
    std::size_t length = 0;
    time = std::stod(text.substr(at + 5), &length);
    const std::size_t duration = text.find("\"dur\":");
    if (duration != text.npos) text.erase(duration, text.find(',', duration) - duration);
    return text.erase(at, 5 + length);
  };
  for (; std::getline(direct, wanted); ++lines) {
    ASSERT_TRUE(std::getline(converted, line));
    double wanted_time = 0;
    double time = 0;
    ASSERT_EQ(without_time(line, time), without_time(wanted, wanted_time));
    ASSERT_NEAR(time, wanted_time, 0.003 + 1e-5 * wanted_time);
  }
  EXPECT_FALSE(std::getline(converted, line));
  EXPECT_GT(lines, 200u);
  EXPECT_EQ(TraceFile(converted_).named("B", "zone 1").size(), 17u);
}

TEST_F(RawFile, IsSmall) {
  // Events of waits and searches come as long as other threads take their time. About each event is
  // a line of the other file; in a ring it has 32 bytes.
  const std::string direct = read_file(direct_);
  const auto lines = static_cast<std::size_t>(std::count(direct.begin(), direct.end(), '\n'));
  EXPECT_GT(lines, 200u);
  EXPECT_LT(read_file(raw_).size(), lines * 32 / 2);
}

TEST_F(RawFile, IsRefusedIfItIsNone) {
  EXPECT_THAT(refusal_of("/nonexistent.jtr"),
              "/nonexistent.jtr cannot be read: No such file or directory");
  EXPECT_THAT(refusal_of(direct_), EndsWith(" is no raw recording of jobs"));
  std::string raw = read_file(raw_);
  raw[8] = 9;
  write_file(raw_, raw);
  EXPECT_THAT(refusal_of(raw_), EndsWith(" has version 9; this jobs-trace reads version 4"));
}

TEST_F(RawFile, IsRefusedWhereverItEnds) {
  const std::string raw = read_file(raw_);
  for (std::size_t length = 8; length < raw.size(); length += 1 + length / 100) {
    write_file(raw_, raw.substr(0, length));
    ASSERT_THAT(refusal_of(raw_), EndsWith(" ends too early")) << length;
  }
  write_file(raw_, raw + '\0');
  EXPECT_THAT(refusal_of(raw_), EndsWith(" is damaged"));
}

// The reader may take a damaged file; then it writes a file.
TEST_F(RawFile, DoesNoHarmIfItIsDamaged) {
  const std::string raw = read_file(raw_);
  std::mt19937_64 random(seed());
  for (int i = 0; i < 300; ++i) {
    std::string damaged = raw;
    for (int j = 0; j < 3; ++j) {
      damaged[9 + random() % (raw.size() - 9)] = static_cast<char>(random());
    }
    write_file(raw_, damaged);
    try {
      const RawReader reader(raw_);
      reader.write(converted_);
      EXPECT_THAT(read_file(converted_), EndsWith("]\n"));
    } catch (const std::runtime_error&) {
    }
  }
}

}  // namespace
}  // namespace jobs::test
