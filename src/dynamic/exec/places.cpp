// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/places.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "dynamic/exec/memory.h"

namespace ptxmc::exec {

namespace {

constexpr unsigned kUnits = 32;  // of Part::times: 2^-32
constexpr std::int64_t kOnce = std::int64_t{1} << kUnits;
constexpr std::size_t kMostSymbols = std::size_t{1} << 17U;
constexpr std::int64_t kMostTimes = std::int64_t{1} << 60U;
// Addresses of shared memory of a CTA have 18 bits: it is 228 KB at most. Generic ones have fewer than 57.
// Columns of tensor memory are 512.
constexpr unsigned kSharedBits = 18, kGenericBits = 57, kWindowBits = Memory::kWindowBits, kTensorBits = 9;

std::uint64_t low_bits(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

bool has_window(isa::Space space) {
  return space != isa::Space::global && space != isa::Space::const_ && space != isa::Space::param;
}

std::int64_t as_signed(std::uint64_t value, unsigned bits) {
  if (bits >= 64) return static_cast<std::int64_t>(value);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1), low = value & low_bits(bits);
  return static_cast<std::int64_t>((low ^ sign) - sign);
}

Places::Address flat_begin(isa::Space space) {
  return space == isa::Space::local ? Memory::kLocal : Memory::kShared;
}

}  // namespace

std::int64_t Places::Bounds::offset(Address at) const {
  return static_cast<std::int64_t>((has_window(object.space) ? Memory::in_window(at) : at) - object.begin);
}

Places::Places() {
  forms_.emplace_back();           // kNumber
  symbols_.reserve(kMostSymbols);  // they do not move while others are added
}

void Places::declare(const std::string& name, const Object& object) {
  const auto same = std::find_if(of_name_.begin(), of_name_.end(), [&](const auto& known) {
    const Object& other = symbols_[known.second].bounds.object;
    return other.begin == object.begin && other.bytes == object.bytes &&
           has_window(other.space) == has_window(object.space) &&
           (other.space == isa::Space::local) == (object.space == isa::Space::local);
  });
  if (same != of_name_.end()) {
    of_name_[name] = same->second;
    return;
  }
  of_name_[name] = add(object);
}

std::uint32_t Places::add(const Object& object) {
  const auto number = static_cast<std::uint32_t>(symbols_.size());
  Symbol symbol;
  symbol.bounds = {object, 0, 0, number, number};
  symbol.align = static_cast<unsigned>(std::countr_zero(std::max<std::uint64_t>(object.align, 1)));
  symbol.above = object.space == isa::Space::local    ? kWindowBits
                 : object.space == isa::Space::tensor ? kTensorBits
                 : has_window(object.space)           ? kSharedBits
                                                      : kGenericBits;
  symbol.at = object.begin;
  symbol.other = symbol.from = number;
  symbols_.push_back(symbol);
  return number;
}

void Places::fits_half(const std::string& name) {
  const auto found = of_name_.find(name);
  if (found == of_name_.end()) return;
  Symbol& symbol = symbols_[found->second];
  symbol.above = std::min(symbol.above, Places::kHalfBits);
}

Form Places::fresh(const Object& object) {
  return symbols_.size() >= kMostSymbols / 2 ? kLost : one(add(object), kOnce);
}

Form Places::of(const std::string& name) {
  const auto found = of_name_.find(name);
  return found == of_name_.end() ? kNumber : one(found->second, kOnce);
}

bool Places::is_aligned(Form a, std::uint64_t unit) const {
  return a == kNumber || a == kLost || unit <= 1 ||
         align_of(a) >= static_cast<unsigned>(std::bit_width(unit - 1));
}

// ---- Sums -------------------------------------------------------------------------------------------------------

Form Places::intern(Parts parts) {
  std::erase_if(parts, [](const Part& part) { return part.times == 0; });
  if (parts.empty()) return kNumber;
  if (std::any_of(parts.begin(), parts.end(),
                  [](const Part& part) { return part.times > kMostTimes || part.times < -kMostTimes; }))
    return kLost;
  if (const auto known = known_.find(parts); known != known_.end()) return known->second;
  if (forms_.size() >= kLost) return kLost;
  const auto form = static_cast<Form>(forms_.size());
  forms_.push_back(parts);
  known_.emplace(std::move(parts), form);
  return form;
}

Form Places::sum(Form a, Form b, bool subtracts) {
  if (a == kLost || b == kLost) return kLost;
  if (b == kNumber) return a;
  Parts out = forms_[a];
  for (const Part& part : forms_[b]) {
    const std::int64_t times = subtracts ? -part.times : part.times;
    const auto at = std::lower_bound(out.begin(), out.end(), part.symbol,
                                     [](const Part& p, std::uint32_t symbol) { return p.symbol < symbol; });
    if (at != out.end() && at->symbol == part.symbol) {
      at->times += times;
    } else {
      out.insert(at, {part.symbol, times});
    }
  }
  return intern(std::move(out));
}

Form Places::times(Form a, std::int64_t factor) {
  if (a == kLost || a == kNumber) return a;
  Parts out = forms_[a];
  for (Part& part : out) {
    if (factor != 0 && std::abs(part.times) > kMostTimes / std::max<std::int64_t>(std::abs(factor), 1))
      return kLost;
    part.times *= factor;
  }
  return intern(std::move(out));
}

Form Places::shifted_left(Form a, std::uint64_t by) {
  constexpr std::uint64_t kMost = 62;
  return a == kNumber ? a : by > kMost ? kLost : times(a, std::int64_t{1} << by);
}

/// The sum with the addresses of this run.
std::uint64_t Places::sum_of(Form a) const {
  std::uint64_t out = 0;
  for (const Part& part : forms_[a]) {
    const auto times = static_cast<std::uint64_t>(std::abs(part.times));
    const auto product = static_cast<std::uint64_t>(trace::Bits{symbols_[part.symbol].at} * times >> kUnits);
    out += part.times < 0 ? ~product + 1 : product;
  }
  return out;
}

/// What is added to the addresses.
std::int64_t Places::number(const Formed& a) const {
  return as_signed(a.value - sum_of(a.form), a.bits);
}

std::optional<Places::Simple> Places::simple(const Formed& a) const {
  if (a.form == kLost || a.form == kNumber || forms_[a.form].size() != 1) return std::nullopt;
  const Part& part = forms_[a.form].front();
  if (part.times <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(part.times)) || part.times > kOnce)
    return std::nullopt;
  const Symbol& symbol = symbols_[part.symbol];
  Simple out{&symbol, part.symbol};
  out.down = kUnits - static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(part.times)));
  out.align = symbol.align > out.down ? symbol.align - out.down : 0;
  out.above = symbol.above > out.down ? symbol.above - out.down : 0;
  const Object& object = symbol.bounds.object;
  if (has_window(object.space)) {
    // Above the bits of the address there may be others: of a matrix descriptor, or the number of a CTA.
    const unsigned bits = out.down == 0 ? kWindowBits : out.above;
    const std::uint64_t address = (a.value & low_bits(bits)) << out.down;
    out.offset = static_cast<std::int64_t>(address) - static_cast<std::int64_t>(Memory::in_window(symbol.at));
  } else {
    out.offset = static_cast<std::int64_t>((a.value << out.down) - symbol.at);
  }
  const auto in_object = static_cast<std::int64_t>(symbol.flat ? Memory::in_window(symbol.at) : symbol.at) -
                         static_cast<std::int64_t>(object.begin) + out.offset;
  out.inside = in_object + symbol.bounds.low >= 0 &&
               in_object + symbol.bounds.high <= static_cast<std::int64_t>(object.bytes);
  return out;
}

