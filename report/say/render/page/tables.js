// Tables and sections of a report.
// A head is explained on hover where it is not everyday English.
const glossary = {
  'speed-up': 'throughput against one rank with no exchange',
  'efficiency': 'speed-up by the number of ranks',
  'efficiency %': 'speed-up by the number of ranks',
  'effic. %': 'speed-up by the number of ranks',
  'effic. 95 %': '95 % interval of efficiency: where it lies, by what runs differ',
  'effic. min to max': 'efficiency of the worst and of the best repetition',
  'strategy': 'how ranks bring their gradients together; no exchange: not at all',
  'pairs': 'repetitions in which both values ran',
  'p': 'chance of a difference as large by noise alone, all comparisons of the option together',
  'verdict': 'real: surely 2 % or more; none: surely less; unsure: neither; disturbed: other programs ran',
  'communication': 'lost to communication that no computation hides',
  'MFU %': 'share of the processor\u2019s peak that the network\u2019s arithmetic uses',
  'busbw GB/s': 'bus bandwidth, as nccl-tests counts it',
  'algbw GB/s': 'bytes by time',
  'CV %': 'standard deviation of runs by their mean',
  'payload MB a step': 'what all ranks exchange in a step'
};

// Our own words, which the program's list explains (report/say/words/word_list.inc). "Points of efficiency" are none of ours.
let ourWords = null;
function learn(list) {
  const words = list.flatMap(({word, meaning}) => word.split(', ').map(one => [one, meaning]));
  for (const [word, meaning] of words) glossary[word] = glossary[word + 's'] ??= meaning;
  ourWords = new RegExp(`\\b(${words.map(([word]) => word).join('|')})s?\\b(?! of efficiency)`, 'gi');
}

// Splits a text into parts: each of our words has its meaning on hover where it stands first.
function explained(text) {
  const told = new Set(), parts = [];
  let from = 0;
  for (const {0: form, 1: word, index} of text.matchAll(ourWords)) {
    if (told.has(word.toLowerCase())) continue;
    told.add(word.toLowerCase());
    parts.push(text.slice(from, index), make('abbr', {title: glossary[word.toLowerCase()]}, form));
    from = index + form.length;
  }
  return [...parts, text.slice(from)];
}

// This is the list itself, for who has no pointer to hover with.
const wordsCard = list => card(
    'Words',
    make(
        'details', {}, make('summary', {}, `what ${list.slice(0, 3).map(({word}) => word).join(', ')} ... mean`),
        make('dl', {}, ...list.flatMap(({word, meaning}) => [make('dt', {}, word), make('dd', {}, meaning)]))));

// These cells have a colour: class of it.
const marks = {
  passed: 'ok',
  failed: 'error',
  undecided: 'warning',
  'not measured': 'warning'
};

// A table of the terminal's, cell by cell; it sorts by the number that a cell begins with, and by its unit where that is one of bytes.
function textTable(columns) {
  const none = '-';
  const key = text => {
    const number = parseFloat(text.replace(/^[~+]/, '').replaceAll(',', ''));
    const unit = Math.max(0, byteUnits.indexOf(/ ([KMGTP]i)?B$/.exec(text)?.[0].slice(1)));
    return text === none ? undefined : Number.isNaN(number) ? text : number * 1024 ** unit;
  };
  const shown = text => text === none ? absent : marks[text] ? make('span', {class: 'tag ' + marks[text]}, text) : text;
  return table(
      columns.map((column, i) => ({
                    head: column.head,
                    value: row => key(row[i]),
                    show: (_, row) => shown(row[i]),
                    text: column.left,
                    mayGo: column.may_go,
                    long: column.left && column.cells.some(text => text.length > 60)
                  })),
      columns[0].cells.map((_, row) => columns.map(column => column.cells[row])));
}

// Shows what a section of the report holds: its table and the lines below it, or its sentences.
function inside({columns, lines}) {
  if (!columns.length) return [make('ul', {class: 'words'}, ...lines.map(line => make('li', {}, ...explained(line))))];
  return [textTable(columns), ...lines.map(line => make('p', {class: 'faint'}, ...explained(line)))];
}

// The sections whose titles pass, in one card with a chart above; null where there are neither.
function sectionCard(report, passes, ...charts) {
  const found = report.sections.filter(section => passes(section.title));
  if (!found.length) return null;
  const [first, ...more] = found;
  return card(first.title, ...charts, ...inside(first), ...more.flatMap(section => [make('h3', {}, section.title), ...inside(section)]));
}
