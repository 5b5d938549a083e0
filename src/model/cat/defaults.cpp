// SPDX-License-Identifier: Apache-2.0
// The defaults are texts of the language itself, parsed like any other; nothing here builds trees by hand.
#include "model/cat/defaults.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "model/cat/parser.h"

namespace ptxmc::cat {

namespace {

SourcePtr own_text(const char* name, const char* text) {
  return std::make_shared<const Source>(Source{name, text});
}

// Sources of our own; their identity marks a statement as default.
const SourcePtr& predefined_text() {
  static const SourcePtr kText = own_text("<predefined names>", R"(
let emptyset = _ & 0
let fr = fromreads(co)
let M = R | W
let loc = ploc
let vloc = ov
let sync_barrier = quorum
let syncbar = quorum
let sr = mscope
let ext = (_ * _) \ int
let int = (_ * _) \ ext
let po-loc = po & loc
let rfe = rf & ext
let rfi = rf & int
let coe = co & ext
let coi = co & int
let fre = fr & ext
let fri = fr & int
let com = rf | co | fr
)");
  return kText;
}

const SourcePtr& total_coherence() {
  static const SourcePtr kText = own_text("<default co>", R"(
order co-choice over ((W \ IW) * (W \ IW)) & loc
let co = (co-choice | (IW * (W \ IW)) & loc)+
acyclic co as co
)");
  return kText;
}

const SourcePtr& partial_coherence() {
  static const SourcePtr kText = own_text("<default co of PTX texts>", R"(
partial order co-choice over ((W \ IW) * (W \ IW)) & loc
let co = (co-choice | (IW * (W \ IW)) & loc)+
acyclic co as co
)");
  return kText;
}

const SourcePtr& fence_order() {
  static const SourcePtr kText =
      own_text("<default sync_fence>", "order sync_fence over [FSC]; mscope; [FSC]\n");
  return kText;
}

const SourcePtr& barrier_order() {
  static const SourcePtr kText = own_text("<default order of barriers>", "acyclic po | quorum as barrier\n");
  return kText;
}

/// What published PTX texts mean by names that base rows have, too: F has proxy fences, which are of their proxy,
/// and a virtual location is one of the generic proxy, by whatever proxy it is reached.
struct PublishedName {
  const char* name;
  SourcePtr text;
};

const std::vector<PublishedName>& published_names() {
  static const std::vector<PublishedName> kNames = [] {
    std::vector<PublishedName> out;
    out.push_back({"F", own_text("<published F>", "let F = F | (PF \\ API)\n")});
    out.push_back({"vloc", own_text("<published vloc>", "let vloc = ov\n")});
    out.push_back({"GEN", own_text("<published GEN>", "let GEN = GEN \\ (PF \\ API)\n")});
    out.push_back({"CON", own_text("<published CON>", "let CON = CON | domain((PF \\ API) * CON & pf)\n")});
    out.push_back({"TEX", own_text("<published TEX>", "let TEX = TEX | domain((PF \\ API) * TEX & pf)\n")});
    out.push_back({"SUR", own_text("<published SUR>", "let SUR = SUR | domain((PF \\ API) * SUR & pf)\n")});
    return out;
  }();
  return kNames;
}

const Statement* find_order(const Syntax& syntax) {
  for (const Statement& statement : syntax.statements) {
    if (statement.kind == StatementKind::order) return &statement;
  }
  return nullptr;
}

bool defines(const Syntax& syntax, const std::string& name) {
  return std::any_of(syntax.statements.begin(), syntax.statements.end(), [&](const Statement& statement) {
    return std::any_of(statement.bindings.begin(), statement.bindings.end(),
                       [&](const Binding& binding) { return binding.name == name; });
  });
}

bool mentions(const Syntax& syntax, ExprId expression, const std::string& name) {
  std::vector<ExprId> left{expression};
  while (!left.empty()) {
    const Expr& expr = syntax.exprs[left.back()];
    left.pop_back();
    if (expr.kind == ExprKind::name && expr.name == name) return true;
    left.insert(left.end(), expr.operands.begin(), expr.operands.end());
  }
  return false;
}

/// Is its first definition made of the one before it, as `let co = co+` is?
bool extends(const Syntax& syntax, const std::string& name) {
  for (const Statement& statement : syntax.statements) {
    for (const Binding& binding : statement.bindings) {
      if (binding.name == name)
        return statement.kind == StatementKind::let && binding.body && mentions(syntax, *binding.body, name);
    }
  }
  return false;
}

bool mentions(const Syntax& syntax, const std::string& name) {
  return std::any_of(syntax.exprs.begin(), syntax.exprs.end(),
                     [&](const Expr& expr) { return expr.kind == ExprKind::name && expr.name == name; });
}

void prepend(Syntax& syntax, const SourcePtr& text) {
  std::vector<Statement> own = parse_own(text, syntax);
  syntax.statements.insert(syntax.statements.begin(), std::make_move_iterator(own.begin()),
                           std::make_move_iterator(own.end()));
}

void add_published_names(Syntax& syntax) {
  for (const PublishedName& published : published_names()) {
    if (mentions(syntax, published.name) && !defines(syntax, published.name)) prepend(syntax, published.text);
  }
}

}  // namespace

void add_defaults(Syntax& syntax, const relation::Signature& signature, Diagnostics& diagnostics) {
  const Statement* order = find_order(syntax);
  if (!defines(syntax, "co") || extends(syntax, "co")) {
    if (order != nullptr && !defines(syntax, "co")) {
      diagnostics.add({Severity::error, order->source, order->position,
                       "the text declares an order but does not define co, the coherence order"});
    } else {
      const bool published = syntax.title == "PTX";
      prepend(syntax, published ? partial_coherence() : total_coherence());
      if (published && signature.find("pf")) add_published_names(syntax);
    }
  }
  if ((mentions(syntax, "sync_barrier") || mentions(syntax, "syncbar")) && signature.find("quorum"))
    prepend(syntax, barrier_order());
  if (mentions(syntax, "sync_fence") && !defines(syntax, "sync_fence") && !signature.find("sync_fence")) {
    prepend(syntax, fence_order());
  }
  syntax.predefined = parse_own(predefined_text(), syntax);
}

bool is_default(const Statement& statement) {
  return statement.source == predefined_text() || statement.source == total_coherence() ||
         statement.source == partial_coherence() || statement.source == fence_order() ||
         statement.source == barrier_order() ||
         std::any_of(published_names().begin(), published_names().end(),
                     [&](const PublishedName& published) { return statement.source == published.text; });
}

}  // namespace ptxmc::cat
