// SPDX-License-Identifier: Apache-2.0
// Turns at contended locations (exec::Turns).
#include <doctest/doctest.h>

#include <algorithm>

#include "ran.h"

namespace ptxmc::exec {
namespace {

/// Each thread takes a ticket at `out`+1024 and stores it; nobody goes on before all have theirs.
const std::string kTickets =
    "atom.global.add.u32 %r2, [%rd1+1024], 1; st.global.u32 [%rd3], %r2; bar.sync 0;";

/// Where the tickets are, which no schedule changes.
trace::Address tickets() {
  const Ran ran("st.global.u64 [%rd1], %rd1;", "1");
  return (ran.out(1) << 32U | ran.out(0)) + 1024;
}

Options with_first(std::vector<trace::Thread> threads) {
  Options out;
  const trace::Address at = tickets();
  out.turns.at = {at};
  for (const trace::Thread thread : threads) out.turns.first.push_back({at, thread, 0});
  return out;
}

}  // namespace

TEST_CASE("turns come in the order that is wanted, then as they come") {
  const Ran ran(kTickets, "64", "", "1", with_first({40, 3, 41}));
  REQUIRE(ran.outcome.end == End::finished);
  CHECK(ran.outcome.turns_told);
  REQUIRE(ran.outcome.turns.size() == 64);
  CHECK(ran.outcome.turns[2].thread == 41);
  CHECK(ran.out(40) == 0);
  CHECK(ran.out(3) == 1);
  CHECK(ran.out(41) == 2);
  CHECK(ran.out(0) >= 3);
  // The warps stay together: an aligned barrier behind has all of them.
  CHECK(ran.outcome.faults.empty());
}

TEST_CASE("an order that there is none of is given up") {
  const Ran ran(
      "setp.lt.u32 %p1, %r1, 32; @%p1 bra FIRST; bar.sync 0;\n"
      "atom.global.add.u32 %r2, [%rd1+1024], 1; st.global.u32 [%rd3], %r2; ret;\n"
      "FIRST: atom.global.add.u32 %r2, [%rd1+1024], 1; st.global.u32 [%rd3], %r2; bar.sync 0;",
      "64", "", "1", with_first({40}));
  CHECK(ran.outcome.end == End::finished);
  CHECK(ran.outcome.turns_told);
  CHECK(ran.out(40) >= 32);
}

TEST_CASE("what rests on turns is told apart from what rests on timing") {
  const std::string decides =
      "atom.global.add.u32 %r2, [%rd1+1024], 1; setp.ne.u32 %p1, %r2, 1; @%p1 bra DONE;\n"
      "st.global.u32 [%rd3], 1;\nDONE:";
  const auto sources = [](const Ran& ran) {
    Sources all = 0;
    for (const Decision& decision : ran.outcome.decisions) all |= decision.sources;
    return all;
  };
  CHECK(sources(Ran(decides, "2")) == bit(Source::timing));
  const Ran ran(decides, "2", "", "1", with_first({1, 0}));
  CHECK(sources(ran) == bit(Source::turns));
  CHECK(ran.out(0) == 1);
  CHECK(ran.out(1) == 0);
}

TEST_CASE("an atomic whose result nothing uses decides nothing, whatever its operands decide") {
  const auto decisions = [](const std::string& use) {
    return Ran("mov.u32 %r4, 1; atom.global.add.u32 %r2, [%rd1+1024], %r4;\n" + use, "2")
        .outcome.decisions.size();
  };
  CHECK(decisions("setp.eq.u32 %p1, %r4, 1; @%p1 bra DONE; DONE:") == 0);
  CHECK(decisions("setp.eq.u32 %p1, %r2, 1; @%p1 bra DONE; DONE:") != 0);
}

namespace {

/// The first lanes of two warps take a lock at `out`+1024 and give it back; each stores how many had it before.
std::string locked(const std::string& take) {
  return "and.b32 %r3, %r1, 31; setp.ne.u32 %p1, %r3, 0; @%p1 bra DONE;\n" + take +
         "ld.global.u32 %r4, [%rd1+1032]; st.global.u32 [%rd3], %r4; add.u32 %r4, %r4, 1;\n"
         "st.global.u32 [%rd1+1032], %r4; membar.gl; atom.global.exch.b32 %r5, [%rd1+1024], 0;\nDONE:";
}

std::vector<trace::Thread> who_had_turns(const Ran& ran) {
  std::vector<trace::Thread> out;
  for (const ContendedAccess& turn : ran.outcome.turns) out.push_back(turn.thread);
  return out;
}

}  // namespace

TEST_CASE("who finds a lock taken has no turn") {
  const auto retried = [](const std::string& atomic) {
    return "TRY: " + atomic + " setp.ne.u32 %p2, %r2, 0; @%p2 bra TRY;\n";
  };
  const std::string swap = "atom.global.cas.b32 %r2, [%rd1+1024], 0, 1;";
  const std::string exchange = "atom.global.exch.b32 %r2, [%rd1+1024], 1;";
  // Compilers try once ahead of a loop that pauses.
  const std::string ahead =
      "mov.u32 %r6, 1; mov.u32 %r7, 0; atom.global.cas.b32 %r2, [%rd1+1024], %r7, %r6;\n"
      "setp.eq.u32 %p2, %r2, 0; @%p2 bra TAKEN;\n"
      "AGAIN: nanosleep.u32 20; mov.u32 %r8, 1; mov.u32 %r9, 0;\n"
      "atom.global.cas.b32 %r10, [%rd1+1024], %r9, %r8;\n"
      "setp.ne.u32 %p3, %r10, 0; @%p3 bra AGAIN;\nTAKEN:\n";
  using Threads = std::vector<trace::Thread>;
  for (const std::string& take : {retried(swap), retried(exchange), ahead}) {
    const Ran ran(locked(take), "64", "", "1", with_first({32, 32, 0}));
    CHECK(ran.outcome.end == End::finished);
    CHECK(ran.outcome.turns_told);
    CHECK(who_had_turns(ran) == Threads{32, 32, 0, 0});
    CHECK(ran.out(0) == 1);
    // Nobody takes it before it is given back.
    const Ran none(locked(take), "64", "", "1", with_first({0, 32}));
    CHECK(none.outcome.end == End::finished);
    CHECK(none.outcome.turns_told);
    CHECK(who_had_turns(none) == Threads{0, 0, 32, 32});
  }
  // It is read later whether the try ahead of the loop failed: that try has a turn.
  const Ran tells(locked(ahead + "st.global.u32 [%rd3+512], %r2;\n"), "64", "", "1", with_first({0, 32}));
  CHECK(tells.outcome.turns_told);
  CHECK(who_had_turns(tells) == Threads{0, 32, 0, 32, 32});
  // A ticket is a write of its own, whatever it leads to.
  const Ran counts(locked(retried("atom.global.add.u32 %r2, [%rd1+1024], 0x80000000;")), "64", "", "1",
                   with_first({32, 32}));
  CHECK(who_had_turns(counts).front() == 32);
  CHECK(counts.outcome.turns.size() >= 4);
}

namespace {

/// Which of the turns were of reads alone.
std::vector<bool> which_read(const Ran& ran) {
  std::vector<bool> out;
  for (const ContendedAccess& turn : ran.outcome.turns) out.push_back(!turn.writes);
  return out;
}

}  // namespace

TEST_CASE("a swap that fails has a turn as a read") {
  const std::string tried =
      "and.b32 %r3, %r1, 31; setp.ne.u32 %p1, %r3, 0; @%p1 bra DONE;\n"
      "atom.global.cas.b32 %r2, [%rd1+1024], 0, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra DONE;\n"
      "st.global.u32 [%rd3], 7;\nDONE:";
  for (const trace::Thread first : {0U, 32U}) {
    const Ran ran(tried, "64", "", "1", with_first({first, 32 - first}));
    CHECK(ran.outcome.turns_told);
    CHECK(which_read(ran) == std::vector<bool>{false, true});
    CHECK(ran.out(first) == 7);
    CHECK(ran.out(32 - first) == 0);
  }
  // Whether it fails rests on what the launch leaves open.
  const Ran unknown(
      "mov.u32 %r4, %clock; and.b32 %r4, %r4, 1;\n"
      "atom.global.cas.b32 %r2, [%rd1+1024], %r4, 5; st.global.u32 [%rd3], %r2;",
      "1", "", "1", with_first({0}));
  CHECK_FALSE(unknown.outcome.turns_told);
}

TEST_CASE("a swap that is tried elsewhere next, or with what it read, is none that waits for a lock") {
  const auto turns = [](const std::string& loop) {
    Options options = with_first({0});
    options.turns.at.insert(tickets() + 4);
    const Ran ran(
        "and.b32 %r3, %r1, 31; setp.ne.u32 %p2, %r3, 0; @%p2 bra DONE; mov.u64 %rd4, %rd1; mov.u32 %r4, "
        "0;\n" +
            loop + "\nDONE:",
        "64", "", "1", options);
    CHECK(ran.outcome.end == End::finished);
    return ran.outcome.turns.size();
  };
  const std::string swap = "L: atom.global.cas.b32 %r2, [%rd4+1024], %r4, 9;\n";
  CHECK(turns(swap + "add.u64 %rd4, %rd4, 4; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;") == 3);
  CHECK(turns(swap + "setp.ne.u32 %p1, %r2, %r4; mov.u32 %r4, %r2; @%p1 bra L;") == 3);
}

TEST_CASE("a strong read that decides has a turn, another has none") {
  const std::string flag =
      "setp.ne.u32 %p1, %r1, 0; @%p1 bra READ;\nst.relaxed.gpu.global.u32 [%rd1+1024], 5; bra DONE;\n"
      "READ: setp.ne.u32 %p2, %r1, 32; @%p2 bra DONE;\nld.relaxed.gpu.global.u32 %r2, [%rd1+1024];\n";
  const std::string decides = "setp.eq.u32 %p3, %r2, 0; @%p3 bra DONE; st.global.u32 [%rd3], 1;\nDONE:";
  const Ran before(flag + decides, "64", "", "1", with_first({32, 0}));
  CHECK(who_had_turns(before) == std::vector<trace::Thread>{32, 0});
  CHECK(which_read(before) == std::vector<bool>{true, false});
  CHECK(before.out(32) == 0);
  const Ran behind(flag + decides, "64", "", "1", with_first({0, 32}));
  CHECK(behind.out(32) == 1);
  for (const Ran* ran : {&before, &behind}) {
    for (const Decision& decision : ran->outcome.decisions) CHECK(open(decision.sources) == 0);
  }
  const Ran idle(flag + "st.global.u32 [%rd3], %r2;\nDONE:", "64", "", "1", with_first({}));
  CHECK(idle.outcome.turns.size() == 1);
}

TEST_CASE("the read by which a loop is left has a turn, if that is asked for") {
  const std::string polls =
      "setp.ne.u32 %p1, %r1, 0; @%p1 bra WAIT;\nst.relaxed.gpu.global.u32 [%rd1+1024], 1;\n"
      "st.relaxed.gpu.global.u32 [%rd1+1024], 2; bra DONE;\n"
      "WAIT: setp.ne.u32 %p2, %r1, 32; @%p2 bra DONE;\n"
      "AGAIN: ld.relaxed.gpu.global.u32 %r2, [%rd1+1024]; setp.eq.u32 %p3, %r2, 0; @%p3 bra AGAIN;\n"
      "st.global.u32 [%rd3], %r2;\nDONE:";
  CHECK(Ran(polls, "64", "", "1", with_first({})).outcome.turns.size() == 2);
  Options asked = with_first({0, 32, 0});
  asked.turns.of_polls = true;
  const Ran ran(polls, "64", "", "1", asked);
  CHECK(ran.outcome.turns_told);
  CHECK(who_had_turns(ran) == std::vector<trace::Thread>{0, 32, 0});
  CHECK(ran.out(32) == 1);
  // It is not left before anybody has written.
  Options early = with_first({32, 0, 0});
  early.turns.of_polls = true;
  CHECK(who_had_turns(Ran(polls, "64", "", "1", early)).front() == 0);
}

TEST_CASE("a fence.sc between two turns of a thread is told, and whether it is one of all threads") {
  const auto fenced = [](const std::string& fence) {
    const Ran ran("atom.global.add.u32 %r2, [%rd1+1024], 1;\n" + fence +
                      "atom.global.add.u32 %r4, [%rd1+1024], %r2; st.global.u32 [%rd3], %r4;",
                  "1", "", "2", with_first({}));
    REQUIRE(ran.outcome.turns.size() == 4);
    return ran.outcome.turns[1].fenced;
  };
  using Fenced = ContendedAccess::Fenced;
  CHECK(fenced("fence.sc.gpu;") == Fenced::all);
  CHECK(fenced("membar.gl;") == Fenced::all);
  CHECK(fenced("fence.sc.gpu; fence.sc.cta;") == Fenced::all);
  CHECK(fenced("fence.sc.cta;") == Fenced::some);
  CHECK(fenced("fence.acq_rel.gpu;") == Fenced::no);
  CHECK(fenced("") == Fenced::no);
}

TEST_CASE("a read takes what was there before writes that it passes") {
  // Thread 32 reads behind two additions of thread 0, and stores what it read.
  const std::string reads =
      "setp.eq.u32 %p1, %r1, 32; @%p1 bra READ; setp.ne.u32 %p2, %r1, 0; @%p2 bra DONE;\n"
      "atom.global.add.u32 %r2, [%rd1+1024], 1; atom.global.add.u32 %r2, [%rd1+1024], 1; bra DONE;\n"
      "READ: ld.relaxed.gpu.global.u32 %r2, [%rd1+1024]; setp.eq.u32 %p3, %r2, 7; @%p3 bra DONE;\n"
      "st.global.u32 [%rd3], %r2;\nDONE:";
  for (const std::size_t passes : {0U, 1U, 2U}) {
    Options options = with_first({0, 0, 32});
    options.turns.first.back().passes = passes;
    const Ran ran(reads, "64", "", "1", options);
    CHECK(ran.outcome.turns_told);
    REQUIRE(ran.outcome.turns.size() == 3);
    CHECK(ran.outcome.turns[2].passes == passes);
    CHECK(ran.out(32) == 2 - passes);
  }
  // Nothing of that kind is known of an atomic.
  Options atomic = with_first({0, 0});
  atomic.turns.first.back().passes = 1;
  const Ran ran(reads, "64", "", "1", atomic);
  CHECK_FALSE(ran.outcome.turns_told);
  CHECK(ran.outcome.turns[1].passes == 0);
}

TEST_CASE("one whose own turn it is, at another place, is in no order that was wanted; that is told") {
  Options options = with_first({0});
  options.turns.at.insert(tickets() + 4);
  const Ran ran("atom.global.add.u32 %r2, [%rd1+1028], 1; st.global.u32 [%rd3], %r2;", "1", "", "1", options);
  CHECK(ran.outcome.end == End::finished);
  CHECK(ran.outcome.turns_told);
}

TEST_CASE("a plain write has a turn; lanes of one warp stay together, and that is told") {
  const std::string resets =
      "setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%rd1+1024], 5; @%p1 bra DONE;\n"
      "setp.ne.u32 %p2, %r1, 1; setp.ne.and.u32 %p2, %r1, 32, %p2; @%p2 bra DONE;\n"
      "atom.global.add.u32 %r2, [%rd1+1024], 1; st.global.u32 [%rd3], %r2;\nDONE:";
  const Ran ran(resets, "64", "", "1", with_first({32, 0, 1}));
  CHECK(ran.outcome.turns_told);
  CHECK(ran.out(32) == 0);
  CHECK(ran.out(1) == 5);
  CHECK(ran.out(256) == 6);
  const Ran together(resets, "64", "", "1", with_first({1, 0}));
  CHECK(together.outcome.end == End::finished);
  CHECK_FALSE(together.outcome.turns_told);
}

TEST_CASE(
    "of an atomic whose result is but compared for equality, what it read and with what it was compared") {
  const auto counted = [](const std::string& behind) {
    const Ran ran("atom.global.add.u32 %r2, [%rd1+1024], 1; " + behind, "2", "", "1", with_first({1}));
    REQUIRE(ran.outcome.turns.size() == 2);
    CHECK(ran.outcome.turns[0].thread == 1);
    return ran.outcome.turns[1].counted;
  };
  const std::string compared = "mov.u32 %r3, 1; setp.eq.u32 %p1, %r2, %r3; setp.ne.u32 %p2, 7, %r2; ";
  const std::string used = "@%p1 st.global.u32 [%rd3], %r3; ";
  const auto known = counted(compared + used);
  REQUIRE(known);
  CHECK(known->read == 1);
  CHECK(known->op == isa::AtomicOp::add);
  CHECK(known->operand == 1);
  CHECK(known->compared == std::vector<std::uint64_t>{1, 7});
  CHECK(!counted(compared + used + "st.global.u32 [%rd3+64], %r2; "));  // it is stored
  CHECK(!counted("setp.lt.u32 %p1, %r2, 1; " + used));                  // its size counts
  CHECK(!counted(compared + used + "mov.u32 %r2, 5; "));                // it is not the only value there
  CHECK(!counted("ld.volatile.global.u32 %r3, [%rd1+64]; setp.eq.u32 %p1, %r2, %r3; " +
                 used));  // with what, is open
  CHECK(!counted(compared + "and.b32 %r4, %r2, 1; " + used));
}

}  // namespace ptxmc::exec
