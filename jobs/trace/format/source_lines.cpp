// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SourceLines: the search in the entries of the debug information (DWARF).
#include "jobs/trace/format/source_lines.hpp"

#if __has_include(<elfutils/libdwfl.h>)
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

// The functions of libdw that this file calls. It stays loaded.
struct Libdw {
  // Returns null if the machine has no libdw.
  static const Libdw* instance() {
    static const Libdw library;
    return library.is_complete ? &library : nullptr;
  }

  Libdw() {
    if (::getauxval(AT_BASE) == 0) return;  // a static program has no dynamic linker
    void* const file = ::dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (file == nullptr) return;
    const auto find = [file](auto& function, const char* symbol) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(file, symbol));
      return function != nullptr;
    };
    is_complete = find(begin, "dwfl_begin") && find(end, "dwfl_end") &&
                  find(report_process, "dwfl_linux_proc_report") &&
                  find(end_report, "dwfl_report_end") &&
                  find(find_elf, "dwfl_linux_proc_find_elf") &&
                  find(find_debug_file, "dwfl_build_id_find_debuginfo") &&
                  find(module_at, "dwfl_addrmodule") && find(next_unit, "dwfl_module_nextcu") &&
                  find(has_address, "dwarf_haspc") && find(visit_functions, "dwarf_getfuncs") &&
                  find(attribute, "dwarf_attr") && find(target, "dwarf_formref_die") &&
                  find(scopes_of, "dwarf_getscopes_die") && find(first_child, "dwarf_child") &&
                  find(next_sibling, "dwarf_siblingof") && find(tag, "dwarf_tag") &&
                  find(name, "dwarf_diename") && find(line_at, "dwarf_getsrc_die") &&
                  find(line_number, "dwarf_lineno") && find(line_file, "dwarf_linesrc") &&
                  find(number, "dwarf_formudata") && find(unit_of, "dwarf_diecu") &&
                  find(declared_file, "dwarf_decl_file") && find(declared_line, "dwarf_decl_line");
  }

  bool is_complete = false;
  decltype(&::dwfl_begin) begin = nullptr;
  decltype(&::dwfl_end) end = nullptr;
  decltype(&::dwfl_linux_proc_report) report_process = nullptr;
  decltype(&::dwfl_report_end) end_report = nullptr;
  decltype(&::dwfl_linux_proc_find_elf) find_elf = nullptr;
  decltype(&::dwfl_build_id_find_debuginfo) find_debug_file = nullptr;
  decltype(&::dwfl_addrmodule) module_at = nullptr;
  decltype(&::dwfl_module_nextcu) next_unit = nullptr;
  decltype(&::dwarf_haspc) has_address = nullptr;
  decltype(&::dwarf_getfuncs) visit_functions = nullptr;
  decltype(&::dwarf_attr) attribute = nullptr;
  decltype(&::dwarf_formref_die) target = nullptr;
  decltype(&::dwarf_getscopes_die) scopes_of = nullptr;
  decltype(&::dwarf_child) first_child = nullptr;
  decltype(&::dwarf_siblingof) next_sibling = nullptr;
  decltype(&::dwarf_tag) tag = nullptr;
  decltype(&::dwarf_diename) name = nullptr;
  decltype(&::dwarf_getsrc_die) line_at = nullptr;
  decltype(&::dwarf_lineno) line_number = nullptr;
  decltype(&::dwarf_linesrc) line_file = nullptr;
  decltype(&::dwarf_formudata) number = nullptr;
  decltype(&::dwarf_diecu) unit_of = nullptr;
  decltype(&::dwarf_decl_file) declared_file = nullptr;
  decltype(&::dwarf_decl_line) declared_line = nullptr;
};

// Whether the library has declared the function. Its symbol says so also if the debug information
// has no namespaces (-g1).
bool is_of_library(std::uint64_t function) {
  const std::string name =
      os::function_name(reinterpret_cast<const void*>(static_cast<std::uintptr_t>(function)));
  // The C++ library may be unable to read names of another compiler.
  return name.starts_with("_ZN4jobs") ||
         (name.find("::detail::") != name.npos && name.find("jobs::") != name.npos);
}

