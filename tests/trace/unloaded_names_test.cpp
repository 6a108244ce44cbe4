// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of zones, counters and frames whose memory is gone when a file is written, as that of a
// plugin that is unloaded. A mapping of pages takes the place of the plugin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>

#include "jobs/trace.hpp"
#include "jobs/trace/tools/raw_reader.hpp"
#include "tests/trace/html_trace.hpp"
#include "tests/trace/trace_file.hpp"

namespace jobs::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using trace::detail::RawReader;

constexpr const char* kUnloaded = "(unloaded)";

class Pages {
 public:
  explicit Pages(std::size_t count) : count_(count) {
    memory_ = static_cast<char*>(
        mmap(nullptr, count * kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  ~Pages() { munmap(memory_, count_ * kSize); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  bool exist() const noexcept { return memory_ != MAP_FAILED; }
  std::size_t size() const noexcept { return count_ * kSize; }
  // Writes a name at that place, without its terminating zero.
  const char* put(std::size_t at, const std::string& name) noexcept {
    return static_cast<const char*>(std::memcpy(memory_ + at, name.data(), name.size()));
  }
  // The pages from that one on cannot be accessed, and no later mapping takes their place.
  void unload(std::size_t from = 0) noexcept {
    mprotect(memory_ + from * kSize, (count_ - from) * kSize, PROT_NONE);
  }

 private:
  const std::size_t kSize = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

  const std::size_t count_;
  char* memory_;
};

// A zone, a counter and a frame with names of the pages, beside those of the program.
class UnloadedNames : public testing::Test {
 protected:
  UnloadedNames() {
    trace::Recording recording;
    const char* const zone = plugin_.put(0, "zone of the plugin");
    const char* const level = plugin_.put(100, "level of the plugin");
    const char* const turn = plugin_.put(200, "turn of the plugin");
    for (int i = 0; i < 2; ++i) {
      const trace::Zone outer("zone of the program");
      const trace::Zone inner(zone);
      trace::counter(level, i);
      trace::frame(turn);
    }
    recording.stop();
    recording.write(loaded_);
    plugin_.unload();
    recording.write(raw_);
    recording.write(json_);
    recording.write(html_);
  }
  ~UnloadedNames() override {
    for (const std::string& path : {loaded_, raw_, json_, html_}) std::remove(path.c_str());
  }

  static void expect_no_names_of_the_plugin(const TraceFile& file) {
    EXPECT_THAT(file.named("B", "zone of the program"), SizeIs(2));
    EXPECT_THAT(file.named("B", "zone of the plugin"), IsEmpty());
    EXPECT_THAT(file.named("B", kUnloaded), SizeIs(2));
    EXPECT_THAT(file.named("C", kUnloaded), SizeIs(2));
    EXPECT_THAT(file.named("X", kUnloaded), SizeIs(1));
  }

  Pages plugin_{1};
  const std::string loaded_ = temporary_file(".loaded.json");
  const std::string raw_ = temporary_file(".jtr");
  const std::string json_ = temporary_file(".json");
  const std::string html_ = temporary_file(".html");
};

TEST_F(UnloadedNames, HaveAFixedTextInEachFormat) {
  ASSERT_TRUE(plugin_.exist());
  const TraceFile loaded(loaded_);
  EXPECT_THAT(loaded.named("B", "zone of the plugin"), SizeIs(2));
  EXPECT_THAT(loaded.named("C", "level of the plugin"), SizeIs(2));
  EXPECT_THAT(loaded.named("X", "turn of the plugin"), SizeIs(1));
  expect_no_names_of_the_plugin(TraceFile(json_));
  EXPECT_THAT(HtmlTrace(html_).named("zone of the program"), SizeIs(2));
  EXPECT_THAT(HtmlTrace(html_).named(kUnloaded), SizeIs(2));
  RawReader(raw_).write(json_);
  expect_no_names_of_the_plugin(TraceFile(json_));
}

TEST(NamesAtTheEndOfMemory, AreWholeOrUnloaded) {
  Pages plugin(3);
  Pages other(2);
  ASSERT_TRUE(plugin.exist() && other.exist());
  const std::size_t page = other.size() / 2;
  trace::Recording recording;
  {
    const trace::Zone across(plugin.put(page - 4, "across pages"));
    const trace::Zone last(plugin.put(2 * page - 5, "last"));
    const trace::Zone endless(other.put(page - 7, "endless"));
  }
  recording.stop();
  plugin.unload(2);
  other.unload(1);
  const TraceFile file = TraceFile::of(recording);
  EXPECT_THAT(file.named("B", "across pages"), SizeIs(1));
  EXPECT_THAT(file.named("B", "last"), SizeIs(1));
  EXPECT_THAT(file.named("B", "endless"), IsEmpty());
  EXPECT_THAT(file.named("B", kUnloaded), SizeIs(1));
}

}  // namespace
}  // namespace jobs::test