/// So many of the lowest bits of its sum are 0.
unsigned Places::align_of(Form a) const {
  unsigned out = 64;
  for (const Part& part : forms_[a]) {
    const unsigned bits =
        symbols_[part.symbol].align +
        static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(std::abs(part.times))));
    out = std::min(out, bits > kUnits ? bits - kUnits : 0);
  }
  return out;
}

bool Places::in_windows(Form a) const {
  return std::all_of(forms_[a].begin(), forms_[a].end(), [&](const Part& part) {
    const Symbol& symbol = symbols_[part.symbol];
    return has_window(symbol.bounds.object.space) && !symbol.flat && part.times % kOnce == 0;
  });
}

// ---- Bits -------------------------------------------------------------------------------------------------------

/// With so many of the lowest bits cleared.
Form Places::rounded(const Formed& a, const Simple& of, unsigned bits) {
  if (bits <= of.align) return a.form;
  if (bits >= of.above && of.inside && !of.symbol->flat) return kNumber;
  const unsigned whole = bits + of.down;
  if (whole > kGenericBits || (has_window(of.symbol->bounds.object.space) && whole > kWindowBits))
    return kLost;
  if (symbols_.size() >= kMostSymbols / 2) return kLost;
  Symbol symbol = of.symbol->flat ? symbols_[of.symbol->other] : *of.symbol;
  if (symbol.bounds.rank) symbol = symbols_[symbol.before];
  const std::uint64_t ahead =
      static_cast<std::uint64_t>(of.offset) & low_bits(whole) & ~low_bits(symbol.align);
  const auto [known, fresh] =
      rounded_.try_emplace({symbol.bounds.symbol, ahead, whole}, static_cast<std::uint32_t>(symbols_.size()));
  if (fresh) {
    Symbol out = symbol;
    const auto step = std::int64_t{1} << whole;
    out.align = whole;
    out.ahead = ahead;
    out.from = symbol.bounds.symbol;
    out.at = (symbol.at + ahead) & ~low_bits(whole);
    const auto here = static_cast<std::int64_t>(out.at - symbol.at);
    const auto most = static_cast<std::int64_t>(ahead);
    out.bounds.low += most - (step - (std::int64_t{1} << symbol.align)) - here;
    out.bounds.high += most - here;
    out.bounds.symbol = out.other = known->second;
    symbols_.push_back(out);
  }
  const std::uint32_t number = of.symbol->flat ? twin(known->second) : known->second;
  return one(number, kOnce >> of.down);
}

