// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/footprint/map_bytes.h"
#include "ptx/footprint/tensor_memory.h"
#include "support/demangle.h"
#include "support/refuse.h"

namespace ptxmc::exec {

namespace {

/// Between buffers: bytes that belong to none. An index that is wrong by a factor shall not reach the next one.
std::uint64_t gap_behind(std::uint64_t bytes) {
  constexpr std::uint64_t kLeast = 4096, kMost = std::uint64_t{1} << 24;
  return std::clamp(3 * bytes, kLeast, kMost);
}
constexpr std::uint64_t kBufferAlign = 256;
constexpr std::size_t kGlobalRegion = 0, kSharedRegion = 1, kLocalRegion = 2;

std::uint64_t aligned(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}

std::uint32_t element_of(const program::Variable& variable) {
  return variable.type ? std::max<std::uint32_t>(variable.type->bits / 8U, 1) : 8;
}

std::uint64_t bytes_of(const program::Variable& variable) {
  if (variable.map) return footprint::kMapBytes;
  return std::uint64_t{element_of(variable)} * variable.elements;
}

/// Its elements are what its text says. Compilers declare most arrays of CUDA as bytes, and buffers have no declaration.
bool names_elements(const program::Variable& variable) {
  return variable.position.known() && variable.type && (!variable.is_array || element_of(variable) > 1);
}

bool has_windows(isa::Space space) {
  return space == isa::Space::shared || space == isa::Space::shared_cta || space == isa::Space::local;
}

/// Shared memory that nothing initialises, and what a launch says nothing about, may hold anything.
Sources initially(const program::Variable& variable) {
  const bool unset = variable.ptx_form && has_windows(variable.space) && variable.initial.empty();
  std::uint64_t open = 0;
  for (const program::Extent& extent : variable.open) open += extent.bytes;
  return variable.opaque || unset || open > bytes_of(variable) / 2 ? bit(Source::data) : Sources{0};
}

}  // namespace

Memory::Memory(const program::Program& program, std::size_t ctas, std::size_t threads)
    : ctas_(ctas), threads_(threads), heap_(threads) {
  std::int64_t columns = 0;  // of tensor memory
  for (const program::Variable& variable : program.variables) {
    if (variable.space == isa::Space::tensor) {
      in_tensor_[variable.name] = columns;
      columns_.emplace_back(columns, variable.elements);
      columns += variable.elements;
    } else if (variable.aliases.empty() && variable.locations.empty()) {
      place(variable);
    }
  }
  if (columns > footprint::kTensorColumns)
    refuse(program.source, {},
           fmt::format(".tensor variables have more than {} columns together", footprint::kTensorColumns));
  for (const program::Variable& variable : program.variables) {
    if (!variable.aliases.empty()) names_[variable.name] = names_.at(variable.aliases);
    if (!variable.locations.empty()) place_multimem(program, variable);
  }
  check_windows(program);
  for (const std::uint64_t size : {global_bytes_, shared_bytes_ * ctas_, local_bytes_ * threads_}) {
    data_.emplace_back(size);
    taints_.emplace_back(size);
  }
  fill(program);
}

/// Regions of addresses do not run into each other: each window holds its variables, and each region its windows.
void Memory::check_windows(const program::Program& program) const {
  const std::uint64_t window = std::uint64_t{1} << kWindowBits;
  if (std::max(shared_bytes_, local_bytes_) > window) {
    const auto largest = std::max_element(
        program.variables.begin(), program.variables.end(), [](const auto& a, const auto& b) {
          const auto size = [](const auto& v) { return has_windows(v.space) ? bytes_of(v) : 0; };
          return size(a) < size(b);
        });
    refuse(program.source, largest->position,
           fmt::format("{} bytes of shared or local memory, more than {}",
                       std::max(shared_bytes_, local_bytes_), window));
  }
  constexpr std::size_t kMostWindows = std::size_t{1} << (kRegionBits - kWindowBits);
  const std::size_t windows = std::max(ctas_, local_bytes_ == 0 ? 0 : threads_);
  if (windows > kMostWindows)
    refuse(program.source, {},
           fmt::format("{} windows of shared or local memory, more than {}", windows, kMostWindows));
  static_assert(kHeap == Address{1} << kRegionBits && Heap::kEnd == kShared, "the heap has a region");
  PTXMC_CHECK(global_bytes_ <= kHeap - kGlobal, "global memory ends before the heap");
}

void Memory::place(const program::Variable& variable) {
  Object object{variable.name,
                0,
                bytes_of(variable),
                element_of(variable),
                variable.elements,
                variable.space,
                initially(variable),
                variable.opaque || !variable.open.empty(),
                0,
                names_elements(variable)};
  const std::uint64_t natural = std::min<std::uint64_t>(object.element, 16);
  const std::uint64_t align = std::max<std::uint64_t>(variable.align, natural);
  const bool window = has_windows(variable.space);
  // Variables of a test that declare no alignment lie as if they were buffers. A parameter is given as words, and lies as declared.
  object.align = variable.align == 0                   ? kBufferAlign
                 : variable.space == isa::Space::param ? variable.align
                                                       : align;
  if (window) {
    std::uint64_t& end = variable.space == isa::Space::local ? local_bytes_ : shared_bytes_;
    // 1024: what swizzled boxes ask for, and what a driver gives the first byte
    object.begin =
        aligned(end, end == 0 ? std::max<std::uint64_t>(align, 1024) : std::max<std::uint64_t>(align, 16));
    end = object.begin + object.bytes;
  } else {
    object.begin = aligned(global_bytes_, std::max(align, kBufferAlign));
    global_bytes_ = object.begin + object.bytes + gap_behind(object.bytes);
    object.begin += kGlobal;
  }
  has_constants_ = has_constants_ || object.space == isa::Space::const_ || object.space == isa::Space::param;
  std::vector<Object>& objects = window ? windows_ : global_;
  names_[variable.name] = {window, objects.size()};
  objects.push_back(std::move(object));
}

void Memory::place_multimem(const program::Program& program, const program::Variable& variable) {
  Multimem out;
  out.name = variable.name;
  out.element = element_of(variable);
  out.elements = variable.elements;
  out.bytes = bytes_of(variable);
  out.begin =
      multimem_.empty()
          ? kMultimem
          : aligned(multimem_.back().begin + multimem_.back().bytes + gap_behind(multimem_.back().bytes),
                    kBufferAlign);
  for (const std::string& name : variable.locations) {
    const Address location = offset_of(name);
    for (const Multimem& other : multimem_) {
      const auto& all = other.locations;
      if (std::find(all.begin(), all.end(), location) != all.end())
        refuse(program.source, variable.position,
               fmt::format(
                   "`{}` is a location of two multimem addresses, `{}` and `{}`, which is not supported by "
                   "verify yet",
                   name, other.name, out.name));
    }
    out.locations.push_back(location);
  }
  multimem_.push_back(std::move(out));
}

const Memory::Multimem* Memory::multimem_of(const std::string& variable) const {
  const auto found = std::find_if(multimem_.begin(), multimem_.end(),
                                  [&](const Multimem& one) { return one.name == variable; });
  return found == multimem_.end() ? nullptr : &*found;
}

/// The last one that begins at the address or before it.
const Memory::Multimem* Memory::multimem_before(Address address) const {
  const auto after = std::upper_bound(multimem_.begin(), multimem_.end(), address,
                                      [](Address a, const Multimem& one) { return a < one.begin; });
  return after == multimem_.begin() ? nullptr : &*std::prev(after);
}

std::vector<Address> Memory::locations_at(Address begin, std::uint64_t bytes) const {
  const Multimem* object = multimem_before(begin);
  if (object == nullptr) return {};
  const std::uint64_t offset = begin - object->begin;
  if (offset >= object->bytes || bytes > object->bytes - offset) return {};
  std::vector<Address> out = object->locations;
  for (Address& location : out) location += offset;
  return out;
}

void Memory::fill(const program::Program& program) {
  for (const program::Variable& variable : program.variables) {
    if (!variable.aliases.empty() || !variable.locations.empty() || variable.space == isa::Space::tensor)
      continue;
    const auto [window, index] = names_.at(variable.name);
    const Object& object = (window ? windows_ : global_)[index];
    if (variable.map) {
      add_map({variable.name, 0, *variable.map});
      continue;
    }
    const bool local = object.space == isa::Space::local;
    const std::size_t region = !window ? kGlobalRegion : local ? kLocalRegion : kSharedRegion;
    const std::size_t count = !window ? 1 : local ? threads_ : ctas_;
    const std::uint64_t stride = local ? local_bytes_ : shared_bytes_;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t begin = window ? i * stride + object.begin : object.begin - kGlobal;
      if (window) std::memset(taints_[region].at(begin), object.initially, object.bytes);
      for (std::size_t e = 0; e < variable.initial.size(); ++e) {
        const program::InitialValue& value = variable.initial[e];
        std::uint64_t bits = static_cast<std::uint64_t>(value.integer);
        if (!value.address_of.empty()) bits += offset_of(value.address_of);
        const std::uint32_t bytes = std::min<std::uint32_t>(object.element, 8);
        store(data_[region].at(begin + e * object.element), bytes, bits);
        std::memset(taints_[region].at(begin + e * object.element), window ? 0 : object.initially,
                    object.element);
      }
      if (!variable.open.empty()) mark_open(variable.open, object, taints_[region].at(begin));
    }
  }
}

