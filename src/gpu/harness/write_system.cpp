// SPDX-License-Identifier: Apache-2.0
// What a kernel does beside the other actors of a system (actor.h): it meets them between rounds, finds
// variables in the memory of several GPUs or of the host, and keeps the pace of a host thread.
#include <fmt/format.h>

#include "gpu/harness/writer.h"
#include "gpu/host/draw.h"

namespace ptxmc::gpu {

namespace {

// neighbouring slots in one GPU's memory: a cache line, at the usual stride
constexpr unsigned kSpreadShift = 3;
constexpr std::uint32_t kStopped = 0xffffffff;

}  // namespace

/// A CTA holds all hardware barriers up to the highest that it names, and a multiprocessor has few: 16 a CTA
/// let four CTAs run at once.
unsigned HarnessWriter::own_barrier() const {
  return actor_.alone() || plan_.dedicated ? 15 : 0;
}

void HarnessWriter::meeting_prologue() {
  const auto address = [&](const std::string& name) {
    t_("ld.param.u64 {}, [ptxmc_{}];", t_.wide(name), name);
    t_("cvta.to.global.u64 {0}, {0};", t_.wide(name));
  };
  address("meeting");
  address("host");
  for (unsigned gpu = 1; gpu < actor_.gpus; ++gpu) address(fmt::format("memory{}", gpu));
  t_("ld.param.u32 {}, [ptxmc_pace];", t_.word("pace"));
}

std::string HarnessWriter::meeting_parameters() const {
  if (actor_.alone()) return "";
  std::string out =
      ",\n    .param .u64 ptxmc_meeting,\n    .param .u64 ptxmc_host,\n    .param .u32 ptxmc_pace";
  for (unsigned gpu = 1; gpu < actor_.gpus; ++gpu)
    out += fmt::format(",\n    .param .u64 ptxmc_memory{}", gpu);
  return out;
}

/// All threads of all actors. The first CTA meets the other actors for this GPU, once all CTAs have arrived,
/// and tells them.
void HarnessWriter::meeting() {
  const std::string p = t_.truth("p"), seen = t_.word("seen"), go = t_.word("go");
  const std::string poll = t_.new_label(), follow = t_.new_label(), tell = t_.new_label(),
                    told = t_.new_label(), met = t_.new_label();
  if (uses_async_proxy()) t_("fence.proxy.async;");
  t_("barrier.sync {};", own_barrier());
  t_("add.u32 {0}, {0}, {1};", t_.word("expected"), t_.word("ctas"));
  t_("setp.ne.u32 {}, {}, 0;", p, t_.word("tid"));
  t_("@{} bra {};", p, met);
  t_("fence.acq_rel.sys;");
  t_("red.relaxed.gpu.global.add.u32 [{}], 1;", t_.wide("control"));
  t_("setp.ne.u32 {}, {}, 0;", p, t_.word("cta"));
  t_("@{} bra {};", p, follow);
  t_.label(poll);
  t_("ld.relaxed.gpu.global.u32 {}, [{}];", seen, t_.wide("control"));
  t_("sub.u32 {0}, {0}, {1};", seen, t_.word("expected"));
  t_("setp.lt.s32 {}, {}, 0;", p, seen);
  t_("@{} bra {};", p, poll);
  t_("fence.acq_rel.sys;");
  t_("st.relaxed.sys.global.u32 [{}+{}], {};", t_.wide("meeting"), actor_.number * kMeetingLine,
     t_.word("turn"));
  t_("mov.u32 {}, {:#x};", go, kStopped);
  for (unsigned actor = 0; actor < actor_.actors; ++actor) {
    if (actor == actor_.number) continue;
    const std::string wait = t_.new_label(), here = t_.new_label();
    t_.label(wait);
    t_("ld.relaxed.sys.global.u32 {}, [{}+{}];", seen, t_.wide("meeting"), actor * kMeetingLine);
    t_("setp.ge.u32 {}, {}, {};", p, seen, t_.word("turn"));
    t_("@{} bra {};", p, here);
    t_("ld.relaxed.sys.global.u32 {}, [{}+{}];", seen, t_.wide("meeting"), actor_.actors * kMeetingLine);
    t_("setp.eq.u32 {}, {}, 0;", p, seen);
    t_("@{} bra {};", p, wait);
    t_("bra {};", tell);
    t_.label(here);
  }
  t_("mov.u32 {}, {};", go, t_.word("turn"));
  t_.label(tell);
  t_("fence.acq_rel.sys;");
  t_("st.relaxed.gpu.global.u32 [{}+4], {};", t_.wide("control"), go);
  t_("bra {};", told);
  t_.label(follow);
  t_("ld.relaxed.gpu.global.u32 {}, [{}+4];", go, t_.wide("control"));
  t_("setp.lt.u32 {}, {}, {};", p, go, t_.word("turn"));
  t_("@{} bra {};", p, follow);
  t_.label(told);
  t_("fence.acq_rel.sys;");
  t_("st.shared.u32 [ptxmc_go], {};", go);
  t_.label(met);
  t_("barrier.sync {};", own_barrier());
  leave_if_stopped();
}

/// One thread of the CTA has left the word in shared memory.
void HarnessWriter::leave_if_stopped() {
  const std::string p = t_.truth("p"), go = t_.word("go");
  t_("ld.shared.u32 {}, [ptxmc_go];", go);
  t_("setp.eq.u32 {}, {}, {:#x};", p, go, kStopped);
  t_("@{} bra ptxmc_stop;", p);
  if (actor_.paced) t_("mov.u32 {}, %clock;", t_.word("began"));
}

/// GPUs beside the first one turn their blocks by a distance, so that CTAs of equal numbers do not always
/// play the same instances.
void HarnessWriter::draw_base(const View& view, const std::string& round) {
  if (actor_.number == 0 || plan_.dedicated) return;
  t_("mov.u32 {}, {};", t_.word(view.name + "base"),
     draw_below(round, kDrawBase + actor_.number, t_.word("blocks")));
}

void HarnessWriter::move_base(const View& view, const std::string& block) {
  if (actor_.number == 0) return;
  const std::string p = t_.truth("p");
  t_("sub.u32 {0}, {0}, {1};", block, t_.word(view.name + "base"));
  t_("setp.lt.s32 {}, {}, 0;", p, block);
  t_("@{0} add.u32 {1}, {1}, {2};", p, block, t_.word("blocks"));
}

/// The memory that holds the variable in this slot. Where variables are spread, each GPU has every n-th
/// group of neighbouring slots, whichever variable lies there.
std::string HarnessWriter::memory_of(const Cell& cell, const std::string& slot) {
  if (actor_.in_host.contains(cell.variable->name)) return t_.wide("host");
  if (actor_.gpus == 1 || actor_.home == 0U) return t_.wide("memory");
  if (actor_.home) return t_.wide(fmt::format("memory{}", *actor_.home));
  const std::string memory = t_.wide("home"), number = t_.word("home"), p = t_.truth("p");
  t_("mov.b64 {}, {};", memory, t_.wide("memory"));
  t_("shr.u32 {}, {}, {};", number, slot, kSpreadShift);
  t_("rem.u32 {0}, {0}, {1};", number, actor_.gpus);
  for (unsigned gpu = 1; gpu < actor_.gpus; ++gpu) {
    t_("setp.eq.u32 {}, {}, {};", p, number, gpu);
    t_("selp.b64 {0}, {1}, {0}, {2};", memory, t_.wide(fmt::format("memory{}", gpu)), p);
  }
  return memory;
}

/// A host thread plays the instances one after the other, from one that is drawn: each begins here about when
/// it does there, `pace` cycles after the one before.
void HarnessWriter::keep_pace(const View& view) {
  if (!actor_.paced) return;
  const std::string p = t_.truth("p"), due = t_.new_word(), now = t_.new_word(), wait = t_.new_label();
  const std::string start = draw_below(t_.word("round"), kDrawStart, t_.word("all"));
  t_("sub.u32 {}, {}, {};", due, t_.word(view.name + "instance"), start);
  t_("setp.lt.s32 {}, {}, 0;", p, due);
  t_("@{0} add.u32 {1}, {1}, {2};", p, due, t_.word("all"));
  t_("mul.lo.u32 {0}, {0}, {1};", due, t_.word("pace"));
  t_.label(wait);
  t_("mov.u32 {}, %clock;", now);
  t_("sub.u32 {0}, {0}, {1};", now, t_.word("began"));
  t_("setp.lt.u32 {}, {}, {};", p, now, due);
  t_("@{} bra {};", p, wait);
}

}  // namespace ptxmc::gpu