/// So many of the lowest bits of an address: the address, less the same rounded.
bool Places::is_lower(const Formed& a, unsigned bits) const {
  const Parts& parts = forms_[a.form];
  const auto is_lower_of = [&](const Part& whole, const Part& upper) {
    const Symbol& symbol = symbols_[upper.symbol];
    const std::uint64_t align = low_bits(symbols_[whole.symbol].align);
    return whole.times == kOnce && upper.times == -kOnce && symbol.from == whole.symbol &&
           whole.symbol != upper.symbol && symbol.align == bits &&
           (static_cast<std::uint64_t>(number(a)) & ~align & low_bits(bits)) == symbol.ahead;
  };
  return parts.size() == 2 && (is_lower_of(parts[0], parts[1]) || is_lower_of(parts[1], parts[0]));
}

Form Places::masked(const Formed& a, std::uint64_t mask) {
  if (a.form == kNumber || a.form == kLost) return a.form;
  mask &= low_bits(a.bits);
  const std::uint64_t all = low_bits(a.bits);
  const unsigned align = align_of(a.form);
  if ((mask & ~low_bits(align)) == 0) return kNumber;
  if ((mask | low_bits(align)) == all) return a.form;
  constexpr unsigned kHalf = 32;
  if (is_lower(a, kHalf) && (mask & low_bits(kHalf)) == low_bits(kHalf)) return a.form;
  const auto of = simple(a);
  if (!of) return kLost;
  const std::uint64_t high = all & ~low_bits(of->above),
                      middle = mask & low_bits(of->above) & ~low_bits(of->align);
  const bool keeps_high = (mask & high) == high;
  if (of->symbol->flat && !keeps_high) return kLost;
  // The number of the CTA is another one now, perhaps.
  if (of->symbol->bounds.rank && !keeps_high) return masked({unmapped(a.form), a.value, a.bits}, mask);
  if (middle == 0) return of->symbol->flat ? kLost : of->inside || high == 0 ? kNumber : kLost;
  // One run of bits: what rounding to its end leaves of rounding to its begin.
  const auto begin = static_cast<unsigned>(std::countr_zero(middle)),
             end = 64U - static_cast<unsigned>(std::countl_zero(middle));
  if ((middle | low_bits(begin)) != low_bits(end)) return kLost;
  const Form from = begin <= of->align ? a.form : rounded(a, *of, begin);
  if (end >= of->above) return keeps_high || of->inside ? from : kLost;
  return of->symbol->flat ? kLost : sum(from, rounded(a, *of, end), true);
}

Form Places::narrowed(const Formed& a, unsigned bits) {
  const bool keeps = bits >= a.bits || a.form == kNumber || a.form == kLost;
  constexpr unsigned kOfWindow = 32;  // sums of addresses of windows are sums of 32 bits
  return keeps || (bits >= kOfWindow && in_windows(a.form)) ? a.form : masked(a, low_bits(bits));
}

