// SPDX-License-Identifier: Apache-2.0
#include "report/draw/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "explain/verify/findings.h"
#include "report/draw/legend.h"
#include "report/draw/marks.h"
#include "report/draw/svg.h"
#include "report/draw/timeline_style.h"
#include "report/escaped.h"

namespace ptxmc::report {

namespace {

constexpr int kLeastColumn = 22, kMostColumn = 56, kTimelineWide = 1100, kRoleRow = 44, kObjectRow = 28,
              kHead = 26;
constexpr std::size_t kMostRoles = 40, kMostObjects = 60;
constexpr int kDigit = 7;  // the width of one

const MarkStyle& style_of(explain::MarkKind kind) {
  return kMarkStyles.at(static_cast<std::size_t>(kind));
}

class Picture {
 public:
  Picture(const claim::VerifyResult& of, const explain::Timeline& timeline) : of_(of), timeline_(timeline) {
    roles_ = std::min(timeline.roles.size(), kMostRoles);
    for (std::size_t r = 0; r < roles_; ++r) {
      for (const explain::Mark& mark : timeline.roles[r].marks) {
        if (mark.object && objects_.size() < kMostObjects) objects_.emplace(*mark.object, 0);
      }
    }
    int row = 0;
    for (auto& [object, y] : objects_)
      y = kHead + static_cast<int>(roles_) * kRoleRow + kObjectRow * row++ + kObjectRow / 2;
    height_ = kHead + static_cast<int>(roles_) * kRoleRow + kObjectRow * row + 8;
    place();
  }

  /// As an element of a picture, `y` below its top.
  std::string element(int y) {
    std::string out = fmt::format("<g transform=\"translate(0,{})\">\n", y);
    for (std::size_t r = 0; r < roles_; ++r) {
      const explain::WarpRole& role = timeline_.roles[r];
      out += fmt::format(
          "<text class=\"row\" x=\"10\" y=\"{}\">{}</text><text class=\"row dim\" x=\"10\" y=\"{}\">{}</text>\n",
          role_y(r) - 4, escaped(who_of(role)), role_y(r) + 12, escaped(shortened(what_of(role))));
    }
    for (const auto& [object, at] : objects_)
      out += fmt::format("<text class=\"row dim\" x=\"10\" y=\"{}\">{}</text>\n", at + 4,
                         escaped(shortened(object_name(of_, timeline_, object))));
    return out + fmt::format("<g transform=\"translate({},0)\">{}</g></g>\n", kLabels, drawing());
  }
  int whole_width() const { return kLabels + width_; }
  int height() const { return height_; }

  std::string run() {
    return fmt::format("<div class=\"timeline\">\n{}<div class=\"scroll\">{}</div>\n</div>\n", labels(),
                       drawing());
  }

 private:
  static constexpr int kLabels = 290;  // the width of the names of rows

  static std::string shortened(const std::string& text) {
    constexpr std::size_t kMost = 44;
    return text.size() <= kMost ? text : text.substr(0, kMost - 3) + "...";
  }

  struct Event {
    std::uint64_t step = 0;
    std::size_t role = 0, mark = 0;
    enum class What : std::uint8_t { fold, begin, end } what = What::end;
  };
  struct Placed {
    int begin = 0, end = 0, fold = -1;  // columns
    std::uint64_t folded = 0;
  };

  // ---- Columns ---------------------------------------------------------------------------------------------
  void place() {
    std::vector<Event> events;
    placed_.resize(roles_);
    for (std::size_t r = 0; r < roles_; ++r) {
      const std::vector<explain::Mark>& marks = timeline_.roles[r].marks;
      placed_[r].resize(marks.size());
      std::uint64_t next = 0;  // serial
      for (std::size_t m = 0; m < marks.size(); ++m) {
        const explain::Mark& mark = marks[m];
        if (mark.kind != explain::MarkKind::access) {
          placed_[r][m].folded = mark.serial - std::min(next, mark.serial);
          next = mark.serial + mark.copies;
        }
        if (placed_[r][m].folded > 0) events.push_back({mark.begin, r, m, Event::What::fold});
        if (mark.begin != mark.step) events.push_back({mark.begin, r, m, Event::What::begin});
        events.push_back({mark.step, r, m, Event::What::end});
      }
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.step < b.step; });
    std::vector<int> used(roles_, -1);
    int column = 0;
    for (const Event& event : events) {
      if (used[event.role] == column) ++column;
      if (columns_.size() <= static_cast<std::size_t>(column)) columns_.resize(column + 1, event.step);
      used[event.role] = column;
      Placed& placed = placed_[event.role][event.mark];
      if (event.what == Event::What::fold) placed.fold = column;
      if (event.what != Event::What::fold) placed.end = column;
      if (event.what == Event::What::begin ||
          timeline_.roles[event.role].marks[event.mark].begin == event.step)
        placed.begin = column;
    }
    column_ =
        std::clamp(kTimelineWide / std::max(static_cast<int>(columns_.size()), 1), kLeastColumn, kMostColumn);
    const int free = of_.outcome.waiting.empty() ? 1 : 4;  // columns after the last one
    width_ = std::max((static_cast<int>(columns_.size()) + free) * column_, kTimelineWide);
  }

