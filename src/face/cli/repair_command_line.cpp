// SPDX-License-Identifier: Apache-2.0
// The command lines of `repair` and `weaken`.
#include "face/cli/numbers.h"
#include "face/cli/option_rows.h"
#include "face/cli/repair_verbs.h"

namespace ptxmc::cli {

namespace {

const Names kShared = {"--model",     "--reading",  "--engine", "--unroll",  "--all-turns", "--all-cells",
                       "--unbounded", "--timeout",  "--memory", "--recheck", "--strict",    "--jobs",
                       "--output",    "--progress", "--color",  "--quiet"};

const Names kOfRepair = {"--model",     "--reading",     "--engine",  "--unroll",   "--all-turns",
                         "--all-cells", "--unbounded",   "--timeout", "--memory",   "--recheck",
                         "--strict",    "--jobs",        "--output",  "--progress", "--color",
                         "--quiet",     "--entry",       "--grid",    "--block",    "--cluster",
                         "--shared",    "--cooperative", "--arg",     "--list"};

constexpr const char* kRepairFooter =
    "Looks for what is wrong with a test: its outcome is allowed (of `forall`: not required), it has a race, or a thread may\n"
    "wait forever. Makes instructions stronger and adds fences and waits. Where that is not enough, it tries barriers,\n"
    "waits for mbarrier objects, and moves. A repair is minimal: no part of it is enough. Each is proven by the engine of\n"
    "--engine, which checks the changed text. By default the cheapest are shown.\n"
    "\n"
    "FILE may be a .ptx module (--entry ... --arg describe the launch) or a .json file of launches. Then each finding of\n"
    "`verify` gets a patch of the module, after which verify finds it no more, and nothing new. --write writes the module\n"
    "with the cheapest of each.\n"
    "\n"
    "Exit status, the first that applies: 4 an internal error; 2 usage or input error; 1 there is no repair "
    "of so\n"
    "many changes; 3 that is unknown, or whether anything is wrong; 0 there is one, or nothing is wrong.\n"
    "\n"
    "Example:\n"
    "  ptxmc repair litmus/bugzoo/scan-missing-threadfence+buggy.litmus\n"
    "  ptxmc repair --want RaceFree --changes 2 --repairs 0 test.litmus\n"
    "  ptxmc repair --write test.litmus && ptxmc check --engine both test.litmus\n"
    "  ptxmc repair sum.ptx --entry block_sum --block 128 --arg buffer:512 --arg buffer:4 --arg 100\n";

constexpr const char* kWeakenFooter =
    "Keeps what holds of a test: its outcome is forbidden (of `forall`: required), it is free of races, no thread waits\n"
    "forever, its behaviour is defined. Relaxes instructions, narrows scopes, and leaves out fences, waits and barriers:\n"
    "first each by itself, then together, the most expensive first.\n"
    "\n"
    "Exit status, the first that applies: 4 an internal error; 2 usage or input error; 1 the behaviour is "
    "undefined, so that\n"
    "nothing holds; 3 something was left open; else 0.\n"
    "\n"
    "Example:\n"
    "  ptxmc weaken litmus/locks\n"
    "  ptxmc weaken --write test.litmus && ptxmc check --engine both test.litmus\n";

void add_repair_rows(App& app, RepairOptions& options) {
  app.add_option("--costs", options.costs,
                 "table of what instructions cost (`ptxmc run --costs` measures it)")
      ->option_text("FILE");
}

}  // namespace

Status repair_verb(const Arguments& arguments, Streams& streams) {
  App app("Finds the least changes after which an outcome, a race or a hang is gone.", "ptxmc repair");
  app.footer(kRepairFooter);
  Options options;
  options.verb = "repair";
  add_options(app, options, kOfRepair);
  say_files(app, "litmus tests, PTX modules (.ptx) or files of launches (.json)");
  add_text_or_json(app, options, "text and diffs");
  app.add_option("--cta", options.repair.cta,
                 "thread blocks of a launch that run, as for verify; default auto")
      ->option_text("auto|all|N,...");
  app.add_option(
         "--want", options.repair.wanted,
         "what the repaired test must be: Forbidden, Required, RaceFree, Terminates, or without the finding "
         "of this name; default: nothing is wrong with it")
      ->option_text("WORDS");
  app.add_option("--changes", options.repair.changes, "the most changes of a repair; default 3")
      ->check(whole_number(1, 8, 3))
      ->option_text("N");
  app.add_option("--repairs", options.repair.repairs, "show the N cheapest repairs; 0: all; default 5")
      ->check(whole_number(0, 1000, 5))
      ->option_text("N");
  app.add_flag("--all-kinds", options.repair.all_kinds,
               "try barriers, waits, moves and fence.sc at once, not only where nothing else is enough");
  app.add_flag("--write", options.repair.write, "write the cheapest repair over the file");
  add_repair_rows(app, options.repair);
  return parse_and_run(app, arguments, streams, [&] { return repair_files(options, streams); });
}

Status weaken_verb(const Arguments& arguments, Streams& streams) {
  App app("Finds what is stronger in a test than it must be.", "ptxmc weaken");
  app.footer(kWeakenFooter);
  Options options;
  options.verb = "weaken";
  add_options(app, options, kShared);
  add_text_or_json(app, options, "text and diffs");
  app.add_flag("--write", options.repair.write,
               "write the test over the file, with all relaxed that can be together");
  add_repair_rows(app, options.repair);
  return parse_and_run(app, arguments, streams, [&] { return weaken_files(options, streams); });
}

}  // namespace ptxmc::cli
