// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A model program is one file that defines subject(), linked with one of two main programs.
// models_test.cpp expects every model to hold and every weakened order to be detected.
// mutant_main.cpp runs on a mutated copy of the source and expects a model to fail.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/model/explorer/explore.hpp"

namespace jobs::model {

struct Model {
  std::string name;
  void (*body)();
  Options options;
};

inline std::ostream& operator<<(std::ostream& out, const Model& model) { return out << model.name; }

// An order that no model can show to be necessary, and the reason.
struct NotShown {
  std::string order;
  std::string reason;
};

struct Subject {
  std::vector<std::string> headers;  // their orders are weakened
  std::vector<NotShown> not_shown;
  std::vector<Model> models;  // the quickest first
};

const Subject& subject();

}  // namespace jobs::model
