// SPDX-License-Identifier: Apache-2.0
// The command line of `generate`.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "face/cli/generate_verb.h"
#include "face/cli/numbers.h"
#include "face/cli/option_rows.h"
#include "ptx/isa/scopes.h"

namespace ptxmc::cli {

namespace {

using isa::Scope;
using isa::Semantics;

const std::map<std::string, Semantics> kOrders = {
    {"weak", Semantics::weak}, {"relaxed", Semantics::relaxed}, {"acq_rel", Semantics::acq_rel}};
const std::map<std::string, Semantics> kSemantics = {
    {"weak", Semantics::weak},       {"relaxed", Semantics::relaxed}, {"acquire", Semantics::acquire},
    {"release", Semantics::release}, {"acq_rel", Semantics::acq_rel}, {"sc", Semantics::sc}};
const std::map<std::string, Scope> kScopes = [] {
  std::map<std::string, Scope> out;
  for (const Scope scope : isa::kEveryScope) out.emplace(isa::name_of(scope), scope);
  return out;
}();

constexpr const char* kGenerateFooter =
    "A cycle is made of diy7's edges; * is R or W, s the same location, d a different one:\n"
    "  Rfe Rfi Fre Fri Coe Coi (Wse Wsi)      communication, to another thread or not\n"
    "  Po[sd]** DpAddr[sd]* DpData[sd]W DpCtrl[sd]*   program order, dependencies\n"
    "  Rmw                                    the read and the write of an atomic exchange\n"
    "  Fence.(sc|acq_rel|acquire|release)[.SCOPE][[sd]**] Membar.(cta|gl|sys)\n"
    "  Fence.proxy.(alias|async)[[sd]**]      past a proxy fence\n"
    "  Wait Tcgen05.(before|after|commit) [[sd]**]   past the wait for an access; tcgen05's fences\n"
    "  BarSync MBarrier BarCluster [[sd]**]   to another thread, by a barrier or a copy's completion\n"
    "  MBarrier.cluster[[sd]**]               to another CTA of the cluster, by an arrival there\n"
    "  Tcgen05[[sd]**]                        to another thread, from tensor memory to tensor memory\n"
    "Orders stand after an edge, P A L X for its two ends (weak, acquire, release, relaxed), or as words of "
    "their own "
    "at\n"
    "the access: Weak Relaxed Acquire Release (Rlx Acq Rel), with .SCOPE; Alias: through another name of the "
    "location; Bulk CpAsync Multicast: by a copy; Tensor Mma Cp: of tensor memory, by ld or st, mma or cp;\n"
    "Wgmma, Wgmma.a, Mma.a, Mma.b: a read of an operand; Pair: by two CTAs.\n"
    "The verdict is that of both engines, which must agree.\n"
    "\n"
    "--all --minimal needs no cycle: it finds the tests of a size from which nothing can be left out. "
    "--random "
    "draws cycles of --events edges at most; orders are of --scopes, and where none is drawn those of "
    "--order "
    "and --scope.\n"
    "--timeout and --memory bound all that is asked, together.\n"
    "\n"
    "Exit status, the first that applies: 4 engines disagree (the test is kept), or an internal error; 2 "
    "usage or input "
    "error;\n"
    "3 some verdict is unknown; else 0.\n"
    "\n"
    "Example:\n"
    "  ptxmc generate --cycle \"PodWW Rfe PodRR Fre\"\n"
    "  ptxmc generate --cycle \"Weak PodWW Release.gpu Rfe Acquire.gpu PodRR Weak Fre\" -o MP.litmus\n"
    "  ptxmc generate --cycle \"Fence.sc.gpudWR Fre Fence.sc.ctadWR Fre\" --place 0,0\n"
    "  ptxmc generate --cycle \"BarSyncsWR Fre\" --order weak\n"
    "  ptxmc generate --cycle \"Bulk MBarriersWR Weak Fre\"\n"
    "  ptxmc generate --all --events 4 --scopes gpu --orders relaxed --atomics 0 --folder shapes\n"
    "  ptxmc generate --all --minimal --events 4 --jobs 0 --folder minimal\n"
    "  ptxmc generate --random --seed 7 --count 100 --events 6 --folder random\n";

std::optional<int> small_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > 1000)
    return std::nullopt;
  return value;
}

/// "CTA" or "GPU.CTA".
generate::Place place_in(const std::string& text) {
  const std::size_t dot = text.find('.');
  const std::optional<int> gpu =
      dot == std::string::npos ? 0 : small_number(std::string_view(text).substr(0, dot));
  const std::optional<int> cta =
      small_number(std::string_view(text).substr(dot == std::string::npos ? 0 : dot + 1));
  if (!gpu || !cta)
    throw CLI::ValidationError("--place",
                               fmt::format("'{}' is no place; the number of a CTA, or GPU.CTA, for each "
                                           "thread: --place 0,0,1.1",
                                           text));
  return {*gpu, *cta};
}