Form Places::with_bits(const Formed& a, std::uint64_t bits) {
  if (a.form == kNumber || a.form == kLost) return a.form;
  bits &= low_bits(a.bits);
  if ((bits & ~low_bits(align_of(a.form))) == 0) return a.form;
  const auto of = simple(a);
  if (!of || of->symbol->flat || !of->inside) return kLost;
  return (bits & low_bits(of->above) & ~low_bits(of->align)) == 0 ? a.form : kLost;
}

Form Places::shifted_right(const Formed& a, std::uint64_t by) {
  if (a.form == kNumber || a.form == kLost) return a.form;
  if (by >= a.bits) return kNumber;
  const auto of = simple(a);
  if (!of || !(of->inside || !has_window(of->symbol->bounds.object.space)) || by >= std::uint64_t{kUnits} * 2)
    return kLost;
  const Form whole = rounded(a, *of, static_cast<unsigned>(by));
  if (whole == kNumber || whole == kLost) return whole;
  Parts out = forms_[whole];
  for (Part& part : out) {
    if ((static_cast<std::uint64_t>(part.times) & low_bits(static_cast<unsigned>(by))) != 0) return kLost;
    part.times = part.times >> static_cast<unsigned>(by);
  }
  return intern(std::move(out));
}

Form Places::extended(const Formed& a, bool is_signed) {
  if (a.form == kNumber || a.form == kLost) return a.form;
  if (!is_signed && is_lower(a, a.bits)) return a.form;
  const auto of = simple(a);
  const unsigned most = is_signed ? a.bits - 1 : a.bits;
  return of && (of->inside || of->offset == 0) && of->above <= most ? a.form : kLost;
}

// ---- Comparisons --------------------------------------------------------------------------------------------------

bool Places::compares_with(const Formed& address, std::uint64_t number, bool for_equality) const {
  const auto of = simple(address);
  if (!of || of->down != 0 || !of->inside) return false;
  if (for_equality && ((number ^ address.value) & low_bits(of->align)) != 0) return true;
  const Object& object = of->symbol->bounds.object;
  const bool window = has_window(object.space) && !of->symbol->flat;
  // An allocation of columns begins where all of them fit.
  const std::uint64_t most =
      object.space == isa::Space::tensor
          ? low_bits(kTensorBits) + 1 - object.bytes + static_cast<std::uint64_t>(of->offset)
          : low_bits(window ? kSharedBits : kGenericBits);
  if (number > most) return true;
  // Nothing but a window has an object at 0.
  const std::uint64_t least = window ? 0 : std::max<std::uint64_t>(std::uint64_t{1} << of->align, 1);
  const std::int64_t offset = of->symbol->bounds.offset(of->symbol->at) + of->offset + of->symbol->bounds.low;
  return number < least + static_cast<std::uint64_t>(std::max<std::int64_t>(offset, 0));
}

bool Places::compares(const Formed& a, const Formed& b, bool for_equality) {
  if (a.form == kLost || b.form == kLost) return false;
  const auto first = simple(a), second = simple(b);
  if (a.form == b.form) {
    if (a.form == kNumber || for_equality) return true;
    const auto fits = [](const std::optional<Simple>& one) {
      return one && (one->inside || (!has_window(one->symbol->bounds.object.space) &&
                                     one->offset > -(std::int64_t{1} << one->symbol->align)));
    };
    return fits(first) && fits(second);
  }
  if (b.form == kNumber) return compares_with(a, b.value, for_equality);
  if (a.form == kNumber) return compares_with(b, a.value, for_equality);
  if (!first || !second || first->down != 0 || second->down != 0) return false;
  const auto in_object = [](const Simple& one) {
    return one.symbol->bounds.offset(one.symbol->at) + one.offset;
  };
  const Bounds &one = first->symbol->bounds, &other = second->symbol->bounds;
  const bool windows = has_window(one.object.space) && !first->symbol->flat,
             others = has_window(other.object.space) && !second->symbol->flat;
  if (windows != others || !first->inside || !second->inside) return false;
  if (one.of_object == other.of_object) {  // of which one is rounded
    const std::int64_t x = in_object(*first), y = in_object(*second);
    return x + one.high < y + other.low || y + other.high < x + one.low;
  }
  // Where a function had one local variable, another one has its own; and where device code allocated one object, another one may lie
  // when it was freed.
  if (one.object.space == isa::Space::local && other.object.space == isa::Space::local) return false;
  if (Memory::is_heap(one.object.begin) && Memory::is_heap(other.object.begin)) return false;
  // Two objects: no byte is one of both.
  return for_equality && in_object(*first) + one.high < static_cast<std::int64_t>(one.object.bytes) &&
         in_object(*second) + other.high < static_cast<std::int64_t>(other.object.bytes);
}

