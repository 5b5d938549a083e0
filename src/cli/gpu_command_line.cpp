// SPDX-License-Identifier: Apache-2.0
// The verbs of a GPU: run, and compare with what was observed.
#include "cli/option_rows.h"

namespace ptxmc::cli {

namespace {

constexpr const char* kRunFooter =
    "Runs thousands of instances of a test at once, round after round, and counts their outcomes. In a "
    "folder, "
    "what cannot run\non the GPU is named and skipped.\n"
    "\n"
    "Exit status, the first that applies: 4 an internal error; 2 usage or input error, no GPU or no driver; "
    "3 a test hung\nand the GPU had to be taken from it, or the run was interrupted; else 0. Ctrl-C (or "
    "SIGTERM) ends the "
    "run after the\nlaunch at hand, and prints what was gathered; a second one ends it at once.\n"
    "\n"
    "Example:\n"
    "  ptxmc run --time 2 litmus/classic/MP+relaxed.gpu.litmus\n"
    "  ptxmc run --format json -o runs.jsonl litmus/classic\n"
    "  ptxmc run --emit-ptx test.litmus > kernel.ptx\n";

std::string power_of_two(const std::string& text) {
  const bool digits =
      !text.empty() && text.size() < 7 && text.find_first_not_of("0123456789") == std::string::npos;
  const unsigned long n = digits ? std::stoul(text) : 0;
  return n != 0 && (n & (n - 1)) == 0 ? "" : "expected a power of two";
}

std::string home_of_variables(const std::string& text) {
  const bool number = text.size() == 1 && text[0] >= '0' && text[0] <= '7';
  return number || text == "spread" ? "" : "expected the number of a GPU, or spread";
}

void add_gpu_options(App& app, GpuOptions& o) {
  gpu::HarnessOptions& harness = o.run.harness;
  app.add_option("-t,--time", o.run.seconds, "run each test for about S seconds of GPU time; default 1")
      ->check(CLI::PositiveNumber)
      ->option_text("S");
  app.add_option("-n,--size", o.run.instances, "or until N instances ran")->option_text("N");
  app.add_option("--seed", o.run.seed, "of all that is drawn; default 1")->option_text("N");
  app.add_option("--device", o.device, "number of the GPU; default 0")->option_text("N");
  app.add_option("--instances", harness.instances,
                 "instances that a CTA plays at once, a power of two; default 128")
      ->check(CLI::Range(32, 1024))
      ->check(CLI::Validator(power_of_two, ""))
      ->option_text("N");
  app.add_option("--stride", harness.stride,
                 "bytes from a variable to the next instance's, a power of two; default 16")
      ->check(CLI::Range(1, 4096))
      ->check(CLI::Validator(power_of_two, ""))
      ->option_text("N");
  app.add_option("--fuel", harness.fuel,
                 "how often a thread may jump backwards before its instance counts as hung; default 4096")
      ->check(CLI::Range(1, 1 << 30))
      ->option_text("N");
  app.add_option(
         "--patience", o.run.patience,
         "seconds that a launch may take, of some 0.1 s as a rule, before its test counts as hung; the "
         "driver may compile for 24 times as long; default 5")
      ->check(CLI::PositiveNumber)
      ->option_text("S");
  app.add_option("--ctas", o.run.ctas, "CTAs of a launch at most; default as many as the GPU holds at once")
      ->option_text("N");
  app.add_option_function<std::string>(
         "--home",
         [&harness](const std::string& text) {
           harness.home.reset();
           if (text != "spread") harness.home = static_cast<unsigned>(std::stoul(text));
         },
         "of a test on several GPUs: the GPU whose memory has the variables, 0 the first, or `spread` over "
         "all of them; default spread")
      ->check(CLI::Validator(home_of_variables, ""))
      ->option_text("N|spread");
  app.add_option("--batch", o.run.batch, "instances that a test with host threads plays at once; default 256")
      ->check(CLI::Range(1, 65536))
      ->option_text("N");
  app.add_flag("--emit-ptx", o.emit_ptx, "print the kernel, and run nothing; needs no GPU");
  app.add_option_function<std::string>(
         "-f,--format", [&o](const std::string& name) { o.json = name == "json"; },
         "the herd family's histogram, or a JSON object a line; default text")
      ->check(CLI::IsMember({"text", "json"}))
      ->option_text("text|json");
  app.add_option("-o,--output", o.output, "write the logs there")->option_text("FILE");
  app.add_flag("-q,--quiet", o.quiet, "no summary, and no word about tests of a folder that cannot run");
  app.add_option("FILE", o.files, "tests")->required()->option_text("...");
}

}  // namespace

Status run_verb(const Arguments& arguments, Streams& streams) {
  App app("Runs litmus tests on a GPU, through the CUDA driver, and prints what was observed.", "ptxmc run");
  app.footer(kRunFooter);
  GpuOptions options;
  add_gpu_options(app, options);
  return parse_and_run(app, arguments, streams, [&] { return run_files(options, streams); });
}

namespace {

constexpr const char* kCompareFooter =
    "With --log: every observed state must be allowed. A state that is forbidden but observed is a "
    "violation, and "
    "is\nexplained. With --against: the two models must allow the same states. Tests are found in the logs "
    "by "
    "name and\nhash; counts of several logs add up.\n"
    "\n"
    "Exit status, the first that applies: 4 engines disagree, or an internal error; 2 usage or input error;\n"
    "1 a forbidden state was observed, or the models differ; 3 an observed state is not known to be allowed; "
    "else "
    "0.\n"
    "\n"
    "Example:\n"
    "  ptxmc run -o gpu.log litmus/classic; ptxmc compare --log gpu.log litmus/classic\n"
    "  ptxmc compare --model ptx-9 --against ptx-6.0 --quiet litmus/classic\n";

}  // namespace

Status compare_verb(const Arguments& arguments, Streams& streams) {
  App app("Sets what the model allows beside what was observed, or beside another model.", "ptxmc compare");
  app.footer(kCompareFooter);
  CompareOptions options;
  add_options(app, options.check,
              {"--model", "--reading", "--engine", "--unroll", "--unbounded", "--timeout", "--output"});
  app.add_option("-l,--log", options.logs,
                 "log of `ptxmc run`, text or JSON, or of the herd family; repeatable")
      ->allow_extra_args(false)
      ->option_text("FILE");
  app.add_option("-a,--against", options.against, "the other model")->option_text("NAME|FILE.cat");
  app.add_option_function<std::string>(
         "-f,--format",
         [&options](const std::string& name) {
           options.check.format = name == "html" ? Format::html : Format::text;
         },
         "words, or a page with a heat table; default text")
      ->check(CLI::IsMember({"text", "html"}))
      ->option_text("text|html");
  app.add_flag("-q,--quiet", options.check.quiet, "show the tests that differ, and the summary");
  return parse_and_run(app, arguments, streams, [&] { return compare_files(options, streams); });
}

}  // namespace ptxmc::cli
