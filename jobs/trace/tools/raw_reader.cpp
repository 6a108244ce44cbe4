// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// RawReader: the parts of the file in their order. Names of functions and texts get addresses in
// this process, which take the place of those in the recorded process.
#include "jobs/trace/tools/raw_reader.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "jobs/trace/recording_file.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

// The limit of times, which each recording keeps. Larger numbers show that the file is damaged.
constexpr std::uint64_t kMostTicks = std::uint64_t{1} << 62;

}  // namespace

RawReader::RawReader(const std::string& path) : path_(path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(std::string("cannot be read: ") + std::strerror(errno));
  contents_.assign(std::istreambuf_iterator<char>(file), {});
  if (contents_.compare(0, kRawMagic.size(), kRawMagic) != 0) fail("is no raw recording of jobs");
  at_ = kRawMagic.size();
  if (const std::uint64_t version = number(); version != kRawVersion) {
    fail("has version " + std::to_string(version) + "; this jobs-trace reads version " +
         std::to_string(kRawVersion));
  }
  begin_ = number();
  length_ = number();
  length_ns_ = number();
  if (begin_ > kMostTicks || length_ > kMostTicks || length_ns_ > kMostTicks) fail("is damaged");
  read_names();
  read_objects();
  const std::uint64_t tracks = number();
  for (std::uint64_t i = 0; i < tracks; ++i) read_track();
  if (at_ != contents_.size()) fail("is damaged");
}

void RawReader::fail(const std::string& what) const {
  throw std::runtime_error(path_ + " " + what);
}

std::string_view RawReader::bytes(std::uint64_t count) {
  if (count > contents_.size() - at_) fail("ends too early");
  const std::string_view found(contents_.data() + at_, count);
  at_ += count;
  return found;
}

std::uint64_t RawReader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes(1)[0]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail("is damaged");
}

std::int64_t RawReader::difference() {
  const std::uint64_t value = number();
  return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

void RawReader::read_names() {
  const std::uint64_t count = number();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t kind = number();
    const std::uint64_t length = number();
    if (kind > static_cast<std::uint64_t>(FirstValue::kFunction) || length > kLongestRawName)
      fail("is damaged");
    names_.push_back({.kind = static_cast<FirstValue>(kind), .text = std::string(bytes(length))});
  }
}

void RawReader::read_objects() {
  const std::uint64_t count = number();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t object = number();
    const std::uint64_t length = number();
    if (length > kLongestObjectName) fail("is damaged");
    objects_.set(object, std::string(bytes(length)));
  }
}

std::uint64_t RawReader::address_of(std::uint64_t index, FirstValue kind) const {
  if (index >= names_.size() || names_[index].kind != kind) fail("is damaged");
  return reinterpret_cast<std::uintptr_t>(names_[index].text.c_str());
}

RawEvent RawReader::read_event(std::uint64_t& last) {
  const std::uint64_t kind = number();
  const std::uint64_t above = number();
  if (kind >= 1u << kKindBits || above > ~std::uint64_t{0} >> kKindBits) fail("is damaged");
  RawEvent raw = {0, kind | above << kKindBits, 0, 0};
  if (kind_of(raw) == TraceEvent::kText) {
    if (above > kTextBytes) fail("is damaged");
    const std::string_view text = bytes(above);
    std::array<std::uint64_t, 3> words{};
    std::memcpy(words.data(), text.data(), text.size());
    return {words[0], raw[1], words[1], words[2]};
  }
  last += static_cast<std::uint64_t>(difference());
  raw[0] = last;
  const FirstValue first = first_value_of(kind_of(raw));
  raw[2] = number();
  if (first != FirstValue::kNumber) raw[2] = address_of(raw[2], first);
  raw[3] = number();
  return raw;
}

void RawReader::read_track() {
  const std::uint64_t length = number();
  if (length > kLongestRawName) fail("is damaged");
  Recorder::TrackCopy& track = tracks_.emplace_back();
  track.name = bytes(length);
  const std::uint64_t events = number();
  std::uint64_t last = begin_;
  for (std::uint64_t i = 0; i < events; ++i) track.events.push_back(read_event(last));
}

void RawReader::write(const std::string& path) const {
  JobNames jobs;
  for (const Name& name : names_) {
    if (name.kind == FirstValue::kFunction)
      jobs.set(reinterpret_cast<std::uintptr_t>(name.text.c_str()), name.text);
  }
  const std::uint64_t end = begin_ + length_;
  const TraceClock clock({.ticks = begin_, .at = 0},
                         {.ticks = end, .at = static_cast<os::Nanoseconds>(length_ns_)});
  write_recording_file(path, tracks_, clock, begin_, end, objects_, std::move(jobs));
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
