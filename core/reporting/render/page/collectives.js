// Collectives: bandwidth and latency over size, one line per backend, and the tables behind them.
const microseconds = seconds => readable(seconds === undefined ? seconds : 1e6 * seconds);

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

// Ratios of times may span decades: a logarithmic axis.
const timesScale = {x: ratio => ratio, type: 'logarithmic', title: 'times as fast', marks: [[1, []]], more: decades};

const isCollective = section => section.columns.some(({head}) => head === 'busbw GB/s' || head.endsWith('p50 us'));

function collectivesSection(report) {
  const groups = report.collective_groups || [];
  if (!groups.length) return null;
  return card('Collectives', ...collectiveFigures(groups),
      ...report.sections.filter(isCollective).flatMap(section => [make('h3', {}, section.title), ...inside(section)]));
}

function collectiveRunsSection(report) {
  const runs = report.collectives || [];
  if (!runs.length) return null;
  return card('Runs', make('details', {}, make('summary', {}, `${runs.length} runs`), table([
    {head: 'id', value: c => c.id, text: true}, {head: 'order', value: c => c.order}, {head: 'started', value: c => c.started, text: true},
    {head: 'status', value: c => c.status, text: true, show: s => make('span', {class: s === 'ok' ? 'ok' : 'warning'}, s)},
    {head: 'time \u00b5s', value: c => c.time_s, show: microseconds}, {head: 'busbw GB/s', value: c => c.busbw_GBps, show: readable},
    {head: 'p99 \u00b5s', value: c => c.latency_s?.p99, show: microseconds}, {head: '#wrong', value: c => c.wrong},
    {head: 'reason', value: c => c.reason || undefined, text: true, long: true}], runs)));
}
