// SPDX-License-Identifier: Apache-2.0
// Pages of runs, and the timelines in them.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "../contains.h"
#include "dynamic/shadow/detector.h"
#include "explain/verify/timeline.h"
#include "input/litmus/parse.h"
#include "report/html/verify.h"

namespace ptxmc::report {

using namespace explain;
namespace {

using ptxmc::testing::contains;
using trace::Effect;

/// Is it XML: elements nest, attributes are quoted, no character stands for itself that must not? The rest of the text
/// behind the first mistake; empty: there is none.
std::string not_xml(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = text.find('\n') + 1; at < text.size();) {  // behind the doctype
    if (text[at] == '&') {
      const std::size_t end = text.find(';', at);
      const std::string entity = text.substr(at, end - at + 1);
      if (entity != "&lt;" && entity != "&gt;" && entity != "&amp;" && entity != "&quot;" &&
          entity != "&#39;")
        return text.substr(at, 80);
    }
    if (text[at] != '<') {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    bool quoted = false;
    while (end < text.size() && (quoted || text[end] != '>')) {
      if (text[end] == '"') quoted = !quoted;
      if (text[end] == '<') return text.substr(at, 80);
      ++end;
    }
    const std::string tag = text.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /\n", 1));
    if (tag.starts_with('/')) {
      if (open.empty() || "/" + open.back() != tag) return text.substr(at, 80);
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
    at = end + 1;
  }
  return open.empty() ? "" : "unclosed " + open.back();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
  return out;
}

/// The page of a litmus test that is run.
std::string page_of(const std::string& threads, const std::string& name = "T",
                    const std::string& origin = "") {
  litmus::Test test = litmus::parse(std::make_shared<const Source>(
      Source{"t<&>.litmus", "PTX T\n{ x=0; y=0; }\n" + threads + "exists (true)\n"}));
  if (!origin.empty()) {
    auto origins = std::make_shared<Origins>();
    origins->add(4, origins->frame(origins->file(origin), 1, 1, std::nullopt));
    test.origins = std::move(origins);
  }
  trace::Detector detector;
  exec::Run run(test, &detector);
  claim::VerifyResult verified;
  verified.name = name;
  verified.program = &test;
  verified.run = &run;
  verified.outcome = run.run({});
  verified.findings = detector.findings();
  TimelineRecorder recorder(drawn_findings(verified));
  exec::Run(test, &recorder).run({});
  VerifyHtml html;
  SourceFiles compiled({}, "t.litmus");
  html.add(verified, recorder.take(), compiled);
  return html.print();
}

const char* const kRaces =
    "P0 @ cta 0, warp 0 {\n st.weak.b32 [x], 1;\n st.weak.b32 [y], 1;\n barrier.cta.sync 1, 64;\n}\n"
    "P1 @ cta 0, warp 1 {\n ld.weak.b32 r0, [x];\n ld.weak.b32 r1, [y];\n barrier.cta.sync 1, 64;\n}\n";

}  // namespace

TEST_CASE("a page has the claim, each finding, and its two accesses in the timeline") {
  const std::string page = page_of(kRaces);
  CHECK(not_xml(page).empty());
  CHECK(count(page, "<article") == 2);
  CHECK(count(page, "<span class=\"rule\">error race</span>") == 2);
  for (const char* access : {"1a", "1b", "2a", "2b"}) {
    CHECK(contains(page, std::string("<span class=\"tag\">") + access + "</span>"));
    CHECK(contains(page, std::string(">") + access + "</text></g>"));
  }
  CHECK(count(page, "<path class=\"missing\" ") == 2 + 1);  // and the legend
  CHECK(contains(page, "<span class=\"hit\">    4   st.weak.b32 [x], 1;"));
  CHECK(contains(page, "barrier 1 of block 0"));
  CHECK(contains(page, "prefers-color-scheme:dark"));
  for (const char* outside : {"src=", "href=", "url(", "@import"})
    CHECK(page.find(outside) == std::string::npos);
}

TEST_CASE("a page without findings") {
  const std::string page = page_of("P0 @ cta 0, warp 0 {\n st.weak.b32 [x], 1;\n}\n");
  CHECK(not_xml(page).empty());
  CHECK(contains(page, "No race or deadlock in any schedule"));
  CHECK(!contains(page, "<article"));
  CHECK(contains(page, "<h2>Timeline</h2>"));
}

TEST_CASE("names are text") {
  const std::string page = page_of(kRaces, "</title><script>alert(1)</script>\"'&", "<img src=x>.cu");
  CHECK(not_xml(page).empty());
  CHECK(count(page, "<script") == 1);  // its own
  CHECK(!contains(page, "<img"));
  CHECK(contains(page, "&lt;img src=x&gt;.cu:1"));
  CHECK(contains(page, "t&lt;&amp;&gt;.litmus"));
}

TEST_CASE("what repeats is thinned, whatever its number") {
  constexpr std::uint64_t kTurns = 100'000;
  trace::Finding finding;
  finding.first = {7, 0, Effect::write};
  finding.second = {8, 32, Effect::read};
  finding.bytes = {64, 4};
  TimelineRecorder recorder({finding});
  const std::array<trace::Placement, 2> warps{};
  recorder.start(warps);
  std::array<trace::Address, trace::kLanes> at{};
  at.fill(64);
  for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
    recorder.barrier_arrive(1, {0, ~0U}, {0, 0}, turn);
    recorder.barrier_arrive(1, {1, ~0U}, {0, 0}, turn);
    recorder.barrier_leave(1, {0, ~0U}, {0, 0}, turn);
    recorder.barrier_leave(1, {1, ~0U}, {0, 0}, turn);
    if (turn < kTurns / 2 || turn > kTurns / 2 + 1) continue;
    const bool second = turn > kTurns / 2;
    recorder.access({.site = second ? 8U : 7U,
                     .lanes = {second ? 1U : 0U, 1},
                     .strength = {},
                     .begin = at,
                     .written = {}});
  }
  const Timeline timeline = recorder.take();
  REQUIRE(timeline.roles.size() == 2);  // each has an access of the finding
  CHECK(timeline.steps == 4 * kTurns + 2);
  for (const WarpRole& role : timeline.roles) {
    CHECK(role.counts[static_cast<std::size_t>(MarkKind::barrier)] == kTurns);
    CHECK(role.marks.size() < 12);
    CHECK(role.marks.front().phase == 0);
    CHECK(role.marks.back().phase == kTurns - 1);
    // Around the finding nothing is left out.
    const auto near = [&](const Mark& mark) {
      return mark.phase == kTurns / 2 && mark.kind == MarkKind::barrier;
    };
    CHECK(std::any_of(role.marks.begin(), role.marks.end(), near));
    for (const Mark& mark : role.marks) CHECK(mark.begin <= mark.step);
  }
  const std::vector<PhaseSpan>& spans = timeline.phases.begin()->second;
  CHECK(spans.size() < 12);
  CHECK(spans.front().arrivals == 64);
  for (const PhaseSpan& span : spans) CHECK(span.over);
}

TEST_CASE("atomics and reads of loops that wait are marks, other accesses are none") {
  TimelineRecorder recorder({});
  const trace::Placement place{0, 0, 0, ~0U};
  recorder.start(std::array{place});
  std::array<trace::Address, trace::kLanes> at{};
  at.fill(0x1000);
  const trace::Polling polling;
  const auto access = [&](trace::Site site, trace::Effect effect, const trace::Polling* polls) {
    recorder.access({.site = site,
                     .lanes = {0, ~0U},
                     .effect = effect,
                     .strength = {},
                     .begin = at,
                     .written = {},
                     .polls = polls});
  };
  access(1, trace::Effect::read, nullptr);
  access(2, trace::Effect::update, nullptr);
  access(3, trace::Effect::read, &polling);
  access(4, trace::Effect::write, nullptr);
  const Timeline timeline = recorder.take();
  REQUIRE(timeline.roles.size() == 1);
  const WarpRole& role = timeline.roles.front();
  REQUIRE(role.marks.size() == 2);
  CHECK(role.marks[0].kind == MarkKind::atomic);
  CHECK(role.marks[0].site == 2);
  CHECK(role.marks[1].kind == MarkKind::poll);
  CHECK(role.marks[1].site == 3);
}

TEST_CASE("warps that do the same are one role, copies to one phase one mark") {
  TimelineRecorder recorder({});
  const std::array<trace::Placement, 4> warps{};
  recorder.start(warps);
  recorder.shared_memory(0, {0x1000, 0x1000});
  recorder.mbarrier_init(1, 0, 0x1000, 1);
  for (std::uint32_t copy = 0; copy < 5; ++copy) {
    const trace::Range to{0x1100 + 16 * std::uint64_t{copy}, 16};
    recorder.issue({.site = 2, .issuer = 0, .object = 0x1000, .phase = 0, .reads = {}, .writes = {&to, 1}});
  }
  recorder.mbarrier_arrive({3, 0, 0x1000, 0, {}, 1, 80});
  recorder.mbarrier_complete(0x1000, 0);
  for (std::uint32_t warp = 1; warp < 4; ++warp)
    recorder.mbarrier_wait({.site = 4,
                            .lanes = {warp, ~0U},
                            .object = 0x1000,
                            .expected = 0,
                            .strength = {},
                            .succeeded = true});
  const Timeline timeline = recorder.take();
  REQUIRE(timeline.roles.size() == 2);
  CHECK(timeline.roles[1].warps == std::vector<std::uint32_t>{1, 2, 3});
  REQUIRE(timeline.roles[0].marks.size() == 3);
  CHECK(timeline.roles[0].marks[1].copies == 5);
  const PhaseSpan& span = timeline.phases.begin()->second.front();
  CHECK(span.all_copies == 5);
  CHECK(span.bytes == 80);
  REQUIRE(span.copies.size() == 1);
  CHECK(span.copies.front().bytes.bytes == 80);
  CHECK(span.over);
}

}  // namespace ptxmc::report
