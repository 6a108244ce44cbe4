// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages: strings of the program in the library's messages, and lines without allocation. Every
// message that contains a name, a file name, a value of the environment or the text of an exception
// takes it through escape(). Any thread may call these functions.
//
// A terminal obeys control characters, and a line break in a name would begin a line that looks
// like a message of the library. Therefore the escaped form has printable characters in valid UTF-8
// only, and a limited length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "jobs/base/config.hpp"
#include "jobs/error.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Length of a name in a message, in bytes of its escaped form.
inline constexpr std::size_t kLongestName = 100;
// Length of the text of an exception in a message.
inline constexpr std::size_t kLongestText = 300;

enum class Quoting : bool {
  kPlain,
  kQuoted,  // The message puts double quotes around the text: escapes them, and the backslash.
};

// Writes the escaped form of `text`: \n, \r, \t, and \xHH for each byte of another control
// character, of invalid UTF-8, of a line separator or of a control of the writing direction. A form
// that is too long for `out` ends with "...", and never within a character. Returns the length.
// Async-signal-safe. Complexity: O(out.size()). pre: out has at least 3 bytes.
JOBS_EXPORT std::size_t escape(std::string_view text, std::span<char> out,
                               Quoting quoting) noexcept;

// Returns the first bytes of a text, at most `longest`. If the text is valid UTF-8, so is the
// result: it never ends within a character. Async-signal-safe.
constexpr std::string_view cut_text(std::string_view text, std::size_t longest) noexcept {
  if (text.size() <= longest) return text;
  constexpr std::size_t kMostBytes = 4;  // of a character
  for (std::size_t length = longest; longest - length < kMostBytes; --length) {
    const bool continues = (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80;
    if (!continues) return text.substr(0, length);
    if (length == 0) break;
  }
  return text.substr(0, longest);
}

// Returns the escaped form for double quotes, with at most `longest` bytes.
std::string escaped(std::string_view text, std::size_t longest = kLongestName);

// A line of limited length. Drops the rest of a text that does not fit. Async-signal-safe.
class MessageLine {
 public:
  MessageLine& operator<<(std::string_view text) noexcept;
  MessageLine& operator<<(std::uint64_t number) noexcept;
  // Appends the escaped form, with at most `longest` bytes.
  MessageLine& escaped(std::string_view text, std::size_t longest, Quoting quoting) noexcept;

  std::string_view text() const noexcept { return {buffer_, length_}; }
  // Returns the text with a line break, also if the line is full.
  std::string_view finish() noexcept {
    buffer_[length_] = '\n';
    return {buffer_, length_ + 1};
  }

 private:
  static constexpr std::size_t kLongest = 1023;

  char buffer_[kLongest + 1];
  std::size_t length_ = 0;
};

// Throws Error(code) with the text.
[[noreturn]] JOBS_COLD void throw_error(ErrorCode code, const MessageLine& text);

}  // namespace jobs::inline JOBS_ABI::detail
