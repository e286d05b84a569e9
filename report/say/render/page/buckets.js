// A step opened bucket by bucket: when gradients were ready, and what of their exchange backward hid.
const timelineOf = run => run.communication?.bucket_timeline;

// Rows of [from, to] in ms. The step's own parts are the window's means, one after the other; forward and
// backward stand before the first bucket that waits for nothing.
function stepRow(run) {
  const p = run.phases_s;
  if (!p) return null;
  const forward = p.data_wait + p.host_to_device;
  return {forward: [forward, forward + p.forward], backward: [forward + p.forward, forward + p.forward + p.backward]};
}

function bucketChart(run) {
  const buckets = timelineOf(run), step = stepRow(run);
  const ms = pair => pair.map(s => 1000 * s);
  const rows = [...(step ? ['forward', 'backward'] : []), ...buckets.map((b, i) => `${i}: ${bytesText(b.bytes)}`)];
  const before = step ? [null, null] : [];
  const bars = (label, ink, data) => ({label, data, backgroundColor: seriesColor(ink), grouped: false, minBarLength: 2});
  // The part hidden by backward comes first: the exchange goes on while other gradients are computed.
  const hiddenUntil = b => b.start_s + b.hidden_share * (b.end_s - b.start_s);
  return barChart(
      rows,
      [
        ...(step ? [bars('computes', 0, [ms(step.forward), ms(step.backward)])] : []),
        bars('waits to be sent', 4, [...before, ...buckets.map(b => b.start_s > b.ready_s ? ms([b.ready_s, b.start_s]) : null)]),
        bars(
            'exchange, hidden by backward', 2,
            [...before, ...buckets.map(b => b.hidden_share > 0 ? ms([b.start_s, hiddenUntil(b)]) : null)]),
        bars('exchange, exposed', 3, [...before, ...buckets.map(b => b.hidden_share < 1 ? ms([hiddenUntil(b), b.end_s]) : null)])
      ],
      {
        horizontal: true,
        values: axis('ms since the step began'),
        names: {ticks: {autoSkip: false}, grid: {display: false}},
        heightPx: 110 + 24 * rows.length
      });
}

function bucketsSection(report) {
  const runs = okRuns(report).filter(p => timelineOf(p)?.length);
  if (!runs.length) return null;
  let run = runs.reduce((a, b) => b.world_size > a.world_size ? b : a);
  const chart = figure(
      'Gradient buckets', 'Five steps after the window: medians, means over ranks. Forward and backward: the window\u2019s means.',
      () => bucketChart(run));
  const columns = [
    {head: 'bucket', value: b => b.number}, {head: 'size', value: b => b.bytes, show: bytesText},
    {head: 'collective', value: b => b.collective, text: true}, {head: 'ready ms', value: b => b.ready_s, show: milliseconds},
    {head: 'start ms', value: b => b.start_s, show: milliseconds}, {head: 'end ms', value: b => b.end_s, show: milliseconds},
    {head: 'took ms', value: b => b.end_s - b.start_s, show: milliseconds}, {head: 'hidden %', value: b => b.hidden_share, show: percent}
  ];
  const list = make('div');
  const fill = () => list.replaceChildren(table(columns, timelineOf(run).map((b, number) => ({...b, number}))));
  fill();
  return card('A step, bucket by bucket', choice('run', runs, p => p.id, runs.indexOf(run), p => {
                run = p;
                chart.redraw();
                fill();
              }), chart.element, list);
}
