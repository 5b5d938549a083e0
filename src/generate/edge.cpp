// SPDX-License-Identifier: Apache-2.0
#include "generate/edge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <tuple>

#include "ptx/isa/scopes.h"
#include "support/check.h"
#include "support/nearest.h"
#include "support/refuse.h"

namespace ptxmc::generate {

namespace {

using isa::Scope;
using isa::Semantics;

constexpr Direction kR = Direction::read, kW = Direction::write, kAny = Direction::any;

/// Words whose ends are what they are.
struct FixedRow {
  std::string_view word;
  Link link;
  bool external;
  Direction from, to;
};
constexpr std::array kFixed{
    FixedRow{"Rfe", Link::reads_from, true, kW, kR}, FixedRow{"Rfi", Link::reads_from, false, kW, kR},
    FixedRow{"Fre", Link::from_reads, true, kR, kW}, FixedRow{"Fri", Link::from_reads, false, kR, kW},
    FixedRow{"Coe", Link::coherence, true, kW, kW},  FixedRow{"Coi", Link::coherence, false, kW, kW},
    FixedRow{"Wse", Link::coherence, true, kW, kW},  FixedRow{"Wsi", Link::coherence, false, kW, kW},
    FixedRow{"Rmw", Link::atomic, false, kR, kW},
};

/// Words that [sd] and the directions of their ends follow.
struct StemRow {
  std::string word;
  Edge edge;
  int directions;    ///< how many are written: 2, or 1 where the source is a read
  bool may_be_bare;  ///< without them it is d**
};

StemRow stem(std::string word, Link link, int directions, bool may_be_bare) {
  StemRow row{std::move(word), {}, directions, may_be_bare};
  row.edge.link = link;
  return row;
}
StemRow dependency(std::string word, Dependency kind) {
  StemRow row = stem(std::move(word), Link::dependency, 1, false);
  row.edge.dependency = kind;
  row.edge.from = kR;
  return row;
}
StemRow fence(std::string word, Semantics semantics, Scope scope) {
  StemRow row = stem(std::move(word), Link::fence, 2, true);
  row.edge.order = {semantics, scope};
  return row;
}
StemRow named(std::string word, Link link, std::string what) {
  StemRow row = stem(std::move(word), link, 2, true);
  row.edge.word = std::move(what);
  row.edge.external = link == Link::barrier;
  return row;
}

constexpr std::array kFenceSemantics{Semantics::sc, Semantics::acq_rel, Semantics::acquire,
                                     Semantics::release};

/// The longest words first: `Fence.sc.cta` before `Fence.sc`.
std::vector<StemRow> make_stems() {
  std::vector<StemRow> rows{stem("Po", Link::program_order, 2, false),
                            dependency("DpAddr", Dependency::address),
                            dependency("DpData", Dependency::data),
                            dependency("DpCtrl", Dependency::control),
                            fence("Membar.cta", Semantics::sc, Scope::cta),
                            fence("Membar.gl", Semantics::sc, Scope::gpu),
                            fence("Membar.sys", Semantics::sc, Scope::sys),
                            named("Fence.proxy.alias", Link::proxy, "fence.proxy.alias"),
                            named("Fence.proxy.async", Link::proxy, "fence.proxy.async"),
                            named("Wait", Link::wait, ""),
                            named("Wgmma.fence", Link::proxy, "wgmma.fence.sync.aligned"),
                            named("Tcgen05.before", Link::tensor, "before"),
                            named("Tcgen05.after", Link::tensor, "after"),
                            named("Tcgen05.commit", Link::tensor, "commit"),
                            named("Tcgen05.cluster", Link::barrier, "tcgen05.cluster"),
                            named("Tcgen05", Link::barrier, "tcgen05"),
                            named("BarSync", Link::barrier, "bar.sync"),
                            named("BarCluster", Link::barrier, "barrier.cluster"),
                            named("MBarrier.cluster", Link::barrier, "mbarrier.arrive.cluster"),
                            named("MBarrier", Link::barrier, "mbarrier.arrive")};
  for (const Semantics semantics : kFenceSemantics) {
    const std::string word = fmt::format("Fence.{}", isa::name_of(semantics));
    rows.push_back(fence(word, semantics, Scope::none));
    for (const Scope scope : isa::kEveryScope)
      rows.push_back(fence(fmt::format("{}.{}", word, isa::name_of(scope)), semantics, scope));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const StemRow& a, const StemRow& b) { return a.word.size() > b.word.size(); });
  return rows;
}

const std::vector<StemRow>& stems() {
  static const std::vector<StemRow> rows = make_stems();
  return rows;
}

std::optional<Semantics> semantics_of(std::string_view word) {
  struct Row {
    std::string_view word;
    Semantics semantics;
  };
  constexpr std::array kRows{
      Row{"weak", Semantics::weak},   Row{"p", Semantics::weak},    Row{"relaxed", Semantics::relaxed},
      Row{"rlx", Semantics::relaxed}, Row{"x", Semantics::relaxed}, Row{"acquire", Semantics::acquire},
      Row{"acq", Semantics::acquire}, Row{"a", Semantics::acquire}, Row{"release", Semantics::release},
      Row{"rel", Semantics::release}, Row{"l", Semantics::release}, Row{"acq_rel", Semantics::acq_rel}};
  for (const Row& row : kRows)
    if (row.word == word) return row.semantics;
  return std::nullopt;
}

std::optional<Scope> scope_of(std::string_view word) {
  for (const Scope scope : isa::kEveryScope)
    if (isa::name_of(scope) == word) return scope;
  return std::nullopt;
}

std::optional<Direction> direction_of(char letter) {
  if (letter == 'R') return kR;
  if (letter == 'W') return kW;
  if (letter == '*') return kAny;
  return std::nullopt;
}

std::string lower(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// What a word was: an edge, with what it says of its ends.
struct Read {
  Edge edge;
  std::optional<Semantics> from, to;
};

/// Two letters about the ends of an edge.
bool read_letters(std::string_view rest, Read& read) {
  if (rest.empty()) return true;
  if (rest.size() != 2) return false;
  constexpr std::string_view kLetters = "PALX";
  if (kLetters.find(rest[0]) == std::string_view::npos || kLetters.find(rest[1]) == std::string_view::npos)
    return false;
  read.from = semantics_of(lower(rest.substr(0, 1)));
  read.to = semantics_of(lower(rest.substr(1, 1)));
  return true;
}

std::optional<Read> read_fixed(std::string_view word) {
  for (const FixedRow& row : kFixed) {
    if (!word.starts_with(row.word)) continue;
    Read read;
    read.edge.link = row.link;
    read.edge.external = row.external;
    read.edge.from = row.from;
    read.edge.to = row.to;
    if (read_letters(word.substr(row.word.size()), read)) return read;
  }
  return std::nullopt;
}

std::optional<Read> read_stem(const std::string& word) {
  const std::string written = word.starts_with("fence.") ? "F" + word.substr(1) : word;
  for (const StemRow& row : stems()) {
    if (!written.starts_with(row.word)) continue;
    std::string_view rest = std::string_view(written).substr(row.word.size());
    Read read{row.edge, {}, {}};
    if (rest.empty() && row.may_be_bare) {
      read.edge.same = false;
      return read;
    }
    const auto directions = static_cast<std::size_t>(row.directions);
    if (rest.size() < 1 + directions || (rest[0] != 's' && rest[0] != 'd')) continue;
    read.edge.same = rest[0] == 's';
    const std::optional<Direction> first = direction_of(rest[1]), last = direction_of(rest[directions]);
    if (!first || !last) continue;
    if (directions == 2) read.edge.from = *first;
    read.edge.to = *last;
    if (read_letters(rest.substr(1 + directions), read)) return read;
  }
  return std::nullopt;
}

struct AccessKindRow {
  std::string_view word;
  AccessKind access_kind;
};
constexpr std::array kAccessKinds{AccessKindRow{"Bulk", AccessKind::bulk},
                                  AccessKindRow{"CpAsync", AccessKind::cp_async},
                                  AccessKindRow{"Multicast", AccessKind::multicast},
                                  AccessKindRow{"Tensor", AccessKind::tensor},
                                  AccessKindRow{"Mma", AccessKind::mma},
                                  AccessKindRow{"Cp", AccessKind::tensor_copy},
                                  AccessKindRow{"Mma.a", AccessKind::mma_a},
                                  AccessKindRow{"Mma.b", AccessKind::mma_b},
                                  AccessKindRow{"Wgmma", AccessKind::wgmma},
                                  AccessKindRow{"Wgmma.a", AccessKind::wgmma_a}};

std::optional<Mark> read_mark(const std::string& word) {
  Mark mark;
  const std::string text = lower(word);
  mark.alias = text == "alias";
  mark.unfenced = text == "unfenced";
  mark.pair = text == "pair";
  if (mark.alias || mark.unfenced || mark.pair) return mark;
  for (const AccessKindRow& row : kAccessKinds) {
    if (row.word != word) continue;
    mark.access_kind = row.access_kind;
    return mark;
  }
  const std::size_t dot = text.find('.');
  mark.semantics = semantics_of(text.substr(0, dot));
  if (!mark.semantics) return std::nullopt;
  if (dot == std::string::npos) return mark;
  mark.scope = scope_of(text.substr(dot + 1));
  return mark.scope && *mark.semantics != Semantics::weak ? std::optional(mark) : std::nullopt;
}

std::vector<std::string> vocabulary() {
  std::vector<std::string> words{"Alias", "Unfenced", "Pair", "Weak", "Relaxed", "Acquire", "Release"};
  for (const AccessKindRow& row : kAccessKinds) words.emplace_back(row.word);
  for (const FixedRow& row : kFixed) words.emplace_back(row.word);
  for (const StemRow& row : stems()) {
    if (row.may_be_bare) words.push_back(row.word);
    for (const char* place : {"s", "d"})
      for (const char* ends : {"RR", "RW", "WR", "WW", "**", "R*", "W*", "*R", "*W"}) {
        const std::string_view kept =
            std::string_view(ends).substr(static_cast<std::size_t>(2 - row.directions));
        words.push_back(row.word + place + std::string(kept));
      }
  }
  for (const char* order : {"Relaxed", "Acquire", "Release"})
    for (const Scope scope : isa::kEveryScope)
      words.push_back(fmt::format("{}.{}", order, isa::name_of(scope)));
  return words;
}

[[noreturn]] void refuse_word(const SourcePtr& source, Position position, const std::string& word) {
  const std::optional<std::string> near = nearest(word, vocabulary());
  refuse(source, position,
         fmt::format(
             "no edge is named '{}'{}", word,
             near ? fmt::format("; did you mean '{}'?", *near) : "; `ptxmc generate --help` lists them"));
}

void merge(const SourcePtr& source, const Mark& more, Mark& mark) {
  if (mark.semantics && more.semantics &&
      (*mark.semantics != *more.semantics || (mark.scope && more.scope && *mark.scope != *more.scope)))
    refuse(source, more.position,
           fmt::format("'{}' says of this access what '{}' says otherwise", more.text, mark.text));
  if (mark.access_kind && more.access_kind && *mark.access_kind != *more.access_kind)
    refuse(source, more.position,
           fmt::format("'{}' says of this access what '{}' says otherwise", more.text, mark.text));
  if (more.access_kind) mark.access_kind = more.access_kind;
  if (more.semantics) mark.semantics = more.semantics;
  if (more.scope) mark.scope = more.scope;
  mark.alias |= more.alias;
  mark.unfenced |= more.unfenced;
  mark.pair |= more.pair;
  mark.words.insert(mark.words.end(), more.words.begin(), more.words.end());
  mark.text = more.text;
  mark.position = more.position;
}

struct Word {
  std::string text;
  Position position;
};

std::vector<Word> words_of(const Source& source) {
  std::vector<Word> words;
  std::uint32_t line = 1, column = 1;
  bool inside = false;
  for (const char c : source.text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',';
    if (!blank && !inside) words.push_back({"", {line, column, 0}});
    if (!blank) {
      words.back().text += c;
      ++words.back().position.length;
    }
    inside = !blank;
    ++column;
    if (c == '\n') ++line, column = 1;
  }
  return words;
}

Mark mark_of(std::optional<Semantics> letter, const Word& word) {
  Mark mark;
  mark.semantics = letter;
  mark.text = word.text;
  mark.position = word.position;
  return mark;
}

/// A read writes no data, and no commit is for one.
bool makes_sense(const Edge& edge) {
  if (edge.link == Link::tensor && edge.word == "commit") return edge.from == Direction::write;
  return edge.dependency != Dependency::data || edge.to == Direction::write;
}

/// One edge by two names: Coe and Wse, Fence.sc.gpu and Membar.gl.
bool same_edge(const Edge& a, const Edge& b) {
  const auto all = [](const Edge& e) {
    return std::tie(e.link, e.external, e.same, e.from, e.to, e.dependency, e.order, e.word);
  };
  return all(a) == all(b);
}

}  // namespace

std::vector<Edge> every_edge() {
  std::vector<std::string> words;
  for (const FixedRow& row : kFixed) words.emplace_back(row.word);
  for (const StemRow& row : stems())
    for (const char* place : {"s", "d"})
      for (const char* ends : {"RR", "RW", "WR", "WW"})
        if (row.directions == 2)
          words.push_back(row.word + place + ends);
        else if (ends[0] == 'R')
          words.push_back(row.word + place + ends[1]);
  std::vector<Edge> edges;
  for (const std::string& word : words) {
    std::optional<Read> read = read_fixed(word);
    if (!read) read = read_stem(word);
    PTXMC_CHECK(read.has_value(), "the vocabulary has " + word);
    read->edge.text = word;
    const bool known = std::any_of(edges.begin(), edges.end(),
                                   [&](const Edge& edge) { return same_edge(edge, read->edge); });
    if (!known && makes_sense(read->edge)) edges.push_back(std::move(read->edge));
  }
  return edges;
}

Cycle parse_cycle(const SourcePtr& text) {
  Cycle cycle;
  cycle.source = text;
  std::vector<std::vector<Mark>> said(1);  // of the access before the first edge, and behind each edge
  for (const Word& word : words_of(*text)) {
    std::optional<Read> read = read_fixed(word.text);
    if (!read) read = read_stem(word.text);
    if (read) {
      read->edge.text = word.text;
      read->edge.position = word.position;
      if (read->from) said.back().push_back(mark_of(read->from, word));
      cycle.edges.push_back(std::move(read->edge));
      said.emplace_back();
      if (read->to) said.back().push_back(mark_of(read->to, word));
      continue;
    }
    std::optional<Mark> mark = read_mark(word.text);
    if (!mark) refuse_word(text, word.position, word.text);
    mark->text = word.text;
    mark->words = {word.text};
    mark->position = word.position;
    said.back().push_back(*mark);
  }
  if (cycle.edges.empty()) refuse(text, {1, 1, 1}, "a cycle has edges, \"PodWW Rfe PodRR Fre\" say");
  cycle.marks.resize(cycle.edges.size());
  for (std::size_t i = 0; i < said.size(); ++i)
    for (const Mark& mark : said[i]) merge(text, mark, cycle.marks[i % cycle.edges.size()]);
  return cycle;
}

}  // namespace ptxmc::generate
