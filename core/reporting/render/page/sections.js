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

function scalingFigures(report) {
  const tables = report.scaling;
  const rows = tables.flatMap(of => of.rows);
  const sizes = [...new Set(tables.flatMap(table => table.rows.map(row => row.world_size)))].sort((a, b) => a - b);
  const last = sizes.at(-1), first = Math.min(...tables.map(t => Math.min(...t.rows.map(r => r.world_size))));
  const top = value => topOf([value === 'speedup' ? last / first : 1, ...rows.map(row => row[value])]);
  const series = value => tables.flatMap((table, i) => {
    const point = row => {
      const ratio = value === 'speedup' ? row.speedup / row.efficiency : 1;
      const ci = row.efficiency_ci95;
      const y = row[value] ?? 1;  // the baseline has none
      return {x: row.world_size, y, low: ci && ci[0] * ratio, high: ci && ci[1] * ratio};
    };
    const solo = table.rows.filter(isSolo).map(point);
    return [...lineWithBars(sliceName(table, tables), seriesColor(i), plotted(table.rows).map(point), top(value)),
            ...(solo.length ? lineWithBars(i === 0 ? 'without exchange' : hidden, seriesColor(i), solo, top(value),
                {showLine: false, pointStyle: 'triangle', pointRadius: 6, backgroundColor: 'transparent'}) : [])];
  });
  const ideal = value => ({label: 'ideal', borderColor: color('--faint'), borderDash: [6, 4], borderWidth: 1.5,
      pointRadius: 0, backgroundColor: 'transparent',
      data: value === 'speedup' ? [{x: first, y: 1}, {x: last, y: last / first}] : [{x: first, y: 1}, {x: last, y: 1}]});
  const plot = (value, title) => () => xyChart([ideal(value), ...series(value)],
      axis('ranks', {...ticksAt(sizes), min: 0, max: last * 1.05}), axis(title, {min: 0, max: top(value)}));
  return make('div', {class: 'pair'},
      figure('Speed-up', 'Bars: 95 % intervals; an arrow: it goes on. Triangles: the same ranks without exchange.',
             plot('speedup', 'times the baseline')).element,
      figure('Scaling efficiency', '1 is what one rank does alone; above it is possible.', plot('efficiency', 'efficiency')).element);
}

const isScaling = title => /^(Scaling|Lost efficiency), /.test(title);

function scalingSection(report) {
  if (!report.scaling?.length) return null;
  const parts = report.sections.filter(section => isScaling(section.title)).flatMap(section => [make('h3', {}, section.title), ...inside(section)]);
  return card('Scaling', scalingFigures(report), ...parts);
}

const terms = [['communication', 'communication'], ['persistent_imbalance', 'imbalance'], ['run_imbalance', 'run-to-run imbalance'], ['jitter', 'jitter'],
               ['data_wait', 'data'], ['slower_compute', 'slower compute']];

function waterfallChart(row) {
  const ideal = row.speedup / row.efficiency;
  const bars = [['ideal', 0, ideal, '--faint']];
  let at = ideal;
  for (const [key, name] of terms) {
    if (row.loss_of_efficiency[key] === undefined) continue;
    const next = at - row.loss_of_efficiency[key] * ideal;
    bars.push([name, at, next, next > at ? '--good' : '--bad']);
    at = next;
  }
  bars.push(['measured', 0, row.speedup, '--accent']);
  const data = bars.map(([, from, to]) => [from, to]);
  // Small losses of a large speed-up would be hair lines above zero.
  const low = Math.min(ideal, ...bars.map(([, , to]) => to)), high = Math.max(...bars.map(([, , to]) => to));
  const min = Math.max(0, low - 1.2 * Math.max(high - low, 0.02 * ideal));
  return barChart(bars.map(bar => bar[0]),
      [{label: 'speed-up', data, backgroundColor: bars.map(bar => color(bar[3])), barPercentage: 0.85, minBarLength: 2}],
      {values: axis('speed-up', {min}), tooltip: {label: item => {
        const [from, to] = item.raw;
        return from === 0 ? `${readable(to)}x` : `${to < from ? '\u2212' : '+'}${Math.abs(to - from).toFixed(3)}x`;
      }}});
}

function waterfallSection(report) {
  const rows = (report.scaling || []).flatMap(of => of.rows
      .filter(row => row.loss_of_efficiency && row.world_size > 1)
      .map(row => ({row, name: `${sliceName(of, report.scaling)}: ${row.world_size} ranks, ${strategyOf(row)}`})));
  if (!rows.length) return null;
  const talking = rows.filter(({row}) => row.strategy !== 'none');
  const most = (talking.length ? talking : rows).reduce((a, b) => b.row.world_size >= a.row.world_size ? b : a);
  let chosen = most.row;
  const words = make('p', {class: 'waterfall'}, chosen.in_words || '');
  const chart = figure('From ideal to measured', 'The terms add up exactly to what is lost. The axis may begin above zero.', () => waterfallChart(chosen));
  return card('Why not more', choice('point', rows, entry => entry.name, rows.indexOf(most), entry => {
    chosen = entry.row;
    words.textContent = chosen.in_words || '';
    chart.redraw();
  }), words, chart.element);
}

