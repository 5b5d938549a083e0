// SPDX-License-Identifier: Apache-2.0
// The table of base sets and relations (base.md of the design says the same at length).
#include "axiomatic/event/base.h"

#include <algorithm>
#include <variant>

#include "axiomatic/event/barriers.h"
#include "axiomatic/event/base_rows.h"
#include "axiomatic/event/sync_machine.h"
#include "support/check.h"

namespace ptxmc::event {
namespace {

using relation::BaseRow;
using relation::BitMatrix;
using relation::BitSet;
using relation::Provider;
using relation::Sort;

using Member = bool (*)(const Event&);
using Build = BitMatrix (*)(const Groups&);
struct Enumerate {
  Alternatives (*values)(const ProgramGraph&, const Assignment&, const Budget&, HowMany);
  std::vector<std::uint32_t> (*decisions)(const ProgramGraph&);
};
struct ChosenByEngine {};

struct TableRow {
  const char* name;
  std::variant<Member, Build, Enumerate, ChosenByEngine> value;
  const char* section;
  const char* doc;
};

Alternatives phases(const ProgramGraph& graph, const Assignment& assignment, const Budget& budget,
                    HowMany how_many) {
  return phase_alternatives(graph, assignment, SyncReductions::all, budget,
                            how_many == HowMany::few ? kFewPhaseStates : kMaxPhaseStates);
}

Alternatives quorums(const ProgramGraph& graph, const Assignment& assignment, const Budget& budget, HowMany) {
  return quorum_alternatives(graph, assignment, budget);
}

const std::vector<TableRow>& table() {  // NOLINT(readability-function-size): a table
  static const std::vector<TableRow> rows = {
      // ---- sets: accesses ----
      {"R", sets::reads, "8.2", "reads of data memory"},
      {"W", sets::writes, "8.2", "writes of data memory, initial writes included"},
      {"M", sets::accesses, "8.2", "reads and writes"},
      {"IW", sets::initial, "8.2.6", "initial writes: one per object, in no thread"},
      {"RMW", sets::atomics, "9.7.12.5", "halves of atom and red"},
      {"RED", sets::no_return_reads, "D18", "read halves of red, and of atom whose destination is _"},
      {"RLX", sets::relaxed, "8.4",
       "relaxed, volatile and mmio accesses, the plain half of an atomic, relaxed barrier operations"},
      {"ACQ", sets::acquire, "8.4", "acquire reads; barrier waits that are not relaxed"},
      {"REL", sets::release, "8.4",
       "release writes; barrier arrivals that are not relaxed; completion signals"},
      {"WEAK", sets::weak, "8.4", "weak accesses of threads"},
      // ---- sets: fences and barriers ----
      {"F", sets::fences, "9.7.12.4",
       "memory fences of any semantics (proxy fences are in PF, fence.mbarrier_init is in FRINIT)"},
      {"FSC", sets::fence_sc, "9.7.12.4", "fence.sc and membar"},
      {"FACQREL", sets::fence_acq_rel, "9.7.12.4", "fence.acq_rel, and fence without semantics"},
      {"FREL", sets::fence_release, "9.7.12.4", "fence.release"},
      {"FACQ", sets::fence_acquire, "9.7.12.4", "fence.acquire"},
      {"RREL", sets::restricted_release, "9.7.12.4", "fence.release with .sync_restrict"},
      {"RACQ", sets::restricted_acquire, "9.7.12.4", "fence.acquire with .sync_restrict"},
      {"SC", sets::fence_sc, "9.7.12.4", "as FSC (published PTX models)"},
      {"ACQ_REL", sets::acq_rel, "8.4", "events of instructions marked acq_rel (published PTX models)"},
      {"B", sets::barriers, "9.7.12.1", "barrier events: arrivals and waits"},
      {"ARR", sets::arrivals, "9.7.12.1", "arrivals at a barrier"},
      {"WAIT", sets::waits, "9.7.12.1", "waits at a barrier"},
      {"FRINIT", sets::init_fences, "9.7.12.4", "fence.mbarrier_init.release.cluster"},
      {"MBO", sets::mbarrier_operations, "9.7.12.15",
       "operations on mbarrier objects, completion signals included"},
      {"MBINIT", sets::mbarrier_inits, "9.7.12.15", "mbarrier.init"},
      {"MBINVAL", sets::mbarrier_invals, "9.7.12.15", "mbarrier.inval"},
      {"PF", sets::proxy_fences, "9.7.12.4", "proxy fences, and API synchronization"},
      {"API", sets::api, "8.9.4",
       "API synchronization: start and end of a kernel's thread, griddepcontrol.wait, API calls"},
      {"ALIAS", sets::alias_fences, "9.7.12.4", "fence.proxy.alias, and API synchronization (R78)"},
      {"ALREL", sets::alias_releases, "9.7.12.4", "fence.proxy.alias.release"},
      {"ALACQ", sets::alias_acquires, "9.7.12.4", "fence.proxy.alias.acquire"},
      {"PFREL", sets::proxy_releases, "9.7.12.4", "proxy fences that are one-directional: the release side"},
      {"PFREAD", sets::proxy_releases_of_reads, "9.7.12.4",
       "proxy fences that release the reads of their thread: with .sync_restrict::shared::cluster::read"},
      {"PFACQ", sets::proxy_acquires, "9.7.12.4", "proxy fences that are one-directional: the acquire side"},
      // ---- sets: asynchronous operations ----
      {"ISS", sets::issues, "8.9.1.1", "issue events of asynchronous operations, in program order"},
      {"LDEP", sets::launches, "9.7.12.13", "griddepcontrol.launch_dependents"},
      {"WGI", sets::wgmma_issues, "9.7.14", "issue events of wgmma.mma_async"},
      {"WGF", sets::wgmma_fences, "9.7.14", "wgmma.fence"},
      {"A", sets::asynchronous, "8.9.1.1",
       "accesses and completion signals of asynchronous operations, not in program order"},
      {"TC", sets::tensor_issues, "9.7.16.6.1",
       "issue events of the asynchronous tcgen05 instructions mma, cp, shift, ld and st"},
      {"TSY", sets::tensor_allocations, "9.7.16.6.1", "issue events of tcgen05.alloc and dealloc"},
      {"TALLOC", sets::tensor_allocs, "9.7.16.7.1", "issue events of tcgen05.alloc"},
      {"TFREE", sets::tensor_frees, "9.7.16.7.1", "what tcgen05.dealloc does to the columns that it frees"},
      {"BEF", sets::tensor_before, "9.7.16.11", "tcgen05.fence::before_thread_sync"},
      {"AFT", sets::tensor_after, "9.7.16.11", "tcgen05.fence::after_thread_sync"},
      // ---- sets: proxies and scopes ----
      {"GEN", sets::generic, "8.6", "generic-proxy accesses, and every event that is no access"},
      {"ASY", sets::async, "8.6", "async-proxy accesses: bulk copies and reductions"},
      {"TMEM", sets::tensor, "9.7.16.1", "accesses of tensor memory"},
      {"CON", sets::constant, "8.6", "constant-proxy accesses"},
      {"TEX", sets::texture, "8.6", "texture-proxy accesses"},
      {"SUR", sets::surface, "8.6", "surface-proxy accesses"},
      {"CTA", sets::of_scope<isa::Scope::cta>, "8.5", "events of scope cta"},
      {"CLUSTER", sets::of_scope<isa::Scope::cluster>, "8.5", "events of scope cluster"},
      {"GPU", sets::of_scope<isa::Scope::gpu>, "8.5", "events of scope gpu"},
      {"SYS", sets::of_scope<isa::Scope::sys>, "8.5", "events of scope sys"},
      // ---- relations ----
      {"po", relations::po, "8.9.1",
       "program order: total per thread, transitive; without asynchronous accesses and signals"},
      {"rf", ChosenByEngine{}, "8.9.7", "reads-from: write to the read that takes its value"},
      {"int", relations::internal, "", "two events of one thread"},
      {"ext", relations::external, "", "two events that are not of one thread"},
      {"ploc", relations::ploc, "8.2.2", "accesses of one physical location"},
      {"loc", relations::ploc, "8.2.2", "as ploc (herd's name)"},
      {"ov", relations::ov, "8.2.1", "overlap through one virtual mapping"},
      {"full", relations::full, "8.2.1", "complete overlap through one virtual mapping"},
      {"uni", relations::uni, "8.7.2", "ploc pairs whose race is a uniform-size race"},
      {"spans", relations::spans, "8.9.7",
       "a write to another whose bytes are all among its own; initial writes to all of their bytes"},
      {"parts", relations::parts, "8.9.7",
       "write to a read that may take some of its bytes and leave others: they share several cells, and are "
       "not "
       "both tile-sized"},
      {"vloc", relations::vloc, "8.2.1", "accesses through one virtual name (published PTX models)"},
      {"mscope", relations::mscope, "8.7", "two scoped events, each scope including the other's thread"},
      {"sr", relations::mscope, "8.7", "as mscope (published PTX models)"},
      {"scta", relations::scta, "8.5", "two events of one CTA"},
      {"swarp", relations::swarp, "3.1", "two events of threads of one warp"},
      {"rmw", relations::rmw, "9.7.12.5", "read half to write half of one atomic"},
      {"same", relations::same, "9.7.12.5", "events of one atomic, or of one asynchronous operation"},
      {"data", relations::data, "D13", "read to a write whose value depends on it after constant folding"},
      {"addr", relations::addr, "D13",
       "read to an access whose address depends on it after constant folding"},
      {"ctrl", relations::ctrl, "D13", "read to an event whose guard depends on it after constant folding"},
      {"dep", relations::dep, "D13",
       "read to a write whose value, address or guard depends on it, or that comes after a waiting loop which "
       "is "
       "left by its value"},
      {"restricts", relations::restricts, "9.7.12.4",
       "fence with .sync_restrict to the accesses of the shared memory that it is for, and to the operations on mbarrier "
       "objects there"},
      {"pf", relations::pf, "8.6",
       "proxy fence to the accesses of that proxy in its CTA (async: of the state space that it names; tensormap: by the "
       "map); API synchronization: in any CTA"},
      {"pf-any", relations::pf_any, "8.6", "proxy fence to the accesses of that proxy, in whatever CTA"},
      {"hostsync", relations::hostsync, "8.9.4",
       "API synchronization: end of a task to what waits for it; a call to the task that it enqueues"},
      {"dependents", relations::dependents, "9.7.12.13",
       "griddepcontrol.launch_dependents to the starts of the threads of the dependent grids; no order implied"},
      {"hostdev", relations::hostdev, "8.1.1",
       "an event of a host thread and one of a device thread, either way"},
      {"spx", relations::spx, "8.9.5",
       "accesses of one proxy; other than generic: in one CTA; async: in one cluster"},
      {"issue", relations::issue, "8.9.1.1",
       "issue event to the asynchronous accesses and signals of its operation"},
      {"own", relations::own, "8.9.1.1", "asynchronous access to the completion signals that track it"},
      {"done", relations::done, "9.7.8.24",
       "asynchronous access to the group wait of its thread that completes it"},
      {"wgdone", relations::wgdone, "9.7.14.7.2",
       "asynchronous access of a wgmma.mma_async to a wgmma.wait_group by another warp of its warpgroup, "
       "which "
       "waits for a group of the same number; of tests whose threads name these warps"},
      {"gridend", relations::gridend, "9.7.12.13",
       "asynchronous access to the API synchronization that waits for the end of its grid"},
      {"spin", relations::spin, "",
       "end of a thread that spins forever to the reads and fences that it repeats, and from these to the "
       "same "
       "in the next turn"},
      // ---- relations: barriers ----
      {"phase", Enumerate{phases, sync_decisions}, "9.7.12.1",
       "arrival or completion signal to the waits that observe the completion of its phase. An execution that misuses a "
       "barrier ends with the event that does: related to itself, or from the mbarrier.inval before it; from what has arrived "
       "before it; and to waits of other threads that have not ended"},
      {"lanes", relations::lanes, "D22",
       "arrival to wait of one exchange of values between lanes (shfl, vote, match, redux, elect), which "
       "orders no memory"},
      {"mobj", relations::mobj, "9.7.12.15", "operations on one mbarrier object"},
      {"mbmem", relations::mbmem, "9.7.12.15.3",
       "mbarrier.init, mbarrier.inval, or the initial write of the object, to accesses that share a byte with the "
       "object, and to its mbarrier.inval"},
      {"pair", relations::pair, "9.7.16.6.2",
       "issue events of tcgen05 instructions that are pipelined, the first to the second; no order implied"},
      {"operands", relations::operands, "9.7.16.6.2",
       "accesses of tensor memory by operands of tcgen05 instructions that are pipelined, the first to the "
       "second (PTX ISA 9.4); no order implied"},
      {"operands-from-one", relations::operands_from_one, "9.7.16.6.2, D56",
       "the same, where a tcgen05.cp and a tcgen05.mma that reads what it wrote begin at one address"},
      {"misalloc", relations::misallocation, "9.7.16.7.1",
       "tcgen05.relinquish_alloc_permit, or tcgen05.alloc, to a tcgen05.alloc of its CTA that must not "
       "follow it"},
      {"freed", relations::freed, "9.7.16.7.1", "tcgen05.alloc to each tcgen05.dealloc of what it allocated"},
      {"othergroup", relations::othergroup, "9.7.16.7.1",
       "tcgen05 instructions of one kernel that differ in .cta_group; to itself, one whose kernel has code "
       "of another "
       ".cta_group that is not executed"},
      {"life", relations::life, "R17",
       "use of another CTA's shared memory, or an asynchronous access of that of the own CTA, to the ends of "
       "that CTA's threads"},
      {"quorum", Enumerate{quorums, barrier_decisions}, "9.7.12.1",
       "arrival to a wait that follows it by its count (published PTX models)"},
  };
  return rows;
}

BaseRow signature_row(const TableRow& row) {
  const bool is_set = std::holds_alternative<Member>(row.value);
  const Provider provider = std::holds_alternative<Enumerate>(row.value)        ? Provider::enumerated
                            : std::holds_alternative<ChosenByEngine>(row.value) ? Provider::reads_from
                                                                                : Provider::fixed;
  return {row.name, is_set ? Sort::set : Sort::relation, provider, row.doc, row.section};
}

BitSet collect(const ProgramGraph& graph, Member member) {
  BitSet out(graph.size());
  for (std::size_t e = 0; e < graph.size(); ++e) {
    if (member(graph.events[e])) out.set(e);
  }
  return out;
}

const Enumerate& enumerator(std::uint32_t base) {
  PTXMC_CHECK(base < table().size(), "no such base relation");
  const auto* enumerate = std::get_if<Enumerate>(&table()[base].value);
  PTXMC_CHECK(enumerate != nullptr, "not an enumerated base relation");
  return *enumerate;
}

}  // namespace

const relation::Signature& base_signature() {
  static const relation::Signature signature = [] {
    std::vector<BaseRow> rows;
    for (const TableRow& row : table()) rows.push_back(signature_row(row));
    return relation::Signature(std::move(rows));
  }();
  return signature;
}

BaseValues compute_base(const ProgramGraph& graph) {
  const Groups groups(graph);
  BaseValues values;
  values.sets.reserve(table().size());
  values.relations.reserve(table().size());
  for (const TableRow& row : table()) {
    const auto* member = std::get_if<Member>(&row.value);
    const auto* build = std::get_if<Build>(&row.value);
    values.sets.push_back(member ? collect(graph, *member) : BitSet());
    values.relations.push_back(build ? (*build)(groups) : BitMatrix());
  }
  return values;
}

std::vector<std::uint32_t> relevant_decisions(const ProgramGraph& graph, std::uint32_t base) {
  return enumerator(base).decisions(graph);
}

// All of them relate operations on barriers.
bool may_have_pairs(const ProgramGraph& graph, std::uint32_t base) {
  static_cast<void>(enumerator(base));  // checks that it is one
  return std::any_of(graph.events.begin(), graph.events.end(),
                     [](const Event& event) { return event.barrier || event.mbarrier; });
}

Alternatives alternatives(const ProgramGraph& graph, std::uint32_t base, const Assignment& assignment,
                          const Budget& budget, HowMany how_many) {
  return enumerator(base).values(graph, assignment, budget, how_many);
}

}  // namespace ptxmc::event
