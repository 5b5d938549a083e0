// SPDX-License-Identifier: Apache-2.0
// The style and the script of pages.
#pragma once

#include <string_view>

namespace ptxmc::report {

/// Beside the colours and the marks of timelines (report/draw/timeline_style.h).
inline constexpr std::string_view kPageStyle = R"(
*{box-sizing:border-box}
body{font:15px/1.45 system-ui,sans-serif;margin:0;padding:clamp(10px,2.5vw,24px);color:var(--text);background:var(--page)}
main{max-width:1500px;margin:0 auto}h1{font-size:22px;margin:0 0 2px;overflow-wrap:anywhere;
display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden}
h2{font-size:17px;margin:26px 0 8px}h3{font-size:15px;margin:0 0 8px}section{margin-bottom:48px}
footer,h2,h3,p,li,header{overflow-wrap:anywhere}.dim{color:var(--dim)}.file{margin:0 0 14px;color:var(--dim);overflow-wrap:anywhere}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 16px;margin:0 0 12px}
.claim{border-left:6px solid var(--good)}.claim.bounded{border-left-color:var(--warning)}
.claim.finding{border-left-color:var(--error)}.claim b{font-size:16px}
.claim ul{margin:6px 0 0;padding-left:20px}.claim p{margin:8px 0 0}
.finding{border-left:6px solid var(--error)}.finding.warning{border-left-color:var(--warning)}
.finding.note{border-left-color:var(--note)}.rule{color:var(--error)}.warning .rule{color:var(--warning)}
.note .rule{color:var(--note)}.finding p{margin:6px 0}
.places{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,480px),1fr));gap:10px;margin:8px 0}
.place{background:var(--code);border-radius:6px;padding:8px 10px;min-width:0}
.place header{font-size:13px;font-weight:600;margin-bottom:4px}.ptx{margin:4px 0 0;padding-left:20px}.place .mark{color:var(--error)}
.warning .place .mark{color:var(--warning)}.note .place .mark{color:var(--note)}span.mark.lit{background:var(--lit)}.place pre{margin:0;overflow-x:auto;font:12px/1.5 ui-monospace,monospace}
.place .hit{font-weight:700;color:var(--error)}.warning .hit{color:var(--warning)}.note .hit{color:var(--note)}
.tag{display:inline-block;background:var(--error);color:var(--card);border-radius:10px;padding:0 7px;font-size:12px;
font-weight:700;margin-right:6px}
.timeline{display:grid;grid-template-columns:minmax(150px,270px) 1fr;background:var(--card);border:1px solid var(--line);
border-radius:8px;overflow:hidden}
.labels{border-right:1px solid var(--line);min-width:0}
.labels>div{padding:0 10px;display:flex;flex-direction:column;justify-content:center;min-width:0}
.labels>.role{border-top:1px solid var(--line)}.labels b,.labels span,.labels .object{white-space:nowrap;overflow:hidden;
text-overflow:ellipsis}.labels b{font-size:13px}.labels span{font-size:12px;color:var(--dim)}
.labels .object{display:block;font:12px/28px ui-monospace,monospace;color:var(--dim)}
.scroll{overflow-x:auto}.scroll>svg{display:block}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;font-size:13px;color:var(--dim);margin:10px 2px}
.legend span{display:inline-flex;align-items:center;gap:5px}
.table{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:13px}th,td{text-align:left;padding:5px 12px;
border-top:1px solid var(--line);vertical-align:top}tr:first-child th{border-top:0}th{color:var(--dim);font-weight:600}
td.n{text-align:right;font-variant-numeric:tabular-nums}code{font:12px ui-monospace,monospace}
.row{display:flex;flex-wrap:wrap;gap:12px;align-items:flex-start}.row>.card{max-width:100%;min-width:0;margin:0}
.source{overflow-x:auto}.source pre,.paper{margin:0;font:12.5px/1.5 ui-monospace,monospace}.paper{overflow-x:auto}
.n{color:var(--dim);user-select:none}.hit{background:var(--hit)}.states{overflow-x:auto}.states table{width:auto}
.states td,.states th{font-family:ui-monospace,monospace;border:1px solid var(--line);padding:3px 9px;text-align:right}
tr.yes td{background:color-mix(in srgb,var(--good) 14%,transparent)}.card h2{margin:0 0 8px;overflow-wrap:anywhere}
.source h2{font:13px/1.4 ui-monospace,monospace;color:var(--dim)}.states tr:first-child th{border-top:1px solid var(--line)}
.answer{font-weight:700;margin:4px 0 8px}p,.finding li{overflow-wrap:anywhere}.condition{margin:10px 0 4px;overflow-wrap:anywhere}
.why{list-style:none;padding:0;margin:10px 0 0;font:12.5px/1.6 ui-monospace,monospace;overflow-x:auto}
.why li{padding-left:calc(var(--level)*1.4em + 1.2em);text-indent:-1.2em}
.mistake{border-left:6px solid var(--error)}
.picture{margin:0}.zoom{display:flex;gap:4px;margin:0 0 6px}.zoom[hidden]{display:none}
.zoom button{font:13px/1 system-ui,sans-serif;min-width:30px;padding:6px 8px;color:var(--text);background:var(--code);
border:1px solid var(--line);border-radius:6px;cursor:pointer}.zoom button:hover{border-color:var(--dim)}
.view{overflow:auto;max-height:82vh}.view>svg{display:block}.view.drag{cursor:grabbing}.card .execution .back{fill:none}
.key{display:flex;flex-wrap:wrap;gap:2px 16px;font-size:12.5px;color:var(--dim);margin:8px 0 0}
.key span{display:inline-flex;align-items:center;gap:6px}.key svg{flex:none}
[data-e]{cursor:default}span.lit,li.lit{background:var(--lit);border-radius:3px}.event.lit .box{stroke:var(--edge);stroke-width:2.6}
.arrow.lit{stroke-width:3.4}.label.lit{font-weight:700}.far .arrow:not(.lit){opacity:.25}.far .label:not(.lit){opacity:.25}
.far .event:not(.lit){opacity:.45}.access.lit circle{stroke:var(--text);stroke-width:3}
.missing.lit{stroke-width:4.5}
.index{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 16px;margin:0 0 28px}
.index ol{list-style:none;margin:8px 0 0;padding:0;columns:26em;column-gap:28px;max-height:60vh;overflow-y:auto}
.index li{break-inside:avoid;padding:1px 0 1px 10px;border-left:4px solid var(--line);margin:2px 0;overflow-wrap:anywhere}
.index li span{color:var(--dim);font-size:13px}.index .good{border-color:var(--good)}.index .bad{border-color:var(--error)}
.index .open{border-color:var(--warning)}.index .bad span{color:var(--error)}.index li[hidden]{display:none}
.index input{font:inherit;width:min(100%,340px);padding:4px 8px;color:var(--text);background:var(--page);
border:1px solid var(--line);border-radius:6px}.find{margin:4px 0 0}.find[hidden]{display:none}a{color:var(--note)}
section{scroll-margin-top:12px}:focus-visible{outline:2px solid var(--note);outline-offset:1px}
.heat td{border:1px solid var(--line);padding:3px 7px;font-size:12px;text-align:left}.heat th{padding-top:14px}
.swatch{display:inline-block;width:14px;height:14px;border:1px solid var(--line);border-radius:3px}
.heat .unseen{color:var(--dim)}.heat .forbidden{background:var(--error);color:var(--card);font-weight:700}
.heat .open,.heat .undefined{background:var(--open)}
.heat .seen{background:color-mix(in srgb,var(--good) calc(var(--share)*55%),transparent)}
@media (max-width:640px){.card{padding:10px 11px}.timeline{grid-template-columns:minmax(96px,34%) 1fr}h1{font-size:19px}
.row>.card{width:100%}.index ol{columns:auto}.view{max-height:70vh}}
)";

