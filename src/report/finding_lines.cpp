// SPDX-License-Identifier: Apache-2.0
#include "report/finding_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "explain/verify/findings.h"
#include "explain/words/spellings.h"
#include "finding/manual.h"

namespace ptxmc::report {

namespace {

constexpr std::size_t kMostPairs = 4;

/// A line of a file.
struct Line {
  SourcePtr source;
  std::uint32_t number = 0, column = 0;
  std::string text;       ///< empty: it is not known
  bool compiled = false;  ///< of what the module was compiled from

  std::string file() const { return source == nullptr ? "" : source->name; }
  bool is_same(const Line& other) const { return file() == other.file() && number == other.number; }
};

class Layout {
 public:
  Layout(const explain::Finding& finding, const Quoted& quoted) : of_(finding), quoted_(quoted) {
    for (const explain::Place& place : of_.places) lines_.push_back(line_in(place));
  }

  FindingLines run() {
    if (!of_.places.empty()) out_.at = place_text(0);
    out_.title = explain::title_of(of_);
    out_.times = explain::times_of(of_);
    out_.rule = rule();
    excerpts();
    for (const auto& [what, place] : of_.ends) fact(what, fmt::format("{}: {}", line_of(place), place.text));
    pairs();
    reasons();
    if (of_.consequence_of != 0) fact("follows from", of_.follows_from);
    if (!of_.condition.empty()) fact("", of_.condition);
    for (const std::string& advice : of_.advice) fact("fix", advice);
    calls();
    if (of_.exact) exact(*of_.exact);
    accepted();
    instructions();
    return std::move(out_);
  }

 private:
  /// What is written in a kernel for the instructions that the fixes name.
  void calls() {
    const bool in_kernel = std::any_of(of_.places.begin(), of_.places.end(), [](const explain::Place& place) {
      return place.in_launch.has_value();
    });
    if (!in_kernel) return;
    const explain::Calls calls = explain::calls_for(of_.advice);
    if (!calls.cuda.empty()) fact("CUDA", fmt::format("{}", fmt::join(calls.cuda, "; ")));
    if (!calls.cutlass.empty()) fact("CUTLASS", fmt::format("{}", fmt::join(calls.cutlass, "; ")));
  }

  static std::string where(const Line& line) {
    return line.source == nullptr ? fmt::format("line {}", line.number)
                                  : fmt::format("{}:{}", line.file(), line.number);
  }

  Line in_text(const explain::Place& place) const {
    Line out{quoted_.text, place.position.line, place.position.column, "", false};
    if (quoted_.text != nullptr) out.text = quoted_.text->line(out.number);
    return out;
  }

  Line line_in(const explain::Place& place) const {
    if (place.origin.known()) {
      const SourceFrame& frame = place.origin.shown();
      const SourcePtr source = quoted_.compiled.find(frame.path);
      if (source != nullptr && !source->line(frame.line).empty())
        return {source, frame.line, frame.column, std::string(source->line(frame.line)), true};
    }
    return in_text(place);
  }

  /// Where a place is; names the source also if its text is not found.
  std::string place_text(std::size_t place) const {
    const explain::Place& at = of_.places.at(place);
    const bool unread = at.origin.known() && !lines_[place].compiled;
    return unread ? at.origin.shown().text() : where(lines_[place]);
  }

  /// The rule; the flags of a user's model whose roles say that they stand for it.
  std::string rule() const {
    const bool own = std::find(of_.flags.begin(), of_.flags.end(), of_.name) == of_.flags.end();
    return own && !of_.flags.empty() ? fmt::format("{}: {}", of_.name, fmt::join(of_.flags, ", ")) : of_.name;
  }

  std::string who_does(std::size_t number) const {
    const explain::Place& place = of_.places[number];
    std::string out = place.access;
    if (!place.who.empty()) out += (out.empty() ? "" : " by ") + place.who;
    if (place.proxy != isa::Proxy::generic) out += fmt::format(", {} proxy", isa::name_of(place.proxy));
    if (!place.waits.empty()) out += fmt::format("{} for {}", out.empty() ? "waits" : ", waits", place.waits);
    if (!place.iteration.empty()) out += ", " + place.iteration;
    const std::string callers = lines_[number].compiled ? place.origin.callers() : "";
    return callers.empty() ? out : fmt::format("{}{}inlined at {}", out, out.empty() ? "" : ", ", callers);
  }

