// Sections on single runs, memory, the machine, and what there is to say.
function stepsSection(report) {
  const runs = okRuns(report).filter(p => p.step_samples_s?.length > 1);
  if (!runs.length) return null;
  const widest = runs.reduce(
      (a, b) => b.world_size > a.world_size || (b.world_size === a.world_size && b.strategy !== 'none' && a.strategy === 'none') ? b : a);
  let run = widest;
  const ms = () => run.step_samples_s.map(s => 1000 * s);
  const stride = () => (run.step_stride ?? 1) * (run.steps_per_mark ?? 1);
  const shape = figure(
      'Histogram', 'Time of the slowest rank in each step; of a run that marks only every few steps, their means.',
      () => barChart(
          histogram(ms(), 40).map(bin => readable(bin.x)), [{
            label: 'steps',
            data: histogram(ms(), 40).map(bin => bin.y),
            backgroundColor: seriesColor(0),
            categoryPercentage: 1,
            barPercentage: 0.95
          }],
          {values: axis('steps'), names: axis('ms per step', {ticks: {maxRotation: 0, autoSkipPadding: 16}, grid: {display: false}})}));
  const course = figure(
      'Timeline', 'Long runs show evenly spaced steps.',
      () => xyChart(
          [{label: 'step', data: ms().map((y, i) => ({x: i * stride(), y})), borderColor: seriesColor(0), borderWidth: 1, pointRadius: 0}],
          axis('step'), axis('ms')));
  const perRank = (label, color, seconds) =>
      ({label, data: run.ranks.map(rank => 1000 * seconds(rank)), backgroundColor: seriesColor(color)});
  const exposedOf = () => hasParts(run) ?
      [
        perRank('waits for peers', 4, rank => peerWait(run, rank)),
        perRank('communication', 3, rank => rank.exposed_communication_s - peerWait(run, rank))
      ] :
      [perRank('exposed communication', 3, rank => rank.exposed_communication_s)];
  const ranks = figure(
      'Ranks', 'Own time, waits for the slowest rank of each step, and communication that nothing hides, mean per step.',
      () => barChart(
          run.ranks.map(rank => `rank ${rank.rank}`),
          run.phases_s ? [perRank('own', 0, rank => rank.own_s.mean), ...exposedOf()] : [perRank('step', 0, rank => rank.step_s.mean)],
          {stacked: true, values: axis('ms per step'), names: {}}));
  return card('Steps of one run', choice('run', runs, p => p.id, runs.indexOf(widest), p => {
                run = p;
                [shape, course, ranks].forEach(one => one.redraw());
              }), make('div', {class: 'pair'}, shape.element, course.element), ranks.element);
}

function memorySection(report) {
  const plot = plotFigures(report, 'memory');
  return plot ? card('Memory', plot) : null;
}

const devicesSection = report =>
    report.devices?.length ? sectionCard(report, title => title.startsWith('Devices'), plotFigures(report, 'devices')) : null;

function findingsSection(report) {
  const rows = [
    ...report.errors.map(
        e => ({severity: 'error', code: e.code, point: e.point, text: [e.what, e.expected, e.suggestion].filter(Boolean).join('; ')})),
    ...report.findings
  ];
  const weight = {error: 0, warning: 1, info: 2};
  rows.sort((a, b) => weight[a.severity] - weight[b.severity]);
  const list = of => table(
      [
        {head: 'severity', value: f => f.severity, show: s => make('span', {class: 'tag ' + s}, s), text: true},
        {head: 'code', value: f => f.code, text: true}, {head: 'point', value: f => f.point || undefined, text: true},
        {head: 'what', value: f => f.text, text: true, long: true}
      ],
      of);
  if (!rows.length) return card('Findings', make('p', {}, 'None.'));
  const first = rows.filter(f => f.severity !== 'info'), rest = rows.filter(f => f.severity === 'info');
  return card(
      'Findings', first.length ? list(first) : make('p', {}, 'No warnings.'),
      rest.length ? make('details', {}, make('summary', {}, `${rest.length} for information`), list(rest)) : null);
}

function runsSection(report) {
  if (report.collectives?.length && !report.points.length) return null;
  return card(
      'Runs',
      make(
          'details', {}, make('summary', {}, `${report.points.length} runs`),
          table(
              [
                {head: 'id', value: p => p.id, text: true}, {head: 'order', value: p => p.order},
                {head: 'started', value: p => p.started, text: true},
                {head: 'status', value: p => p.status, text: true, show: s => make('span', {class: s === 'ok' ? 'ok' : 'warning'}, s)},
                {head: 'samples/s', value: p => p.samples_per_sec, show: readable}, {head: 'step ms', value: stepMs, show: readable},
                {head: 'p95 ms', value: p => p.step_s?.p95, show: milliseconds},
                {head: 'memory GiB', value: p => p.memory_peak_bytes, show: gibibytes}, {head: 'MFU %', value: p => p.mfu, show: percent},
                ...(report.points.some(p => p.mfu_of_measured_gemm !== undefined) ?
                        [{head: 'of matrix product %', value: p => p.mfu_of_measured_gemm, show: percent}] :
                        []),
                {head: 'reason', value: p => p.reason || undefined, text: true, long: true}
              ],
              report.points)));
}

function environmentSection(report) {
  const facts = [];
  const add = (name, value) => {
    if (value !== undefined && value !== '') facts.push({name, value: String(value)});
  };
  for (const host of report.environment.hosts) {
    add('host', host.hostname);
    add('system', [host.os, host.kernel].filter(Boolean).join(', '));
    add('CPU', `${host.cpu ?? 'unknown'}, ${host.cores.physical} cores, ${host.cores.usable} usable`);
    add('memory', bytesText(host.memory_bytes));
    for (const port of host.rdma || []) {
      add('RDMA',
          `${port.device} port ${port.port}: ${port.state}, ${port.link_layer}${
              port.rate_Gbit_per_s ? `, ${port.rate_Gbit_per_s} Gbit/s` : ''}`);
    }
    const kinds = new Map();
    for (const gpu of host.gpus) kinds.set(gpu.name, (kinds.get(gpu.name) || 0) + 1);
    for (const [name, n] of kinds) add('GPU', `${n} x ${name}, driver ${host.gpus.find(g => g.name === name).driver ?? 'unknown'}`);
    add('GPU note', host.gpu_note);
  }
  add('command', report.invocation.command_line);
  add('launcher', report.invocation.launcher);
  add('build', `${report.tool.build_type}, ${report.tool.compiler}`);
  for (const [name, version] of Object.entries(report.tool.libraries || {})) add(name, version.running_with ?? version.built_with);
  for (const [name, value] of Object.entries(report.environment.variables)) add(name, value);
  for (const s of report.sessions || [])
    add(`session ${s.session}`,
        `${s.started}${s.hostname ? ' on ' + s.hostname : ''}${s.broke_with ? ', resumed although this changed: ' + s.broke_with : ''}`);
  return card(
      'Environment',
      table([{head: 'what', value: f => f.name, text: true}, {head: 'value', value: f => f.value, text: true, long: true}], facts),
      make('details', {}, make('summary', {}, 'settings'), make('pre', {}, JSON.stringify(report.invocation.settings, null, 2))));
}
