// The corpus as a tree of its families, and what of it a search leaves.
'use strict';

const MOST_FOUND = 200;

// The doc string: the second line, in quotes.
function aboutTest(text) {
  return /^"(.*)"$/m.exec(text)?.[1] ?? '';
}

class Gallery {
  // open(path): the user chose a test, FAMILY/NAME.
  constructor(place, search, open) {
    this.place = place;
    this.open = open;
    this.tests = new Map(CORPUS.flatMap(({name, tests}) => Object.entries(tests).map(([test, text]) => [`${name}/${test}`, text])));
    search.addEventListener('input', () => this.show(search.value));
    place.addEventListener('click', (event) => {
      const link = event.target.closest('a');
      if (!link) return;
      event.preventDefault();
      open(link.dataset.path);
    });
    this.show('');
  }

  text(path) { return this.tests.get(path); }
  pathOf(text) {
    for (const [path, own] of this.tests) if (own === text) return path;
    return null;
  }

  show(search) {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) {
      this.place.replaceChildren(...CORPUS.map((family) => this.family(family)));
    } else {
      const found = [...this.tests].filter(([path, text]) => {
        const all = `${path} ${aboutTest(text)}`.toLowerCase();
        return words.every((word) => all.includes(word));
      });
      const rest = document.createElement('p');
      rest.className = 'dim';
      rest.textContent = found.length === 0 ? 'No test has that.' :
        found.length > MOST_FOUND ? `${found.length - MOST_FOUND} more` : '';
      this.place.replaceChildren(this.list(found.slice(0, MOST_FOUND), (path) => path), rest);
    }
    this.choose(this.chosen);
  }

  family({name, about, tests}) {
    const out = document.createElement('details');
    out.dataset.family = name;
    const title = document.createElement('summary');
    const count = document.createElement('span');
    count.className = 'dim';
    count.textContent = ` ${Object.keys(tests).length}`;
    title.append(name, count);
    title.title = about;
    out.append(title);
    out.addEventListener('toggle', () => {  // there are thousands: lists are made where they are looked at
      if (!out.open || out.childElementCount > 1) return;
      out.append(this.list(Object.keys(tests).map((test) => [`${name}/${test}`, tests[test]]), (path) => path.slice(name.length + 1)));
      this.choose(this.chosen);
    });
    return out;
  }

  list(tests, label) {
    const out = document.createElement('ul');
    for (const [path, text] of tests) {
      const link = document.createElement('a');
      link.href = `#t=${encodeURIComponent(path)}`;
      link.dataset.path = path;
      link.textContent = label(path);
      link.title = aboutTest(text);
      const row = document.createElement('li');
      row.append(link);
      out.append(row);
    }
    return out;
  }

  // Shows which test is open; null: none of these.
  choose(path) {
    this.chosen = path;
    for (const link of this.place.querySelectorAll('a')) {
      if (link.dataset.path === path) this.current(link);
      else link.removeAttribute('aria-current');
    }
  }

  // Marks the one that is open, where it can be seen.
  current(link) {
    link.setAttribute('aria-current', 'true');
    const here = this.place.getBoundingClientRect();
    const there = link.getBoundingClientRect();
    if (there.top < here.top || there.bottom > here.bottom) this.place.scrollTop += there.top - here.top - here.height / 3;
  }

  // Opens the family of a test.
  reveal(path) {
    const family = this.place.querySelector(`details[data-family="${CSS.escape(path.split('/')[0])}"]`);
    if (family) family.open = true;
  }
}
