// SPDX-License-Identifier: Apache-2.0
// A litmus test: the Program (ptx/program/program.h) that its notation means, and what its file states about itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ptx/program/program.h"

namespace ptxmc::litmus {

using program::Address;
using program::AddressOf;
using program::Body;
using program::Comparison;
using program::Condition;
using program::ConditionPtr;
using program::ConditionTerm;
using program::Conjunction;
using program::Descriptor;
using program::Disjunction;
using program::Guard;
using program::Implication;
using program::InitialValue;
using program::Instruction;
using program::Integer;
using program::Kernel;
using program::KernelGraph;
using program::Kernels;
using program::LabelName;
using program::NegatedRegister;
using program::Negation;
using program::ObjectName;
using program::Operand;
using program::Placement;
using program::Quantifier;
using program::Register;
using program::RegisterDeclaration;
using program::RegisterInit;
using program::RegisterPair;
using program::Sink;
using program::StateName;
using program::TensorAddress;
using program::TensorMap;
using program::Thread;
using program::Variable;
using program::VectorOperand;

/// Stated expectation (`Verdict=`, `Verdict[MODEL]=`).
enum class Stated : std::uint8_t { allowed, forbidden, required, unknown, undefined };
struct Verdict {
  std::string model;                  // empty: any model without an entry of its own
  std::vector<std::string> readings;  // `Verdict[MODEL,NAME=VALUE,...]`: where these are in force, sorted
  std::optional<Stated> proposition;
  std::optional<bool> racy;           // Racy / RaceFree
  std::optional<bool> hangs;          // Hangs / Terminates
  bool vacuous = false;               // Vacuous: no execution, or none that meets the filter
  std::vector<std::string> findings;  // rules that some execution breaks: "shared-after-exit"
  Position position;
};

struct Test : program::Program {
  std::vector<std::string> docs;  // quoted strings, without quotes
  // herd-style Key=value lines other than Verdict, in order
  std::vector<std::pair<std::string, std::string>> keys;
  std::vector<Verdict> verdicts;
};

}  // namespace ptxmc::litmus