// ---- State spaces -------------------------------------------------------------------------------------------------

std::uint32_t Places::twin(std::uint32_t symbol) {
  const Symbol from = symbols_[symbol];
  if (!has_window(from.bounds.object.space) || from.other != symbol) return from.other;
  const auto number = static_cast<std::uint32_t>(symbols_.size());
  Symbol out = from;
  out.flat = true;
  out.at += flat_begin(from.bounds.object.space);
  out.other = symbol;
  symbols_[symbol].other = number;
  symbols_.push_back(out);
  return number;
}

Form Places::generic(Form a) {
  if (a == kNumber || a == kLost) return a;
  const Parts parts = forms_[a];
  if (parts.size() != 1 || parts.front().times != kOnce) return kLost;
  const Symbol& symbol = symbols_[parts.front().symbol];
  return symbol.flat ? a : one(twin(parts.front().symbol), kOnce);
}

Form Places::in_space(Form a) {
  if (a == kNumber || a == kLost) return a;
  const Parts parts = forms_[a];
  if (parts.size() != 1 || parts.front().times != kOnce) return kLost;
  const Symbol& symbol = symbols_[parts.front().symbol];
  return symbol.flat ? one(symbol.other, kOnce) : a;
}

std::uint32_t Places::mapped_symbol(std::uint32_t symbol, std::uint64_t rank) {
  if (symbols_[symbol].bounds.rank) symbol = symbols_[symbol].before;
  const auto [known, fresh] =
      mapped_.try_emplace({symbol, rank}, static_cast<std::uint32_t>(symbols_.size()));
  if (fresh) {
    Symbol out = symbols_[symbol];
    out.bounds.rank = rank;
    out.before = symbol;
    out.other = known->second;
    symbols_.push_back(out);
    if (const std::uint32_t other = symbols_[symbol].other; other != symbol) {
      const std::uint32_t of_other = mapped_symbol(other, rank);
      symbols_[known->second].other = of_other;
    }
  }
  return known->second;
}

Form Places::mapped(Form a, std::uint64_t rank) {
  if (a == kNumber || a == kLost) return a;
  const Parts parts = forms_[a];
  if (parts.size() != 1 || parts.front().times != kOnce || symbols_.size() >= kMostSymbols / 2) return a;
  return one(mapped_symbol(parts.front().symbol, rank), kOnce);
}

Form Places::unmapped(Form a) {
  const Symbol& symbol = symbols_[forms_[a].front().symbol];
  return symbol.bounds.rank ? one(symbol.before, forms_[a].front().times) : a;
}

// ---- Accesses ---------------------------------------------------------------------------------------------------

const Places::Bounds* Places::bounds_of(Form a, std::int64_t times) const {
  if (a == kLost || forms_[a].size() != 1 || forms_[a].front().times != times) return nullptr;
  return &symbols_[forms_[a].front().symbol].bounds;
}

const Places::Bounds* Places::bounds(Form a) const {
  return bounds_of(a, kOnce);
}

const Places::Bounds* Places::descriptor_bounds(Form a) const {
  constexpr unsigned kUnitBits = 4;
  return bounds_of(a, kOnce >> kUnitBits);
}

bool Places::note(const Bounds& bounds, std::int64_t begin, std::int64_t end) {
  auto& of_object = accessed_[bounds.of_object];
  const auto [known, fresh] = of_object.try_emplace(bounds.symbol, Range{begin, end});
  Range& range = known->second;
  if (!fresh && begin >= range.begin && end <= range.end) return true;
  range = {std::min(begin, range.begin), std::max(end, range.end)};
  return std::all_of(of_object.begin(), of_object.end(), [&](const auto& other) {
    return other.first == bounds.symbol || other.second.end <= range.begin || range.end <= other.second.begin;
  });
}

}  // namespace ptxmc::exec
