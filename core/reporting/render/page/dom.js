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
const gibibytes = value => value === undefined ? absent : (value / 2 ** 30).toFixed(2);
// A head is explained on hover where it is not everyday English.
const glossary = {
  'speed-up': 'throughput against one rank without exchange', 'efficiency': 'speed-up by the number of ranks',
  'efficiency %': 'speed-up by the number of ranks', 'effic. %': 'speed-up by the number of ranks',
  'effic. 95 %': '95 % interval of efficiency: where it lies, by what runs differ',
  'effic. min .. max': 'efficiency of the worst and of the best repetition', 'strategy': 'how ranks bring their gradients together; solo: not at all',
  'pairs': 'repetitions in which both values ran', 'p': 'chance of a difference as large by noise alone, all comparisons of the option together',
  'verdict': 'real: surely 2 % or more; none: surely less; unsure: neither; disturbed: other programs ran',
  'comm': 'lost to communication that no computation hides', 'imbal': 'waits for ranks that are slower in every run',
  'run to run': 'waits for ranks that are slower in some runs', 'jitter': 'waits for single slow steps', 'data': 'waits for data',
  'slower': 'each rank computes slower than one alone', 'MFU %': 'share of the processor\u2019s peak that the network\u2019s arithmetic uses',
  'busbw GB/s': 'bus bandwidth, as nccl-tests counts it', 'algbw GB/s': 'bytes by time', 'CV %': 'standard deviation of runs by their mean',
  'payload MB a step': 'what all ranks exchange in a step'};

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

// A table of the terminal's, cell by cell; it sorts by the number that a cell begins with.
function textTable(columns) {
  const none = '-';
  const key = text => {
    const number = parseFloat(text.replace(/^[~+]/, '').replaceAll(',', ''));
    return text === none ? undefined : Number.isNaN(number) ? text : number;
  };
  return table(columns.map((column, i) => ({head: column.head, value: row => key(row[i]), show: (_, row) => row[i] === none ? absent : row[i], text: column.left})),
      columns[0].cells.map((_, row) => columns.map(column => column.cells[row])));
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

// What a section of the report holds: its table and the lines below it, or its sentences.
function inside({columns, lines}) {
  if (!columns.length) return [make('ul', {class: 'words'}, ...lines.map(line => make('li', {}, line)))];
  return [textTable(columns), ...lines.map(line => make('p', {class: 'faint'}, line))];
}

// The sections whose titles pass, in one card with a chart above; null where there are neither.
function sectionCard(report, passes, ...charts) {
  const found = report.sections.filter(section => passes(section.title));
  if (!found.length) return null;
  const [first, ...more] = found;
  return card(first.title, ...charts, ...inside(first), ...more.flatMap(section => [make('h3', {}, section.title), ...inside(section)]));
}
