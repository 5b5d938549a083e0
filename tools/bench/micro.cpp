// SPDX-License-Identifier: Apache-2.0
// Google Benchmark over the stages of one test in process: parse, lower, base relations, and each engine; and over the
// reader of modules, for 60,000 lines.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "axiomatic/event/base.h"
#include "axiomatic/lower/lower.h"
#include "input/litmus/parse.h"
#include "ptx/text/module.h"
#include "session/analysis.h"
#include "support/source.h"

namespace {

using namespace ptxmc;

SourcePtr source() {
  static const SourcePtr kSource =
      std::make_shared<const Source>(Source{"IRIW+fence.sc.gpus.litmus", R"(PTX IRIW+fence.sc.gpus
{
  .global .u32 x = 0;
  .global .u32 y = 0;
}
 P0 @ cta 0                       | P1 @ cta 1                       | P2 @ cta 2                          | P3 @ cta 3                          ;
 st.relaxed.gpu.global.u32 [x], 1 | st.relaxed.gpu.global.u32 [y], 1 | ld.relaxed.gpu.global.u32 %r0, [x]  | ld.relaxed.gpu.global.u32 %r0, [y]  ;
                                  |                                  | fence.sc.gpu                        | fence.sc.gpu                        ;
                                  |                                  | ld.relaxed.gpu.global.u32 %r1, [y]  | ld.relaxed.gpu.global.u32 %r1, [x]  ;
exists (P2:%r0 == 1 /\ P2:%r1 == 0 /\ P3:%r0 == 1 /\ P3:%r1 == 0)
)"});
  return kSource;
}

void parse(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(litmus::parse(source()));
}
BENCHMARK(parse);

/// A module of 60,000 lines as compilers write them: kernels with places in the source, labels, and half of it loads and stores.
SourcePtr module() {
  constexpr int kKernels = 60, kBlocks = 142;
  std::string text = ".version 9.0\n.target sm_90a\n.address_size 64\n.file 1 \"kernels.cu\"\n";
  for (int k = 0; k < kKernels; ++k) {
    text +=
        ".visible .entry kernel_" + std::to_string(k) +
        "(\n.param .u64 in\n)\n{\n.reg .pred %p<3>;\n.reg .f32 %f<4>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
        ".shared .align 4 .b8 tile[512];\nld.param.u64 %rd1, [in];\ncvta.to.global.u64 %rd2, %rd1;\n";
    for (int b = 0; b < kBlocks; ++b) {
      const std::string label = "$L__BB" + std::to_string(k) + "_" + std::to_string(b);
      text += ".loc 1 " + std::to_string(b + 1) + " 5\n";
      text += label;
      text +=
          ":\nld.global.f32 %f1, [%rd2+4];\nfma.rn.f32 %f2, %f1, 0f40400000, %f2;\nsetp.leu.f32 %p1, %f2, "
          "0f00000000;\n@%p1 bra ";
      text += label;
      text += ";\nst.shared.f32 [tile+16], %f2;\n";
    }
    text += "ret;\n}\n";
  }
  return std::make_shared<const Source>(Source{"kernels.ptx", text});
}

void read_module(benchmark::State& state) {
  const SourcePtr text = module();
  for (auto _ : state) benchmark::DoNotOptimize(ptx::parse_module(text));
}
BENCHMARK(read_module)->Unit(benchmark::kMillisecond);

void lower_test(benchmark::State& state) {
  const program::Program test = litmus::parse(source());
  for (auto _ : state) benchmark::DoNotOptimize(lower::lower(test, {}));
}
BENCHMARK(lower_test);

void base_relations(benchmark::State& state) {
  const event::ProgramGraph graph = lower::lower(litmus::parse(source()), {});
  for (auto _ : state) benchmark::DoNotOptimize(event::compute_base(graph));
}
BENCHMARK(base_relations);

void check(benchmark::State& state, session::EngineChoice engine, session::Recheck recheck) {
  session::Settings settings;
  settings.engine = engine;
  settings.recheck = recheck;
  const session::Session session(settings);
  for (auto _ : state) benchmark::DoNotOptimize(session::check_test(session, source()));
}
BENCHMARK_CAPTURE(check, explicit_engine, session::EngineChoice::explicit_, session::Recheck::off);
BENCHMARK_CAPTURE(check, smt_engine, session::EngineChoice::smt, session::Recheck::off);
BENCHMARK_CAPTURE(check, explicit_rechecked, session::EngineChoice::explicit_, session::Recheck::all);

}  // namespace

BENCHMARK_MAIN();