  int middle(int column) const { return column * column_ + column_ / 2; }
  int role_y(std::size_t r) const { return kHead + static_cast<int>(r) * kRoleRow + kRoleRow / 2; }
  /// Where a step is: after the column that has the last mark before it.
  int x_of(std::uint64_t step) const {
    const auto after = std::upper_bound(columns_.begin(), columns_.end(), step);
    return static_cast<int>(after - columns_.begin()) * column_;
  }

  // ---- Names of rows ---------------------------------------------------------------------------------------
  std::string labels() const {
    std::string out = fmt::format("<div class=\"labels\"><div style=\"height:{}px\"></div>\n", kHead);
    for (std::size_t r = 0; r < roles_; ++r) {
      const explain::WarpRole& role = timeline_.roles[r];
      const std::string who = who_of(role), what = what_of(role);
      out += fmt::format(
          "<div class=\"role\" style=\"height:{}px\"><b>{}</b><span title=\"{}\">{}</span></div>\n", kRoleRow,
          escaped(who), escaped(what), escaped(what));
    }
    for (const auto& [object, y] : objects_) {
      const std::string name = object_name(of_, timeline_, object);
      out += fmt::format("<div class=\"object\" style=\"height:{}px\" title=\"{}\">{}</div>\n", kObjectRow,
                         escaped(name), escaped(name));
    }
    return out + "</div>\n";
  }

  const program::Thread& thread_of(std::uint32_t warp) const {
    const auto lane = static_cast<unsigned>(std::countr_zero(timeline_.warps[warp].lanes));
    return of_.run->thread(warp * trace::kLanes + lane);
  }

  /// "block 0, warps 0-3", and how many of other blocks do the same.
  std::string who_of(const explain::WarpRole& role) const {
    const program::Thread& first = thread_of(role.warps.front());
    if (!first.placement.cta || !first.placement.warp) return fmt::format("P{}", first.number);
    std::vector<int> warps;
    std::set<int> others;
    for (const std::uint32_t warp : role.warps) {
      const program::Thread& thread = thread_of(warp);
      if (thread.placement.cta == first.placement.cta) {
        warps.push_back(thread.placement.warp.value_or(0));
      } else {
        others.insert(thread.placement.cta.value_or(0));
      }
    }
    std::sort(warps.begin(), warps.end());
    std::string list;
    for (std::size_t i = 0; i < warps.size();) {
      std::size_t last = i;
      while (last + 1 < warps.size() && warps[last + 1] == warps[last] + 1) ++last;
      list += fmt::format("{}{}", list.empty() ? "" : ", ", warps[i]);
      if (last > i) list += fmt::format("-{}", warps[last]);
      i = last + 1;
    }
    std::string out =
        fmt::format("block {}, warp{} {}", *first.placement.cta, warps.size() == 1 ? "" : "s", list);
    if (!others.empty()) out += fmt::format(" (and {})", explain::plural(others.size(), "block"));
    return out;
  }

  static std::string what_of(const explain::WarpRole& role) {
    std::string out;
    for (std::size_t kind = 1; kind < explain::kMarkKinds; ++kind) {
      const std::uint64_t count = role.counts[kind];
      if (count == 0 || kind == static_cast<std::size_t>(explain::MarkKind::exit)) continue;
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count,
                         count == 1 ? kMarkStyles[kind].words : kMarkStyles[kind].many);
    }
    return out.empty() ? "does not synchronize" : out;
  }

