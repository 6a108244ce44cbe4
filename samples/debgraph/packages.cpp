// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The parser: pieces of the text in parallel.
#include "samples/debgraph/packages.hpp"

#include <algorithm>
#include <iterator>

#include "jobs/jobs.hpp"

namespace debgraph {
namespace {

constexpr std::string_view kStanzaEnd = "\n\n";

// Returns the value of a field, with its continuation lines.
std::string_view take_value(std::string_view stanza, std::size_t begin) {
  std::size_t end = stanza.find('\n', begin);
  while (end != stanza.npos && end + 1 < stanza.size() && stanza[end + 1] == ' ')
    end = stanza.find('\n', end + 1);
  return stanza.substr(begin, end == stanza.npos ? end : end - begin);
}

Package parse_stanza(std::string_view stanza) {
  Package package;
  for (std::size_t at = 0; at < stanza.size();) {
    const std::string_view line = stanza.substr(at, stanza.find('\n', at) - at);
    const auto take = [&](std::string_view field, std::string_view& value) {
      if (line.starts_with(field)) value = take_value(stanza, at + field.size());
    };
    take("Package: ", package.name);
    take("Provides: ", package.provides);
    take("Pre-Depends: ", package.pre_depends);
    take("Depends: ", package.depends);
    at += line.size() + 1;
  }
  return package;
}

// Returns the first stanza that begins at `from` or later, or the end of the text.
std::size_t next_stanza(std::string_view text, std::size_t from) {
  if (from == 0) return 0;
  const auto end = text.find(kStanzaEnd, from - 1);
  return end == text.npos ? text.size() : end + kStanzaEnd.size();
}

}  // namespace

std::vector<Package> parse_packages(std::string_view text) {
  constexpr std::size_t kPieceSize = 1 << 18;
  const std::size_t piece_count = text.size() / kPieceSize + 1;
  std::vector<std::vector<Package>> pieces(piece_count);
  jobs::parallel_for(std::size_t{0}, piece_count, [&](std::size_t piece) {
    const std::size_t last = next_stanza(text, std::min(text.size(), (piece + 1) * kPieceSize));
    for (std::size_t at = next_stanza(text, piece * kPieceSize); at < last;) {
      const std::size_t next = next_stanza(text, at + 1);
      const Package package = parse_stanza(text.substr(at, next - at));
      if (!package.name.empty()) pieces[piece].push_back(package);
      at = next;
    }
  });
  std::vector<Package> packages;
  for (const auto& piece : pieces) std::ranges::copy(piece, std::back_inserter(packages));
  return packages;
}

}  // namespace debgraph
