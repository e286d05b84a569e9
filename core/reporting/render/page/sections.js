// One function per section of the page; each returns an element or null where it has nothing to say.
const verdicts = {quotable: ['good', 'quotable'], with_care: ['accent', 'quote with care'], do_not_quote: ['bad', 'do not quote']};

// Shows the program's own short answer: what was found, how sure.
function answerSection(report) {
  const {figures, verdict, parts, what, effort, table: columns, found, notes, machine} = report.answer;
  const facts = [`status ${report.status}`, `started ${report.started}`,
                 report.finished ? `finished ${report.finished}` : null,
                 `run ${report.run_id}`, `scalemark ${report.tool.version} (${report.tool.git_commit})`];
  const light = verdict && make('p', {class: `verdict ${verdicts[verdict][0]}`}, verdicts[verdict][1]);
  const items = (lines, kind) => lines.length ? make('ul', {class: `words ${kind}`}, ...lines.map(line => make('li', {}, line))) : null;
  return card('Answer', report.invocation.about ? make('p', {class: 'faint'}, report.invocation.about) : null, items(parts, 'against'),
      make('div', {class: 'figures'}, ...figures.map(({value, label}) =>
          make('div', {}, make('p', {class: 'large'}, value), make('p', {class: 'faint'}, label))), light),
      make('p', {}, [what, effort].filter(Boolean).join(' \u00b7 ')),
      columns[0]?.cells.length > 1 ? textTable(columns) : null,
      items(found, ''), items(notes, 'against'),
      make('p', {class: 'faint'}, [machine, ...facts].filter(Boolean).join(' \u00b7 ')));
}

const isScaling = title => /^(Scaling|Lost efficiency), /.test(title);

function scalingSection(report) {
  if (!report.scaling?.length) return null;
  const parts = report.sections.filter(section => isScaling(section.title)).flatMap(section => [make('h3', {}, section.title), ...inside(section)]);
  return card('Scaling', plotFigures(report, 'speed-up', 'efficiency'), ...parts);
}

function waterfallSection(report) {
  const plot = plotFigures(report, 'why-not-more');
  return plot ? card('Why not more', plot) : null;
}

const isOfEffects = title => /^(What .*options give|Tuning|Communication against batch size)$/.test(title);
const effectsSection = report => sectionCard(report, isOfEffects, plotFigures(report, 'effects'));

function throughputSection(report) {
  if (!okRuns(report).length) return null;
  return card('Throughput and phases', make('div', {class: 'pair'}, plotFigures(report, 'throughput'), plotFigures(report, 'step')), plotFigures(report, 'runs'));
}
