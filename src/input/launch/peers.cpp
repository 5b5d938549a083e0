// SPDX-License-Identifier: Apache-2.0
#include "input/launch/peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "input/launch/parameters.h"
#include "ptx/resolve/body.h"
#include "ptx/text/module.h"
#include "support/nearest.h"

namespace ptxmc::launch {

namespace {

const Buffer* find(const Plan& plan, const Peer& peer) {
  const auto found = std::find_if(plan.memory.begin(), plan.memory.end(),
                                  [&](const Buffer& buffer) { return buffer.name == peer.writes; });
  return found == plan.memory.end() ? nullptr : &*found;
}

void check(const Plan& plan, const Peer& peer, Diagnostics& of_plan) {
  if (const Buffer* buffer = find(plan, peer)) {
    if (!buffer->multicast.empty())
      of_plan.error(peer.position,
                    fmt::format("`{}` is a multimem address; peers write its buffers", buffer->name));
    return;
  }
  std::vector<std::string> names;
  for (const Buffer& buffer : plan.memory) names.push_back(buffer.name);
  const auto near = nearest(peer.writes, names);
  of_plan.error(peer.position,
                fmt::format("no buffer is named `{}`{}", peer.writes,
                            near ? fmt::format("; did you mean `{}`?", *near) : std::string()));
}

std::string strength_of(const Peer& peer) {
  if (peer.release) return fmt::format(".release.{}", isa::name_of(peer.scope.value_or(isa::Scope::sys)));
  return peer.scope ? fmt::format(".relaxed.{}", isa::name_of(*peer.scope)) : ".weak";
}

/// Every peer's buffer is known.
std::string code_of(const Plan& plan) {
  std::string out = ".version 8.0\n.target sm_90\n.address_size 64\n";
  std::set<std::string> named;
  for (const Peer& peer : plan.peers) {
    if (named.insert(peer.writes).second)
      out += fmt::format(".extern .global .align 4 .b8 {}[];\n", name_of_buffer(peer.writes));
  }
  out +=
      ".entry peers() {\n"
      ".reg .b64 %at; .reg .b32 %left; .reg .pred %more;\n";
  for (std::size_t i = 0; i < plan.peers.size(); ++i) {
    const Buffer& buffer = *find(plan, plan.peers[i]);
    const unsigned word = buffer.bytes % 4 == 0 ? 4 : 1;
    out += fmt::format(
        "mov.u64 %at, {0};\nmov.u32 %left, {1};\nL{2}:\nst{3}.global.u{4} [%at], 1;\nadd.u64 %at, %at, {5};\n"
        "sub.u32 %left, %left, 1;\nsetp.ne.u32 %more, %left, 0;\n@%more bra L{2};\n",
        name_of_buffer(buffer.name), buffer.bytes / word, i, strength_of(plan.peers[i]), word * 8, word);
  }
  return out + "ret;\n}\n";
}

/// Names mean variables of the program; places are none, as its source is another one.
std::shared_ptr<const program::Body> body_of(const program::Program& program, const std::string& code) {
  const auto source = std::make_shared<const Source>(Source{"peers", code});
  const ptx::Module module = ptx::parse_module(source);
  program::Program around = program;
  around.source = source;
  const ptx::Body& body = *std::get<ptx::Function>(module.items.back()).body;
  program::Body out = *resolve::resolve_body(around, body, "peers");
  for (program::Instruction& instruction : out.code) instruction.position = {};
  return std::make_shared<const program::Body>(std::move(out));
}

}  // namespace

void add_peers(const Plan& plan, program::Program& out, Diagnostics& of_plan) {
  if (plan.launches.size() > 1) {
    of_plan.error(plan.peers.front().position,
                  "peers of several launches are not supported: verify each launch alone");
    return;
  }
  for (const Peer& peer : plan.peers) check(plan, peer, of_plan);
  if (of_plan.has_errors()) return;
  const std::string code = code_of(plan);
  program::Thread thread;
  thread.number = static_cast<int>(out.threads.size());
  int cta = 0, gpu = 0;
  for (const program::Thread& other : out.threads) {
    cta = std::max(cta, other.placement.cta.value_or(0) + 1);
    gpu = std::max(gpu, other.placement.gpu + 1);
  }
  thread.placement.gpu = gpu;
  thread.placement.cta = cta;
  thread.placement.warp = 0;
  thread.placement.lane = 0;
  thread.body = body_of(out, code);
  out.threads.push_back(std::move(thread));
}

}  // namespace ptxmc::launch
