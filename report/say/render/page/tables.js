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

// These cells have a colour: class of it.
const marks = {
  passed: 'ok',
  failed: 'error',
  undecided: 'warning',
  'not measured': 'warning'
};

// A table of the terminal's, cell by cell; it sorts by the number that a cell begins with.
function textTable(columns) {
  const none = '-';
  const key = text => {
    const number = parseFloat(text.replace(/^[~+]/, '').replaceAll(',', ''));
    return text === none ? undefined : Number.isNaN(number) ? text : number;
  };
  const shown = text => text === none ? absent : marks[text] ? make('span', {class: 'tag ' + marks[text]}, text) : text;
  return table(
      columns.map((column, i) => ({
                    head: column.head,
                    value: row => key(row[i]),
                    show: (_, row) => shown(row[i]),
                    text: column.left,
                    long: column.left && column.cells.some(text => text.length > 60)
                  })),
      columns[0].cells.map((_, row) => columns.map(column => column.cells[row])));
}

// Shows what a section of the report holds: its table and the lines below it, or its sentences.
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
