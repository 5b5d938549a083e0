// What the engine says, as HTML.
'use strict';

function element(tag, words = {}, ...children) {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(words)) {
    if (name in out) out[name] = value;
    else out.setAttribute(name, value);
  }
  out.append(...children.filter((child) => child !== null && child !== undefined));
  return out;
}

const WORDS = {
  Allowed: ['yes', 'some execution has this outcome'],
  Forbidden: ['no', 'no execution has this outcome'],
  Required: ['yes', 'every execution has this outcome'],
  NotRequired: ['no', 'some execution has another outcome'],
  Undefined: ['odd', 'the program does what the manual leaves undefined'],
  Unknown: ['odd', 'the answer is open'],
  Error: ['bad', 'the test cannot be read'],
};
const OPEN = {
  timeout: 'the time was not enough',
  memory: 'a page has not enough memory for it',
  terms: 'it depends on unknown values; the program has a solver for them, this page has none',
  'vacuous-no-execution': 'no execution comes to an end',
  'vacuous-filter': 'no execution meets the filter',
  'unroll-bound': 'a loop was cut',
};

// The answer in a line: word, what it means, how long it took.
function verdictLine(answer) {
  const [kind, means] = WORDS[answer.answer] ?? WORDS.Unknown;
  const open = answer.unknown && answer.answer === 'Unknown' ? `: ${OPEN[answer.unknown] ?? answer.unknown}` : '';
  const out = [element('span', {className: `word ${kind}`}, answer.answer), element('span', {}, means + open)];
  if (answer.verdict_met !== null && answer.verdict_met !== undefined)
    out.push(element('span', {className: answer.verdict_met ? 'dim' : 'warning'},
      answer.verdict_met ? 'as the test says' : 'which is not what the test says'));
  out.push(element('span', {className: 'dim time', title: 'of the engine'}, `${answer.milliseconds.toFixed(1)} ms`));
  return out;
}

// A mistake as compilers show it: the line, and a caret below it.
function mistake(diagnostic, text, go) {
  const {line, column, severity, message} = diagnostic;
  const out = element('div', {className: `mistake ${severity}`},
    element('div', {}, element('span', {className: 'severity'}, `${severity}: `), message));
  if (line === 0) return out;
  const source = text.split('\n')[line - 1] ?? '';
  const before = source.slice(0, characters(source, column)).replace(/[^\t]/g, ' ');
  out.append(element('pre', {}, `${String(line).padStart(4)} | ${source}\n     | `, before, element('span', {className: 'caret'}, '^')));
  out.append(...(diagnostic.notes ?? []).map((note) => mistake(note, text, go)));
  out.prepend(element('button', {type: 'button', className: 'place', onclick: () => go(diagnostic)}, `line ${line}, column ${column}`));
  return out;
}

// The line of the event that a part of a drawing shows, its box or a text in it; 0: of none.
function lineOf(part) {
  let title = part.closest('.box, .title, .code');
  if (title?.matches('.box')) title = title.nextElementSibling;
  if (title?.matches('.code')) title = title.previousElementSibling;
  return Number(/:(\d+)$/.exec(title?.querySelector('.where')?.textContent ?? '')?.[1] ?? 0);
}

// The engine's drawing, with a style of its own that does not meet the page's. light(lines): the user points at what is of these.
function picture(svg, light) {
  const out = element('div', {className: 'picture'});
  const root = out.attachShadow({mode: 'open'});
  root.innerHTML = svg;
  const own = document.createElement('link');
  own.rel = 'stylesheet';
  own.href = 'picture.css';
  root.append(own);
  const drawn = root.querySelector('svg');
  drawn?.setAttribute('role', 'img');
  if (drawn) drawn.style.minWidth = `${0.7 * Number(drawn.getAttribute('width'))}px`;  // smaller, nobody can read it
  root.addEventListener('pointerover', ({target}) => {
    const line = lineOf(target);
    light(line > 0 ? [line] : []);
  });
  out.addEventListener('pointerleave', () => light([]));
  return out;
}

// The states as a table. pick(number): the user wants to see that one's execution.
function statesTable(answer, pick) {
  const {names, states, deciding, complete} = answer;
  const head = element('tr', {}, ...names.map((name) => element('th', {}, name)), element('th', {}, 'condition'));
  const rows = states.map(({values, satisfied}, number) => {
    const show = element('button', {type: 'button', 'aria-pressed': String(number === deciding), title: 'Show an execution with this state',
      onclick: () => pick(number)}, satisfied ? 'holds' : 'fails');
    return element('tr', {className: `${satisfied ? 'holds' : ''} ${number === deciding ? 'chosen' : ''}`},
      ...values.map((value) => element('td', {}, value)), element('td', {}, show));
  });
  const title = (states.length === 0 ? 'No final state' : `${states.length} final state${states.length === 1 ? '' : 's'}`) +
    (complete ? '' : ', as far as is known');
  return card('states', title, states.length === 0 ? null : element('div', {className: 'scroll'}, element('table', {}, head, ...rows)));
}

function card(name, title, ...content) {
  return element('section', {className: `card ${name}`}, element('h2', {}, title), ...content);
}

function steps(violation) {
  return element('ul', {className: 'steps'}, ...violation.steps.map(({level, text}) =>
    element('li', {style: `--level:${level}`}, text)));
}

function axiomCard(violation, title, light) {
  return card('axiom', title, element('p', {}, element('code', {}, violation.text),
    violation.section ? ` (${violation.section})` : ''),
    violation.witness ? picture(violation.witness.svg, light) : null, steps(violation));
}

// Why: what forbids it, or an execution with it.
function explanationCards(answer, light) {
  if (answer.kind === 'impossible')
    return [card('axiom', 'Why not', element('p', {}, 'No choice of the writes that reads return yields these values; no axiom is needed.'))];
  const together = answer.axioms.length > 1 ? 'together with the next: ' : '';
  return [
    ...answer.axioms.map((one, i) => axiomCard(one, `Forbidden by ${i + 1 < answer.axioms.length ? together : ''}${one.axiom}`, light)),
    ...answer.alternatives.map((one) => axiomCard(one, `By itself, too: ${one.axiom}`, light)),
  ];
}

const RACES = {Racy: 'Accesses race', RaceFree: 'No accesses race', Misused: 'No accesses race; something else is wrong', Unknown: 'Whether accesses race is open'};

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

// Where a model is wrong, out of the message: NAME:LINE:COLUMN: error: ...
function placesOf(message) {
  return [...message.matchAll(/:(\d+):(\d+): error: (.*)/g)]
    .map(([, line, column, what]) => ({line: Number(line), column: Number(column), severity: 'error', message: what}));
}

// What a verb found, under a title.
function findingsCard(answer, title, go, light) {
  const rows = answer.findings.map((finding) => element('li', {className: finding.severity},
    element('strong', {}, finding.rule), finding.certain ? '' : ' (perhaps)',
    element('ul', {}, ...finding.places.map((place) => element('li', {},
      element('button', {type: 'button', className: 'place', onclick: () => go(place)}, `${place.thread} line ${place.line}`),
      ' ', element('code', {}, place.text)))),
    ...finding.cause.map((text) => element('p', {}, sentence(text))),
    ...finding.advice.map((text) => element('p', {className: 'advice'}, sentence(text))),
    finding.witness ? element('details', {}, element('summary', {}, 'An execution'), picture(finding.witness.svg, light)) : null));
  return card('findings', title, rows.length > 0 ? element('ul', {}, ...rows) : null);
}