/// The taints of bytes some of which are open, as they are kept.
void Memory::mark_open(const std::vector<program::Extent>& open, const Object& object, std::uint8_t* taint) {
  const auto mark = [&](std::uint64_t begin, std::uint64_t end, Sources sources) {
    const int kept = has_windows(object.space) ? sources : sources ^ object.initially;
    if (begin < end) std::memset(taint + begin, kept, end - begin);
  };
  std::uint64_t end = 0;
  for (const program::Extent& extent : open) {
    if (object.initially != 0) mark(end, extent.begin, 0);
    mark(extent.begin, extent.end(), bit(Source::data));
    end = extent.end();
  }
  if (object.initially != 0) mark(end, object.bytes, 0);
}

void Memory::fill_open(const Contents& contents) {
  constexpr std::uint64_t kWord = sizeof contents.word;
  heap_.fill_open(contents);
  const auto is_open = [&](const Object& object) {
    return !has_windows(object.space) && object.open && !is_zero(contents, {object.begin, object.bytes});
  };
  std::uint64_t bytes = 0;
  for (const Object& object : global_) bytes += is_open(object) ? object.bytes : 0;
  if (bytes > kMostFilled) return;
  for (const Object& object : global_) {
    if (!is_open(object)) continue;
    std::uint8_t* const data = data_[kGlobalRegion].at(object.begin - kGlobal);
    const std::uint8_t* const taint = taints_[kGlobalRegion].at(object.begin - kGlobal);
    for (std::uint64_t at = 0; at + kWord <= object.bytes; at += kWord) {
      const std::uint64_t number = at / kWord;
      const bool skipped = contents.words == Contents::Words::second && number % 2 == 0;
      const std::uint32_t word = open_word(contents, static_cast<std::uint32_t>(number), object.begin);
      const auto open = static_cast<std::uint8_t>(bit(Source::data) ^ object.initially);
      const bool is_open = load(taint + at, kWord) == std::uint64_t{0x01010101} * open;
      if (!skipped && is_open) std::memcpy(data + at, &word, kWord);
    }
  }
}

