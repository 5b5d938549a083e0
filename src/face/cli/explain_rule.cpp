// SPDX-License-Identifier: Apache-2.0
#include "face/cli/explain_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "face/cli/help_format.h"
#include "finding/manual.h"
#include "finding/pages.h"
#include "report/json/line.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

using finding::Rule;

/// Paragraphs refilled, blocks of code indented, headings without their marks.
std::string plain(std::string_view markdown) {
  std::istringstream lines{std::string(markdown)};
  std::string out, paragraph, line;
  bool code = false, console = false;
  const auto flush = [&] {
    if (!paragraph.empty()) out += wrapped(paragraph, 0, 0) + "\n";
    paragraph.clear();
  };
  while (std::getline(lines, line)) {
    if (line.starts_with("```")) {
      code = !code;
      console = line == "```console";
    } else if (code) {
      out += fmt::format("{}{}\n", line.empty() ? "" : console ? "  " : "    ", line);
    } else if (line.starts_with("## ")) {
      out += line.substr(3) + ":\n";
    } else if (!line.empty()) {
      paragraph += line + ' ';
    } else {
      flush();
      out += '\n';
    }
  }
  flush();
  return out;
}

/// Without the heading: the table says what the rule is called.
std::string_view body_of(const Rule& rule) {
  std::string_view page = finding::page_of(rule.id);
  page.remove_prefix(std::min(page.find("\n\n") + 2, page.size()));
  return page;
}

std::string former_of(const Rule& rule) {
  for (const finding::FormerName& row : finding::former_names()) {
    if (row.id == rule.id) return std::string(row.former);
  }
  return {};
}

/// What holds of all rules of one kind.
std::string waiver(const Rule& rule) {
  if (rule.kind == finding::Kind::answer) return {};
  std::string out =
      fmt::format("`--ignore {}` hides the finding; the result then covers the other rules only.", rule.name);
  if (rule.severity == Severity::warning) out += " `--strict` makes it an error.";
  return "\n" + wrapped(out, 0, 0) + "\n";
}

bool is_file(const std::string& word) {
  std::error_code ignored;
  return word.find_first_of("-@./") == 0 || std::filesystem::exists(word, ignored);
}

bool is_json(const Options& options) {
  if (options.format != Format::text && options.format != Format::json)
    refuse("explain: rules have --format text and json");
  return options.format == Format::json;
}

/// A word that is no file, and nearly a rule.
void refuse_misspelt_rule(const std::string& word) {
  if (is_file(word) || word.find_first_of("./") != std::string::npos) return;
  if (const auto near = finding::nearest_rule(word))
    refuse(fmt::format("there is no file and no rule `{}`; did you mean `ptxmc explain {}`?", word, *near));
}

/// What the table of rules and the rule's page say, in lines of at most 100 columns.
std::string rule_text(const Rule& rule) {
  std::string out =
      fmt::format("{}: {}{}\n\n", rule.name, name_of(rule.severity),
                  rule.section.empty() ? "" : fmt::format(" [{}]", finding::citation(rule.section)));
  out += "  " + wrapped(rule.summary, 2, 2) + "\n";
  out += "  " + wrapped(fmt::format("fix: {}", rule.fix), 2, 2) + "\n\n";
  if (rule.undefined)
    out += "The program is undefined where this happens: no other answer about such an execution holds.\n\n";
  out += plain(body_of(rule)) + waiver(rule);
  if (const std::string former = former_of(rule); !former.empty())
    out += fmt::format("Earlier versions called it `{}`.\n", former);
  return out;
}

/// The same as a JSON object in a line.
std::string rule_json(const Rule& rule) {
  nlohmann::ordered_json out = report::json_head("explain");
  out["rule"] = rule.name;
  out["severity"] = name_of(rule.severity);
  out["undefined"] = rule.undefined;
  if (!rule.section.empty()) out["section"] = rule.section;
  out["summary"] = rule.summary;
  out["fix"] = rule.fix;
  if (const std::string former = former_of(rule); !former.empty()) out["former"] = former;
  out["page"] = finding::page_of(rule.id);
  return report::json_text(out);
}

}  // namespace

Status list_rules(const Options& options, Streams& streams) {
  const bool json = is_json(options);
  for (const Rule& rule : finding::rules()) {
    const std::string head = fmt::format("{:<27} {:<8} ", rule.name, name_of(rule.severity));
    streams.out << (json ? rule_json(rule)
                         : fmt::format("{}{}\n", head, wrapped(rule.summary, head.size(), head.size())));
  }
  if (!json) streams.out << "\n`ptxmc explain RULE` tells more about one.\n";
  return Status::ok;
}

std::optional<Status> explain_rules(const Options& options, Streams& streams) {
  std::vector<const Rule*> rules;
  for (const std::string& word : options.files) {
    const Rule* rule = is_file(word) ? nullptr : finding::find_rule(word);
    if (rule != nullptr)
      rules.push_back(rule);
    else
      refuse_misspelt_rule(word);
  }
  if (rules.empty()) return std::nullopt;
  if (rules.size() != options.files.size()) refuse("explain: give names of rules or files, not both");
  const bool json = is_json(options);
  for (const Rule* rule : rules) {
    if (rule != rules.front() && !json) streams.out << "\n";
    streams.out << (json ? rule_json(*rule) : rule_text(*rule));
  }
  return Status::ok;
}

}  // namespace ptxmc::cli