using Entry = Dwarf_Die;  // of the debug information

// The entries around and below one function.
class Entries {
 public:
  explicit Entries(const Libdw& library) noexcept : library_(library) {}

  // Returns the place of what the program has written: the function at the address of the module,
  // if it `is_own`, or a template argument of a function of the library. It looks at each unit:
  // some compilers write no table of their addresses.
  std::string place_of_code(Dwfl_Module* module, Dwarf_Addr address, bool is_own) const {
    Dwarf_Addr bias = 0;  // between the addresses of the process and those of the file
    Entry* unit = nullptr;
    while ((unit = library_.next_unit(module, unit, &bias)) != nullptr) {
      if (library_.has_address(unit, address - bias) != 1) continue;
      if (is_own) return place_of_line(*unit, address - bias);
      if (const std::optional<Entry> found = function_of(*unit, address - bias))
        return place_around(*found);
    }
    return {};
  }

 private:
  // Returns the function of the unit that has the address.
  std::optional<Entry> function_of(Entry& unit, Dwarf_Addr address) const {
    struct Search {
      const Libdw& library;
      Dwarf_Addr address;
      std::optional<Entry> found;
    } search{library_, address, {}};
    const auto visit = [](Entry* function, void* argument) -> int {
      auto& self = *static_cast<Search*>(argument);
      if (self.library.has_address(function, self.address) != 1) return DWARF_CB_OK;
      self.found = *function;
      return DWARF_CB_ABORT;
    };
    library_.visit_functions(&unit, visit, &search, 0);
    return search.found;
  }

  std::optional<Entry> follow(Entry& from, unsigned attribute) const {
    Dwarf_Attribute memory;
    Entry to;
    if (library_.attribute(&from, attribute, &memory) == nullptr ||
        library_.target(&memory, &to) == nullptr)
      return std::nullopt;
    return to;
  }

  // The type of a template argument, without const and references.
  std::optional<Entry> type_of(Entry argument) const {
    std::optional<Entry> type = follow(argument, DW_AT_type);
    while (type) {
      const int tag = library_.tag(&*type);
      if (tag != DW_TAG_const_type && tag != DW_TAG_reference_type &&
          tag != DW_TAG_rvalue_reference_type && tag != DW_TAG_typedef)
        break;
      type = follow(*type, DW_AT_type);
    }
    return type;
  }

  // The code of a function refers to its declaration, over the one that is inlined elsewhere.
  Entry declaration(Entry entry) const {
    for (;;) {
      std::optional<Entry> next = follow(entry, DW_AT_abstract_origin);
      if (!next) next = follow(entry, DW_AT_specification);
      if (!next) return entry;
      entry = *next;
    }
  }

  // The function, type or namespace around an entry. The code of a function lies outside of the
  // namespace that declares it.
  std::optional<Entry> parent_of(Entry entry) const {
    Entry* around = nullptr;  // the entry itself, then outwards
    std::optional<Entry> parent;
    if (library_.scopes_of(&entry, &around) > 1) parent = declaration(around[1]);
    std::free(around);
    return parent;
  }

  // The outermost namespace around an entry; empty: none.
  std::string_view namespace_of(const Entry& entry) const {
    std::string_view name;
    for (std::optional<Entry> each = entry; each; each = parent_of(*each)) {
      if (library_.tag(&*each) != DW_TAG_namespace) continue;
      const char* const own = library_.name(&*each);
      name = own != nullptr ? own : "";
    }
    return name;
  }

  // Of a function or a type of the library: the place of a template argument that the program has
  // written. The argument may belong to a function or a class around it.
  std::string place_around(Entry entry) const {
    entry = declaration(entry);
    std::string place = place_of_arguments(entry);
    if (!place.empty()) return place;
    const std::optional<Entry> parent = parent_of(entry);
    return parent ? place_around(*parent) : std::string();
  }