std::optional<trace::Range> Memory::global_variable_at(Address address) const {
  if (const Heap::Block* block = is_heap(address) ? heap_.block_at(address, 1) : nullptr)
    return trace::Range{block->object.begin, block->object.bytes};
  const Object* const object = is_global(address) ? global_object(address, 1) : nullptr;
  if (object == nullptr) return std::nullopt;
  return trace::Range{object->begin, object->bytes};
}

// ---- Addresses ------------------------------------------------------------------------------------------------

std::uint64_t Memory::offset_of(const std::string& variable) const {
  if (const auto column = in_tensor_.find(variable); column != in_tensor_.end())
    return static_cast<std::uint64_t>(column->second);
  if (const Multimem* object = multimem_of(variable)) return object->begin;
  const auto [window, index] = names_.at(variable);
  return (window ? windows_ : global_)[index].begin;
}

isa::Space Memory::space_of(const std::string& variable) const {
  if (in_tensor_.contains(variable)) return isa::Space::tensor;
  if (multimem_of(variable) != nullptr) return isa::Space::global;
  const auto [window, index] = names_.at(variable);
  return (window ? windows_ : global_)[index].space;
}

std::size_t Memory::elements_of(const std::string& variable) const {
  if (const Multimem* object = multimem_of(variable)) return object->elements;
  const auto [window, index] = names_.at(variable);
  return (window ? windows_ : global_)[index].elements;
}

