// SPDX-License-Identifier: Apache-2.0
// The command line of `conform`.
#include <map>
#include <string>

#include "face/cli/number_in.h"
#include "face/cli/numbers.h"
#include "face/cli/option_rows.h"

namespace ptxmc::cli {

namespace {

const std::map<std::string, Format> kCertificateFormats = {
    {"text", Format::text}, {"json", Format::json}, {"html", Format::html}};

constexpr const char* kConformFooter =
    "Runs the tests of the suite on the GPU at hand, as a campaign (`ptxmc help run`), and sets what the model allows beside\n"
    "what was observed. The certificate counts, for each axiom, section, scope, proxy and kind of asynchronous operation,\n"
    "the outcomes that are allowed and were seen, allowed and never seen, and FORBIDDEN and seen. It explains the last.\n"
    "\n"
    "The same command started again goes on where the file of --results ends. --shard deals the tests out to machines;\n"
    "`ptxmc conform --log FILE --log FILE` makes one certificate of their files. `ptxmc conform --from FILE.json` shows a\n"
    "certificate again, as text or as a page. What --against finds does not change the exit status.\n"
    "\n"
    "Exit status, the first that applies: 4 engines disagree, or an internal error; 2 usage or input error, no GPU;\n"
    "1 a forbidden outcome was observed; 3 an outcome is not known to be allowed, or tests hung, failed or have not begun;\n"
    "else 0. Tests that the GPU cannot run are counted and named, and are no error.\n"
    "\n"
    "Example:\n"
    "  ptxmc conform --time 10m -f json -o h200.json --html h200.html\n"
    "  ptxmc conform --from h200.json --against h100.json\n"
    "  ptxmc conform --shard 2/4 --time 5m\n"
    "  ptxmc conform --log ptxmc-conform-1-of-4.jsonl --log ptxmc-conform-2-of-4.jsonl\n";

void add_sources(App& app, ConformOptions& o) {
  app.add_option(
         "--suite", o.suite,
         "folder of the suite: tests, and the list of them, conformance.suite; default the installed one")
      ->option_text("DIR");
  app.add_option("-l,--log", o.logs,
                 "run nothing: certify what this file of a campaign or log of `ptxmc run` has; repeatable")
      ->allow_extra_args(false)
      ->option_text("FILE");
  app.add_option("--from", o.from, "run nothing: take this certificate")->option_text("FILE.json");
  app.add_option("-a,--against", o.against,
                 "say what differs from this certificate, of another GPU or driver")
      ->option_text("FILE.json");
}

void add_campaign(App& app, ConformOptions& o) {
  add_campaign_time(app, o.gpu.campaign, "time for the whole suite, compiling included; default 10m");
  app.add_option("--results", o.gpu.output,
                 "file of the campaign; default ptxmc-conform.jsonl, of a shard ptxmc-conform-I-of-N.jsonl")
      ->option_text("FILE");
  add_shard_option(app, o.gpu.shard,
                   "take the I-th of N shares of the tests, dealt out by a hash of their names");
  app.add_option("--device", o.gpu.device, "number of the GPU; default 0")
      ->check(whole_number(0, 1024, 1))
      ->option_text("N");
  app.add_option("--seed", o.gpu.run.seed, "of all that is drawn; default 1")
      ->check(whole_number(0, kAnyCount, 7))
      ->option_text("N");
  app.add_option("--patience", o.gpu.run.patience,
                 "seconds that a launch may take before its test counts as hung; default 5")
      ->check(seconds())
      ->option_text("S");
  add_progress_option(app, o.gpu.progress);
}

}  // namespace

Status conform_verb(const Arguments& arguments, Streams& streams) {
  App app("Runs a suite of tests on a GPU, and certifies what it showed beside the memory model.",
          "ptxmc conform");
  app.footer(kConformFooter);
  ConformOptions options;
  options.check.verb = "conform";
  add_sources(app, options);
  add_campaign(app, options);
  add_settings(app, options.check, {"--model", "--reading", "--engine", "--timeout", "--memory", "--output"});
  app.add_option("--html", options.html, "write the certificate there as a page, too")->option_text("FILE");
  const OptionRow format = {"-f,--format", "text|json|html", "text, a JSON object, or a page; default text",
                            nullptr};
  choice(app, format, options.check.format, kCertificateFormats)
      ->type_name(format.value)
      ->option_text(format.value);
  app.add_flag("-q,--quiet", options.gpu.quiet, "no tables, and no word about tests that cannot run");
  app.parse_complete_callback([&] {
    if (app.count("--model") == 0) options.check.settings.model.clear();
    const auto exclude = [&](const char* one, std::initializer_list<const char*> others) {
      for (const char* other : others) {
        if (app.count(one) != 0 && app.count(other) != 0) throw CLI::ExcludesError(one, other);
      }
    };
    exclude("--from", {"--log", "--time", "--suite", "--results", "--shard", "--model", "--reading"});
    exclude("--log", {"--time", "--results", "--device", "--seed"});
  });
  return parse_and_run(app, arguments, streams, [&] { return conform(options, streams); });
}

}  // namespace ptxmc::cli
