// Collectives: bandwidth and latency over size, one line per backend, and the tables behind them.
const microseconds = seconds => readable(seconds === undefined ? seconds : 1e6 * seconds);
const halfWidth = (value, pair) => !pair ? '' : (pair[1] - pair[0]) / 2 < value ? ` \u00b1 ${microseconds((pair[1] - pair[0]) / 2)}` : ' \u00b1 >100 %';

function sizeText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (unit + 1 < units.length && bytes && bytes % 1024 === 0) { bytes /= 1024; unit++; }
  return `${bytes} ${units[unit]}`;
}

// Each trait of a collective as text, where the values of `all` differ in it.
const collectiveTraits = [
  ['collective', g => g.collective], ['dtype', g => g.dtype], ['ranks', g => shown('ranks', g.world_size)],
  ['device', g => g.device], ['nodes', g => `${g.nodes} nodes`], ['placement', g => g.placement && `placement ${g.placement}`],
  ['congestion', g => `congestion ${g.congestion ? 'on' : 'off'}`], ['compute', g => `beside compute ${g.overlap_compute ? 'on' : 'off'}`]];
const callTraits = [['backend', g => g.backend], ['via', g => `via ${g.via}`], ['staging', g => g.staging === 'host' ? 'staged' : undefined],
                    ['place', g => g.in_place ? 'in place' : 'out of place']];
const telling = (traits, all) => traits.filter(([, text], i) => i === 0 || new Set(all.map(text)).size > 1);
const named = (traits, g) => traits.map(([, text]) => text(g)).filter(Boolean).join(', ');

// Tick labels of a logarithmic axis: 1, 2 and 5 of each decade.
const decades = {ticks: {callback: value => [1, 2, 5].includes(Number((value / 10 ** Math.floor(Math.log10(value) + 1e-9)).toPrecision(3))) ? readable(value) : null}};

function overSize(groups, title, linesOf, more) {
  const sizes = [...new Set(groups.map(g => g.bytes))].sort((a, b) => a - b);
  const names = telling(callTraits, groups);
  const series = new Map();
  for (const g of groups) {
    if (!series.has(named(names, g))) series.set(named(names, g), []);
    series.get(named(names, g)).push(g);
  }
  const datasets = [...series].flatMap(([name, of], i) => linesOf(name, seriesColor(i), of.sort((a, b) => a.bytes - b.bytes)));
  return xyChart([...datasets, ...(more ? more(series) : [])],
      {type: 'logarithmic', ...axis('size'), afterBuildTicks: scale => { scale.ticks = sizes.map(value => ({value})); },
       ticks: {callback: sizeText, autoSkip: true, maxRotation: 45}},
      {type: 'logarithmic', ...axis(title), ...decades});
}

// A size without the value interrupts the line; without any value there are no points.
function pointsOf(groups, value, ci95, scale) {
  const points = groups.map(g => value(g) > 0 ? {x: g.bytes, y: scale * value(g), low: ci95(g) && scale * ci95(g)[0], high: ci95(g) && scale * ci95(g)[1]}
                                              : {x: g.bytes, y: null});
  return points.some(point => point.y !== null) ? points : [];
}

const bandwidthLines = (name, ink, groups) => lineWithBars(name, ink, pointsOf(groups, g => g.busbw_GBps, g => g.busbw_ci95, 1));

// One line for all series that expect the same.
function expectedLines(series) {
  const lines = new Map();
  for (const [name, groups] of series) {
    const data = groups.filter(g => g.expected_busbw_GBps).map(g => ({x: g.bytes, y: g.expected_busbw_GBps}));
    const key = JSON.stringify(data);
    if (data.length) lines.set(key, {data, names: [...(lines.get(key)?.names ?? []), name]});
  }
  return [...lines.values()].map(({data, names}) => ({label: lines.size > 1 ? `expected, ${names.join(' and ')}` : 'expected', data,
      borderColor: color('--faint'), backgroundColor: 'transparent', borderWidth: 1.5, borderDash: [6, 4], pointRadius: 0}));
}

function latencyLines(name, ink, groups) {
  const isolated = groups.filter(g => g.latency_s);
  if (!isolated.length) return lineWithBars(`${name}, time of a call`, ink, pointsOf(groups, g => g.time_s, g => g.time_ci95, 1e6));
  const tail = pointsOf(isolated, g => g.latency_s.p99, g => g.latency_s.p99_ci95, 1e6);
  return [...lineWithBars(`${name}, p50`, ink, pointsOf(isolated, g => g.latency_s.p50, g => g.latency_s.p50_ci95, 1e6)),
          ...(tail.length ? lineWithBars(`${name}, p99`, ink, tail, Infinity, {borderDash: [5, 4], pointStyle: 'triangle'}) : [])];
}