std::uint32_t Memory::element_bytes(const std::string& variable) const {
  if (const Multimem* object = multimem_of(variable)) return object->element;
  const auto [window, index] = names_.at(variable);
  return (window ? windows_ : global_)[index].element;
}

std::optional<Places::Object> Memory::object_of(const std::string& variable) const {
  if (in_tensor_.contains(variable)) return std::nullopt;
  if (const Multimem* one = multimem_of(variable))
    return Places::Object{one->name, one->begin, one->bytes, kBufferAlign, isa::Space::global};
  const auto [window, index] = names_.at(variable);
  const Object& one = (window ? windows_ : global_)[index];
  return Places::Object{one.name, one.begin, one.bytes, one.align, one.space};
}

std::vector<Address> Memory::all_of(const std::string& variable) const {
  const auto [window, index] = names_.at(variable);
  const Object& one = (window ? windows_ : global_)[index];
  if (!window) return {one.begin};
  const bool is_local = one.space == isa::Space::local;
  std::vector<Address> out;
  for (std::size_t i = 0; i < (is_local ? threads_ : ctas_); ++i)
    out.push_back((is_local ? local(i) : shared(i)) + one.begin);
  return out;
}

const Memory::Object* Memory::object_before(Address address) const {
  const bool window = is_shared(address) || is_local(address);
  const Address at = window ? in_window(address) : address;
  const Object* nearest = nullptr;
  for (const Object& object : window ? windows_ : global_) {
    if (window && (object.space == isa::Space::local) != is_local(address)) continue;
    if (object.begin <= at && (nearest == nullptr || object.begin > nearest->begin)) nearest = &object;
  }
  return nearest;
}

std::optional<Memory::Ended> Memory::ended_before(Address address) const {
  const Object* object = is_multimem(address) || is_heap(address) ? nullptr : object_before(address);
  if (object == nullptr) return std::nullopt;
  const Address at = is_shared(address) || is_local(address) ? in_window(address) : address;
  const std::uint64_t offset = at - object->begin;
  // Shared memory has no other end than that of its last variable: what a CTA may have is of that one.
  constexpr std::uint64_t kMostShared = std::uint64_t{1} << 18U;
  const std::uint64_t gap = is_shared(address) ? kMostShared : gap_behind(object->bytes);
  if (offset < object->bytes || offset > object->bytes + gap) return std::nullopt;
  return Ended{object->name, object->bytes, offset};
}

// ---- Contents -------------------------------------------------------------------------------------------------

const Memory::Object* Memory::global_object(Address begin, std::uint64_t bytes) const {
  const auto holds = [&](const Object& object) {
    return begin >= object.begin && begin - object.begin < object.bytes &&
           bytes <= object.bytes - (begin - object.begin);
  };
  if (last_ < global_.size() && holds(global_[last_])) return &global_[last_];
  const auto after = std::upper_bound(global_.begin(), global_.end(), begin,
                                      [](Address a, const Object& object) { return a < object.begin; });
  if (after == global_.begin() || !holds(*std::prev(after))) return nullptr;
  last_ = static_cast<std::size_t>(std::prev(after) - global_.begin());
  return &*std::prev(after);
}

