// SPDX-License-Identifier: Apache-2.0
// Colours of pages and pictures, light and dark, and how a timeline looks.
#pragma once

#include <string_view>

namespace ptxmc::report {

inline constexpr std::string_view kColors = R"(
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1b222c;--dim:#596473;--line:#d5dae1;--code:#eef1f5;
--error:#c0182f;--warning:#8a5a00;--note:#2c5d99;--good:#1d7a45;
--arrive:#1d7a45;--wait:#a86a00;--copy:#2463ad;--fence:#7d3fa8;--barrier:#8f4a14;--group:#0d7583;--plain:#707b8a;
--hit:#fbe3ee;--lit:#fff0b8;--edge:#c2185b;
--p0:#d5e4f5;--p1:#b9d2ee;--open:#f5dfb3;--in:#16304e}
@media (prefers-color-scheme:dark){:root{--page:#12151a;--card:#181d24;--text:#e5e9ef;--dim:#9ca7b5;--line:#363e49;
--code:#262d37;--error:#ff7183;--warning:#f0b849;--note:#7db4f5;--good:#5fd08d;
--arrive:#5fd08d;--wait:#f0b849;--copy:#7db4f5;--fence:#cb95f0;--barrier:#e59a5c;--group:#56c7d6;--plain:#8b96a5;
--hit:#4a2338;--lit:#4d4216;--edge:#ff6fa5;
--p0:#243a55;--p1:#31506f;--open:#5a4620;--in:#dbe8f7}}
)";

inline constexpr std::string_view kTimelineStyle = R"(
.timeline text,.legend text{font:12px system-ui,sans-serif;fill:var(--text);text-anchor:middle}.timeline .tick{fill:var(--dim);font-size:11px}
.grid{stroke:var(--line);fill:none;stroke-width:1}.phase{fill:var(--p0);stroke:var(--line)}.phase.p1{fill:var(--p1)}
.phase.open{fill:var(--open)}.timeline .in{fill:var(--in);font-size:11px;text-anchor:start}
.timeline .many{fill:var(--dim);font-size:10px}
.edge{stroke:var(--plain);stroke-width:1;opacity:.45;fill:none}.edge.wait{stroke:var(--wait)}.edge.copy{stroke:var(--copy)}
.edge.arrive{stroke:var(--arrive)}.edge.barrier{stroke:var(--barrier)}
.arrive{fill:var(--arrive)}.wait,.wait .span{fill:var(--wait)}.copy{fill:var(--copy)}.commit{fill:var(--group)}
.group{fill:var(--group)}.fence{fill:var(--fence)}.barrier{fill:var(--barrier)}.init{fill:var(--plain)}.exit{fill:var(--plain)}
.atomic{fill:var(--edge)}.poll{fill:var(--wait)}.span{opacity:.35}.stuck rect{fill:var(--error);opacity:.55}.fold{stroke:var(--dim);stroke-width:1.5;fill:none}
.access circle{fill:var(--error);stroke:var(--card);stroke-width:1.5}
.access text{fill:var(--card);font-size:10px;font-weight:700}
.missing{stroke:var(--error);stroke-width:2.5;stroke-dasharray:6 4;fill:none}
)";

}  // namespace ptxmc::report
