// SPDX-License-Identifier: Apache-2.0
// The verbs of a GPU: run, and compare with what was observed.
#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "face/cli/costs_verb.h"
#include "face/cli/duration.h"
#include "face/cli/numbers.h"
#include "face/cli/option_rows.h"
#include "gpu/harness/stress.h"

namespace ptxmc::cli {

namespace {

constexpr const char* kRunFooter =
    "Runs thousands of instances of a test at once, round after round, and counts their outcomes. In a "
    "folder, "
    "what cannot run\non the GPU is named and skipped.\n"
    "\n"
    "A campaign divides its time, compiling included, over the tests of its folder, in sweeps: the first "
    "gives "
    "every test a\nmoment, each other one four times as much as the one before. Its file, "
    "ptxmc-campaign.jsonl "
    "(of a shard\nptxmc-campaign-I-of-N.jsonl), has a JSON object a line, which is on the disk before the "
    "next "
    "test begins. The same\ncommand started again goes on where the file ends, until the time of both "
    "together is "
    "over; a longer --time adds sweeps.\nSeeds differ from sweep to sweep. Tests that cannot run, hang or "
    "fail are "
    "in the file, too. `ptxmc compare --log FILE DIR`\nreads it, `ptxmc compare --merge` joins several.\n"
    "\n"
    "Exit status, the first that applies: 4 an internal error; 2 usage or input error, no GPU or no driver; "
    "3 a test hung\nand the GPU had to be taken from it, or the run was interrupted; else 0. Ctrl-C (or "
    "SIGTERM) ends the "
    "run after the\nlaunch at hand, and prints what was gathered; a second one ends it at once.\n"
    "\n"
    "Example:\n"
    "  ptxmc run --time 2 litmus/classic/MP+relaxed.gpu.litmus\n"
    "  ptxmc run --stress ctas=50,iterations=16,align=100 litmus/classic/IRIW+relaxed.gpu.litmus\n"
    "  ptxmc run --tune --time 60 --save gpu.json litmus/classic; ptxmc run --parameters gpu.json litmus\n"
    "  ptxmc run --format json -o runs.jsonl litmus/classic\n"
    "  ptxmc run --campaign litmus --time 1h --shard 2/4\n"
    "  ptxmc run --emit-ptx test.litmus > kernel.ptx\n";

constexpr const char* kStressKeys =
    "\nKeys of --stress, what they take, and their defaults, which `off` stands for:\n";
constexpr double kTuneSeconds = 60;

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

/// For tests on several GPUs, and with host threads.
void add_system_options(App& app, gpu::RunOptions& run) {
  app.add_option_function<std::string>(
         "--home",
         [&run](const std::string& text) {
           run.harness.home.reset();
           if (text != "spread") run.harness.home = static_cast<unsigned>(std::stoul(text));
         },
         "of a test on several GPUs: the GPU whose memory has the variables, 0 the first, or `spread` over "
         "all of them; default spread")
      ->check(CLI::Validator(home_of_variables, ""))
      ->option_text("N|spread");
  app.add_option("--batch", run.batch, "instances that a test with host threads plays at once; default 1024")
      ->check(whole_number(1, 65536, 256))
      ->option_text("N");
}

void add_tuning_options(App& app, GpuOptions& o) {
  app.add_option_function<std::string>(
         "--stress",
         [&o](const std::string& text) {
           try {
             o.given.stress = gpu::parse_stress(text);
           } catch (const gpu::StressError& error) {
             throw CLI::ValidationError("--stress", error.what());
           }
         },
         "what makes weak behaviour likelier, KEY=VALUE,... or off; the keys are listed below; default as "
         "tuned for the GPU, where ptxmc has that")
      ->option_text("LIST");
  app.add_option("--parameters", o.parameters,
                 "instances, stride and stress from a file of --tune, where the command line has none")
      ->option_text("FILE");
  app.add_flag(
      "--tune", o.tune,
      "search --time S (60) for instances, stride and stress that show the conditions' outcomes most "
      "often, each test for itself and all together, and save them");
  app.add_option_function<std::string>(
         "--objective", [&o](const std::string& name) { o.rare = name == "rare"; },
         "of --tune: outcomes that satisfy the condition, or the outcome that the first trial saw least "
         "often; default weak")
      ->check(one_of({"weak", "rare"}))
      ->option_text("weak|rare");
  app.add_option("--trial", o.trial_seconds, "GPU time of a trial of --tune; default 0.02")
      ->check(seconds())
      ->option_text("S");
  app.add_option("--save", o.save, "file that --tune writes; default ptxmc-NAME-OF-THE-GPU.json")
      ->option_text("FILE");
  app.add_flag("--limit", o.limit,
               "run no test: measure in --time S (1) how many accesses to memory a second the GPU can "
               "do");
}

void add_gpu_options(App& app, GpuOptions& o) {
  gpu::HarnessOptions& harness = o.run.harness;
  const auto given = [](std::optional<unsigned>& member) {
    return [&member](const unsigned& value) { member = value; };
  };
  app.add_option_function<std::string>(
         "-t,--time",
         [&o](const std::string& text) {
           o.campaign.seconds = parse_duration(text);
           o.run.seconds = o.campaign.seconds.value_or(o.run.seconds);
         },
         "run each test for about T of GPU time; default 1s. A campaign takes T as a whole; default 5m")
      ->check(CLI::Validator(duration_error, ""))
      ->option_text("T");
  const auto number = [](CLI::Option* option, CLI::Validator check) {
    option->check(std::move(check))->option_text("N");
  };
  number(app.add_option("-n,--size", o.run.instances, "or until N instances ran"),
         whole_number(1, kAnyCount, 1000000));
  number(app.add_option("--seed", o.run.seed, "of all that is drawn; default 1"),
         whole_number(0, kAnyCount, 7));
  number(app.add_option("--device", o.device, "number of the GPU; default 0"), whole_number(0, 1024, 1));
  app.add_option_function<unsigned>(
         "--instances", given(o.given.instances),
         "instances that a CTA plays at once, a power of two; default 128, or as tuned for the GPU")
      ->check(whole_number(32, 1024, 64))
      ->check(CLI::Validator(power_of_two, ""))
      ->option_text("N");
  app.add_option_function<unsigned>(
         "--stride", given(o.given.stride),
         "bytes from a variable to the next instance's, a power of two; default 16, or as tuned for the GPU")
      ->check(whole_number(1, 4096, 16))
      ->check(CLI::Validator(power_of_two, ""))
      ->option_text("N");
  app.add_option("--fuel", harness.fuel,
                 "how often a thread may jump backwards before its instance counts as hung; default 4096")
      ->check(whole_number(1, 1 << 30, 4096))
      ->option_text("N");
  app.add_option(
         "--patience", o.run.patience,
         "seconds that a launch may take, of some 0.1 s as a rule, before its test counts as hung; the "
         "driver may compile for 24 times as long; default 5")
      ->check(seconds())
      ->option_text("S");
  app.add_option("--ctas", o.run.ctas, "CTAs of a launch at most; default as many as the GPU holds at once")
      ->check(whole_number(1, 1 << 30, 64))
      ->option_text("N");
  add_system_options(app, o.run);
  add_tuning_options(app, o);
  add_launch_options(app, o.launched);
  app.add_flag("--emit-ptx", o.emit_ptx, "print the kernel, and run nothing; needs no GPU");
  app.add_option_function<std::string>(
         "-f,--format", [&o](const std::string& name) { o.json = name == "json"; },
         "the herd family's histogram, or a JSON object a line; default text")
      ->check(one_of({"text", "json"}))
      ->option_text("text|json");
  app.add_option("-o,--output", o.output, "write the logs there")->option_text("FILE");
  app.add_flag("-q,--quiet", o.quiet, "no summary, and no word about tests of a folder that cannot run");
  app.add_option("FILE", o.files, "tests")->option_text("...");
}

/// What an option means depends on others. Throws CLI::ParseError.
void complete(const App& app, GpuOptions& o) {
  if (o.tune && app.count("--time") == 0) o.run.seconds = kTuneSeconds;
  if (o.files.empty() && !o.limit && app.count("--costs") == 0 && !o.campaign.wanted())
    throw CLI::RequiredError("FILE");
  const auto exclude = [&](const char* one, std::initializer_list<const char*> others) {
    for (const char* other : others) {
      if (app.count(one) != 0 && app.count(other) != 0) throw CLI::ExcludesError(one, other);
    }
  };
  exclude("--tune", {"--campaign", "--emit-ptx", "--limit", "--size", "--output", "--format"});
  exclude("--campaign", {"--size", "--emit-ptx", "--format"});
  exclude("--costs",
          {"--campaign", "--tune", "--limit", "FILE", "--emit-ptx", "--stress", "--parameters", "--format"});
  exclude("--limit", {"--campaign", "FILE", "--emit-ptx", "--stress", "--parameters"});
  for (const char* one : {"--save", "--objective", "--trial"}) {
    if (app.count(one) != 0 && !o.tune) throw CLI::RequiresError(one, "--tune");
  }
}

}  // namespace

Status run_verb(const Arguments& arguments, Streams& streams) {
  App app("Runs litmus tests on a GPU, through the CUDA driver, and prints what was observed.", "ptxmc run");
  app.footer(std::string(kRunFooter) + kStressKeys + gpu::stress_help());
  GpuOptions options;
  add_gpu_options(app, options);
  add_campaign_options(app, options);
  bool costs = false;
  app.add_flag(
      "--costs", costs,
      "run no test: measure in --time S (1) what instructions of synchronization cost, as a table for "
      "`ptxmc repair --costs`");
  app.parse_complete_callback([&] { complete(app, options); });
  return parse_and_run(app, arguments, streams, [&] {
    return options.tune    ? tune_files(options, streams)
           : options.limit ? show_limit(options, streams)
           : costs         ? show_costs(options, streams)
                           : run_files(options, streams);
  });
}

namespace {

constexpr const char* kCompareFooter =
    "With --log: every observed state must be allowed. A state that is forbidden but observed is a "
    "violation, and "
    "is\nexplained. With --against: the two models must allow the same states. Tests are found in the logs "
    "by "
    "name and\nhash; counts of several logs add up.\n"
    "With --merge: counts per state, instances and seconds add up, devices are listed. A test that two logs "
    "know "
    "by one\nname and different hashes is an error.\n"
    "\n"
    "Exit status, the first that applies: 4 engines disagree, or an internal error; 2 usage or input error;\n"
    "1 a forbidden state was observed, or the models differ; 3 an observed state is not known to be allowed; "
    "else "
    "0.\n"
    "\n"
    "Example:\n"
    "  ptxmc run -o gpu.log litmus/classic; ptxmc compare --log gpu.log litmus/classic\n"
    "  ptxmc compare --model ptx-9.4 --against ptx-6.0 --quiet litmus/classic\n"
    "  ptxmc compare --merge -o all.jsonl node-*.jsonl; ptxmc compare --log all.jsonl litmus\n";

}  // namespace

Status compare_verb(const Arguments& arguments, Streams& streams) {
  App app("Sets what the model allows beside what was observed, or beside another model.", "ptxmc compare");
  app.footer(kCompareFooter);
  CompareOptions options;
  options.check.verb = "compare";
  add_options(
      app, options.check,
      {"--model", "--reading", "--engine", "--unroll", "--unbounded", "--timeout", "--memory", "--output"});
  app.add_option("-l,--log", options.logs,
                 "log of `ptxmc run`, text or JSON, or of the herd family; repeatable")
      ->allow_extra_args(false)
      ->option_text("FILE");
  CLI::Option* against =
      app.add_option("-a,--against", options.against, "the other model")->option_text("NAME|FILE.cat");
  app.add_flag("--merge", options.merge,
               "compare nothing: the files are logs, of several machines, shards or runs; make one of them")
      ->excludes(against);
  app.add_option_function<std::string>(
         "-f,--format",
         [&options](const std::string& name) {
           options.check.format = name == "html"   ? Format::html
                                  : name == "json" ? Format::json
                                                   : Format::text;
           options.merged_format = options.check.format;
         },
         "text, a page with a heat table, or a JSON object a line; default text. With --merge: the herd "
         "family's histograms, or a JSON object a line; default json")
      ->check(one_of({"text", "html", "json"}))
      ->option_text("text|html|json");
  app.add_flag("-q,--quiet", options.check.quiet, "show the tests that differ, and the summary");
  return parse_and_run(app, arguments, streams, [&] {
    const std::string_view wrong =
        options.merge && options.merged_format == Format::html ? "html excludes --merge" : "";
    if (wrong.empty()) return compare_files(options, streams);
    streams.err << fmt::format("ptxmc: error: --format: {}\nTry `ptxmc compare --help`.\n", wrong);
    return Status::input;
  });
}

}  // namespace ptxmc::cli
