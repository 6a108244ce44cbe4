// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulation of a circuit of NAND gates, driven by events: only gates with a changed input are
// evaluated. A queue keeps the changes of each tick. The changes of one tick are independent of
// each other, so a loop applies them, and another loop evaluates the gates behind them. The program
// compares each tick with a serial simulation that evaluates every gate.
//
//   logic_sim [bits of each number]
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

#include "jobs/jobs.hpp"

namespace {

using Wire = std::uint32_t;  // the output of a gate, or an input of the circuit

struct Gate {
  std::array<Wire, 2> in;
  unsigned delay;  // ticks; 0: an input of the circuit
};

// Gates are numbered in the order of their creation, after the wires that they read.
class Circuit {
 public:
  Wire input() { return add({{0, 0}, 0}); }
  Wire nand(Wire a, Wire b) {
    const Wire wire = add({{a, b}, 1 + size() % 3});
    readers_[a].push_back(wire);
    if (b != a) readers_[b].push_back(wire);
    return wire;
  }
  Wire exclusive_or(Wire a, Wire b) {
    const Wire both = nand(a, b);
    return nand(nand(a, both), nand(b, both));
  }

  Wire size() const { return static_cast<Wire>(gates_.size()); }
  const Gate& gate(Wire wire) const { return gates_[wire]; }
  const std::vector<Wire>& readers(Wire wire) const { return readers_[wire]; }

 private:
  Wire add(Gate gate) {
    gates_.push_back(gate);
    readers_.emplace_back();
    return size() - 1;
  }

  std::vector<Gate> gates_;
  std::vector<std::vector<Wire>> readers_;
};

// An adder of two numbers: a carry passes from bit to bit.
struct Adder {
  explicit Adder(std::size_t bits) {
    Wire carry = circuit.input();  // always 0
    for (std::size_t bit = 0; bit < bits; ++bit) {
      a.push_back(circuit.input());
      b.push_back(circuit.input());
      const Wire half = circuit.exclusive_or(a.back(), b.back());
      sum.push_back(circuit.exclusive_or(half, carry));
      carry = circuit.nand(circuit.nand(a.back(), b.back()), circuit.nand(half, carry));
    }
    sum.push_back(carry);
  }

  Circuit circuit;
  std::vector<Wire> a, b, sum;
};

using Values = std::vector<std::uint8_t>;

std::uint8_t evaluate(const Gate& gate, const Values& values) {
  return static_cast<std::uint8_t>((values[gate.in[0]] & values[gate.in[1]]) == 0);
}

// The values of a circuit at rest whose inputs are 0.
Values at_rest(const Circuit& circuit) {
  Values values(circuit.size());
  for (Wire wire = 0; wire < circuit.size(); ++wire) {
    if (circuit.gate(wire).delay != 0) values[wire] = evaluate(circuit.gate(wire), values);
  }
  return values;
}

struct Event {
  Wire wire;
  std::uint8_t value;
};

class Simulation {
 public:
  explicit Simulation(const Circuit& circuit)
      : circuit_(circuit), values_(at_rest(circuit)), is_marked_(circuit.size()) {}

  void set(unsigned tick, Wire wire, std::uint8_t value) { events_[tick].push_back({wire, value}); }
  bool is_idle() const { return events_.empty(); }
  unsigned next_tick() const { return events_.begin()->first; }
  const Values& values() const { return values_; }
  std::size_t evaluated() const { return evaluated_; }

  // Takes the earliest events, and adds those of the gates behind them.
  void step() {
    const auto node = events_.extract(events_.begin());
    const unsigned tick = node.key();
    // At most one event of a tick concerns a wire, so the iterations write different bytes.
    jobs::PerWorker<std::vector<Wire>> found;
    jobs::parallel_for(node.mapped(), [&](const Event& event) {
      if (values_[event.wire] == event.value) return;
      values_[event.wire] = event.value;
      for (const Wire reader : circuit_.readers(event.wire)) {
        if (!is_marked_[reader].exchange(true, std::memory_order_relaxed))
          found.local().push_back(reader);
      }
    });
    const std::vector<Wire> gates = found.flatten();
    std::vector<std::uint8_t> outputs(gates.size());
    jobs::parallel_for(0, gates.size(), [&](std::size_t i) {
      is_marked_[gates[i]].store(false, std::memory_order_relaxed);
      outputs[i] = evaluate(circuit_.gate(gates[i]), values_);
    });
    evaluated_ += gates.size();
    for (std::size_t i = 0; i < gates.size(); ++i)
      set(tick + circuit_.gate(gates[i]).delay, gates[i], outputs[i]);
  }

