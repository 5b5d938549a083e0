// SPDX-License-Identifier: Apache-2.0
#include "rings.h"

#include <fmt/format.h>

namespace ptxmc::bench {

namespace {

constexpr const char* kTryWait =
    "mbarrier.try_wait.parity{}.shared::cta.b64 %p{}, [{}], {};\n  @!%p{} bra W{};\n";

std::string wait(unsigned number, const std::string& object, unsigned parity, const char* semantics = "") {
  return fmt::format("  W{}: ", number) +
         fmt::format(fmt::runtime(kTryWait), semantics, number, object, parity, number, number);
}

std::string repeat(const std::string& element, unsigned times) {
  std::string out;
  for (unsigned i = 0; i < times; ++i) out += (i == 0 ? "" : ", ") + element;
  return out;
}

/// Iteration k's source is k + 1, four words each; `arrivals` empty a buffer.
std::string ring_memory(const std::string& name, unsigned stages, unsigned iterations, unsigned arrivals) {
  std::string values;
  for (unsigned k = 0; k < iterations; ++k) values += (k == 0 ? "" : ", ") + repeat(std::to_string(k + 1), 4);
  return fmt::format(
      "PTX {}\n{{\n  .global .b32 g[{}] = {{{}}};\n  .shared .b32 s[{}] = {{{}}};\n"
      "  .shared .b64 full[{}] = {{{}}};\n  .shared .b64 empty[{}] = {{{}}};\n}}\n",
      name, 4 * iterations, values, 4 * stages, repeat("0", 4 * stages), stages, repeat("1", stages), stages,
      repeat(std::to_string(arrivals), stages));
}

std::string all_of(const std::vector<std::string>& facts) {
  std::string out;
  for (const std::string& fact : facts) out += (out.empty() ? "" : " /\\ ") + fact;
  return "exists (~(" + out + "))\n";
}

std::string consumer(const Ring& ring) {
  std::string out = ring.accumulates ? "  mov.b32 %sum, 0;\n" : "";
  for (unsigned k = 0; k < ring.iterations; ++k) {
    const unsigned stage = k % ring.stages;
    if (ring.without != Ring::Without::full_wait)
      out += wait(k, fmt::format("full+{}", 8 * stage), k / ring.stages % 2);
    out += fmt::format("  ld.weak.shared.b32 %r{}, [s+{}];\n", k, 16 * stage);
    if (ring.accumulates) out += fmt::format("  add.u32 %sum, %sum, %r{};\n", k);
    out += fmt::format("  fence.proxy.async.shared::cta;\n  mbarrier.arrive.shared::cta.b64 _, [empty+{}];\n",
                       8 * stage);
  }
  return out;
}

}  // namespace

std::string ring_test(const Ring& ring) {
  std::string out = ring_memory(fmt::format("ring-{}x{}x{}", ring.stages, ring.iterations, ring.consumers),
                                ring.stages, ring.iterations, ring.consumers);
  out += "P0 @ cta 0 {\n";
  for (unsigned k = 0; k < ring.iterations; ++k) {
    const unsigned stage = k % ring.stages;
    if (ring.without != Ring::Without::empty_wait)
      out += wait(k, fmt::format("empty+{}", 8 * stage), (k / ring.stages + 1) % 2);
    out += fmt::format(
        "  mbarrier.arrive.expect_tx.shared::cta.b64 _, [full+{}], 16;\n"
        "  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s+{}], [g+{}], 16, [full+{}];\n",
        8 * stage, 16 * stage, 16 * k, 8 * stage);
  }
  out += "}\n";
  std::vector<std::string> facts;
  for (unsigned c = 1; c <= ring.consumers; ++c) {
    out += fmt::format("P{} @ cta 0 {{\n{}}}\n", c, consumer(ring));
    const unsigned sum = ring.iterations * (ring.iterations + 1) / 2;
    if (ring.accumulates) facts.push_back(fmt::format("P{}:%sum == {}", c, sum));
    for (unsigned k = 0; !ring.accumulates && k < ring.iterations; ++k)
      facts.push_back(fmt::format("P{}:%r{} == {}", c, k, k + 1));
  }
  return out + all_of(facts);
}

std::string multicast_test(unsigned ctas, unsigned iterations) {
  constexpr unsigned kStages = 2;
  constexpr const char* kMeet = "  barrier.cluster.arrive.release;\n  barrier.cluster.wait.acquire;\n}\n";
  std::string out = ring_memory(fmt::format("multicast-{}x{}", ctas, iterations), kStages, iterations, ctas);
  out += "P0 @ cluster 0, cta 0 {\n";
  for (unsigned k = 0; k < iterations; ++k) {
    const unsigned stage = k % kStages;
    out += wait(k, fmt::format("empty+{}", 8 * stage), (k / kStages + 1) % 2, ".acquire.cluster");
    out += fmt::format(
        "  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s+{}], "
        "[g+{}], "
        "16, [full+{}], {};\n",
        16 * stage, 16 * k, 8 * stage, (1U << ctas) - 1);
  }
  out += kMeet;
  std::vector<std::string> facts;
  for (unsigned c = 0; c < ctas; ++c) {
    out += fmt::format("P{} @ cluster 0, cta {} {{\n  mapa.shared::cluster.u32 %ra, empty, 0;\n", c + 1, c);
    for (unsigned k = 0; k < iterations; ++k) {
      const unsigned stage = k % kStages;
      out += fmt::format("  mbarrier.arrive.expect_tx.shared::cta.b64 _, [full+{}], 16;\n", 8 * stage);
      out += wait(k, fmt::format("full+{}", 8 * stage), k / kStages % 2, ".acquire.cluster");
      out += fmt::format(
          "  ld.weak.shared.b32 %r{}, [s+{}];\n  fence.proxy.async.shared::cluster;\n"
          "  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%ra+{}];\n",
          k, 16 * stage, 8 * stage);
      facts.push_back(fmt::format("P{}:%r{} == {}", c + 1, k, k + 1));
    }
    out += kMeet;
  }
  return out + all_of(facts);
}

std::string umma_test(unsigned tiles, unsigned steps) {
  const unsigned copies = tiles * steps;
  std::string memory = fmt::format("PTX umma-{}x{}\n{{\n  .tensor .b32 acc[32] = {{0}};\n", tiles, steps);
  for (const char* object : {"empty0", "empty1", "full0", "full1", "tempty", "tfull"})
    memory += fmt::format("  .shared .b64 {} = 1;\n", object);
  memory += "  uint8_t b[256];\n  uint8_t s0[4096];\n  uint8_t s1[4096];\n";
  std::string producer, issuer, reader, facts;
  for (unsigned k = 0; k < copies; ++k) {
    memory += fmt::format("  .global .align 16 .b8 g{}[4096];\n", k);
    producer += wait(k, fmt::format("empty{}", k % 2), (k / 2 + 1) % 2);
    producer += fmt::format(
        "  mbarrier.arrive.expect_tx.shared::cta.b64 _, [full{0}], 4096;\n"
        "  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s{0}], [g{1}], 4096, [full{0}];\n",
        k % 2, k);
  }
  constexpr const char* kCommit =
      "  tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [{}];\n";
  for (unsigned t = 0; t < tiles; ++t) {
    issuer += wait(copies + t, "tempty", (t + 1) % 2) + "  tcgen05.fence::after_thread_sync;\n";
    for (unsigned k = t * steps; k < (t + 1) * steps; ++k) {
      issuer += wait(k, fmt::format("full{}", k % 2), k / 2 % 2);
      issuer +=
          fmt::format("  tcgen05.mma.cta_group::1.kind::f16 [acc], desc(s{}), desc(b), 0x8020010, {};\n",
                      k % 2, k == t * steps ? 0 : 1);
      issuer += fmt::format(fmt::runtime(kCommit), fmt::format("empty{}", k % 2));
    }
    issuer += fmt::format(fmt::runtime(kCommit), "tfull");
    reader += wait(t, "tfull", t % 2);
    reader += fmt::format(
        "  tcgen05.fence::after_thread_sync;\n  tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r{}}}, [acc];\n"
        "  tcgen05.wait::ld.sync.aligned;\n  tcgen05.fence::before_thread_sync;\n"
        "  mbarrier.arrive.shared::cta.b64 _, [tempty];\n",
        t);
    facts += (t == 0 ? "" : " \\/ ") + fmt::format("P2:%r{} == 0", t);
  }
  return fmt::format("{}}}\nP0 @ cta 0 {{\n{}}}\nP1 @ cta 0 {{\n{}}}\nP2 @ cta 0 {{\n{}}}\n", memory,
                     producer, issuer, reader) +
         "regions: b:shared, s0:shared, s1:shared\nexists (" + facts + ")\n";
}

std::vector<RingRow> ring_rows() {
  using Without = Ring::Without;
  return {{"ring 4x16x4", ring_test({4, 16, 4})},
          {"ring 8x64x4", ring_test({8, 64, 4})},
          {"ring 4x16x4 that accumulates", ring_test({4, 16, 4, true})},
          {"ring 4x8x4 without full wait", ring_test({4, 8, 4, false, Without::full_wait})},
          {"ring 4x8x4 without empty wait", ring_test({4, 8, 4, false, Without::empty_wait})},
          {"multicast ring, 4 CTAs, 4 iterations", multicast_test(4, 4)},
          {"tcgen05 loop, 2 tiles x 16", umma_test(2, 16)}};
}

std::vector<RingRow> shared_rows() {
  using Without = Ring::Without;
  return {{"ring 8x64x4", ring_test({8, 64, 4})},
          {"ring 2x4x2 without full wait", ring_test({2, 4, 2, false, Without::full_wait})},
          {"ring 2x4x2 without empty wait", ring_test({2, 4, 2, false, Without::empty_wait})}};
}

std::vector<std::pair<unsigned, std::string>> ring_growth() {
  std::vector<std::pair<unsigned, std::string>> out;
  for (const unsigned iterations : {16U, 32U, 64U})
    out.emplace_back(iterations, ring_test({4, iterations, 1}));
  return out;
}

std::vector<std::vector<std::string>> ring_questions() {
  return {{"check", "--verdict", "--recheck", "off", "--quiet"},
          {"races", "--quiet"},
          {"races", "--first", "--quiet"},
          {"check", "--property", "liveness", "--quiet"}};
}

}  // namespace ptxmc::bench
