// The page: what is asked when, and where what is said stands.
'use strict';

const TIMEOUT = 20;  // seconds a question
const PAUSE = 250;   // milliseconds without a key, after which the test is asked about
const $ = (id) => document.getElementById(id);

// The engine in a worker, which is ended where nobody wants its answer any more.
class Engine {
  constructor() { this.start(); }

  start() {
    const text = `(${ptxmcEngine})()`;
    this.worker = new Worker(URL.createObjectURL(new Blob([text], {type: 'text/javascript'})));
    this.asked = new Map();
    this.last = 0;
    this.worker.onmessage = ({data: {id, answer}}) => {
      const done = this.asked.get(id);
      this.asked.delete(id);
      if (answer.dead) this.restart();
      done(answer);
    };
  }

  restart() {
    this.worker.terminate();
    this.start();
  }

  // What is under way is ended; its promises stay open for ever.
  drop() {
    if (this.asked.size > 0) this.restart();
  }

  ask(question) {
    return new Promise((done) => {
      this.asked.set(++this.last, done);
      this.worker.postMessage({id: this.last, question: JSON.stringify(question)});
    });
  }
}

class Page {
  constructor() {
    this.engine = new Engine();
    this.turn = 0;
    this.later = 0;
    this.models = [];
    this.path = null;  // of the test in the corpus that is shown, as it is there
    this.test = new Editor($('test'), 'litmus', () => this.typed());
    this.cat = new Editor($('cat'), 'cat', () => this.typed());
    this.gallery = new Gallery($('gallery'), $('search'), (path) => {
      this.open(path);
      $('write').scrollIntoView({block: 'nearest'});
    });
    $('model').onchange = () => this.chooseModel($('model').value);
    $('restore').onclick = () => this.chooseModel(this.model);
    $('link').onclick = () => this.copyLink();
    $('tab-test').onclick = () => this.tab('test');
    $('tab-cat').onclick = () => this.tab('cat');
    window.onhashchange = () => this.follow();
  }

  async start() {
    const {models, readings, version} = await this.engine.ask({ask: 'models'});
    this.options = new Options($('options'), readings, () => this.changed(0));
    this.models = models;
    document.querySelector('h1').title = `version ${version}`;
    $('model').replaceChildren(...models.map(({name}) => element('option', {value: name}, name)));
    this.setModel(models[0].name);
    await this.follow();
  }

  builtIn(name) { return this.models.find((model) => model.name === name)?.text; }

  setModel(name, text = this.builtIn(name)) {
    this.model = name;
    $('model').value = name;
    this.cat.text = text;
  }

  chooseModel(name) {
    this.setModel(name);
    this.changed(0);
  }

  tab(name) {
    for (const each of ['test', 'cat']) {
      $(`tab-${each}`).setAttribute('aria-selected', String(each === name));
      $(`pane-${each}`).hidden = each !== name;
    }
    this[name].draw();
    this.label();
  }

  label() {
    const other = this.cat.text !== this.builtIn(this.model);
    $('tab-cat').textContent = other ? 'Model (changed)' : 'Model';
    $('restore').hidden = !other || $('pane-cat').hidden;
    $('where').textContent = $('pane-cat').hidden ? (this.path ? `litmus/${this.path}.litmus` : 'your test') : this.model;
  }

  // A test of the corpus.
  open(path) {
    const text = this.gallery.text(path);
    if (text === undefined) return;
    this.path = path;
    this.test.text = text;
    this.tab('test');
    this.changed(0);
  }

  typed() { this.changed(PAUSE); }

  changed(pause) {
    if (this.path && this.gallery.text(this.path) !== this.test.text) this.path = null;
    this.gallery.choose(this.path);
    this.label();
    clearTimeout(this.later);
    this.later = setTimeout(() => this.check(), pause);
  }

  question(ask, more = {}) {
    const question = {ask, text: this.test.text, name: 'test.litmus', timeout: TIMEOUT, ...this.options.asked, ...more};
    if (this.cat.text === this.builtIn(this.model)) question.model = this.model;
    else Object.assign(question, {model: `${this.model}, changed`, model_text: this.cat.text});
    return question;
  }

  async check() {
    const turn = ++this.turn;
    const late = () => turn !== this.turn;
    this.engine.drop();
    this.keepLink();
    document.body.dataset.state = 'busy';
    const busy = setTimeout(() => $('verdict').replaceChildren(element('span', {className: 'word'}, '…'),
      element('button', {type: 'button', onclick: () => this.stop()}, 'Stop')), 300);
    const ready = await this.engine.ask(this.question('prepare'));  // the model is read once, and is not the test's time
    const answer = ready.error === undefined ? await this.engine.ask(this.question('check')) : ready;
    clearTimeout(busy);
    if (late()) return;
    this.show(answer);
    if (answer.error === undefined && answer.answer !== 'Error') await this.showMore(answer, late);
    if (!late()) document.body.dataset.state = 'done';
  }

  stop() {
    ++this.turn;
    this.engine.drop();
    $('verdict').replaceChildren(element('span', {className: 'word odd'}, 'Stopped'),
      element('button', {type: 'button', onclick: () => this.check()}, 'Ask again'));
    document.body.dataset.state = 'done';
  }

  show(answer) {
    this.showAnswer(answer);
    if (this.notice) $('problems').prepend(element('div', {className: 'mistake error'}, this.notice));
    this.notice = '';
  }

