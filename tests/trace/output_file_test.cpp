// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// OutputFile: a file has its name when it is complete, and no other file is left.
#include "jobs/trace/format/output_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace jobs::test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using trace::detail::OutputFile;

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class OutputFileIn : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "jobs_output_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path() const { return (folder_ / "run.json").string(); }
  // The names of the files in the folder.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_))
      found.push_back(entry.path().filename().string());
    return found;
  }
  void put(const std::string& text) const { std::ofstream(path()) << text; }
  // Writes enough that the file gets a part of it before its end.
  static void write_much(OutputFile& file) {
    file.buffer().append(1 << 17, 'x');
    file.flush_if_large();
  }

  fs::path folder_;
};

TEST_F(OutputFileIn, HasItsNameWhenItIsComplete) {
  OutputFile file(path());
  write_much(file);
  EXPECT_FALSE(fs::exists(path()));
  file.buffer() += "end";
  file.close();
  EXPECT_THAT(names(), UnorderedElementsAre("run.json"));
  EXPECT_EQ(contents_of(path()), std::string(1 << 17, 'x') + "end");
}

TEST_F(OutputFileIn, LeavesTheOldFileUntilItIsComplete) {
  put("old");
  OutputFile file(path());
  write_much(file);
  EXPECT_EQ(contents_of(path()), "old");
  file.close();
  EXPECT_EQ(fs::file_size(path()), std::size_t{1} << 17);
  EXPECT_THAT(names(), UnorderedElementsAre("run.json"));
}

// An error of a format destroys the file before its end.
TEST_F(OutputFileIn, LeavesNothingAfterAnError) {
  put("old");
  auto file = std::make_unique<OutputFile>(path());
  write_much(*file);
  file.reset();
  EXPECT_EQ(contents_of(path()), "old");
  EXPECT_THAT(names(), UnorderedElementsAre("run.json"));
  fs::remove(path());
  file = std::make_unique<OutputFile>(path());
  write_much(*file);
  file.reset();
  EXPECT_THAT(names(), IsEmpty());
}

// A folder has got the name meanwhile, so the rename fails.
TEST_F(OutputFileIn, LeavesNothingAfterAFailedRename) {
  auto file = std::make_unique<OutputFile>(path());
  fs::create_directory(path());
  EXPECT_THROW(file->close(), std::system_error);
  file.reset();
  EXPECT_THAT(names(), UnorderedElementsAre("run.json"));
}

TEST_F(OutputFileIn, KeepsTheModeAndTheLink) {
  put("old");
  ASSERT_EQ(chmod(path().c_str(), 0640), 0);
  const std::string link = (folder_ / "latest.json").string();
  fs::create_symlink("run.json", link);
  OutputFile file(link);
  file.buffer() += "new";
  file.close();
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(contents_of(path()), "new");
  struct stat status = {};
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_THAT(names(), UnorderedElementsAre("run.json", "latest.json"));
}

TEST_F(OutputFileIn, WritesADeviceItself) {
  OutputFile null("/dev/null");
  write_much(null);
  null.close();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  OutputFile full("/dev/full");
  EXPECT_THROW(write_much(full), std::system_error);
}

TEST_F(OutputFileIn, ReportsAFolderThatDoesNotExist) {
  EXPECT_THROW(OutputFile((folder_ / "none" / "run.json").string()), std::system_error);
  EXPECT_THROW(OutputFile(folder_.string()), std::system_error);
  EXPECT_THAT(names(), IsEmpty());
}

}  // namespace
}  // namespace jobs::test