  // ---- The picture -----------------------------------------------------------------------------------------
  std::string drawing() {
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "role=\"img\">\n",
        width_, height_);
    grid(out);
    for (const auto& [object, y] : objects_) phases(object, y, out);
    for (std::size_t r = 0; r < roles_; ++r) edges(r, out);
    for (std::size_t r = 0; r < roles_; ++r) marks(r, out);
    stuck(out);
    missing(out);
    return out + "</svg>";
  }

  void grid(std::string& out) const {
    int free = 0;  // from where on there is room
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string text = fmt::format("{}", columns_[c]);
      const int x = middle(static_cast<int>(c)), half = static_cast<int>(text.size()) * kDigit / 2;
      if (x - half < free || x + half > width_) continue;
      free = x + half + column_;
      out += fmt::format("<text class=\"tick\" x=\"{}\" y=\"15\">{}</text>\n", x, text);
      out += fmt::format("<path class=\"grid\" d=\"M{},{}V{}\"/>\n", x, kHead - 6, height_);
    }
    for (std::size_t r = 0; r <= roles_; ++r)
      out += fmt::format("<path class=\"grid\" d=\"M0,{}H{}\"/>\n", kHead + static_cast<int>(r) * kRoleRow,
                         width_);
  }

  const explain::PhaseSpan* span_of(const explain::SyncObject& object, trace::Phase phase) const {
    const auto known = timeline_.phases.find(object);
    if (known == timeline_.phases.end()) return nullptr;
    const auto found = std::find_if(known->second.begin(), known->second.end(),
                                    [&](const explain::PhaseSpan& span) { return span.phase == phase; });
    return found == known->second.end() ? nullptr : &*found;
  }

  void phases(const explain::SyncObject& object, int y, std::string& out) const {
    const auto known = timeline_.phases.find(object);
    if (known == timeline_.phases.end()) return;
    for (const explain::PhaseSpan& span : known->second) {
      const int x = std::max(x_of(span.begin) - column_ / 2, 0);
      const int end = span.over || of_.outcome.waiting.empty() ? x_of(span.end) - column_ / 2 : width_;
      const int width = std::max(end - x, 8);
      std::string title = fmt::format("{}, phase {}: {}", object_name(of_, timeline_, object), span.phase,
                                      explain::plural(span.arrivals, "arrival"));
      if (span.bytes > 0) title += fmt::format(", {} expected", explain::plural(span.bytes, "byte"));
      if (span.all_copies > 0)
        title += fmt::format(", {} cop{}", span.all_copies, span.all_copies == 1 ? "y" : "ies");
      title += span.over ? fmt::format("; steps {} to {}", span.begin, span.end) : "; not complete";
      out += fmt::format(
          "<g><title>{}</title><rect class=\"phase p{}{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
          "rx=\"4\"/>",
          escaped(title), span.phase & 1U, span.over ? "" : " open", x, y - 9, width - 1, 18);
      std::string text = fmt::format("{}", span.phase);
      const std::string longer = span.bytes > 0 ? fmt::format("{}: {} B", span.phase, span.bytes) : text;
      if (static_cast<int>(longer.size()) * kDigit + 6 < width) text = longer;
      if (static_cast<int>(text.size()) * kDigit + 6 < width)
        out += fmt::format("<text class=\"in\" x=\"{}\" y=\"{}\">{}</text>", x + 5, y + 4, text);
      out += "</g>\n";
    }
  }

  /// From what arrives to the phase, from the end of a phase to who waits for it.
  void edges(std::size_t r, std::string& out) const {
    const std::vector<explain::Mark>& marks = timeline_.roles[r].marks;
    for (std::size_t m = 0; m < marks.size(); ++m) {
      const explain::Mark& mark = marks[m];
      const auto row = mark.object ? objects_.find(*mark.object) : objects_.end();
      if (row == objects_.end() || mark.kind == explain::MarkKind::init) continue;
      const bool waits = mark.kind == explain::MarkKind::wait || mark.kind == explain::MarkKind::barrier;
      const explain::PhaseSpan* span = span_of(*mark.object, mark.phase);
      if (span == nullptr || (waits && !span->over)) continue;
      const int x = middle(placed_[r][m].end), y = role_y(r) + 9;
      const int to = waits ? std::max(x_of(span->end) - column_ / 2, 0) : x;
      out += fmt::format("<path class=\"edge {}\" d=\"M{},{}L{},{}\"/>\n", style_of(mark.kind).name, x, y, to,
                         row->second - 9);
    }
  }

  void marks(std::size_t r, std::string& out) const {
    const int y = role_y(r);
    const std::vector<explain::Mark>& marks = timeline_.roles[r].marks;
    for (std::size_t m = 0; m < marks.size(); ++m) {
      const explain::Mark& mark = marks[m];
      const Placed& at = placed_[r][m];
      const int x = middle(at.end);
      if (at.fold >= 0)
        out += fmt::format(
            "<g><title>{} left out: repetitions of what is shown</title><path class=\"fold\" "
            "d=\"M{},{}m-4,-8l-3,16m8,-16l-3,16\"/></g>\n",
            explain::plural(at.folded, "mark"), middle(at.fold) + 1, y);
      if (mark.kind == explain::MarkKind::access) continue;  // above everything else
      const MarkStyle& style = style_of(mark.kind);
      out += fmt::format("<g class=\"{}\"><title>{}</title>", style.name, escaped(title_of(mark)));
      if (at.begin < at.end)
        out += fmt::format("<rect class=\"span\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"10\" rx=\"5\"/>",
                           middle(at.begin), y - 5, x - middle(at.begin));
      out += fmt::format("<path transform=\"translate({},{})\" d=\"{}\"/>", x, y, style.shape);
      if (mark.copies > 1)
        out += fmt::format("<text class=\"many\" x=\"{}\" y=\"{}\">{}</text>", x, y + 18, mark.copies);
      out += "</g>\n";
    }
  }

  std::string title_of(const explain::Mark& mark) const {
    const explain::Place place = explain::place_of(of_, mark.site);
    std::string out = fmt::format("{}: {}\n{}", line_of(place), place.text, style_of(mark.kind).words);
    if (mark.copies > 1) out += fmt::format(" and {} more", mark.copies - 1);
    const int lanes = std::popcount(mark.lanes);
    out += fmt::format(" by {}", explain::plural(static_cast<std::uint64_t>(lanes), "thread"));
    if (mark.object)
      out += fmt::format(", phase {} of {}", mark.phase, object_name(of_, timeline_, *mark.object));
    return out + (mark.begin == mark.step ? fmt::format(", step {}", mark.step)
                                          : fmt::format(", steps {} to {}", mark.begin, mark.step));
  }

  /// What waits forever.
  void stuck(std::string& out) const {
    const int from = static_cast<int>(columns_.size()) * column_;
    for (const exec::Waiting& waiting : of_.outcome.waiting) {
      std::set<std::uint32_t> warps;
      for (const trace::Thread thread : waiting.threads) warps.insert(thread / trace::kLanes);
      for (std::size_t r = 0; r < roles_; ++r) {
        const auto& own = timeline_.roles[r].warps;
        if (std::none_of(own.begin(), own.end(), [&](std::uint32_t w) { return warps.contains(w); }))
          continue;
        const explain::Place place = explain::place_of(of_, waiting.site);
        out += fmt::format(
            "<g class=\"stuck\"><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"10\" "
            "rx=\"5\"/></g>\n",
            escaped(fmt::format("{}: {}\nwaits for {}, forever", line_of(place), place.text, waiting.what)),
            from, role_y(r) - 5, width_ - from - 4);
      }
    }
  }

  /// The accesses of findings, and the edge between them that is not there.
  void missing(std::string& out) const {
    struct End {
      int x = 0, y = 0;
      const explain::Mark* mark = nullptr;
    };
    std::map<std::size_t, std::pair<End, End>> pairs;
    for (std::size_t r = 0; r < roles_; ++r) {
      const std::vector<explain::Mark>& marks = timeline_.roles[r].marks;
      for (std::size_t m = 0; m < marks.size(); ++m) {
        if (marks[m].kind != explain::MarkKind::access) continue;
        auto& pair = pairs[marks[m].finding];
        (marks[m].second ? pair.second : pair.first) = End{middle(placed_[r][m].end), role_y(r), &marks[m]};
      }
    }
    for (const auto& [number, pair] : pairs) {
      const auto& [first, second] = pair;
      if (first.mark == nullptr || second.mark == nullptr) continue;
      const int bend = first.y == second.y ? first.y - kRoleRow / 2 : (first.y + second.y) / 2;
      out += fmt::format(
          "<path class=\"missing\" data-e=\"{0}a {0}b\" d=\"M{1},{2}C{1},{3} {4},{3} {4},{5}\"/>\n",
          number + 1, first.x, first.y, bend, second.x, second.y);
      for (const End& end : {first, second}) {
        const explain::Place place = explain::place_of(of_, end.mark->site);
        out += fmt::format(
            "<g class=\"access\" data-e=\"{5}{6}\"><title>{0}</title><circle cx=\"{1}\" cy=\"{2}\" r=\"10\"/>"
            "<text x=\"{3}\" y=\"{4}\">{5}{6}</text></g>\n",
            escaped(fmt::format("{}: {}\naccess {} of finding {}, step {}", line_of(place), place.text,
                                end.mark->second ? "b" : "a", number + 1, end.mark->step)),
            end.x, end.y, end.x, end.y + 4, number + 1, end.mark->second ? "b" : "a");
      }
    }
  }

  const claim::VerifyResult& of_;
  const explain::Timeline& timeline_;
  std::size_t roles_ = 0;
  std::map<explain::SyncObject, int> objects_;  // and the middle of its row
  std::vector<std::vector<Placed>> placed_;
  std::vector<std::uint64_t> columns_;  // the step that each begins at
  int width_ = 0, height_ = 0, column_ = kLeastColumn;
};

}  // namespace

