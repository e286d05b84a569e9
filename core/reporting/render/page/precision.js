// Sections on how well points are known over their repetitions.
const spread = value => value === undefined ? absent : (100 * value).toFixed(2);

function varianceSection(report) {
  const groups = (report.groups || []).filter(g => g.variance);
  if (!groups.length) return null;
  const columns = [
    {head: 'point', value: g => g.group, text: true},
    {head: 'runs differ %', value: g => g.variance.between_runs, show: spread},
    {head: 'by steps %', value: g => g.variance.steps, show: spread},
    {head: 'beyond %', value: g => g.variance.beyond_steps, show: spread},
    {head: '95 % interval', value: g => g.variance.beyond_steps_ci95?.[0], show: (_, g) => interval(g.variance.beyond_steps_ci95, spread), text: true},
    {head: 'sessions %', value: g => g.variance.sessions, show: spread},
    {head: 'window s', value: g => g.variance.window_s, show: readable},
    {head: 'besides s', value: g => g.variance.run_s, show: readable},
    {head: 'to buy', value: g => g.variance.buy, text: true}];
  const filled = columns.filter(column => groups.some(g => column.value(g) !== undefined));
  return card('Where variance comes from', table(filled, groups),
      make('ul', {class: 'words'}, ...groups.map(g => make('li', {}, `${g.group}: ${g.variance.in_words}`))),
      make('p', {class: 'faint'}, 'Standard deviations. By steps: what runs differ by because a window has so many steps. ' +
          'Besides: what a run takes apart from its window.'));
}

function communicationCostSection(report) {
  const groups = (report.groups || []).filter(g => g.communication);
  if (!groups.length) return null;
  const of = (head, key, bounds, show) => [
    {head, value: g => g.communication[key], show},
    {head: '95 % interval', value: g => g.communication[bounds]?.[0], show: (_, g) => interval(g.communication[bounds], show), text: true}];
  return card('Communication cost over repetitions', table([
    {head: 'point', value: g => g.group, text: true},
    ...of('cost ms', 'cost_s', 'cost_ci95', milliseconds),
    ...of('contention ms', 'contention_s', 'contention_ci95', milliseconds),
    ...of('comm. effic. %', 'efficiency', 'efficiency_ci95', percent)], groups),
    make('p', {class: 'faint'}, 'Of a step: means over repetitions of the difference with and without communication.'));
}
