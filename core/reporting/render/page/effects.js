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

const isOfEffects = title => /^(What .*options give|Tuning|Communication against batch size)$/.test(title);

function effectsSection(report) {
  const judged = (report.effects || []).filter(e => e.verdict !== 'disturbed'), some = judged.slice(0, 40);
  const of = report.collectives?.length && !report.points.length
      ? ['Time of a call against the other value\u2019s: right of 1 is faster. ', timesScale] : ['Throughput against the first value as typed. Dashed: 2 %. ', percentScale];
  return sectionCard(report, isOfEffects, some.length
      ? figure('Effects', of[0] + 'Paired within repetitions, with 95 % intervals.' + (some.length < judged.length ? ' The first 40.' : ''), () => forestPlot(some, of[1])).element : null);
}