std::optional<Memory::Span> Memory::span(Address begin, std::uint64_t bytes) const {
  const auto in = [&](std::size_t region, std::uint64_t offset, Sources initial) {
    const std::uint8_t* const terms =
        terms_.empty() ? nullptr : terms_[region].at(offset * sizeof(std::uint64_t));
    return Span{const_cast<std::uint8_t*>(data_[region].at(offset)),
                const_cast<std::uint8_t*>(taints_[region].at(offset)), initial,
                reinterpret_cast<std::uint64_t*>(const_cast<std::uint8_t*>(terms))};
  };
  if (is_heap(begin)) return heap_span(begin, bytes);
  if (is_global(begin)) {
    const Object* object = global_object(begin, bytes);
    if (object == nullptr) return std::nullopt;
    return in(kGlobalRegion, begin - kGlobal, object->initially);
  }
  const bool local = is_local(begin);
  if (!local && !is_shared(begin)) return std::nullopt;
  const std::uint64_t size = local ? local_bytes_ : shared_bytes_, offset = in_window(begin);
  const std::size_t index = (begin - (local ? kLocal : kShared)) >> kWindowBits;
  if (index >= (local ? threads_ : ctas_) || offset >= size || bytes > size - offset) return std::nullopt;
  return in(local ? kLocalRegion : kSharedRegion, index * size + offset, 0);
}

std::optional<Memory::Span> Memory::heap_span(Address begin, std::uint64_t bytes) const {
  const Heap::Block* const block = heap_.block_at(begin, bytes);
  if (block == nullptr) return std::nullopt;
  const std::uint64_t offset = begin - block->object.begin;
  const std::uint8_t* const terms = block->terms ? block->terms->at(offset * sizeof(std::uint64_t)) : nullptr;
  return Span{const_cast<std::uint8_t*>(block->data.at(offset)),
              const_cast<std::uint8_t*>(block->taints.at(offset)), bit(Source::data),
              reinterpret_cast<std::uint64_t*>(const_cast<std::uint8_t*>(terms))};
}

Sources Memory::sources(Address begin, std::uint64_t bytes) const {
  const auto found = span(begin, bytes);
  Sources all = 0;
  for (std::uint64_t i = 0; found && i < bytes; ++i)
    all = static_cast<Sources>(all | (found->taint[i] ^ found->initially));
  return static_cast<Sources>(all & ~unsigned{kAddress});
}

void Memory::taint(Address begin, std::uint64_t bytes, Sources sources) {
  const auto found = span(begin, bytes);
  if (!found) return;
  std::memset(found->taint, sources ^ found->initially, bytes);
  if (found->terms != nullptr) std::fill_n(found->terms, bytes, kUnknownByte);
}

void Memory::copy(Address to, Address from, std::uint64_t bytes) {
  const auto source = span(from, bytes), target = span(to, bytes);
  std::memmove(target->data, source->data, bytes);
  const auto change = static_cast<Sources>(source->initially ^ target->initially);
  std::memmove(target->taint, source->taint, bytes);
  for (std::uint64_t i = 0; change != 0 && i < bytes; ++i) target->taint[i] ^= change;
  if (source->terms == nullptr) return;
  std::vector<std::uint64_t> words(source->terms, source->terms + bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) {
    if (words[i] == 0) words[i] = kCopiedByte | (from + i);
  }
  std::copy(words.begin(), words.end(), target->terms);
}

void Memory::follow_terms() {
  heap_.follow_terms();
  for (const std::uint64_t size : {global_bytes_, shared_bytes_ * ctas_, local_bytes_ * threads_})
    terms_.emplace_back(size * sizeof(std::uint64_t));
}

void Memory::add_map(const program::InnerMap& inner) {
  const auto base = static_cast<std::int64_t>(offset_of(inner.map.base)) + inner.map.offset;
  const Address at = offset_of(inner.variable) + inner.offset;
  const auto bytes = footprint::map_bytes(footprint::fields_of(inner.map, base));
  const auto there = span(at, bytes.size());
  if (!there) refuse(fmt::format("a tensor map of {} bytes leaves {}", bytes.size(), inner.variable));
  std::memcpy(there->data, bytes.data(), bytes.size());
  there->set_sources(0, footprint::kMapBytes, 0);
}

std::optional<footprint::MapFields> Memory::map_at(Address address) const {
  const auto there = span(address, footprint::kMapBytes);
  return there ? footprint::map_of(there->data) : std::nullopt;
}

bool Memory::is_constant(Address address) const {
  const Object* object = is_global(address) ? global_object(address, 1) : nullptr;
  return object != nullptr && (object->space == isa::Space::const_ || object->space == isa::Space::param);
}

}  // namespace ptxmc::exec
