// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphBody: the function of one node of a TaskGraph, behind one virtual call. GraphSlot: data that
// each run of a graph has for itself: the result of a node, or the run of a sub-graph.
//
// Owner: the GraphPlan owns the bodies, and constructs them once. A run owns its slots; it
// constructs them once and fills them again each time it is started.
//
// Threads: the worker that runs a node calls its body. This worker writes the slot of the node; the
// workers that run successors read the slot. The edges of the graph order the accesses
// [graph_run.1].
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/base/config.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/heap_vector.hpp"
#include "jobs/fiber/fiber_core.hpp"
#include "jobs/runtime/graph/graph_arena.hpp"

namespace jobs::inline JOBS_ABI::detail {

class GraphRun;

class GraphSlot {
 public:
  virtual ~GraphSlot() = default;
};
// Constructs the slot of one run in `memory`. `run`: null in the first run of a plain graph.
using GraphSlotMaker = GraphSlot* (*)(void* argument, GraphRun* run, GraphArena& memory);

// Its address identifies T.
template <class T>
inline constexpr char kArgumentType = 0;

// The argument of a run; without a type, none.
struct GraphArgument {
  void* object = nullptr;
  const char* type = nullptr;
  bool is_const = false;

  template <class T>
  static GraphArgument of(T& object) noexcept {
    using Object = std::remove_const_t<T>;
    return {const_cast<Object*>(std::addressof(object)), &kArgumentType<Object>,
            std::is_const_v<T>};
  }
};

// The slots and the argument of one run.
class JOBS_EXPORT GraphSlots {
 public:
  GraphSlots() = default;
  ~GraphSlots() { clear(); }
  GraphSlots(const GraphSlots&) = delete;
  GraphSlots& operator=(const GraphSlots&) = delete;

  GraphSlot& operator[](std::size_t index) const noexcept { return *slots_[index]; }
  std::size_t size() const noexcept { return slots_.size(); }
  void add(GraphSlotMaker make, void* argument, GraphRun* run);
  // Destroys the slots, and keeps their memory.
  void clear() noexcept;
  // By the owner, before a run.
  void set_argument(const GraphArgument& argument) noexcept { argument_ = argument; }
  const GraphArgument& argument() const noexcept { return argument_; }

 private:
  HeapVector<GraphSlot*> slots_;
  GraphArgument argument_;
  GraphArena memory_;
};

class GraphBody {
 public:
  static constexpr int kNoChoice = -1;

  virtual ~GraphBody() = default;
  // Runs the function of the node. A condition returns the index of the next successor, in the
  // order of its edges. Other nodes return kNoChoice.
  virtual int call(GraphSlots& slots) = 0;
};

// Returns the code of call(), whose symbol names the function of the node. For recorders.
JOBS_COLD CodeAddress code_of_node(const GraphBody& body) noexcept;

[[noreturn]] JOBS_COLD JOBS_EXPORT void throw_no_result();

// The result of one node, for the nodes that read it.
template <class T>
class ResultSlot final : public GraphSlot {
 public:
  static GraphSlot* make(void*, GraphRun*, GraphArena& memory) {
    return ::new (memory.allocate(sizeof(ResultSlot), alignof(ResultSlot))) ResultSlot;
  }
  static ResultSlot& of(const GraphSlots& slots, std::uint32_t index) {
    return static_cast<ResultSlot&>(slots[index]);
  }

  using Input = const T&;
  static Input read(const GraphSlots& slots, std::uint32_t index) { return of(slots, index).get(); }

  template <class F>
  void set(F&& f) {
    value_.emplace(f());
  }
  // Returns the result. Throws Error(kBadArgument) if the node has never ended.
  const T& get() const {
    if (!value_) [[unlikely]]
      throw_no_result();
    return *value_;
  }

 private:
  std::optional<T> value_;
};

// The argument of the run, for the nodes that read it.
template <class T>
struct ArgumentSlot {
  using Input = T&;
  static Input read(const GraphSlots& slots, std::uint32_t) noexcept {
    return *static_cast<T*>(slots.argument().object);
  }
};

JOBS_OF_MODE_BEGIN

// The call f(inputs...), where each input comes from a slot: the result of another node, or the
// argument of the run. A condition returns the
// index of a successor; the result of any other node is a value.
template <bool kIsCondition, class F, class... Slots>
class FunctionBody final : public GraphBody {
 public:
  using R = std::invoke_result_t<F&, typename Slots::Input...>;
  static constexpr bool kHasResult = !std::is_void_v<R> && !kIsCondition;

  template <class G>
  FunctionBody(G&& function, std::uint32_t result_slot,
               std::array<std::uint32_t, sizeof...(Slots)> input_slots)
      : function_(std::forward<G>(function)), result_(result_slot), inputs_(input_slots) {}

  int call(GraphSlots& slots) override {
    return run_contained([&] { return call_here(slots); });
  }

 private:
  JOBS_ALWAYS_INLINE int call_here(GraphSlots& slots) {
    if constexpr (kIsCondition) {
      return static_cast<int>(call_function(slots, std::index_sequence_for<Slots...>()));
    } else {
      if constexpr (kHasResult) {
        ResultSlot<R>::of(slots, result_).set([&] {
          return call_function(slots, std::index_sequence_for<Slots...>());
        });
      } else {
        call_function(slots, std::index_sequence_for<Slots...>());
      }
      return kNoChoice;
    }
  }
  template <std::size_t... kIndices>
  R call_function([[maybe_unused]] GraphSlots& slots, std::index_sequence<kIndices...>) {
    return std::invoke(function_, Slots::read(slots, inputs_[kIndices])...);
  }

  F function_;
  std::uint32_t result_;
  std::array<std::uint32_t, sizeof...(Slots)> inputs_;
};

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI::detail