 private:
  const Circuit& circuit_;
  Values values_;
  std::vector<std::atomic<bool>> is_marked_;  // found in this step
  std::map<unsigned, std::vector<Event>> events_;
  std::size_t evaluated_ = 0;
};

// The same circuit, tick by tick: each gate has the value of its inputs before its delay.
class SerialSimulation {
 public:
  explicit SerialSimulation(const Circuit& circuit) : circuit_(circuit) {
    history_.fill(at_rest(circuit));
  }

  void set(Wire wire, std::uint8_t value) { inputs_.push_back({wire, value}); }
  const Values& values() const { return history_[tick_ % history_.size()]; }

  // Computes the values of the next tick.
  void step() {
    Values next = values();
    ++tick_;
    for (const Event& input : inputs_) next[input.wire] = input.value;
    inputs_.clear();
    for (Wire wire = 0; wire < circuit_.size(); ++wire) {
      const Gate& gate = circuit_.gate(wire);
      if (gate.delay == 0) continue;
      next[wire] = evaluate(gate, history_[(tick_ - gate.delay) % history_.size()]);
    }
    history_[tick_ % history_.size()] = std::move(next);
  }

 private:
  const Circuit& circuit_;
  std::array<Values, 4> history_;  // of the last ticks; a delay has at most 3
  unsigned tick_ = 4;
  std::vector<Event> inputs_;
};

// Adds two pseudo-random numbers in both simulations. Returns whether they agree, with each other
// and with the sum.
bool add(const Adder& adder, Simulation& simulation, SerialSimulation& serial, unsigned& tick,
         std::uint32_t& random) {
  Values expected;
  unsigned carry = 0;
  ++tick;
  for (std::size_t bit = 0; bit < adder.a.size(); ++bit) {
    random = random * 1664525u + 1013904223u;
    const auto a = static_cast<std::uint8_t>(random >> 31);
    const auto b = static_cast<std::uint8_t>(random >> 30 & 1);
    simulation.set(tick, adder.a[bit], a);
    simulation.set(tick, adder.b[bit], b);
    serial.set(adder.a[bit], a);
    serial.set(adder.b[bit], b);
    const unsigned sum = a + b + carry;
    expected.push_back(static_cast<std::uint8_t>(sum % 2));
    carry = sum / 2;
  }
  expected.push_back(static_cast<std::uint8_t>(carry));

  for (; !simulation.is_idle(); ++tick) {
    if (simulation.next_tick() == tick) simulation.step();
    serial.step();
    if (simulation.values() != serial.values()) return false;
  }
  return std::ranges::equal(adder.sum, expected, {},
                            [&](Wire wire) { return simulation.values()[wire]; });
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t bits = 400;
  if (argc > 1) {
    const char* const end = argv[1] + std::strlen(argv[1]);
    const auto [rest, error] = std::from_chars(argv[1], end, bits);
    if (error != std::errc() || rest != end || bits == 0 || bits > 100'000) {
      std::fprintf(stderr, "usage: logic_sim [bits of each number, 1 to 100000]\n");
      return 1;
    }
  }
  const Adder adder(bits);
  Simulation simulation(adder.circuit);
  SerialSimulation serial(adder.circuit);
  unsigned tick = 0;
  std::uint32_t random = 1;
  constexpr int kSums = 4;
  for (int i = 0; i < kSums; ++i) {
    if (!add(adder, simulation, serial, tick, random)) {
      std::fprintf(stderr, "a sum differs from the serial simulation\n");
      return 1;
    }
  }
  std::printf("%d sums of %zu bits: %u gates, %u ticks, %zu gates evaluated\n", kSums, bits,
              adder.circuit.size(), tick, simulation.evaluated());
}
