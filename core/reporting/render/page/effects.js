// What options give: a forest plot, one line per effect, and the table behind it.
const verdictColor = {real: '--accent', none: '--good', unsure: '--faint'};
const change = ratio => 100 * (ratio - 1);
const effectName = e => `${e.axis} ${e.to} / ${e.from}`;
const placeOf = (e, all) => Object.keys(e.fixed)
    .filter(key => all.some(other => other.axis === e.axis && other.fixed[key] !== e.fixed[key]))
    .map(key => key === 'world_size' ? shown('ranks', Number(e.fixed[key])) : key === 'bytes' ? sizeText(Number(e.fixed[key]))
        : `${inWords(key)} ${e.fixed[key]}`).join(', ');
// How a forest plot shows ratios: in percent, or as they are. Marks: lines with their dashes.
const percentScale = {x: change, type: 'linear', title: '% more samples per second than the first value', marks: [[0, []], [-2, [4, 4]], [2, [4, 4]]]};

function forestPlot(effects, scale) {
  const names = effects.map(e => [effectName(e), placeOf(e, effects)].filter(Boolean).join(', '));
  const last = effects.length - 1;
  const place = i => last - i;  // the first effect on top
  const line = (x, dash) => ({label: hidden, data: [{x, y: -0.6}, {x, y: last + 0.6}], borderColor: color('--faint'),
                              borderWidth: 1, borderDash: dash, pointRadius: 0, pointHitRadius: 0});
  const rows = Object.keys(verdictColor).flatMap(verdict => {
    const of = effects.map((e, i) => ({e, i})).filter(({e}) => e.verdict === verdict);
    if (!of.length) return [];
    const ink = color(verdictColor[verdict]);
    const strokes = of.filter(({e}) => e.ratio_ci95).flatMap(({e, i}) => [
      {x: scale.x(e.ratio_ci95[0]), y: place(i)}, {x: scale.x(e.ratio_ci95[1]), y: place(i)}, {x: NaN, y: place(i)}]);
    return [
      {label: verdict, data: of.map(({e, i}) => ({x: scale.x(e.ratio), y: place(i), words: e.in_words})), showLine: false,
       borderColor: ink, backgroundColor: ink, pointStyle: 'rect', pointRadius: 5},
      {label: hidden, data: strokes, borderColor: ink, borderWidth: 2, spanGaps: false, pointRadius: 0, pointHitRadius: 0}];
  });
  return {type: 'line', heightPx: 130 + 26 * effects.length, data: {datasets: [...rows, ...scale.marks.map(([x, dash]) => line(x, dash))]},
          options: {interaction: {mode: 'nearest', intersect: false},
    scales: {x: {type: scale.type, ...axis(scale.title), ...scale.more},
             y: {type: 'linear', min: -0.6, max: last + 0.6, grid: {display: false},
                 afterBuildTicks: scale => { scale.ticks = effects.map((_, i) => ({value: place(i)})).reverse(); },
                 ticks: {autoSkip: false, callback: value => names[last - value]}}},
    plugins: {legend, tooltip: {filter: item => item.dataset.label !== hidden,
                                callbacks: {title: () => '', label: item => item.raw.words}}}}};
}

function effectsTable(effects) {
  const ms = of => [e => e.phases_delta_s && 1000 * of(e.phases_delta_s), readable];
  const phase = (head, [value, show]) => ({head, value, show});
  return table([
    {head: 'option', value: effectName, text: true},
    {head: 'at', value: e => placeOf(e, effects) || undefined, text: true},
    {head: 'faster %', value: e => e.ratio - 1, show: percent},
    {head: '95 % interval', value: e => e.ratio_ci95?.[0], text: true,
     show: (_, e) => interval(e.ratio_ci95 && e.ratio_ci95.map(ratio => ratio - 1), percent)},
    {head: 'verdict', value: e => e.verdict, text: true},
    {head: 'pairs', value: e => e.pairs}, {head: 'p', value: e => e.p_holm, show: readable},
    {head: 'memory MiB', value: e => e.memory_delta_bytes === undefined ? undefined : e.memory_delta_bytes / 2 ** 20,
     show: value => value === undefined ? absent : value.toFixed(0).replace(/^-0$/, '0')},
    phase('+ compute ms', ms(p => p.forward + p.backward + p.optimizer)),
    phase('+ exposed comm ms', ms(p => p.exposed_communication)),
    phase('+ data ms', ms(p => p.data_wait + p.host_to_device)),
    {head: 'loss', value: e => e.loss_delta, show: readable}], effects);
}

function effectsSection(report) {
  const {effects = [], tuning = [], communication_limits: limits = []} = report;
  if (report.collectives?.length && !report.points.length) return effects.length ? collectiveEffectsSection(effects) : null;
  if (!effects.length && !tuning.length && !limits.length) return null;
  const said = [...tuning, ...limits].map(one => make('li', {}, one.in_words));
  const some = effects.slice(0, 40);
  return card('What options give', said.length ? make('ul', {class: 'words'}, ...said) : null,
      some.length ? figure('Effects', 'Throughput against the first value as typed, paired within blocks, with 95 % intervals. ' +
          'Dashed: 2 %. Real: significant (Holm over the option) and 2 % or more; none: surely less.' +
          (some.length < effects.length ? ' The first 40.' : ''), () => forestPlot(some, percentScale)).element : null,
      effects.length ? effectsTable(effects) : null);
}
