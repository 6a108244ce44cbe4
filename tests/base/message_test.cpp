// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/base/message.hpp"

#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/support/allocation_count.hpp"

namespace jobs::detail {
namespace {

using namespace std::string_view_literals;

std::string plain(std::string_view text, std::size_t longest = 100) {
  std::string form(longest, '?');
  form.resize(escape(text, form, Quoting::kPlain));
  return form;
}

TEST(Escape, LeavesReadableTextAsItIs) {
  EXPECT_EQ(escaped("mesh-build 7"), "mesh-build 7");
  EXPECT_EQ(escaped(""), "");
  EXPECT_EQ(escaped("Grüße, 世界 🙂"), "Grüße, 世界 🙂");
}

TEST(Escape, ShowsControlCharacters) {
  EXPECT_EQ(escaped("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(escaped("a\nb\rc\td"), "a\\nb\\rc\\td");
  EXPECT_EQ(escaped("\0\x01\x1f\x7f"sv), "\\x00\\x01\\x1f\\x7f");
  EXPECT_EQ(escaped("\xc2\x9b"), "\\xc2\\x9b") << "CSI, a control character of 8 bits";
  EXPECT_EQ(escaped("\xe2\x80\xae\xe2\x80\xa8\xe2\x81\xa6"),
            "\\xe2\\x80\\xae\\xe2\\x80\\xa8\\xe2\\x81\\xa6")
      << "an override of the direction, a line separator, an isolate";
}

TEST(Escape, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(escaped("a\x80z"), "a\\x80z");
  EXPECT_EQ(escaped("\xc3"), "\\xc3") << "cut";
  EXPECT_EQ(escaped("\xe4\xb8"), "\\xe4\\xb8") << "cut";
  EXPECT_EQ(escaped("\xc3\x28"), "\\xc3(");
  EXPECT_EQ(escaped("\xc0\xaf"), "\\xc0\\xaf") << "too long a form of a slash";
  EXPECT_EQ(escaped("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
  EXPECT_EQ(escaped("\xff\xfe"), "\\xff\\xfe");
}

TEST(Escape, EscapesQuotesOnlyWithinQuotes) {
  EXPECT_EQ(escaped("a\"b\\c"), "a\\\"b\\\\c");
  EXPECT_EQ(plain("a\"b\\c"), "a\"b\\c");
}

TEST(Escape, CutsBetweenCharacters) {
  EXPECT_EQ(escaped(std::string(100, 'x')), std::string(100, 'x'));
  EXPECT_EQ(escaped(std::string(101, 'x')), std::string(97, 'x').append("..."));
  EXPECT_EQ(escaped(std::string(1'000'000, 'x')).size(), kLongestName);
  EXPECT_EQ(plain("aé世🙂", 10), "aé世🙂");
  EXPECT_EQ(plain("aé世🙂b", 10), "aé世...");
  EXPECT_EQ(plain("aé世b🙂", 8), "aé...");
  EXPECT_EQ(plain("\x1b\x1b\x1b", 11), "\\x1b\\x1b...");
  EXPECT_EQ(plain("\x1b\x1b\x1b", 10), "\\x1b...");
  EXPECT_EQ(plain("abcd", 3), "...");
}

// Each possible pair of bytes, at each length: the form is printable, and fits.
TEST(Escape, NeverLetsAControlCharacterThrough) {
  for (unsigned pair = 0; pair < 0x10000; ++pair) {
    const std::array<char, 3> text{static_cast<char>(pair / 256), static_cast<char>(pair % 256),
                                   'z'};
    for (std::size_t longest = 3; longest <= 9; ++longest) {
      const std::string form = plain({text.data(), text.size()}, longest);
      ASSERT_LE(form.size(), longest) << pair;
      for (const char c : form) ASSERT_TRUE(c != 0x7f && (c < 0 || c >= 0x20)) << pair;
    }
  }
}

TEST(CutText, NeverEndsWithinACharacter) {
  constexpr std::string_view kText = "a\u00e9\u20ac\U0001f600";  // 1, 2, 3 and 4 bytes
  static_assert(cut_text(kText, 10) == kText);
  constexpr std::size_t kLengths[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
  for (std::size_t longest = 0; longest < std::size(kLengths); ++longest)
    EXPECT_EQ(cut_text(kText, longest), kText.substr(0, kLengths[longest])) << longest;
}

TEST(CutText, CutsInvalidTextAnywhere) {
  const std::string rests(10, '\x80');
  EXPECT_EQ(cut_text(rests, 7).size(), 7u);
  EXPECT_EQ(cut_text(rests, 2).size(), 2u);
  EXPECT_EQ(cut_text(rests, 0).size(), 0u);
}

TEST(MessageLine, DropsWhatDoesNotFitAndEndsItsLine) {
  MessageLine line;
  line << "n = " << std::uint64_t{18'446'744'073'709'551'615u} << " ";
  line.escaped("a\nb", kLongestName, Quoting::kQuoted);
  EXPECT_EQ(line.text(), "n = 18446744073709551615 a\\nb");
  for (int i = 0; i < 100; ++i) line.escaped(std::string(99, '\n'), kLongestName, Quoting::kPlain);
  const std::string_view text = line.finish();
  EXPECT_LE(text.size(), 1024u);
  EXPECT_GE(text.size(), 1020u);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

TEST(MessageLine, DoesNotAllocate) {
  const std::string name(1'000, '\x1b');
  EXPECT_EQ(test::allocations_in([&] {
              MessageLine line;
              line << "fiber " << std::uint64_t{7};
              line.escaped(name, kLongestName, Quoting::kQuoted);
            }),
            0u);
}

}  // namespace
}  // namespace jobs::detail
