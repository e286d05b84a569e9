// One function per section of the page; each returns an element or null where it has nothing to say.
const verdicts = {
  quotable: ['good', 'quotable'],
  with_care: ['accent', 'quote with care'],
  do_not_quote: ['bad', 'do not quote'],
  passed: ['good', 'passed'],
  unsure: ['accent', 'undecided'],
  missing: ['accent', 'not all measured'],
  failed: ['bad', 'failed']
};

// Shows the program's own short answer: what was found, how sure.
function answerSection(report) {
  const {about, figures, verdict, parts, what, effort, table: columns, found, notes, facts} = report.answer;
  const light = verdict && make('p', {class: `verdict ${verdicts[verdict][0]}`}, verdicts[verdict][1]);
  const items = (lines, kind) =>
      lines.length ? make('ul', {class: `words ${kind}`}, ...lines.map(line => make('li', {}, ...explained(line)))) : null;
  return card(
      'Answer', about ? make('p', {class: 'faint'}, about) : null, items(parts, 'against'),
      make(
          'div', {class: 'figures'},
          ...figures.map(({value, label}) => make('div', {}, make('p', {class: 'large'}, value), make('p', {class: 'faint'}, label))),
          light),
      make('p', {}, [what, effort].filter(Boolean).join(' \u00b7 ')),
      columns[0]?.cells.length > 1 ? make('div', {class: 'answer'}, textTable(columns)) : null, items(found, ''), items(notes, 'against'),
      make('p', {class: 'faint'}, facts.join(' \u00b7 ')));
}

const isScaling = title => /^(Scaling|Lost efficiency), /.test(title);

function scalingSection(report) {
  if (!report.scaling?.length) return null;
  const parts =
      report.sections.filter(section => isScaling(section.title)).flatMap(section => [make('h3', {}, section.title), ...inside(section)]);
  return card('Scaling', plotFigures(report, 'speed-up', 'efficiency'), ...parts);
}

function waterfallSection(report) {
  const plot = plotFigures(report, 'why-not-more');
  return plot ? card('Why not more', plot) : null;
}

// Parts of a fleet side by side.
function partsSection(report) {
  const plot = plotFigures(report, 'parts');
  return plot ? card('Parts', plot) : null;
}

const isOfEffects = title => /^(What .*options give|Tuning|Communication against batch size)$/.test(title);
const effectsSection = report => sectionCard(report, isOfEffects, plotFigures(report, 'effects'));

function throughputSection(report) {
  if (!okRuns(report).length) return null;
  const pair = [plotFigures(report, 'throughput'), plotFigures(report, 'step')].filter(Boolean);
  return card('Throughput and phases', make('div', {class: 'pair'}, ...pair), plotFigures(report, 'runs'));
}