  showAnswer(answer) {
    $('details').replaceChildren();
    if (answer.error !== undefined) {
      $('verdict').replaceChildren(element('span', {className: 'word bad'}, 'Error'),
        element('span', {}, answer.where === 'model' ? 'the model cannot be read' : 'there is no answer'));
      const places = answer.where === 'model' ? placesOf(answer.error) : [];
      const go = (place) => { this.tab('cat'); this.cat.go(place); };
      this.cat.mark(places);
      $('problems').replaceChildren(...places.map((place) => mistake(place, this.cat.text, go)),
        ...(places.length === 0 ? [element('pre', {className: 'mistake error'}, answer.error)] : []));
      return;
    }
    this.cat.mark([]);
    this.test.mark([...answer.diagnostics, ...answer.warnings]);
    $('verdict').replaceChildren(...verdictLine(answer));
    const go = (place) => { this.tab('test'); this.test.go(place); };
    $('problems').replaceChildren(
      ...[...answer.diagnostics, ...answer.warnings].map((one) => mistake(one, this.test.text, go)),
      ...answer.problems.map((text) => element('div', {className: 'mistake error'}, `A bug of ptxmc: ${text}`)),
      ...answer.flags.map(({name, raised}) => element('div', {className: 'mistake warning'}, `${raised ? 'Flag' : 'Perhaps flag'} ${name}`)));
    if (answer.answer === 'Error') return;
    this.states = answer;
    $('details').append(statesTable(answer, (number) => this.pick(number)));
    if (answer.witness) $('details').append(this.execution(answer.witness, answer.states[answer.deciding]));
  }

  execution(witness, state) {
    const title = this.states.names.map((name, i) => `${name}=${state.values[i]}`).join('; ');
    return card('execution', `An execution with ${title || 'this state'}`, picture(witness.svg, (lines) => this.test.light(lines)));
  }

  // The execution of another state.
  async pick(number) {
    const turn = this.turn;
    const witness = await this.engine.ask(this.question('state', {number}));
    if (turn !== this.turn || !witness || witness.error !== undefined) return;
    document.querySelector('.execution')?.remove();
    document.querySelector('.states').after(this.execution(witness, this.states.states[number]));
    document.querySelectorAll('.states tr').forEach((row, i) => {
      row.classList.toggle('chosen', i === number + 1);
      row.querySelector('button')?.setAttribute('aria-pressed', String(i === number + 1));
    });
  }

  // Why, what races and who waits for ever, behind the answer that is there already.
  async showMore(answer, late) {
    const more = [];
    if (answer.answer === 'Forbidden' || answer.answer === 'Required') {
      const why = await this.engine.ask(this.question('explain'));
      if (late()) return;
      if (why.error === undefined) more.push(...explanationCards(why, (lines) => this.test.light(lines)));
      $('details').append(...more);
    }
    const races = await this.engine.ask(this.question('races'));
    if (late() || races.error !== undefined) return;
    const go = (place) => { this.tab('test'); this.test.go(place); };
    const light = (lines) => this.test.light(lines);
    const about = races.answer === 'RaceFree' && races.findings.length > 0 ? 'Misused' : races.answer;
    if (RACES[about]) $('details').append(findingsCard(races, RACES[about], go, light));
    const live = await this.engine.ask(this.question('liveness'));
    if (late() || live.error !== undefined || !live.hangs) return;
    $('details').append(findingsCard(live, 'A thread may wait forever', go, light));
  }

  // The address says what is shown: `t` a test of the corpus, or `x` a text; `m` the model; `c` its text, where it is another; `o` options.
  async address() {
    const words = new URLSearchParams();
    if (this.path) words.set('t', this.path);
    else words.set('x', await packed(this.test.text));
    if (this.model !== this.models[0].name) words.set('m', this.model);
    if (this.cat.text !== this.builtIn(this.model)) words.set('c', await packed(this.cat.text));
    if (this.options.words !== '') words.set('o', this.options.words);
    return `#${words}`;
  }

  async keepLink() {
    this.kept = await this.address();
    history.replaceState(null, '', this.kept);
  }

  async copyLink() {
    await this.keepLink();
    const says = await navigator.clipboard.writeText(location.href).then(() => 'Copied', () => 'It is the address of the page');
    $('link').textContent = says;
    setTimeout(() => { $('link').textContent = 'Copy link'; }, 2000);
  }

  async follow() {
    if (this.kept !== undefined && location.hash === this.kept) return;
    const words = new URLSearchParams(location.hash.slice(1));
    const model = this.builtIn(words.get('m')) === undefined ? this.models[0].name : words.get('m');
    try {
      this.setModel(model, words.has('c') ? await unpacked(words.get('c')) : undefined);
      this.options.words = words.get('o');
      if (words.has('x')) {
        this.test.text = await unpacked(words.get('x'));
        this.path = this.gallery.pathOf(this.test.text);
        this.tab('test');
        this.changed(0);
        return;
      }
    } catch {
      this.setModel(model);
      this.notice = 'The address of this page is damaged: no test can be read from it';
    }
    const path = this.gallery.text(words.get('t')) === undefined ? 'classic/MP+release.gpu+acquire.gpu' : words.get('t');
    this.gallery.reveal(path);
    this.open(path);
  }
}

// Texts in addresses: deflated, in the letters of base64 that addresses may have.
async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
async function packed(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}
async function unpacked(word) {
  const bytes = Uint8Array.from(atob(word.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0));
  return new TextDecoder('utf-8', {fatal: true}).decode(await through(bytes, new DecompressionStream('deflate-raw')));
}

const page = new Page();
page.start();