function throughputFigure(report) {
  const all = [...runsByGroup(report).values()].map(runs => runs[0]).filter(p => !isSolo(p));
  const talking = all.filter(p => p.strategy !== 'none');
  const groups = talking.some(p => p.world_size === 1) || !talking.length ? talking.length ? talking : all : all;
  const known = new Map((report.groups || []).map(group => [group.group, group]));
  const strong = report.scaling?.some(t => t.kind !== 'weak');
  const sizes = [['batch', p => strong ? p.global_batch_size : p.batch_size], ['ranks', p => p.world_size]];
  const axes = [...sizes, ...traitsOf(groups)]
      .map(([name, value]) => ({name, value, values: [...new Set(groups.map(value))].sort((a, b) => a - b)}))
      .filter(({values}) => values.length > 1 && values.every(Number.isFinite))
      .sort((a, b) => (a.name === 'ranks') - (b.name === 'ranks') || b.values.length - a.values.length);
  if (!axes.length || axes[0].name === 'ranks') return null;  // ranks have charts of their own
  let chosen = axes[0];
  const titleOf = ({name}) => name === 'batch' ? strong ? 'global batch' : 'batch per rank' : name;
  const chart = figure('Throughput against an option', 'Bars: 95 % intervals over repetitions.', () => {
    const name = namer(groups, [...sizes, ['strategy', strategyOf]].filter(([of]) => of !== chosen.name), chosen.name);
    const lines = new Map();
    for (const p of groups) {
      const of = known.get(p.group), ci = of?.ci95;
      if (!lines.has(name(p))) lines.set(name(p), []);
      lines.get(name(p)).push({x: chosen.value(p), y: of?.samples_per_sec ?? p.samples_per_sec, low: ci?.[0], high: ci?.[1]});
    }
    const top = topOf([...lines.values()].flat().map(point => point.y));
    return xyChart([...lines].flatMap(([label, points], i) => lineWithBars(label, seriesColor(i), points.sort((a, b) => a.x - b.x), top)),
        axis(titleOf(chosen), {...ticksAt(chosen.values), min: 0}), axis('samples/s', {min: 0, max: top}));
  });
  return make('div', {}, chart.element, choice('x axis', axes, titleOf, 0, of => { chosen = of; chart.redraw(); }));
}

function phasesFigure(report) {
  const groups = [...runsByGroup(report).values()].filter(runs => runs.every(p => p.phases_s));
  if (!groups.length) return null;
  const tables = report.scaling?.length ? report.scaling
      : [{kind: 'points', fixed: {}, rows: groups.map(runs => ({group: runs[0].group}))}];
  let chosen = tables.at(-1);
  const chart = figure('Where a step goes', 'Mean over ranks and repetitions, stacked.', () => {
    const runs = chosen.rows.map(row => groups.find(list => list[0].group === row.group)).filter(Boolean);
    return barChart(runs.map(([p]) => `${p.world_size} ${strategyOf(p)}`),
        phasesOf(groups.flat()).map(([label, seconds], i) => ({label, backgroundColor: seriesColor(i),
          data: runs.map(list => 1000 * mean(list.map(seconds)))})),
        {stacked: true, values: axis('ms per step'), names: axis('ranks and strategy')});
  });
  const picker = choice('slice', tables, of => sliceName(of, tables), tables.length - 1, of => { chosen = of; chart.redraw(); });
  return make('div', {}, chart.element, picker);
}

// Each run against the mean of its point: what an interval over few runs may hide.
function runsFigure(report) {
  const runs = runsByGroup(report);
  const groups = (report.groups || []).filter(group => group.n > 1 && runs.has(group.group)).slice(0, 60);
  if (!groups.length) return null;
  const name = namer(groups.map(group => runs.get(group.group)[0]),
      [['batch', p => p.batch_size], ['ranks', p => p.world_size], ['strategy', strategyOf]]);
  const off = (group, rate) => 100 * (rate / group.samples_per_sec - 1);
  return figure('Every run', 'Dots: runs. Bars: 95 % intervals over them.', () => rowsChart(
      groups.map(group => name(runs.get(group.group)[0])),
      groups.flatMap((group, i) => runs.get(group.group).map(p => ({x: off(group, p.samples_per_sec), y: i}))),
      groups.map(group => group.ci95?.map(rate => off(group, rate))), 'samples/s against the mean of the point, %')).element;
}

function throughputSection(report) {
  if (!okRuns(report).length) return null;
  return card('Throughput and phases', make('div', {class: 'pair'}, throughputFigure(report), phasesFigure(report)), runsFigure(report));
}
