// SPDX-License-Identifier: Apache-2.0
#include "lower/operations.h"

namespace ptxmc::lower {

using event::Op;
using isa::Opcode;

std::optional<Op> arithmetic_of(Opcode opcode, bool is_signed) {
  switch (opcode) {
    case Opcode::add:
      return Op::add;
    case Opcode::sub:
      return Op::sub;
    case Opcode::div:
      return is_signed ? Op::div_s : Op::div_u;
    case Opcode::rem:
      return is_signed ? Op::rem_s : Op::rem_u;
    case Opcode::min:
      return is_signed ? Op::min_s : Op::min_u;
    case Opcode::max:
      return is_signed ? Op::max_s : Op::max_u;
    case Opcode::abs:
      return Op::abs;
    case Opcode::neg:
      return Op::neg;
    case Opcode::and_:
      return Op::and_;
    case Opcode::or_:
      return Op::or_;
    case Opcode::xor_:
      return Op::xor_;
    case Opcode::not_:
      return Op::not_;
    default:
      return std::nullopt;
  }
}

}  // namespace ptxmc::lower
