// SPDX-License-Identifier: Apache-2.0
// The code section: columns (`P0 | P1 ;` and rows of cells) or thread blocks (`P0 @ cta 0 { ...; }`), with
// placements.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "input/litmus/raw.h"
#include "input/litmus/thread_code.h"
#include "support/nearest.h"

namespace ptxmc::litmus {

namespace {

constexpr int kLastLane = 31;  // of a warp (5.1)

// Tokens of one cell of a row.
struct Cell {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool empty() const { return begin == end; }
};

class Code {
 public:
  Code(ParseState& state, Cursor& cursor) : state_(state), c_(cursor) {}

  void run() {
    if (!at_thread()) {
      c_.expected("a thread: `P0`, with an optional placement");
      state_.threads_incomplete = true;
      skip_to_section();
      return;
    }
    const std::size_t first = thread_head();
    if (c_.is("{")) {
      blocks(first);
    } else {
      columns(first);
    }
  }

 private:
  bool at_thread() const { return c_.peek().kind == TokenKind::identifier && thread_number(c_.peek().text); }
  void skip_to_section() {
    while (!c_.at_end() && !(c_.peek().line_start && at_section(c_))) c_.take();
  }

  std::size_t thread_head();
  void placement(RawThread& thread);
  bool placement_item(RawThread& thread, std::string& seen);

  void columns(std::size_t first);
  std::optional<std::vector<Cell>> row();
  bool joins_operands() const;
  bool misspelt_section(const Token& token);

  void blocks(std::size_t first);
  void block(RawThread& thread);
  void add_lanes(std::size_t first);

