// SPDX-License-Identifier: Apache-2.0
// What the user asked for, as data. Defaults here are the program's defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "face/cli/shard.h"
#include "finding/selection.h"
#include "gpu/run/runner.h"
#include "input/launch/command_line.h"
#include "ptx/program/property.h"
#include "report/json/check.h"
#include "session/settings.h"

namespace ptxmc::cli {

enum class Format : std::uint8_t { text, json, dot, svg, html, sarif, junit };

/// Made of the lines of JSON of a whole run.
constexpr bool is_gathered(Format format) {
  return format == Format::sarif || format == Format::junit;
}
enum class Progress : std::uint8_t { auto_, on, off };
enum class Color : std::uint8_t { auto_, always, never };

/// What `repair` and `weaken` are told beside.
struct RepairOptions {
  std::string wanted;              ///< words of a verdict; empty: whatever is wrong is to go
  std::size_t changes = 3;         ///< of a repair, at most
  std::size_t repairs = 5;         ///< the cheapest; 0: all
  bool all_kinds = false;          ///< of changes, from the beginning on
  bool write = false;              ///< over the file
  std::optional<std::string> cta;  ///< of a launch: "auto", "all", or numbers; nothing: auto
  std::string costs;               ///< file of them; empty: those shipped
};

/// Everything else on the command line of `check`.
struct Options {
  std::string verb = "check";  ///< whose options they are
  std::string command;         ///< all of the command line, as a shell reads it
  session::Settings settings;
  program::Question question = program::Question::final_states;
  Format format = Format::text;
  finding::Selection selection;      ///< of findings
  std::vector<std::string> sources;  ///< folders in which what a module was compiled from is looked for
  std::string category;              ///< of SARIF results; empty: none
  report::Witnesses witnesses = report::Witnesses::first;
  std::vector<std::string> show;  ///< definitions to draw in DOT
  int depth = 3;                  ///< of `explain`: levels of why
  bool require_verdict = false;
  bool strict = false;    ///< warnings about a test's text are errors
  bool emit_ptx = false;  ///< print the test's module instead
  bool first = false;     ///< races: one finding will do
  unsigned jobs = 1;      ///< 0: one a core
  std::string output;     ///< file; empty: standard output
  Progress progress = Progress::auto_;
  Color color = Color::auto_;
  bool quiet = false;
  launch::Words launch;   ///< of the modules among the files
  std::string assertion;  ///< of their final states; empty: none
  bool list = false;      ///< say what they have to launch, and ask nothing
  RepairOptions repair;
  std::vector<std::string> files;
};

/// The command line of `compare`.
struct CompareOptions {
  Options check;
  std::vector<std::string> logs;        ///< of what was observed
  std::string against;                  ///< or the other model
  bool merge = false;                   ///< make one log of the logs and files instead
  std::optional<Format> merged_format;  ///< of that: text or json
};

/// Parameters of the harness that the command line names.
struct GivenParameters {
  std::optional<unsigned> instances, stride;
  std::optional<gpu::StressOptions> stress;
};

/// `run --campaign`.
struct CampaignOptions {
  std::string folder;             ///< of tests; empty: no campaign
  std::optional<double> seconds;  ///< of the whole campaign

  bool wanted() const { return !folder.empty(); }
};

/// The command line of `run`.
struct GpuOptions {
  gpu::RunOptions run;
  int device = 0;
  bool emit_ptx = false;
  bool json = false;
  bool quiet = false;
  std::string output;  ///< file; empty: standard output
  std::vector<std::string> files;
  Options launched;  ///< what it says of launches
  GivenParameters given;
  std::string parameters;       ///< file of them; empty: none
  bool tune = false;            ///< search for parameters instead
  bool rare = false;            ///< what is searched for: the outcome seen least, not the condition's
  double trial_seconds = 0.02;  ///< of a trial of the search
  std::string save;             ///< the file that the search writes; empty: named after the GPU
  bool limit = false;           ///< measure the GPU's memory instead
  CampaignOptions campaign;
  Shard shard;
  Progress progress = Progress::auto_;  ///< of a campaign
};

/// The command line of `conform`.
struct ConformOptions {
  GpuOptions gpu;                 ///< `output`: the file of the campaign; empty: ptxmc-conform.jsonl
  Options check;                  ///< the model, the format and the file of the certificate
  std::string suite;              ///< folder; empty: the installed one
  std::vector<std::string> logs;  ///< of campaigns: nothing is run then
  std::string from;               ///< a certificate: nothing is run or asked then; empty: none
  std::string against;            ///< another certificate; empty: none
  std::string html;               ///< file for the page; empty: none
};

}  // namespace ptxmc::cli
