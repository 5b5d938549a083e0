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
    "What is wrong with a test, and is to go: its outcome is allowed (of `forall`: not required), it has a "
    "race, or\n"
    "a thread may wait forever. Instructions are made stronger, fences and waits put in; where that does "
    "not do,\n"
    "barriers, waits for mbarrier objects and moves are tried, too. No part of a repair would do. Each is "
    "proven: what\n"
    "the changed text says is checked by the engine of --engine. By default the cheapest are shown.\n"
    "\n"
    "FILE may be a .ptx module (--entry ... --arg say what is launched) or a .json file of launches: what "
    "`verify` finds is\n"
    "to go, one finding after the other. A patch of the module is shown if verify then finds it no "
    "more, and\n"
    "nothing new. --write writes the module with the cheapest of each.\n"
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
    "What holds of a test, and is kept: its outcome is forbidden (of `forall`: required), it is free of "
    "races, no thread\n"
    "waits forever, its behaviour is defined. Instructions are relaxed, their scopes narrowed, fences, "
    "waits and\n"
    "barriers left out: first each by itself, then together, what saves most first.\n"
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
  add_text_or_json(app, options, "words and diffs");
  app.add_option("--cta", options.repair.cta, "of a launch, as for verify; default auto")
      ->option_text("auto|all|N,...");
  app.add_option("--want", options.repair.wanted,
                 "what is to hold, in words of a verdict: Forbidden, Required, RaceFree, Terminates, or the "
                 "name of a "
                 "finding that is to go; default: all that is wrong is to go")
      ->option_text("WORDS");
  app.add_option("--changes", options.repair.changes, "of a repair, at most; default 3")
      ->check(whole_number(1, 8, 3))
      ->option_text("N");
  app.add_option("--repairs", options.repair.repairs, "how many are shown, the cheapest; 0: all; default 5")
      ->check(whole_number(0, 1000, 5))
      ->option_text("N");
  app.add_flag("--all-kinds", options.repair.all_kinds,
               "try barriers, waits, moves and fence.sc from the beginning on, not where nothing else does");
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
  add_text_or_json(app, options, "words and diffs");
  app.add_flag("--write", options.repair.write,
               "write the test with all that can be relaxed together over the file");
  add_repair_rows(app, options.repair);
  return parse_and_run(app, arguments, streams, [&] { return weaken_files(options, streams); });
}

}  // namespace ptxmc::cli