/// What is made without a cycle.
void add_ways(App& app, GenerateOptions& options) {
  app.add_flag("--all", options.all, "all tests of a size, up to symmetry");
  app.add_flag(
      "--minimal", options.minimal,
      "only those that are forbidden, and that any simplification allows: an operation or a part of the "
      "condition less, a weaker order, a narrower scope, a split atomic, a thread further away");
  app.add_option_function<std::vector<std::string>>(
         "--orders",
         [&](const std::vector<std::string>& names) {
           for (const std::string& name : names) options.semantics.push_back(kSemantics.at(name));
         },
         "orders that operations have in tests of --all, of weak, relaxed, acquire, release, acq_rel and sc; "
         "default: all")
      ->check(one_of({"weak", "relaxed", "acquire", "release", "acq_rel", "sc"}))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("ORDER,...");
  app.add_flag("--random", options.random, "the tests of random cycles, over all the edges below");
  app.add_option("--seed", options.seed, "of --random: the same number makes the same tests; default 1")
      ->check(whole_number(0, kAnyCount, 7))
      ->option_text("N");
  app.add_option("--count", options.count, "how many --random makes, no two alike; default 10")
      ->check(whole_number(1, kAnyCount, 100))
      ->option_text("N");
}

}  // namespace

void add_size_options(App& app, std::size_t& events, generate::Alphabet& alphabet) {
  std::string default_scopes;
  std::vector<std::string> names;
  for (const Scope scope : isa::kEveryScope) names.emplace_back(isa::name_of(scope));
  for (const Scope scope : alphabet.scopes)
    default_scopes += fmt::format("{}{}", default_scopes.empty() ? "" : ",", isa::name_of(scope));
  app.add_option("--events", events, "operations of a test, at most; default 4")
      ->check(whole_number(1, 8, 5))
      ->option_text("N");
  app.add_option("--atomics", alphabet.atomics, "atomics in a test, at most; default 1")
      ->check(whole_number(0, 8, 2))
      ->option_text("N");
  app.add_option_function<std::vector<std::string>>(
         "--scopes",
         [&alphabet](const std::vector<std::string>& wanted) {
           alphabet.scopes.clear();
           for (const Scope scope : isa::kEveryScope)
             if (std::find(wanted.begin(), wanted.end(), isa::name_of(scope)) != wanted.end())
               alphabet.scopes.push_back(scope);
         },
         "scopes of operations; default " + default_scopes)
      ->check(one_of(names))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("SCOPE,...");
}

void add_file_options(App& app, std::string& prefix, std::string& folder) {
  app.add_option("--prefix", prefix, "what the names of tests begin with")->option_text("TEXT");
  app.add_option("--folder", folder, "write each test to a file of its name there; the folder is made")
      ->option_text("DIR");
}

Status generate_verb(const std::vector<std::string>& arguments, Streams& streams) {
  App app("Makes litmus tests, with the verdict of the model.", "ptxmc generate");
  app.footer(kGenerateFooter);
  GenerateOptions options;
  options.common.verb = "generate";
  add_settings(app, options.common, {"--model", "--reading", "--timeout", "--memory", "--jobs", "--output"});
  add_text_or_json(app, options.common, "the tests");
  app.add_option("-c,--cycle", options.cycles,
                 "the test of a cycle of edges (below); may be given several times")
      ->allow_extra_args(false)
      ->option_text("EDGES");
  const OptionRow order = {
      "--order", "weak|relaxed|acq_rel",
      "of accesses whose order the cycle leaves open; acq_rel: loads acquire, stores release; "
      "default relaxed",
      nullptr};
  choice(app, order, options.defaults.order.semantics, kOrders)
      ->type_name(order.value)
      ->option_text(order.value);
  const OptionRow scope = {"--scope", "cta|cluster|gpu|sys",
                           "of accesses and fences whose scope the cycle leaves open; default gpu", nullptr};
  choice(app, scope, options.defaults.order.scope, kScopes)->type_name(scope.value)->option_text(scope.value);
  app.add_option_function<std::vector<std::string>>(
         "--place",
         [&](const std::vector<std::string>& places) {
           for (const std::string& place : places) options.defaults.places.push_back(place_in(place));
         },
         "the CTA of each thread, or GPU.CTA; default: each has its own, but for those that meet at a "
         "barrier")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("CTA,...");
  add_ways(app, options);
  add_size_options(app, options.events, options.alphabet);
  app.add_option("--name", options.name,
                 "what the test is called; default: the name of its shape, and what its threads do")
      ->option_text("NAME");
  add_file_options(app, options.prefix, options.folder);
  return parse_and_run(app, arguments, streams, [&] { return generate_tests(options, streams); });
}

}  // namespace ptxmc::cli
