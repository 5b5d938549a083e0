// How the engine is asked: readings of the manual, a bound for loops, who is scheduled.
'use strict';

class Options {
  // changed(): the user chose something else.
  constructor(place, readings, changed) {
    this.place = place;
    this.readings = readings;
    this.changed = () => { this.label(); changed(); };
    this.unroll = element('input', {type: 'number', min: '1', max: '64', placeholder: 'no bound', onchange: this.changed});
    this.progress = this.choice(['fair', 'obe', 'hsa']);
    this.unbounded = element('input', {type: 'checkbox', onchange: this.changed});
    this.choices = new Map(readings.map(({name, values}) => [name, this.choice(values)]));
    this.body = element('div', {className: 'options'},
      this.row('Loop bound', this.unroll, 'Enter a loop at most so often; answers within the bound count as known'),
      this.row('Progress', this.progress, 'Who is scheduled for certain: everybody, who has started, or the first CTA of a GPU'),
      this.row('Unbounded integers', this.unbounded, '64-bit and untyped values are unbounded integers'),
      element('h2', {}, 'Readings of the manual'),
      ...readings.map(({name, rules, about}) => this.row(name, this.choices.get(name), about, rules)),
      element('button', {type: 'button', onclick: () => { this.reset(); this.changed(); }}, 'Defaults'));
    this.title = element('summary', {});
    place.replaceChildren(this.title, this.body);
    this.label();
  }

  choice(values) {
    return element('select', {onchange: this.changed}, ...values.map((value) => element('option', {value}, value)));
  }

  row(name, field, about, rules = '') {
    return element('label', {title: about}, element('span', {}, name, rules ? element('span', {className: 'dim'}, ` ${rules}`) : null), field);
  }

  reset() {
    this.unroll.value = '';
    this.progress.value = 'fair';
    this.unbounded.checked = false;
    for (const {name, values} of this.readings) this.choices.get(name).value = values[0];
  }

  // What differs from the defaults, as the engine is asked.
  get asked() {
    const out = {};
    const readings = this.readings.filter(({name, values}) => this.choices.get(name).value !== values[0])
      .map(({name}) => `${name}=${this.choices.get(name).value}`);
    if (readings.length > 0) out.readings = readings;
    if (this.unroll.value !== '' && this.unroll.checkValidity()) out.unroll = Number(this.unroll.value);
    if (this.progress.value !== 'fair') out.progress = this.progress.value;
    if (this.unbounded.checked) out.unbounded = true;
    return out;
  }

  // In the words of an address, and back; what is no option is left out.
  get words() {
    const {readings = [], unroll, progress, unbounded} = this.asked;
    return [...readings, ...(unroll === undefined ? [] : [`unroll=${unroll}`]), ...(progress ? [`progress=${progress}`] : []),
      ...(unbounded ? ['unbounded=1'] : [])].join(',');
  }
  set words(words) {
    this.reset();
    for (const [name, value] of (words ?? '').split(',').map((word) => word.split('='))) {
      const field = {unroll: this.unroll, progress: this.progress}[name] ?? this.choices.get(name);
      if (name === 'unbounded') this.unbounded.checked = true;
      else if (field && (field === this.unroll || [...field.options].some((option) => option.value === value))) field.value = value;
    }
    this.label();
  }

  label() {
    const count = this.words === '' ? 0 : this.words.split(',').length;
    this.title.textContent = count === 0 ? 'Options' : `Options (${count} changed)`;
  }
}
