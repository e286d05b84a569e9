// Elements, numbers and tables. All text goes through textContent: names may hold anything.
function make(tag, options, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(options || {})) {
    if (key === 'class') element.className = value;
    else if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  for (const child of children) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

// Of an option; the name of an environment variable stays as it is.
const inWords = name => name.startsWith('env.') ? name : name.replaceAll('_', ' ');
const absent = '\u2013';

// Four significant digits, as in the other renderings.
function readable(value) {
  if (value === undefined || value === null) return absent;
  const size = Math.abs(value);
  if (size >= 1000) return value.toFixed(0);
  if (size >= 100) return value.toFixed(1);
  if (size >= 1) return value.toFixed(2);
  if (size >= 0.1) return value.toFixed(3);
  if (size === 0) return '0';
  return value.toFixed(Math.min(20, 2 - Math.floor(Math.log10(size)))).replace(/0+$/, '');
}
const percent = value => value === undefined ? absent : (100 * value).toFixed(1).replace(/^-0\.0$/, '0.0');
// Of windows that were not steady.
const twoDigits = value => '~' + (Math.abs(value) >= 9.95 ? Number(value.toPrecision(2)).toFixed(0) : value.toPrecision(2));
const gibibytes = value => value === undefined ? absent : (value / 2 ** 30).toFixed(2);
// Of one run alone: `share` of `value`; else the interval.
const intervalOr = (share, value, pair, text) => share === undefined ? interval(pair, text) : `at least \u00b1${text(share * value)}`;
const interval = (pair, text) => pair ? `${text(pair[0])} .. ${text(pair[1])}` : absent;

// A head is explained on hover where it is not everyday English.
const glossary = {
  'speed-up': 'throughput against one rank without exchange', 'efficiency': 'speed-up by the number of ranks',
  'efficiency %': 'speed-up by the number of ranks', 'effic. 95 %': '95 % interval of efficiency: where it lies, by what runs differ',
  'effic. min .. max': 'efficiency of the worst and of the best repetition', 'strategy': 'how ranks bring their gradients together; solo: not at all',
  'pairs': 'repetitions in which both values ran', 'p': 'chance of a difference as large by noise alone, all comparisons of the option together',
  'verdict': 'real: surely 2 % or more; none: surely less; unsure: neither; disturbed: other programs ran',
  'imbalance': 'waits for ranks that are slower in every run', 'run-to-run imbalance': 'waits for ranks that are slower in some runs',
  'jitter': 'waits for single slow steps', 'slower compute': 'each rank computes slower than one alone', 'MFU %': 'share of the processor\u2019s peak that the network\u2019s arithmetic uses',
  'busbw GB/s': 'bus bandwidth, as nccl-tests counts it', 'algbw GB/s': 'bytes by time', 'cv %': 'standard deviation of runs by their mean'};

// columns: {head, value(row), show(value, row), text: left-aligned, long: may wrap}. Rows sort by
// value; absent values come last.
function table(columns, rows) {
  const body = make('tbody');
  const fill = list => body.replaceChildren(...list.map(row => make('tr', {}, ...columns.map(column => {
    const value = column.value(row);
    const shown = column.show ? column.show(value, row) : value ?? absent;
    return make('td', {class: (column.text ? 'text ' : '') + (column.long ? 'long' : '')}, shown);
  }))));
  const heads = columns.map(column => make('th', {class: column.text ? 'text' : '', scope: 'col'},
      make('button', {type: 'button', title: glossary[column.head] ?? 'sort'}, column.head)));
  heads.forEach((head, i) => head.firstChild.addEventListener('click', () => {
    const up = head.getAttribute('aria-sort') !== 'ascending';
    heads.forEach(other => other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    fill([...rows].sort((a, b) => compare(columns[i].value(a), columns[i].value(b), up ? 1 : -1)));
  }));
  fill(rows);
  return make('div', {class: 'scroll', tabindex: '0'},
      make('table', {}, make('thead', {}, make('tr', {}, ...heads)), body));
}

function compare(a, b, direction) {
  if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
  if (typeof a === 'number' && typeof b === 'number') return direction * (a - b);
  return direction * String(a).localeCompare(String(b), undefined, {numeric: true});
}

// A choice above charts; `show` is called with each entry that is chosen, not with the first: the
// caller has drawn it.
function choice(label, entries, name, chosen, show) {
  const select = make('select', {'aria-label': label},
      ...entries.map((entry, i) => make('option', {value: String(i)}, name(entry))));
  select.value = String(chosen);
  select.addEventListener('change', () => show(entries[Number(select.value)]));
  return entries.length > 1
      ? make('p', {class: 'screen'}, make('label', {class: 'faint'}, label + ' ', select)) : null;
}

function card(title, ...children) {
  return make('section', {class: 'card'}, make('h2', {}, title), ...children);
}