function collectiveFigures(groups) {
  const sized = groups.filter(g => g.bytes > 0 && g.time_s);
  if (!sized.length) return [];
  const traits = telling(collectiveTraits, sized);
  const names = [...new Set(sized.map(g => named(traits, g)))];
  let chosen = names[0];
  const those = () => sized.filter(g => named(traits, g) === chosen);
  const bandwidth = figure('Bus bandwidth over size', 'As nccl-tests defines it. Bars: 95 % intervals over repetitions; dashed: what is expected.',
      () => overSize(those(), 'busbw, GB/s', bandwidthLines, expectedLines));
  const latency = figure('Latency over size', 'Isolated calls, slowest rank of each: half of them are faster (p50), 99 of 100 (p99, dashed).',
      () => overSize(those(), '\u00b5s', latencyLines));
  return [choice('collective', names, name => name, 0, name => { chosen = name; bandwidth.redraw(); latency.redraw(); }),
          make('div', {class: 'pair'}, bandwidth.element, latency.element)];
}

const filledTable = (columns, rows) => table(columns.filter(column => rows.some(row => column.value(row) !== undefined)), rows);

function collectivesTable(groups) {
  const several = text => new Set(groups.map(text)).size > 1;
  return filledTable([
    {head: 'collective', value: g => g.collective, text: true}, {head: 'type', value: g => g.dtype, text: true},
    {head: 'backend', value: g => g.backend, text: true}, {head: 'via', value: g => several(one => one.via) ? g.via : undefined, text: true},
    {head: 'ranks', value: g => g.world_size}, {head: 'size', value: g => g.bytes || undefined, show: bytes => bytes ? sizeText(bytes) : absent},
    {head: 'place', value: g => g.in_place ? 'in' : 'out', text: true},
    {head: 'time \u00b5s', value: g => g.time_s, show: (value, g) => value === undefined ? Object.keys(g.status_counts).join(', ') : microseconds(value) + halfWidth(value, g.time_ci95)},
    {head: 'algbw GB/s', value: g => g.algbw_GBps, show: readable}, {head: 'busbw GB/s', value: g => g.busbw_GBps, show: readable},
    {head: 'its 95 % interval', value: g => g.busbw_ci95?.[0], show: (_, g) => interval(g.busbw_ci95, readable), text: true},
    {head: '#wrong', value: g => g.wrong},
    ...['p50', 'p95', 'p99'].map(key => ({head: `${key} \u00b5s`, value: g => g.latency_s?.[key], show: microseconds})),
    {head: 'of expected %', value: g => g.expected_share, show: percent},
    {head: 'runs', value: g => g.n}], groups);
}

function collectivesSection(report) {
  const groups = report.collective_groups || [];
  if (!groups.length) return null;
  return card('Collectives', ...collectiveFigures(groups), collectivesTable(groups),
      make('p', {class: 'faint'}, 'Time: of one call in a back-to-back loop, mean over ranks and repetitions, \u00b1 half of its 95 % interval. GB: 1e9 bytes.'));
}

function winnersSection(report) {
  const winners = report.collective_winners || [];
  if (!winners.length) return null;
  const rows = winners.flatMap(w => w.sizes.map(size => ({...size, fixed: w.fixed})));
  const keys = ['collective', 'dtype', 'world_size'];
  const more = Object.keys(rows[0].fixed).filter(key => !keys.includes(key) && new Set(rows.map(row => row.fixed[key])).size > 1);
  return card('Which backend wins', make('ul', {class: 'words'}, ...winners.map(w => make('li', {}, w.in_words))), table([
    {head: 'collective', value: r => r.fixed.collective, text: true}, {head: 'type', value: r => r.fixed.dtype, text: true},
    {head: 'ranks', value: r => Number(r.fixed.world_size)},
    ...more.map(key => ({head: key.replaceAll('_', ' '), value: r => r.fixed[key], text: true})),
    {head: 'size', value: r => r.bytes || undefined, show: bytes => bytes ? sizeText(bytes) : absent},
    {head: 'fastest', value: r => r.fastest, text: true},
    {head: 'not distinguishable from', value: r => r.not_distinguishable?.join(', '), text: true}], rows));
}

