// Collectives: bandwidth and latency over size, and the tables behind them.
const microseconds = seconds => readable(seconds === undefined ? seconds : 1e6 * seconds);

const isCollective = section => section.columns.some(({head}) => head === 'busbw GB/s' || head.endsWith('p50 us'));

function collectivesSection(report) {
  const groups = report.collective_groups || [];
  if (!groups.length) return null;
  return card(
      'Collectives', plotFigures(report, 'bandwidth', 'latency'),
      ...report.sections.filter(isCollective).flatMap(section => [make('h3', {}, section.title), ...inside(section)]));
}

function collectiveRunsSection(report) {
  const runs = report.collectives || [];
  if (!runs.length) return null;
  return card(
      'Runs',
      make(
          'details', {}, make('summary', {}, `${runs.length} runs`),
          table(
              [
                {head: 'id', value: c => c.id, text: true}, {head: 'order', value: c => c.order},
                {head: 'started', value: c => c.started, text: true},
                {head: 'status', value: c => c.status, text: true, show: s => make('span', {class: s === 'ok' ? 'ok' : 'warning'}, s)},
                {head: 'time \u00b5s', value: c => c.time_s, show: microseconds},
                {head: 'busbw GB/s', value: c => c.busbw_GBps, show: readable},
                {head: 'p99 \u00b5s', value: c => c.latency_s?.p99, show: microseconds}, {head: '#wrong', value: c => c.wrong},
                {head: 'reason', value: c => c.reason || undefined, text: true, long: true}
              ],
              runs)));
}
