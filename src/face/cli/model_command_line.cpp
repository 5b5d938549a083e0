// SPDX-License-Identifier: Apache-2.0
// The command line of `model`.
#include "face/cli/model_diff_verb.h"
#include "face/cli/option_rows.h"
#include "model/models.h"

namespace ptxmc::cli {

namespace {

constexpr const char* kModelDiffFooter =
    "A and B are profiles or cat files, with readings after commas (ptx-9.4,red=acquire), or readings alone, "
    "of the "
    "default profile.\n"
    "Tests are of loads, stores, atomics, reductions and fences of global memory, up to symmetry; those of "
    "the smallest "
    "size that has\n"
    "some are shown, with what each model says by both engines. With FILEs the tests are those there, and races "
    "and hangs\n"
    "count. The smallest one that differs is shown, without what the difference does not need. Two editions of one text "
    "differ\n"
    "in readings: a test is shown for each of these. --timeout and "
    "--memory\n"
    "bound all that is asked, together.\n"
    "\n"
    "Exit status, the first that applies: 4 engines disagree, or an internal error; 2 usage or input error; "
    "3 unknown; "
    "else 0.\n"
    "\n"
    "Example:\n"
    "  ptxmc model diff ptx-6.0 ptx-7.5\n"
    "  ptxmc model diff ptx-9.1 ptx-9.4\n"
    "  ptxmc model diff ptx-9.4 red=acquire --events 5 --folder differences\n"
    "  ptxmc model diff ptx-9.4 test-wait=may-fail litmus/mbarrier\n";

}  // namespace

Status model_verb(const Arguments& arguments, Streams& streams) {
  App app("Memory models: which there are, their texts, and what a text may name.", "ptxmc model");
  app.require_subcommand(1);
  app.footer(
      "Example:\n"
      "  ptxmc model show ptx-9.4 > mine.cat\n"
      "  ptxmc model check mine.cat && ptxmc check --model mine.cat test.litmus\n");
  std::string profile(model::kDefaultProfile);
  std::vector<std::string> files;
  Options common;
  common.verb = "model";
  App* list = app.add_subcommand("list", "the built-in models")->footer("Example:\n  ptxmc model list\n");
  App* show = app.add_subcommand("show", "the text of a built-in model")
                  ->footer("Example:\n  ptxmc model show ptx-9.4\n");
  show->add_option("NAME", profile, "profile or file name; default ptx-9.4");
  App* check = app.add_subcommand("check", "read models and say what is wrong with them")
                   ->footer("Example:\n  ptxmc model check mine.cat\n");
  check->add_option("FILE", files, "cat files or profiles")->required();
  App* base = app.add_subcommand("base", "the base sets and relations that a model may name")
                  ->footer("Example:\n  ptxmc model base\n");
  App* readings =
      app.add_subcommand("readings", "what the manual leaves open, and how it may be read")
          ->footer("Example:\n  ptxmc model readings\n  ptxmc --reading fence-sc=only-sc test.litmus\n");
  for (App* told : {list, check, base, readings}) add_text_or_json(*told, common, "text");
  ModelDiffOptions difference;
  difference.common.verb = "model";
  App* diff = app.add_subcommand("diff", "the smallest tests that two models judge differently")
                  ->footer(kModelDiffFooter);
  add_settings(*diff, difference.common, {"--timeout", "--memory", "--jobs", "--output"});
  add_text_or_json(*diff, difference.common, "the tests");
  add_size_options(*diff, difference.events, difference.alphabet);
  diff->add_flag("--first", difference.first, "one test will do");
  add_file_options(*diff, difference.prefix, difference.folder);
  diff->add_option("A", difference.first_model, "a profile, a cat file, or NAME=VALUE,...")->required();
  diff->add_option("B", difference.second_model, "the same")->required();
  diff->add_option("FILE", difference.files, "tests to compare the models by, and folders of them");
  return parse_and_run(app, arguments, streams, [&] {
    if (diff->parsed()) return model_diff(difference, streams);
    if (readings->parsed()) return model_readings(common, streams);
    if (list->parsed()) return model_list(common, streams);
    if (show->parsed()) return model_show(profile, streams);
    if (check->parsed()) return model_check(common, files, streams);
    if (base->parsed()) return model_base(common, streams);
    return Status::input;
  });
}

}  // namespace ptxmc::cli