  /// Each line once, with all that is executed in it.
  void excerpts() {
    const std::size_t shown = std::min(of_.places.size(), kMostPlaces);
    std::vector<bool> done(shown);
    std::string file;
    for (std::size_t i = 0; i < shown; ++i) {
      if (done[i] || !of_.places[i].position.known()) continue;
      const Line& line = lines_[i];
      const std::string here =
          line.compiled || !of_.places[i].origin.known() ? "" : of_.places[i].origin.text();
      Excerpt excerpt{where(line), "", line.number, line.text, line.source, {}};
      if (i == 0 ? !here.empty() : line.file() != file || !here.empty())
        excerpt.heading = here.empty() ? where(line) : fmt::format("{} ({})", where(line), here);
      file = line.file();
      for (std::size_t k = i; k < shown; ++k) {
        if (done[k] || !lines_[k].is_same(line)) continue;
        done[k] = true;
        excerpt.carets.push_back(caret(k));
      }
      out_.excerpts.push_back(std::move(excerpt));
    }
    out_.more_places = of_.places.size() - shown;
  }

  Caret caret(std::size_t place) const {
    const Line& line = lines_[place];
    const std::size_t first = std::min(line.text.find_first_not_of(" \t"), line.text.size());
    const bool fits = line.column != 0 && line.column <= line.text.size();
    return {place, fits ? line.column : static_cast<std::uint32_t>(first + 1), who_does(place)};
  }

  /// Those after the first, which the places show.
  void pairs() {
    for (std::size_t i = 1; i < std::min(of_.pairs.size(), kMostPairs + 1); ++i) {
      const explain::Pair& pair = of_.pairs[i];
      const auto place = [&](std::size_t number) {
        const std::string& access = of_.places.at(number).access;
        return access.empty() ? place_text(number) : fmt::format("{} at {}", access, place_text(number));
      };
      fact("also", fmt::format("{} and {}{}{}", place(pair.first), place(pair.second),
                               pair.bytes.empty() ? "" : ", ", pair.bytes));
    }
    if (of_.pairs.size() > kMostPairs + 1)
      fact("also", explain::plural(of_.pairs.size() - kMostPairs - 1, "more pair"));
  }

  void exact(const claim::ExactAnswer& answer) {
    const std::string file = answer.file.empty() ? "" : fmt::format(" ({})", answer.file);
    if (!answer.races) return fact("not cross-checked", answer.why + file);
    constexpr const char* kBy = "by exhaustive check of the extracted litmus test";
    if (*answer.races) return fact("", fmt::format("confirmed {}{}", kBy, file));
    fact("", fmt::format("refuted {}{}: a bug in ptxmc, please report it", kBy, file));
  }

  /// Who says that it may stay.
  void accepted() {
    switch (of_.accepted.as) {
      case finding::AcceptedAs::waived:
        return fact("waived", fmt::format("{} ({})", of_.accepted.why, of_.accepted.where));
      case finding::AcceptedAs::known:
        return fact("known", fmt::format("it is in the baseline ({})", of_.accepted.where));
      case finding::AcceptedAs::nothing:
        return;
    }
  }

  /// Why, and the section of the manual.
  void reasons() {
    const std::string section = of_.section.empty() ? "" : finding::citation(of_.section);
    const std::vector<std::string> why = explain::why_of(of_);
    for (std::size_t i = 0; i < why.size(); ++i)
      fact("why",
           fmt::format("{}{}", why[i], i == 0 && !section.empty() ? fmt::format(" [{}]", section) : ""));
    if (why.empty() && !section.empty()) fact("see", section);
  }

  void instructions() {
    for (std::size_t i = 0; i < std::min(of_.places.size(), kMostPlaces); ++i) {
      const explain::Place& place = of_.places[i];
      if (lines_[i].compiled) out_.instructions.push_back({where(in_text(place)), place.text});
    }
  }

  void fact(std::string lead, std::string text) { out_.facts.push_back({std::move(lead), std::move(text)}); }

  const explain::Finding& of_;
  const Quoted& quoted_;
  std::vector<Line> lines_;  // of each place
  FindingLines out_;
};

}  // namespace

FindingLines lines_of(const explain::Finding& finding, const Quoted& quoted) {
  return Layout(finding, quoted).run();
}

}  // namespace ptxmc::report
