// SPDX-License-Identifier: Apache-2.0
// The names that the notations of litmus tests use of Program (program/program.h), which they produce.
#pragma once

#include "program/program.h"

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
using program::Stated;
using program::StateName;
using program::TensorAddress;
using program::TensorMap;
using program::Thread;
using program::Variable;
using program::VectorOperand;
using program::Verdict;

using Test = program::Program;

}  // namespace ptxmc::litmus