// Ratios of times may span decades: a logarithmic axis.
const timesScale = {x: ratio => ratio, type: 'logarithmic', title: 'times as fast', marks: [[1, []]], more: decades};

function collectiveEffectsSection(effects) {
  const some = effects.slice(0, 40);
  return card('What backends and options give',
      figure('Effects', 'Time of a call against the other value\u2019s, paired within repetitions, with 95 % intervals: right of 1 is faster. ' +
          'Real: significant (Holm over what is compared) and 2 % or more; none: surely less.' +
          (some.length < effects.length ? ' The first 40.' : ''), () => forestPlot(some, timesScale)).element,
      table([
        {head: 'compared', value: effectName, text: true}, {head: 'at', value: e => placeOf(e, effects) || undefined, text: true},
        {head: 'times as fast', value: e => e.ratio, show: readable},
        {head: '95 % interval', value: e => e.ratio_ci95?.[0], text: true, show: (_, e) => interval(e.ratio_ci95, readable)},
        {head: 'pairs', value: e => e.pairs}, {head: 'p', value: e => e.p_holm, show: readable},
        {head: 'verdict', value: e => e.verdict, text: true}], effects));
}

function fitsSection(report) {
  const fits = report.collective_fits || [];
  if (!fits.length) return null;
  const pair = (scale, bounds) => bounds && bounds.map(value => scale * value);
  const place = fit => Object.keys(fit.fixed).filter(key => !['backend', 'collective'].includes(key) && fits.some(other => other.fixed[key] !== fit.fixed[key]))
      .map(key => key === 'world_size' ? shown('ranks', Number(fit.fixed[key])) : `${key.replaceAll('_', ' ')} ${fit.fixed[key]}`).join(', ');
  return card('Latency and bandwidth of links', filledTable([
    {head: 'backend', value: f => f.fixed.backend, text: true}, {head: 'collective', value: f => f.fixed.collective, text: true},
    {head: 'at', value: f => place(f) || undefined, text: true}, {head: 'link', value: f => f.level, text: true},
    {head: 'sizes', value: f => f.from_bytes, show: (_, f) => `${sizeText(f.from_bytes)} .. ${sizeText(f.to_bytes)}`, text: true},
    {head: 'latency \u00b5s', value: f => f.alpha_s, show: microseconds},
    {head: '95 % interval', value: f => f.alpha_ci95?.[0], show: (_, f) => interval(pair(1e6, f.alpha_ci95), readable), text: true},
    {head: 'GB/s', value: f => f.bandwidth_GBps, show: readable},
    {head: '95 % interval of it', value: f => f.bandwidth_ci95?.[0], show: (_, f) => interval(f.bandwidth_ci95, readable), text: true},
    {head: 'worst error %', value: f => f.worst_relative_error, show: percent}], fits),
    make('p', {class: 'faint'}, 'Fitted to all sizes: messages after each other times latency, plus bytes over bandwidth.'));
}

function linksSection(report) {
  if (!report.links?.length) return null;
  return card('Links', table([
    {head: 'from', value: l => l.a, text: true}, {head: 'to', value: l => l.b, text: true},
    {head: 'latency \u00b5s', value: l => l.latency_s, show: microseconds},
    {head: 'GB/s', value: l => l.bandwidth_GBps, show: readable},
    {head: 'its 95 % interval', value: l => l.bandwidth_ci95?.[0], show: (_, l) => interval(l.bandwidth_ci95, readable), text: true},
    {head: 'passes', value: l => l.passes}], report.links));
}

function collectiveRunsSection(report) {
  const runs = report.collectives || [];
  if (!runs.length) return null;
  return card('Runs', make('details', {}, make('summary', {}, `${runs.length} runs`), filledTable([
    {head: 'id', value: c => c.id, text: true}, {head: 'order', value: c => c.order}, {head: 'started', value: c => c.started, text: true},
    {head: 'status', value: c => c.status, text: true, show: s => make('span', {class: s === 'ok' ? 'ok' : 'warning'}, s)},
    {head: 'time \u00b5s', value: c => c.time_s, show: microseconds}, {head: 'busbw GB/s', value: c => c.busbw_GBps, show: readable},
    {head: 'p99 \u00b5s', value: c => c.latency_s?.p99, show: microseconds}, {head: '#wrong', value: c => c.wrong},
    {head: 'reason', value: c => c.reason || undefined, text: true, long: true}], runs)));
}
