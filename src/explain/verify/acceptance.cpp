// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/acceptance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "explain/verify/findings.h"
#include "finding/rules.h"
#include "support/text.h"

namespace ptxmc::explain {

namespace {

/// Without spaces at its ends, and one blank for each run of them between.
std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

/// An instruction without the numbers of its registers, which change with any other line: "%r12" is "%r".
std::string without_registers(std::string_view text) {
  std::string out;
  bool in_register = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '%') in_register = true;
    if (in_register && std::isdigit(byte) != 0) continue;
    if (c != '%' && std::isalnum(byte) == 0) in_register = false;
    out += c;
  }
  return out;
}

/// A comment is no part of what a line does, and a waiver changes no fingerprint.
std::string_view without_comment(std::string_view line) {
  return line.substr(0, line.find("//"));
}

std::string line_text_of(const Place& place, SourceFiles& sources) {
  if (place.origin.known()) {
    const SourceFrame& frame = place.origin.shown();
    if (const SourcePtr source = sources.find(frame.path))
      return squeezed(without_comment(source->line(frame.line)));
  }
  return squeezed(without_registers(place.text));
}

/// A line that a place is of: of a source, or of the module.
struct LineOf {
  std::string file;
  std::uint32_t line = 0;
};

/// Decides for the findings of one run.
class Acceptor {
 public:
  Acceptor(claim::VerifyResult& verified, SourceFiles& sources, const Accepting& accepting)
      : verified_(verified), sources_(sources), accepting_(accepting) {
    if (verified.program == nullptr) return;
    if (verified.program->source != nullptr) read(verified.program->source);
    if (verified.program->origins == nullptr) return;
    for (const std::string& path : verified.program->origins->files()) {
      if (SourceFrame{path}.is_in_toolkit()) continue;
      if (const SourcePtr source = sources.find(path)) read(source);
    }
  }

  Accepted run() {
    verified_.accepted = {};
    std::map<std::string, std::size_t> seen;
    for (const Finding& finding : findings_of(verified_)) {
      const std::string fingerprint = fingerprint_of(verified_, finding, sources_);
      finding::Acceptance accepted = waived(finding);
      if (!accepted.accepted()) accepted = known(fingerprint, ++seen[fingerprint]);
      verified_.accepted.fingerprints.push_back(fingerprint);
      note(finding, accepted);
      verified_.accepted.findings.push_back(std::move(accepted));
    }
    return std::move(out_);
  }

 private:
  void read(const SourcePtr& source) {
    if (!files_.insert(source->name).second) return;
    finding::Waivers found = finding::waivers_in(source);
    std::move(found.warnings.begin(), found.warnings.end(), std::back_inserter(out_.warnings));
    for (finding::Waiver& waiver : found.all) {
      for (const std::string& rule : waiver.rules)
        out_.waivers.push_back({fmt::format("{}:{}", source->name, waiver.line), rule, false});
      waivers_.emplace_back(source->name, std::move(waiver));
    }
  }

  std::vector<LineOf> lines_of_finding(const Finding& finding) {
    std::vector<LineOf> out;
    for (const Place& place : finding.places) {
      if (place.position.known()) out.push_back({verified_.file(), place.position.line});
      for (const SourceFrame& frame : place.origin.frames) {
        if (const SourcePtr source = sources_.find(frame.path)) out.push_back({source->name, frame.line});
      }
    }
    return out;
  }

  /// By a comment, else by the configuration.
  finding::Acceptance waived(const Finding& finding) {
    for (const LineOf& line : lines_of_finding(finding)) {
      for (const auto& [file, waiver] : waivers_) {
        if (file != line.file || !waiver.covers(line.line, finding.name)) continue;
        const std::string place = fmt::format("{}:{}", file, waiver.line);
        for (WaiverUse& use : out_.waivers)
          use.used = use.used || (use.place == place && use.rule == finding.name);
        return {finding::AcceptedAs::waived, waiver.reason, place};
      }
    }
    for (const finding::WaivedRule& one : accepting_.rules) {
      if (one.rule == finding.name)
        return {finding::AcceptedAs::waived, one.reason, accepting_.configuration};
    }
    return {};
  }

  finding::Acceptance known(const std::string& fingerprint, std::size_t count) const {
    const auto at = accepting_.baseline.find(fingerprint);
    const bool is_known = accepting_.all_known || (at != accepting_.baseline.end() && count <= at->second);
    return is_known ? finding::Acceptance{finding::AcceptedAs::known, "", accepting_.baseline_file}
                    : finding::Acceptance{};
  }

  void note(const Finding& finding, const finding::Acceptance& accepted) {
    claim::AcceptedFindings& all = verified_.accepted;
    if (finding.severity == Severity::note) return;  // which no claim rests on
    if (accepted.accepted()) {
      all.any = true;
      // A fault or a hang ends a thread, or leaves an instruction out.
      all.stops = all.stops || (finding.severity == Severity::error && !finding.number);
      return;
    }
    if (finding.severity == Severity::error) all.every_error = false;
    if (finding.severity == Severity::warning) all.every_warning = false;
  }

  claim::VerifyResult& verified_;
  SourceFiles& sources_;
  const Accepting& accepting_;
  std::set<std::string> files_;
  std::vector<std::pair<std::string, finding::Waiver>> waivers_;  // with their files
  Accepted out_;
};

}  // namespace

std::string fingerprint_of(const claim::VerifyResult& verified, const Finding& finding,
                           SourceFiles& sources) {
  std::set<std::string> lines;
  for (const Place& place : finding.places) lines.insert(line_text_of(place, sources));
  std::string text = finding.name + "\n" + verified.name;
  for (const std::string& line : lines) text += "\n" + line;
  return fmt::format("{:016x}", hash_of_text(text));
}

Accepted accept(claim::VerifyResult& verified, SourceFiles& sources, const Accepting& accepting) {
  return Acceptor(verified, sources, accepting).run();
}

std::string accepted_text(const std::vector<Finding>& findings) {
  std::string out;
  for (const finding::AcceptedAs as : {finding::AcceptedAs::waived, finding::AcceptedAs::known}) {
    const auto count = std::count_if(findings.begin(), findings.end(),
                                     [&](const Finding& finding) { return finding.accepted.as == as; });
    if (count != 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, finding::name_of(as));
  }
  return out;
}

}  // namespace ptxmc::explain
