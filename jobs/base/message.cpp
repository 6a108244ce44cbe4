// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages: the escapes, and the bounded line.
#include "jobs/base/message.hpp"

#include <algorithm>
#include <cstring>

namespace jobs::inline JOBS_ABI::detail {

namespace {

constexpr std::string_view kCut = "...";

unsigned byte_at(std::string_view text, std::size_t i) noexcept {
  return static_cast<unsigned char>(text[i]);
}

// The code point of the UTF-8 sequence at the start of the text, and its length. The length is 0 if
// the sequence is invalid.
struct CodePoint {
  unsigned value = 0;
  std::size_t length = 0;
};

CodePoint decode(std::string_view text) noexcept {
  const unsigned first = byte_at(text, 0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc0 || first > 0xf7 || text.size() < length) return {};
  unsigned value = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xc0) != 0x80) return {};
    value = value << 6 | (byte_at(text, i) & 0x3f);
  }
  constexpr unsigned kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};  // per length
  const bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kSmallest[length] || value > 0x10ffff || is_surrogate) return {};
  return {value, length};
}

bool is_printable(unsigned code_point) noexcept {
  const bool is_control = code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0);
  // Separators of lines and paragraphs, embeddings, overrides, isolates.
  const bool moves_text = (code_point >= 0x2028 && code_point <= 0x202e) ||
                          (code_point >= 0x2066 && code_point <= 0x2069);
  return !is_control && !moves_text;
}

// The escaped form of the first character of a text.
struct Piece {
  char bytes[4];
  std::size_t size = 0;
  std::size_t consumed = 1;
};

Piece first_piece(std::string_view text, Quoting quoting) noexcept {
  const char first = text.front();
  const auto after_backslash = [](char c) { return Piece{.bytes = {'\\', c}, .size = 2}; };
  if (quoting == Quoting::kQuoted && (first == '"' || first == '\\')) return after_backslash(first);
  if (const CodePoint found = decode(text); found.length != 0 && is_printable(found.value)) {
    Piece piece{.bytes = {}, .size = found.length, .consumed = found.length};
    std::memcpy(piece.bytes, text.data(), found.length);
    return piece;
  }
  if (first == '\n') return after_backslash('n');
  if (first == '\r') return after_backslash('r');
  if (first == '\t') return after_backslash('t');
  constexpr char kDigits[] = "0123456789abcdef";
  const unsigned byte = byte_at(text, 0);
  return {.bytes = {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]}, .size = 4};
}

}  // namespace

std::size_t escape(std::string_view text, std::span<char> out, Quoting quoting) noexcept {
  std::size_t length = 0;
  std::size_t cut = 0;  // the last length that leaves room for kCut
  while (!text.empty()) {
    const Piece piece = first_piece(text, quoting);
    if (length + piece.size > out.size()) {
      std::copy(kCut.begin(), kCut.end(), out.begin() + static_cast<std::ptrdiff_t>(cut));
      return cut + kCut.size();
    }
    std::copy_n(piece.bytes, piece.size, out.begin() + static_cast<std::ptrdiff_t>(length));
    length += piece.size;
    if (length + kCut.size() <= out.size()) cut = length;
    text.remove_prefix(piece.consumed);
  }
  return length;
}

std::string escaped(std::string_view text, std::size_t longest) {
  std::string form(std::min(longest, sizeof(Piece::bytes) * text.size() + kCut.size()), '\0');
  form.resize(escape(text, form, Quoting::kQuoted));
  return form;
}

MessageLine& MessageLine::operator<<(std::string_view text) noexcept {
  text = text.substr(0, kLongest - length_);
  std::copy(text.begin(), text.end(), buffer_ + length_);
  length_ += text.size();
  return *this;
}

MessageLine& MessageLine::operator<<(std::uint64_t number) noexcept {
  // std::to_chars() brings a table of 200 bytes into each program.
  char digits[20];
  char* const end = digits + sizeof digits;
  char* begin = end;
  do {
    *--begin = static_cast<char>('0' + number % 10);
  } while ((number /= 10) != 0);
  return *this << std::string_view(begin, static_cast<std::size_t>(end - begin));
}

MessageLine& MessageLine::escaped(std::string_view text, std::size_t longest,
                                  Quoting quoting) noexcept {
  const std::size_t room = std::min(longest, kLongest - length_);
  if (room >= kCut.size()) length_ += escape(text, {buffer_ + length_, room}, quoting);
  return *this;
}

void throw_error(ErrorCode code, const MessageLine& text) {
  throw Error(code, std::string(text.text()));
}

}  // namespace jobs::inline JOBS_ABI::detail
