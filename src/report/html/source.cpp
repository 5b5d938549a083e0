// SPDX-License-Identifier: Apache-2.0
#include "report/html/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "explain/words/events.h"
#include "report/escaped.h"

namespace ptxmc::report {

namespace {

/// Instructions of a line: where each begins, and its events.
using Instructions = std::map<std::uint32_t, std::vector<event::EventId>>;

std::map<std::uint32_t, Instructions> instructions_of(const event::ProgramGraph& graph) {
  std::map<std::uint32_t, Instructions> out;
  for (event::EventId e = 0; e < graph.size(); ++e) {
    const Position at = graph.events[e].position;
    if (graph.events[e].thread != event::kNoThread && at.known() && explain::is_shown(graph, e))
      out[at.line][at.column].push_back(e);
  }
  return out;
}

/// A line whose instructions are linked with their events. An instruction ends where its column, or it, does.
std::string linked(std::string_view line, const Instructions& instructions) {
  std::string out;
  std::size_t done = 0;
  for (const auto& [column, events] : instructions) {
    const std::size_t begin = column - 1;
    if (begin < done || begin >= line.size()) continue;
    std::size_t end = std::min(line.find_first_of("|;", begin), line.size());
    while (end > begin && line[end - 1] == ' ') --end;
    out += escaped(std::string(line.substr(done, begin - done)));
    out += fmt::format("<span data-e=\"{}\">{}</span>", fmt::join(events, " "),
                       escaped(std::string(line.substr(begin, end - begin))));
    done = end;
  }
  return out + escaped(std::string(line.substr(done)));
}

}  // namespace

std::string source_html(const litmus::Test& test, const std::string& file, const event::ProgramGraph& graph,
                        const std::set<std::uint32_t>& marked) {
  if (!test.source) return "";
  const std::map<std::uint32_t, Instructions> instructions = instructions_of(graph);
  std::string out = "<div class=\"card source\"><h2>" + escaped(file) + "</h2>\n<pre>";
  const std::string_view text = test.source->text;
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const auto on_line = instructions.find(++number);
    const std::string line =
        linked(text.substr(at, end - at), on_line == instructions.end() ? Instructions{} : on_line->second);
    const bool hit = marked.contains(number);
    out += fmt::format("<span class=\"n\">{:3}  </span>{}{}{}\n", number, hit ? "<span class=\"hit\">" : "",
                       line, hit ? "</span>" : "");
    at = end + 1;
  }
  return out + "</pre></div>\n";
}

std::string listing_html(const Source& file, const std::map<std::uint32_t, std::string>& hits) {
  constexpr std::uint32_t kMostLines = 5000, kBefore = 500;
  const std::uint32_t first =
      hits.empty() || hits.begin()->first <= kBefore ? 1 : hits.begin()->first - kBefore;
  std::string out = fmt::format("<details class=\"card source\"><summary>{}: all of it</summary>\n<pre>",
                                escaped(file.name));
  const std::string_view text = file.text;
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < text.size() && number + 1 < first + kMostLines;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    ++number;
    const auto hit = hits.find(number);
    if (number >= first) {
      const std::string line = escaped(std::string(text.substr(at, end - at)));
      out += hit == hits.end()
                 ? fmt::format("<span class=\"n\">{:5}  </span>{}\n", number, line)
                 : fmt::format("<span class=\"n\">{:5}  </span><span class=\"hit\">{}</span>  <b>{}</b>\n",
                               number, line, escaped(hit->second));
    }
    at = end + 1;
  }
  return out + "</pre></details>\n";
}

}  // namespace ptxmc::report
