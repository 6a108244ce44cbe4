// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Debian's package lists: stanzas of fields, in the form of `apt-cache dumpavail` and
// /var/lib/dpkg/status.
#pragma once

#include <string_view>
#include <vector>

namespace debgraph {

// A package; the fields are views into the text.
struct Package {
  std::string_view name;
  // Names with versions, separated by commas.
  std::string_view provides;
  // Clauses separated by commas; alternatives separated by bars.
  std::string_view pre_depends;
  std::string_view depends;
};

// Returns all packages in the order of the text, without stanzas that have no name. Parses pieces
// of the text in parallel.
std::vector<Package> parse_packages(std::string_view text);

// Calls use(name) for each name in a list: "a (>= 1), b | c:any" has the names a, b, c. Calls
// new_clause() before each clause.
template <class NewClause, class Use>
void for_each_name(std::string_view list, NewClause new_clause, Use use) {
  constexpr std::string_view kEnds = " \t\n,|:([<";
  new_clause();
  while (!list.empty()) {
    const auto begin = list.find_first_not_of(" \t\n");
    if (begin == list.npos) return;
    list.remove_prefix(begin);
    const std::string_view name = list.substr(0, list.find_first_of(kEnds));
    if (!name.empty()) use(name);
    const auto end = list.find_first_of(",|", name.size());
    if (end == list.npos) return;
    if (list[end] == ',') new_clause();
    list.remove_prefix(end + 1);
  }
}

}  // namespace debgraph
