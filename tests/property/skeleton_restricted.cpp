// SPDX-License-Identifier: Apache-2.0
// Fences with .sync_restrict (9.7.12.4), between accesses of shared memory and, now and then, of other memory.
#include <fmt/format.h>

#include "skeleton_drawing.h"

namespace ptxmc::testing {

void Drawing::restricted_fence(std::size_t t) {
  restricted_fence(t, random_.pick({Semantics::release, Semantics::acquire}));
}

void Drawing::restricted_fence(std::size_t t, Semantics semantics) {
  const Strength s{semantics, Scope::cluster};
  const isa::Space memory =
      semantics == Semantics::release ? isa::Space::shared_cta : isa::Space::shared_cluster;
  emit(t, fmt::format("fence.{}.sync_restrict::{}.cluster;", isa::name_of(semantics), isa::name_of(memory)),
       [=, lanes = lanes(t)](Observer& o, Site site) { o.fence(site, lanes, s, memory); });
}

/// A thread accesses a location, raises a flag, and who has waited for that accesses it too, or another one; it may raise the next.
void Drawing::pass_memory() {
  std::size_t f = 0, t = thread();
  const bool is_shared = random_.chance(80);
  const std::uint32_t cta = cluster_ ? static_cast<std::uint32_t>(random_.below(2)) : threads_[t].cta;
  const auto touch = [&](std::size_t thread) {
    const bool writes = random_.chance(60), own = threads_[thread].cta == cta;
    const std::string at = !is_shared ? "[x]" : own ? "[s]" : "[%rs]";
    const std::string space = !is_shared ? ".global" : own ? ".shared" : ".shared::cluster";
    const std::string line = writes ? fmt::format("st.weak{}.u32 {}, {};", space, at, random_.between(1, 9))
                                    : fmt::format("ld.weak{}.u32 %r{}, {};", space, registers_++, at);
    access(thread, line, writes ? Effect::write : Effect::read, is_shared ? shared_at(cta) : place(0), 4, {},
           {});
  };
  touch(t);
  for (unsigned hops = 0; hops < 2; ++hops) {
    while (f < kFlags - 1 && written_[f] != 0) ++f;
    if (f == kFlags - 1) return;
    random_.chance(75) ? restricted_fence(t, Semantics::release) : fence_of(t);
    const Strength relaxed{Semantics::relaxed, Scope::gpu};
    writer_[f] = t;
    last_flag_ = f;
    access(t, fmt::format("st{}.global.u32 [f{}], {};", word(relaxed), f, ++written_[f]), Effect::write,
           place(8 + f), 4, relaxed, {});
    t = partner();
    const std::size_t r = registers_++;
    emit(t, fmt::format("L{}:", r));
    access(t, fmt::format("ld{}.global.u32 %r{}, [f{}];", word(relaxed), r, f), Effect::read, place(8 + f), 4,
           relaxed, {true, true});
    emit(t, fmt::format("setp.ne.u32 %p{}, %r{}, {};", r, r, written_[f]));
    emit(t, fmt::format("@%p{} bra L{};", r, r));
    random_.chance(75) ? restricted_fence(t, Semantics::acquire) : fence_of(t);
    if (random_.chance(60)) break;
  }
  touch(t);
}

}  // namespace ptxmc::testing