  ParseState& state_;
  Cursor& c_;
  BlockExtension extension_;
};

// Reads `P0 @ gpu 0, cta 1`; returns the index of the new thread.
std::size_t Code::thread_head() {
  RawThread thread;
  const Token name = c_.peek();
  std::optional<int> number;
  if (name.kind == TokenKind::identifier) number = thread_number(name.text);
  if (number) {
    c_.take();
    thread.thread.number = *number;
    if (const RawThread* first = state_.find_thread(*number)) {
      c_.error(name.position, fmt::format("thread `P{}` occurs twice", *number),
               {{first->thread.position, "the first is here"}});
    }
  } else {
    c_.expected("a thread `P0`, `P1` ...");
    state_.threads_incomplete = true;
    thread.thread.number = -1;
  }
  thread.thread.position = name.position;
  if (number) placement(thread);
  if (state_.threads.size() == kMaxThreads) {
    c_.error(name.position, fmt::format("more than {} threads", kMaxThreads));
    throw TooManyErrors();
  }
  if (number) state_.thread_index.emplace(*number, state_.threads.size());
  state_.threads.push_back(std::move(thread));
  return state_.threads.size() - 1;
}

void Code::placement(RawThread& thread) {
  if (!c_.accept("@")) return;
  thread.placed = true;
  std::string seen;
  do {
    if (!placement_item(thread, seen)) {
      while (!c_.at_end() && !c_.is("|") && !c_.is(";") && !c_.is("{")) c_.take();
      return;
    }
    c_.accept(",");
  } while (c_.peek().kind == TokenKind::identifier);
  const Placement& p = thread.thread.placement;
  if (p.host && seen != "host ") {
    c_.error(thread.thread.position, "a host thread has no gpu, cluster, cta, warp or lane");
  }
  if (thread.lanes != 0 && p.lane) c_.error(thread.thread.position, "`threads` numbers the lanes itself");
}

bool Code::placement_item(RawThread& thread, std::string& seen) {
  Placement& p = thread.thread.placement;
  const Token item = c_.peek();
  const bool plain = item.is_word("sys") || item.is_word("host");
  if (!plain && !item.is_word("gpu") && !item.is_word("cluster") && !item.is_word("cta") &&
      !item.is_word("warp") && !item.is_word("lane") && !item.is_word("threads")) {
    c_.expected("a place: sys, gpu N, cluster N, cta N, warp N, lane N, threads N or host");
    return false;
  }
  c_.take();
  const std::string name = std::string(item.text) + " ";
  if (seen.find(name) != std::string::npos) {
    c_.error(item.position, fmt::format("`{}` is given twice", item.text));
  }
  if (!item.is_word("sys")) seen += name;
  if (item.is_word("host")) p.host = true;
  if (plain) return true;
  const bool lanes = item.is_word("threads");
  const int last = item.is_word("lane") ? kLastLane : lanes ? static_cast<int>(kMaxThreads) : kMaxNumber;
  const std::optional<int> number =
      c_.number(lanes ? "how many threads" : fmt::format("the number of the {}", item.text), last);
  if (!number) return false;
  if (lanes) thread.lanes = *number;
  if (lanes && *number == 0) c_.error(item.position, "no thread");
  if (item.is_word("gpu")) p.gpu = *number;
  if (item.is_word("cluster")) p.cluster = *number;
  if (item.is_word("cta")) p.cta = *number;
  if (item.is_word("warp")) p.warp = *number;
  if (item.is_word("lane")) p.lane = *number;
  return true;
}

// ---- Columns ----------------------------------------------------------------------------------------------

void Code::columns(std::size_t first) {
  const std::size_t begin = first;
  while (c_.accept("|")) {
    if (c_.is(";")) break;  // `P0 | P1 | ;`
    const std::size_t thread = thread_head();
    if (state_.threads[thread].thread.number < 0) c_.skip_to("|", ";");
  }
  if (!c_.is(";")) {
    c_.expected(c_.is("{") ? "`|` or `;` (columns and thread blocks do not mix)"
                           : "`|`, `;` or `{` after a thread");
    c_.skip_to(";");
  }
  c_.accept(";");
  const std::size_t count = state_.threads.size() - begin;
  for (const RawThread& thread : state_.threads) {
    if (thread.lanes != 0) c_.error(thread.thread.position, "`threads` is for thread blocks, `P0 @ ... { }`");
  }
  std::deque<ptx::BodyReader> readers;
  for (std::size_t i = begin; i < state_.threads.size(); ++i)
    readers.emplace_back(state_.errors, name_of(state_.threads[i]), extension_, kLimits);
  while (!c_.at_end() && !at_section(c_)) {
    const std::optional<std::vector<Cell>> cells = row();
    if (!cells) break;
    for (std::size_t i = 0; i < cells->size(); ++i) {
      const Cell& cell = (*cells)[i];
      if (cell.empty()) continue;
      if (i >= count) {
        c_.error(c_.tokens()[cell.begin].position,
                 fmt::format("a cell beyond the last of {} thread{}", count, count == 1 ? "" : "s"));
        break;
      }
      readers[i].range(Cursor(c_.tokens(), cell.begin, cell.end, state_.errors));
    }
  }
  for (std::size_t i = 0; i < count; ++i) take_body(state_, state_.threads[begin + i], readers[i].finish());
}

/// A `|` that directly precedes `%` or `_` joins operands (design: Litmus files).
bool Code::joins_operands() const {
  const Token next = c_.peek(1);
  if (next.space_before) return false;
  return next.kind == TokenKind::reg || (next.kind == TokenKind::identifier && next.text.front() == '_');
}

// The cells up to `;`. Nothing: the row has no end, which is reported.
std::optional<std::vector<Cell>> Code::row() {
  std::vector<Cell> cells;
  Cell cell{c_.index(), c_.index()};
  const Token first = c_.peek();
  while (true) {
    const Token token = c_.peek();
    const bool section = token.line_start && c_.index() != cell.begin && at_section(c_);
    if (c_.at_end() || section) {
      if (!misspelt_section(first)) c_.expected("`;` at the end of a row");
      return std::nullopt;
    }
    cell.end = c_.index();
    const bool separator = token.is("|") && !joins_operands();
    c_.take();
    if (!separator && !token.is(";")) continue;
    cells.push_back(cell);
    if (token.is(";")) return cells;
    cell.begin = c_.index();
  }
}

// ---- Blocks -----------------------------------------------------------------------------------------------

void Code::blocks(std::size_t first) {
  state_.blocks = true;
  block(state_.threads[first]);
  add_lanes(first);
  while (!c_.at_end() && !at_section(c_)) {
    if (c_.accept(";")) continue;
    if (!at_thread()) {
      c_.expected("a thread block `P1 { ... }`, or a condition");
      state_.threads_incomplete = true;
      skip_to_section();
      return;
    }
    const std::size_t thread = thread_head();
    if (c_.is("{")) {
      block(state_.threads[thread]);
      add_lanes(thread);
    } else {
      c_.expected("`{` and the code of the thread");
      skip_to_section();
      return;
    }
  }
}

void Code::block(RawThread& thread) {
  c_.take();
  ptx::BodyReader reader(state_.errors, name_of(thread), extension_, kLimits);
  reader.block(c_);
  take_body(state_, thread, reader.finish());
}

// `threads N`: lane k of the warps from the given one on, or from 0, is thread number k behind the first.
void Code::add_lanes(std::size_t first) {
  const int lanes = state_.threads[first].lanes;
  for (int k = 1; k < lanes; ++k) {
    RawThread lane = state_.threads[first];
    lane.same_body = first;
    Placement& p = lane.thread.placement;
    p.lane = k % (kLastLane + 1);
    p.warp = p.warp.value_or(0) + k / (kLastLane + 1);
    lane.thread.number += k;
    if (state_.find_thread(lane.thread.number) != nullptr) {
      c_.error(lane.thread.position, fmt::format("thread `P{}` occurs twice", lane.thread.number));
      return;
    }
    if (state_.threads.size() == kMaxThreads) {
      c_.error(lane.thread.position, fmt::format("more than {} threads", kMaxThreads));
      throw TooManyErrors();
    }
    state_.thread_index.emplace(lane.thread.number, state_.threads.size());
    state_.threads.push_back(std::move(lane));
  }
  if (lanes == 0) return;
  Placement& p = state_.threads[first].thread.placement;
  p.lane = 0;
  p.warp = p.warp.value_or(0);
}

}  // namespace

void parse_code(ParseState& state, Cursor& cursor) {
  Code(state, cursor).run();
}

bool at_thread_head(const Cursor& cursor) {
  const Token name = cursor.peek();
  if (name.kind != TokenKind::identifier || !thread_number(name.text)) return false;
  const Token next = cursor.peek(1);
  if (next.is("|") || next.is("{")) return true;
  if (!next.is("@")) return false;
  const Token place = cursor.peek(2);
  return place.is_word("sys") || place.is_word("gpu") || place.is_word("cluster") || place.is_word("cta") ||
         place.is_word("warp") || place.is_word("lane") || place.is_word("threads") || place.is_word("host");
}

bool Code::misspelt_section(const Token& token) {
  if (token.kind != TokenKind::identifier || !token.line_start) return false;
  const auto near = nearest(std::string(token.text), section_words());
  if (!near) return false;
  c_.error(token.position,
           fmt::format("`{}` begins no section of a test; did you mean `{}`?", token.text, *near));
  return true;
}

bool at_section(const Cursor& cursor) {
  const Token token = cursor.peek();
  if (token.is("~") || token.is_word("not")) return cursor.peek(1).is_word("exists");
  if (token.kind != TokenKind::identifier || !is_section_word(token.text)) return false;
  if (token.text == "ScopeTree") return cursor.peek(1).is("(");
  return (token.text != "scopes" && token.text != "regions") || cursor.peek(1).is(":");
}

}  // namespace ptxmc::litmus
