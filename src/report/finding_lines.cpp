// SPDX-License-Identifier: Apache-2.0
#include "report/finding_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "explain/verify/findings.h"
#include "explain/words/spellings.h"
#include "finding/manual.h"
#include "report/element_names.h"

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
    choose();
  }

  FindingLines run() {
    if (!of_.places.empty()) out_.at = place_text(0);
    out_.title = title();
    out_.times = explain::times_of(of_);
    out_.rule = rule();
    excerpts();
    for (const explain::End& end : of_.ends)
      fact(end.label, fmt::format("{}: {}", line_of(end.place), end.place.text));
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

  /// "tile[1][0] (4 bytes at tile+68)" if a source declares the array; else as the run names it.
  std::string bytes_of(const explain::Pair& pair) const {
    const std::string plain =
        fmt::format("{} at {}+{}", explain::plural(pair.size, "byte"), pair.object, pair.offset);
    if (pair.object.empty() || !pair.bytes.starts_with(plain)) return pair.bytes;
    for (const std::size_t place : {pair.first, pair.second}) {
      const Line& line = lines_.at(place);
      if (!line.compiled) continue;
      // The kernel declares it, as a rule, and the outermost frame is in the kernel.
      const Origin& origin = of_.places[place].origin;
      const SourceFrame& kernel = origin.frames.back();
      const std::uint32_t before = kernel.path == origin.shown().path ? kernel.line : line.number;
      if (const auto name = element_name(line.source->text, before, pair.object, pair.offset, pair.size))
        return fmt::format("{} ({})", *name, plain);
    }
    return pair.bytes;
  }

  std::string title() const {
    std::string out = explain::title_of(of_);
    if (of_.pairs.empty() || of_.pairs.front().bytes.empty() || !out.ends_with(of_.pairs.front().bytes))
      return out;
    out.resize(out.size() - of_.pairs.front().bytes.size());
    return out + bytes_of(of_.pairs.front());
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
    if (!place.waits.empty()) {
      const char* waits = place.others ? "wait" : "waits";
      out += fmt::format("{}{} for {}", out.empty() ? "" : " ", waits, place.waits);
    }
    if (!place.iteration.empty()) out += ", " + place.iteration;
    if (const SourceFrame* wrapped = place.origin.wrapped(); wrapped != nullptr && lines_[number].compiled)
      out += fmt::format("{}asm at {}", out.empty() ? "" : ", ", wrapped->text());
    const std::string callers = lines_[number].compiled ? place.origin.callers() : "";
    return callers.empty() ? out : fmt::format("{}{}inlined at {}", out, out.empty() ? "" : ", ", callers);
  }

  /// The first pair, and of the others each line and access once: instructions that a compiler made of one statement say the same.
  void choose() {
    std::set<std::tuple<std::string, std::uint32_t, std::string>> known;
    const auto is_of_first_pair = [&](std::size_t place) {
      return !of_.pairs.empty() && (of_.pairs.front().first == place || of_.pairs.front().second == place);
    };
    const bool single = of_.pairs.empty();  // each place is told for itself
    const auto key_of = [&](std::size_t place) {
      return std::tuple(lines_[place].file(), lines_[place].number,
                        single ? who_does(place) : of_.places[place].access);
    };
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (is_of_first_pair(i)) known.insert(key_of(i));
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!known.insert(key_of(i)).second && !is_of_first_pair(i)) continue;
      if (shown_.size() == kMostPlaces) {
        ++out_.more_places;
      } else {
        shown_.push_back(i);
      }
    }
  }

  /// Each line once, with all that is executed in it.
  void excerpts() {
    std::set<std::size_t> done;
    std::string file;
    for (const std::size_t i : shown_) {
      if (done.contains(i) || !of_.places[i].position.known()) continue;
      const Line& line = lines_[i];
      const std::string here =
          line.compiled || !of_.places[i].origin.known() ? "" : of_.places[i].origin.text();
      Excerpt excerpt{where(line), "", line.number, line.text, line.source, {}};
      if (i == 0 ? !here.empty() : line.file() != file || !here.empty())
        excerpt.heading = here.empty() ? where(line) : fmt::format("{} ({})", where(line), here);
      file = line.file();
      for (const std::size_t k : shown_) {
        if (k < i || done.contains(k) || !lines_[k].is_same(line)) continue;
        done.insert(k);
        excerpt.carets.push_back(caret(k));
      }
      out_.excerpts.push_back(std::move(excerpt));
    }
  }

  Caret caret(std::size_t place) const {
    const Line& line = lines_[place];
    const std::size_t first = std::min(line.text.find_first_not_of(" \t"), line.text.size());
    const bool fits = line.column != 0 && line.column <= line.text.size();
    return {place, fits ? line.column : static_cast<std::uint32_t>(first + 1), who_does(place)};
  }

  /// Those after the first, which the places show; each pair of lines once, whichever of the two comes first.
  void pairs() {
    const auto place = [&](std::size_t number) {
      const std::string& access = of_.places.at(number).access;
      return access.empty() ? place_text(number) : fmt::format("{} at {}", access, place_text(number));
    };
    std::set<std::tuple<std::string, std::string, std::string>> known;
    std::size_t told = 0;
    for (std::size_t i = 0; i < of_.pairs.size(); ++i) {
      const explain::Pair& pair = of_.pairs[i];
      const std::string first = place(pair.first), second = place(pair.second);
      if (!known.emplace(std::min(first, second), std::max(first, second), pair.object).second || i == 0)
        continue;
      if (++told > kMostPairs) continue;
      fact("also",
           fmt::format("{} and {}{}{}", first, second, pair.bytes.empty() ? "" : ", ", bytes_of(pair)));
    }
    if (told > kMostPairs) fact("also", explain::plural(told - kMostPairs, "more pair"));
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
    std::set<std::string> known;
    for (const std::size_t i : shown_) {
      const explain::Place& place = of_.places[i];
      std::string at = where(in_text(place));
      if (lines_[i].compiled && known.insert(at).second)
        out_.instructions.push_back({std::move(at), place.text});
    }
  }

  void fact(std::string lead, std::string text) { out_.facts.push_back({std::move(lead), std::move(text)}); }

  const explain::Finding& of_;
  const Quoted& quoted_;
  std::vector<Line> lines_;         // of each place
  std::vector<std::size_t> shown_;  // of the places, at most kMostPlaces
  FindingLines out_;
};

}  // namespace

FindingLines lines_of(const explain::Finding& finding, const Quoted& quoted) {
  return Layout(finding, quoted).run();
}

}  // namespace ptxmc::report