  // The last lambda expression among the template arguments: a reduction has its operation before
  // the function of an index. Without one, the first type of the program.
  std::string place_of_arguments(Entry entry) const {
    Entry child;
    if (library_.first_child(&entry, &child) != 0) return {};
    std::string lambda;
    std::string other;
    do {
      const int tag = library_.tag(&child);
      std::string place;
      bool is_lambda = false;
      if (tag == DW_TAG_GNU_template_parameter_pack) {
        place = place_of_arguments(child);
      } else if (tag == DW_TAG_template_type_parameter) {
        if (std::optional<Entry> type = type_of(child)) {
          place = place_of_type(*type);
          is_lambda = library_.name(&*type) == nullptr;
        }
      }
      if (place.empty()) continue;
      if (is_lambda) {
        lambda = std::move(place);
      } else if (other.empty()) {
        other = std::move(place);
      }
    } while (library_.next_sibling(&child, &child) == 0);
    return lambda.empty() ? other : lambda;
  }

  std::string place_of_type(Entry type) const {
    const std::string_view owner = namespace_of(type);
    if (owner == "std") return {};
    return owner == "jobs" ? place_around(type) : place_of(type);
  }

  // Returns null if it is unknown. The number 0 is that of the unit's own file in DWARF 5, which
  // libdw does not know.
  const char* file_of(Entry& entry) const {
    Dwarf_Attribute memory;
    Dwarf_Word number = 1;
    Dwarf_Attribute* const file = library_.attribute(&entry, DW_AT_decl_file, &memory);
    if (file == nullptr || library_.number(file, &number) != 0) return nullptr;
    if (number != 0) return library_.declared_file(&entry);
    Entry unit;
    return library_.unit_of(&entry, &unit, nullptr, nullptr) != nullptr ? library_.name(&unit)
                                                                        : nullptr;
  }

  std::string place_of(Entry entry) const {
    int line = 0;
    const char* const path = file_of(entry);
    const bool is_known = path != nullptr && library_.declared_line(&entry, &line) == 0;
    return is_known ? text_of(path, line) : std::string();
  }

  // The line of the code at an address. A coroutine has no other one.
  std::string place_of_line(Entry unit, Dwarf_Addr address) const {
    int number = 0;
    Dwarf_Line* const line = library_.line_at(&unit, address);
    if (line == nullptr || library_.line_number(line, &number) != 0 || number == 0) return {};
    const char* const path = library_.line_file(line, nullptr, nullptr);
    return path != nullptr ? text_of(path, number) : std::string();
  }

  static std::string text_of(std::string_view path, int line) {
    return std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(line);
  }

  const Libdw& library_;
};

}  // namespace

struct SourceLines::Session {
  explicit Session(const Libdw& functions) noexcept
      : library(functions),
        callbacks{.find_elf = functions.find_elf,
                  // Not the standard search: it may ask a server.
                  .find_debuginfo = functions.find_debug_file,
                  .section_address = nullptr,
                  .debuginfo_path = nullptr},
        process(functions.begin(&callbacks)) {
    if (process == nullptr) return;
    library.report_process(process, ::getpid());
    library.end_report(process, nullptr, nullptr);
  }
  ~Session() { library.end(process); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Libdw& library;
  const Dwfl_Callbacks callbacks;
  Dwfl* const process;
};

SourceLines::SourceLines() {
  if (const Libdw* const library = Libdw::instance())
    session_ = std::make_unique<Session>(*library);
}

SourceLines::~SourceLines() = default;

std::string SourceLines::of(std::uint64_t function) const {
  if (session_ == nullptr || session_->process == nullptr || function == 0) return {};
  Dwfl_Module* const module = session_->library.module_at(session_->process, function);
  if (module == nullptr) return {};
  const Entries entries(session_->library);
  return entries.place_of_code(module, function, !is_of_library(function));
}

}  // namespace jobs::inline JOBS_ABI::trace::detail

#else  // without libdw

namespace jobs::inline JOBS_ABI::trace::detail {

struct SourceLines::Session {};

SourceLines::SourceLines() = default;
SourceLines::~SourceLines() = default;

std::string SourceLines::of(std::uint64_t) const { return {}; }

}  // namespace jobs::inline JOBS_ABI::trace::detail

#endif
