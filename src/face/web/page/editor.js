// An editor: a text area over a copy of its text that has the colours, line numbers and marks.
'use strict';

const COLOURS = {
  litmus: [
    ['comment', /(?:\(\*[^]*?\*\)|\/\/[^\n]*|\/\*[^]*?\*\/)/],
    ['string', /"[^"\n]*"/],
    ['word', /(?:exists|~exists|forall|filter|Verdict|PTX)\b/],
    ['register', /%[A-Za-z_][\w.]*/],
    ['thread', /\bP\d+\b(?:\s*@[^|;\n]*)?/],
    ['code', /(?<![+\w.])[a-z][a-z0-9]*(?:\.[a-z_][\w]*(?:::\w+)*)+/],
    ['number', /\b(?:0x[0-9a-fA-F]+|\d+)\b/],
  ],
  cat: [
    ['comment', /(?:\(\*[^]*?\*\)|\/\/[^\n]*)/],
    ['string', /"[^"\n]*"/],
    ['word', /\b(?:let|rec|and|acyclic|irreflexive|empty|flag|as|include|role|show|with|from|in|axiom)\b/],
    ['number', /\b\d+\b/],
  ],
};

function colourer(language) {
  const rules = COLOURS[language];
  const all = new RegExp(rules.map(([, rule]) => `(${rule.source})`).join('|'), 'g');
  return (text, add) => {
    let at = 0;
    for (const match of text.matchAll(all)) {
      const kind = rules[match.slice(1).findIndex((group) => group !== undefined)][0];
      add(text.slice(at, match.index), '');
      add(match[0], kind);
      at = match.index + match[0].length;
    }
    add(text.slice(at), '');
  };
}

class Editor {
  // changed(): called where the user typed.
  constructor(area, language, changed) {
    this.area = area;
    this.colour = colourer(language);
    this.marks = [];
    this.lit = new Set();
    this.numbers = document.createElement('pre');
    this.numbers.className = 'numbers';
    this.numbers.setAttribute('aria-hidden', 'true');
    this.copy = document.createElement('pre');
    this.copy.className = 'copy';
    this.copy.setAttribute('aria-hidden', 'true');
    area.before(this.numbers, this.copy);
    area.addEventListener('input', () => {
      this.marks = [];
      this.draw();
      changed();
    });
    area.addEventListener('scroll', () => this.follow());
    area.addEventListener('keydown', (event) => this.key(event));
  }

  get text() { return this.area.value; }
  set text(text) {
    this.area.value = text;
    this.marks = [];
    this.lit = new Set();
    this.area.scrollTop = this.area.scrollLeft = 0;
    this.draw();
  }

  // marks: [{line, column, severity, message}], from 1, columns in bytes.
  mark(marks) {
    this.marks = marks.filter(({line}) => line > 0);
    this.draw();
  }

  // Lines that the answer is about.
  light(lines) {
    this.lit = new Set(lines);
    this.draw();
  }

  go({line, column}) {
    const lines = this.text.split('\n');
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const at = start + characters(lines[line - 1] ?? '', column);
    this.area.focus();
    this.area.setSelectionRange(at, at);
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    this.area.scrollTop = Math.max(0, (line - 5) * height);
    this.follow();
  }

  key(event) {
    if (event.key !== 'Tab' || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    document.execCommand('insertText', false, '  ');  // which can be undone
  }

  follow() {
    this.copy.scrollTop = this.numbers.scrollTop = this.area.scrollTop;
    this.copy.scrollLeft = this.area.scrollLeft;
  }

  draw() {
    const lines = this.text.split('\n');
    const marked = new Map(this.marks.map((mark) => [mark.line, mark.severity]));
    this.numbers.replaceChildren(...lines.map((_, i) => {
      const row = document.createElement('span');
      row.className = `row ${marked.get(i + 1) ?? ''}`;
      row.textContent = `${i + 1}\n`;
      return row;
    }));
    const shown = document.createDocumentFragment();
    let offset = 0;
    const spots = this.marks.map((mark) => this.span(lines, mark)).sort((a, b) => a.from - b.from);
    this.colour(this.text, (part, kind) => {
      for (const piece of cut(part, offset, spots)) {
        const span = document.createElement('span');
        span.textContent = piece.text;
        span.className = [kind && `c-${kind}`, piece.severity && `mark ${piece.severity}`].filter(Boolean).join(' ');
        shown.append(span);
      }
      offset += part.length;
    });
    this.copy.replaceChildren(this.bands(lines.length), shown, '\n');
    this.follow();
  }

  // What is lit, behind the text.
  bands(count) {
    const out = document.createElement('span');
    out.className = 'bands';
    for (const line of this.lit) {
      if (line > count) continue;
      const band = document.createElement('span');
      band.style.setProperty('--line', line - 1);
      out.append(band);
    }
    return out;
  }

  // From a mark's column to the end of the word there.
  span(lines, {line, column, severity}) {
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const text = lines[line - 1] ?? '';
    const at = Math.min(characters(text, column), Math.max(0, text.length - 1));
    const word = /^[\w.%:]+/.exec(text.slice(at));
    return {from: start + at, to: start + at + (word ? word[0].length : 1), severity};
  }
}

// A column in bytes, from 1, as an index of characters.
function characters(line, column) {
  const bytes = new TextEncoder().encode(line);
  return new TextDecoder().decode(bytes.slice(0, Math.max(0, column - 1))).length;
}

// A part of the text, which begins at `offset`, in pieces: those in a spot have its severity.
function cut(part, offset, spots) {
  const out = [];
  let at = 0;
  for (const {from, to, severity} of spots) {
    const begin = Math.max(from - offset, at);
    const end = Math.min(to - offset, part.length);
    if (begin >= end) continue;
    if (begin > at) out.push({text: part.slice(at, begin)});
    out.push({text: part.slice(begin, end), severity});
    at = end;
  }
  if (at < part.length) out.push({text: part.slice(at)});
  return out;
}
