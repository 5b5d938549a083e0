// SPDX-License-Identifier: Apache-2.0
#include "pattern_async.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace ptxmc::testing {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_bulk(std::string_view opcode) {
  return (opcode.starts_with("cp.async.bulk.") || opcode.starts_with("cp.reduce.async.bulk.")) &&
         !has(opcode, "commit_group") && !has(opcode, "wait_group");
}

}  // namespace

bool copies_tiles(const std::vector<std::string>& threads) {
  return std::any_of(threads.begin(), threads.end(), [](const std::string& thread) {
    return has(thread, "cp.async.bulk.") || has(thread, "cp.reduce.async.bulk.");
  });
}

std::size_t words_of_tile(const std::vector<std::string>& threads) {
  std::size_t words = copies_tiles(threads) ? 4 : 1;
  for (const std::string& thread : threads) {
    if (has(thread, "+4]") || has(thread, "clusterlaunchcontrol")) words = std::max<std::size_t>(words, 4);
    if (has(thread, "st.bulk")) words = 16;
  }
  return words;
}

std::string not_translated(const std::string& opcode) {
  constexpr std::array<std::string_view, 3> kOthers = {"tcgen05", "wgmma", "tensor"};
  for (const std::string_view other : kOthers) {
    if (has(opcode, other)) return opcode;
  }
  return "";
}

bool is_address(const std::string& operand) {
  return operand.starts_with('[') && operand.ends_with(']');
}

ShortAddress read_address(const std::string& operand) {
  const std::string inside = operand.substr(1, operand.size() - 2);
  const std::size_t at = inside.find("@cta");
  const std::string place = inside.substr(0, at);
  const std::size_t plus = std::min(place.find('+'), place.size());
  return {place.substr(0, plus), place.substr(plus), at == std::string::npos ? "" : inside.substr(at + 4)};
}

std::string long_opcode(const std::string& opcode) {
  if (opcode == "clusterlaunchcontrol.try_cancel.async")
    return opcode + ".shared::cta.mbarrier::complete_tx::bytes.b128";
  if (opcode == "clusterlaunchcontrol.try_cancel.async.multicast::cluster::all")
    return "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::"
           "cluster::all.b128";
  const bool object = opcode.starts_with("mbarrier.") || opcode.starts_with("cp.async.mbarrier.arrive");
  return object && !opcode.ends_with(".b64") ? opcode + ".shared::cta.b64" : opcode;
}

std::string long_size(const ShortInstruction& instruction, std::size_t operand, std::size_t factor) {
  const std::string& text = instruction.operands[operand];
  const bool bytes = (is_bulk(instruction.opcode) && operand == 2) ||
                     (has(instruction.opcode, "expect_tx") && operand + 1 == instruction.operands.size());
  return bytes ? std::to_string(factor * std::stoul(text)) : text;
}

bool is_mbarrier_place(const ShortInstruction& instruction, std::size_t operand) {
  if (!is_address(instruction.operands[operand])) return false;
  if (instruction.opcode.starts_with("mbarrier.") || instruction.opcode.starts_with("cp.async.mbarrier"))
    return true;
  const std::size_t first = instruction.opcode.starts_with("clusterlaunchcontrol") ? 1 : 2;
  return has(long_opcode(instruction.opcode), "mbarrier::complete_tx") && operand >= first;
}

bool is_shared_place(const ShortInstruction& instruction, std::size_t operand) {
  const std::string opcode = long_opcode(instruction.opcode);
  const std::size_t shared = opcode.find(".shared"), global = opcode.find(".global");
  if (!opcode.starts_with("cp.")) return shared != std::string::npos;
  if (shared == std::string::npos || global == std::string::npos) return shared != std::string::npos;
  return (operand == 0) == (shared < global);
}

}  // namespace ptxmc::testing
