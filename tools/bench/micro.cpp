// SPDX-License-Identifier: Apache-2.0
// Google Benchmark over the stages of one test in process: parse, lower, base relations, and each engine.
#include <benchmark/benchmark.h>

#include <memory>

#include "cli/check_test.h"
#include "event/base.h"
#include "litmus/parse.h"
#include "lower/lower.h"
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

void check(benchmark::State& state, cli::EngineChoice engine, cli::Recheck recheck) {
  cli::Settings settings;
  settings.engine = engine;
  settings.recheck = recheck;
  const cli::Session session(settings);
  for (auto _ : state) benchmark::DoNotOptimize(cli::check_test(session, source()));
}
BENCHMARK_CAPTURE(check, explicit_engine, cli::EngineChoice::explicit_, cli::Recheck::off);
BENCHMARK_CAPTURE(check, smt_engine, cli::EngineChoice::smt, cli::Recheck::off);
BENCHMARK_CAPTURE(check, explicit_rechecked, cli::EngineChoice::explicit_, cli::Recheck::all);

}  // namespace

BENCHMARK_MAIN();
