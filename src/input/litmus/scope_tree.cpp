// SPDX-License-Identifier: Apache-2.0
// herd's trees behind the code: `scopes: (system (gpu (cta P0 P1)))` and `regions: x:shared, y:global`; in its older spelling
// `ScopeTree(grid (cta (warp P0) (warp P1)))`, and `x: shared, y: global` behind it without a word.
//
// A level that a tree leaves out has one instance per child of the level above. So a level at or above an
// instance that the tree names gets a number; levels below the last that is named stay open, which means a
// fresh instance.
#include <fmt/format.h>

#include <array>

#include "input/litmus/raw.h"
#include "ptx/isa/table.h"

namespace ptxmc::litmus {

namespace {

constexpr int kMaxNesting = 32;

// From wide to narrow.
enum Level { kSystem, kGpu, kCluster, kCta, kWarp, kHost, kLevels };
constexpr std::array<std::string_view, kLevels> kLevelNames = {"system", "gpu",  "cluster",
                                                               "cta",    "warp", "host"};

void regions(ParseState& state, Cursor& cursor);

/// `old`: of a ScopeTree, which has grids, and devices.
std::optional<Level> level_of(const Token& token, bool old) {
  if (token.is_word("sys")) return kSystem;
  if (old && (token.is_word("grid") || token.is_word("device"))) return kGpu;
  for (int i = 0; i < kLevels; ++i) {
    if (token.is_word(kLevelNames[static_cast<std::size_t>(i)])) return static_cast<Level>(i);
  }
  return std::nullopt;
}

class ScopeTree {
 public:
  ScopeTree(ParseState& state, Cursor& cursor) : state_(state), c_(cursor) {}

  void run() {
    const Token head = c_.take();
    old_ = head.text == "ScopeTree";
    if (!old_) c_.take();  // :
    if (!c_.is("(")) {
      c_.expected("`(` and a level: system, gpu, cluster, cta, warp or host");
      return;
    }
    while (c_.is("(")) {
      if (!node(kSystem, Placement{}, false, 0)) return;
    }
    for (RawThread& thread : state_.threads) {
      if (!thread.placed && !state_.threads_incomplete) {
        c_.error(head.position,
                 fmt::format("thread `P{}` is missing from the scope tree", thread.thread.number));
      }
    }
    if (old_ && !at_section(c_) && c_.peek(1).is(":")) regions(state_, c_);
  }

 private:
  bool node(Level parent, Placement place, bool parent_named, int depth);
  bool child(Level level, const Placement& place, int depth);
  void leaf(Level level, Placement place);
  void open(Level from, Level to, Placement& place);
  Token enter();

  ParseState& state_;
  Cursor& c_;
  bool old_ = false;
  int next_gpu_ = 0;
  // Next numbers on the current gpu, and of warps in the current cta.
  int next_cluster_ = 0;
  int next_cta_ = 0;
  int next_warp_ = 0;
};

/// A fresh instance of `level`, and so of what it contains.
void fresh(int& number, std::initializer_list<int*> inner, std::optional<int>& slot) {
  slot = number++;
  for (int* n : inner) *n = 0;
}

/// Numbers the instance of `to` below one of `from`, and those of the levels left out between them that need
/// a number.
void ScopeTree::open(Level from, Level to, Placement& place) {
  if (to == kHost || to == kSystem) return;
  if (from < kGpu) {
    std::optional<int> gpu;
    fresh(next_gpu_, {&next_cluster_, &next_cta_, &next_warp_}, gpu);
    place.gpu = *gpu;
  }
  if (to == kCluster) fresh(next_cluster_, {}, place.cluster);
  if (to == kCta || (to == kWarp && from < kCta)) fresh(next_cta_, {&next_warp_}, place.cta);
  if (to == kWarp) fresh(next_warp_, {}, place.warp);
}

// `(cta P0 (warp P1 P2))`; `parent` is the level around it
bool ScopeTree::node(Level parent, Placement place, bool parent_named, int depth) {
  const Token open_bracket = c_.take();
  if (depth > kMaxNesting) {
    c_.error(open_bracket.position, "scope tree nested too deeply");
    throw TooManyErrors();
  }
  const Token name = c_.peek();
  const std::optional<Level> level = level_of(name, old_);
  if (!level) {
    c_.expected("a level: system, gpu, cluster, cta, warp or host");
    return false;
  }
  c_.take();
  const bool nested =
      *level == kHost ? parent == kSystem : *level > parent || (*level == kSystem && !parent_named);
  if (!nested || parent == kHost) {
    c_.error(name.position, fmt::format("`{}` cannot stand inside `{}`", name.text,
                                        kLevelNames[static_cast<std::size_t>(parent)]));
  }
  open(parent, *level, place);
  place.host = *level == kHost;
  while (!c_.is(")")) {
    if (!child(*level, place, depth)) return false;
  }
  c_.take();
  return true;
}

bool ScopeTree::child(Level level, const Placement& place, int depth) {
  if (c_.accept(",")) return true;
  if (c_.is("(")) return node(level, place, true, depth + 1);
  if (c_.peek().kind == TokenKind::identifier && thread_number(c_.peek().text)) {
    leaf(level, place);
    return true;
  }
  c_.expected("a thread, `(` or `)`");
  return false;
}

void ScopeTree::leaf(Level level, Placement place) {
  const Token token = c_.take();
  const int number = *thread_number(token.text);
  if (level == kSystem) open(kSystem, kGpu, place);  // each child of the system is a gpu of its own
  RawThread* thread = state_.find_thread(number);
  if (thread == nullptr) {
    state_.check_thread(number, token.position);
  } else if (thread->placed) {
    c_.error(token.position, fmt::format("thread `P{}` is placed twice", number));
  } else {
    thread->placed = true;
    thread->thread.placement = place;
  }
}

}  // namespace

void parse_scopes(ParseState& state, Cursor& cursor) {
  ScopeTree(state, cursor).run();
}

void parse_regions(ParseState& state, Cursor& cursor) {
  cursor.take();
  cursor.take();
  regions(state, cursor);
}

namespace {

void regions(ParseState& state, Cursor& cursor) {
  do {
    const Token name = cursor.peek();
    if (!is_variable_name(name)) return cursor.expected("a variable");
    cursor.take();
    if (!cursor.expect(":", "and a state space")) return;
    const Token space = cursor.peek();
    std::optional<isa::Space> found;
    for (const isa::Space s :
         {isa::Space::global, isa::Space::shared, isa::Space::local, isa::Space::const_}) {
      if (space.is_word(isa::name_of(s))) found = s;
    }
    if (!found) return cursor.expected("a state space: global, shared, local or const");
    cursor.take();
    state.use_variable(name.text, name.position);
    Variable* variable = state.find_variable(name.text);
    if (variable == nullptr) return;  // too many, reported
    if (!variable->aliases.empty()) {
      cursor.error(name.position,
                   fmt::format("`{}` is an alias; it lies where `{}` does", name.text, variable->aliases));
    } else if (variable->ptx_form && variable->space != *found) {
      cursor.error(space.position,
                   fmt::format("`{}` is declared .{}", name.text, isa::name_of(variable->space)),
                   {{variable->position, "it is declared here"}});
    } else {
      variable->space = *found;
    }
  } while (cursor.accept(","));
}

}  // namespace

}  // namespace ptxmc::litmus