inline constexpr std::string_view kPageScript = R"(
const all = (root, what) => [...root.querySelectorAll(what)];
const ends = (node) => node.dataset.e.split(' ');
const isEdge = (node) => node.matches('.arrow,.label,.why li,.missing') ? new Set(ends(node)).size > 1 : false;
// What belongs together: an event is in pictures, lines of the text and steps; an edge in pictures and steps.
function link(node) {
  const section = node.closest('section'), edge = isEdge(node), own = new Set(ends(node));
  for (const other of all(section, '[data-e]')) {
    const theirs = ends(other);
    other.classList.toggle('lit', (edge ? isEdge(other) : false) ? other.dataset.e === node.dataset.e : theirs.some((e) => own.has(e)));
  }
  for (const svg of all(section, '.execution')) svg.classList.toggle('far', !!svg.querySelector('.lit'));
}
function unlink() {
  for (const node of all(document, '.lit')) node.classList.remove('lit');
  for (const node of all(document, '.far')) node.classList.remove('far');
}
document.addEventListener('pointerover', (event) => {
  unlink();
  const node = event.target.closest('[data-e]');
  if (node) link(node);
});
// A picture begins as wide as there is room, but not smaller than can be read.
const kLeast = 0.7, kStep = 1.25;
for (const figure of all(document, '.picture')) {
  const view = figure.querySelector('.view'), svg = view.querySelector('svg'), width = +svg.getAttribute('width');
  if (!svg.hasAttribute('viewBox')) continue;
  let scale = 1, least = kLeast;  // no least: as the user has made it
  const show = (to, x, y) => {
    const before = scale;
    scale = Math.min(Math.max(to, 0.05), 8);
    svg.style.width = width * scale + 'px';
    svg.style.height = 'auto';
    view.scrollLeft = (view.scrollLeft + x) * scale / before - x;
    view.scrollTop = (view.scrollTop + y) * scale / before - y;
  };
  const fit = () => show(Math.max(Math.min(view.clientWidth / width, 1), least), 0, 0);
  const by = (factor, x = view.clientWidth / 2, y = view.clientHeight / 2) => { least = null; show(scale * factor, x, y); };
  fit();
  new ResizeObserver(() => { if (least !== null) fit(); }).observe(view);
  figure.querySelector('.zoom').hidden = false;
  figure.addEventListener('click', (event) => {
    const kind = event.target.dataset.zoom;
    if (kind === 'in') by(kStep);
    if (kind === 'out') by(1 / kStep);
    if (kind === 'fit') { least = 0; fit(); }
  });
  view.addEventListener('keydown', (event) => {
    if (event.key === '+') by(kStep);
    if (event.key === '-') by(1 / kStep);
  });
  view.addEventListener('wheel', (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const at = view.getBoundingClientRect();
    by(Math.exp(-event.deltaY / 300), event.clientX - at.left, event.clientY - at.top);
  }, {passive: false});
  let drag = null;
  view.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'mouse' || event.button !== 0) return;
    drag = {x: event.clientX + view.scrollLeft, y: event.clientY + view.scrollTop};
    view.setPointerCapture(event.pointerId);
  });
  view.addEventListener('pointermove', (event) => {
    if (!drag) return;
    view.classList.add('drag');
    view.scrollLeft = drag.x - event.clientX;
    view.scrollTop = drag.y - event.clientY;
  });
  for (const end of ['pointerup', 'pointercancel'])
    view.addEventListener(end, () => { drag = null; view.classList.remove('drag'); });
}
for (const find of all(document, '.find')) {
  find.hidden = false;
  find.firstElementChild.addEventListener('input', (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/);
    for (const item of all(find.parentElement, 'li'))
      item.hidden = !words.every((word) => item.textContent.toLowerCase().includes(word));
  });
}
// A timeline begins where the first finding is.
for (const scroll of all(document, '.scroll')) {
  const access = scroll.querySelector('.access');
  if (access) scroll.scrollLeft = access.getBBox().x - 300;
}
)";

}  // namespace ptxmc::report