std::string timeline_html(const claim::VerifyResult& verified, const explain::Timeline& timeline) {
  std::string out = Picture(verified, timeline).run();
  if (timeline.roles.size() > kMostRoles)
    out += fmt::format("<p class=\"dim\">and {} more, which are not shown</p>\n",
                       explain::plural(timeline.roles.size() - kMostRoles, "role"));
  return out;
}

std::string timeline_svg(const claim::VerifyResult& verified, const explain::Timeline& timeline,
                         const std::string& report) {
  constexpr int kLine = 17, kMargin = 14, kLetter = 8;
  int y = kMargin, widest = 0;
  std::string lines;
  for (std::size_t at = 0; at < report.size();) {
    const std::size_t end = std::min(report.find('\n', at), report.size());
    y += kLine;
    lines += fmt::format("<text class=\"report\" xml:space=\"preserve\" x=\"10\" y=\"{}\">{}</text>\n", y,
                         escaped(report.substr(at, end - at)));
    widest = std::max(widest, static_cast<int>(end - at) * kLetter);
    at = end + 1;
  }
  Picture picture(verified, timeline);
  const std::string element = picture.element(y + kMargin);
  const int width = std::max(picture.whole_width(), widest + 2 * kMargin);
  int end = y + kMargin + picture.height() + 2 * kMargin;
  const std::string legend = legend_lines(width, end);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"timeline\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\">\n<style>{2}{3}.paper{{fill:var(--card)}}.timeline .row,.timeline .report{{text-anchor:start}}"
      ".timeline .report{{font:13px ui-monospace,monospace}}.timeline .dim{{fill:var(--dim)}}</style>\n"
      "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{4}{5}{6}</svg>\n",
      width, end, kColors, kTimelineStyle, lines, element, legend);
}

std::string object_name(const claim::VerifyResult& verified, const explain::Timeline& timeline,
                        const explain::SyncObject& object) {
  if (object.kind == explain::SyncObject::Kind::mbarrier) return verified.run->name_of(object.at);
  const auto group = static_cast<std::uint32_t>(object.at >> 8U);
  if (object.kind == explain::SyncObject::Kind::cluster) return fmt::format("barrier of cluster {}", group);
  const auto of = std::find_if(timeline.warps.begin(), timeline.warps.end(),
                               [&](const trace::Placement& warp) { return warp.cta == group; });
  std::uint32_t cta = group;
  if (of != timeline.warps.end()) {
    const auto warp = static_cast<std::uint32_t>(of - timeline.warps.begin());
    const auto lane = static_cast<unsigned>(std::countr_zero(of->lanes));
    cta = static_cast<std::uint32_t>(
        verified.run->thread(warp * trace::kLanes + lane).placement.cta.value_or(static_cast<int>(group)));
  }
  return fmt::format("barrier {} of block {}", object.at & 0xffU, cta);
}

}  // namespace ptxmc::report
