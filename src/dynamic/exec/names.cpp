// SPDX-License-Identifier: Apache-2.0
// What is at an address, in the words of the program.
#include <fmt/format.h>

#include <bit>

#include "dynamic/exec/memory.h"
#include "ptx/footprint/tensor_memory.h"
#include "support/demangle.h"

namespace ptxmc::exec {

/// "flag", "bins[17]"; "s+68" where its elements are not known.
std::string Memory::element_name(const Object& object, std::uint64_t offset) {
  const std::string name = short_variable_name(object.name);
  if (!object.names_elements || offset % object.element != 0) return fmt::format("{}+{}", name, offset);
  return object.elements == 1 ? name : fmt::format("{}[{}]", name, offset / object.element);
}

std::string Memory::name_at(Address address) const {
  if (is_tensor(address)) {
    const auto at = static_cast<std::int64_t>(in_window(address));
    return fmt::format("tensor memory column {}, lane {}", at / footprint::kTensorLanes,
                       at % footprint::kTensorLanes);
  }
  if (const Multimem* object = is_multimem(address) ? multimem_before(address) : nullptr)
    return fmt::format(
        "multimem address {}+{}{}", short_variable_name(object->name), address - object->begin,
        address - object->begin < object->bytes ? "" : fmt::format(", of {} bytes", object->bytes));
  if (is_heap(address)) return heap_.name_at(address);
  if (const auto ended = ended_before(address))
    return fmt::format("{}+{}, of {} bytes", short_variable_name(ended->name), ended->offset, ended->bytes);
  const Object* object = object_before(address);
  const Address at = is_shared(address) || is_local(address) ? in_window(address) : address;
  if (object == nullptr || at - object->begin >= object->bytes) return fmt::format("address {:#x}", address);
  return element_name(*object, at - object->begin);
}

std::optional<NamedBytes> Memory::object_at(trace::Range bytes) const {
  if (is_tensor(bytes.begin) || is_multimem(bytes.begin) || is_heap(bytes.begin)) return std::nullopt;
  const Object* object = object_before(bytes.begin);
  const Address at = is_shared(bytes.begin) || is_local(bytes.begin) ? in_window(bytes.begin) : bytes.begin;
  if (object == nullptr || at - object->begin >= object->bytes) return std::nullopt;
  return NamedBytes{short_variable_name(object->name), at - object->begin, bytes.bytes};
}

// Accesses of one width are, as a rule, of elements of an array of that width.
std::string Memory::text_of(trace::Range bytes) const {
  constexpr std::uint64_t kWidest = 16;
  if (is_tensor(bytes.begin)) {  // each lane of a column is a byte
    const std::string lanes =
        bytes.bytes > 1
            ? fmt::format(" to {}", in_window(bytes.begin) % footprint::kTensorLanes + bytes.bytes - 1)
            : "";
    return name_at(bytes.begin) + lanes;
  }
  std::string name =
      fmt::format("{} byte{} at {}", bytes.bytes, bytes.bytes == 1 ? "" : "s", name_at(bytes.begin));
  const bool is_element = std::has_single_bit(bytes.bytes) && bytes.bytes > 1 && bytes.bytes <= kWidest;
  if (!is_element || is_multimem(bytes.begin) || is_heap(bytes.begin)) return name;
  const Object* object = object_before(bytes.begin);
  if (object == nullptr || object->names_elements) return name;
  const Address at = is_shared(bytes.begin) || is_local(bytes.begin) ? in_window(bytes.begin) : bytes.begin;
  const std::uint64_t offset = at - object->begin;
  if (offset >= object->bytes || offset % bytes.bytes != 0) return name;
  return fmt::format("{} ({}-byte element {})", name, bytes.bytes, offset / bytes.bytes);
}

}  // namespace ptxmc::exec
