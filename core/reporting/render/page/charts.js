// Charts, by Chart.js. Colours come from the style sheet and change with the theme.
const charts = [];
const palette = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6', '--c7', '--c8'];
const color = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const seriesColor = i => color(palette[i % palette.length]);

Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;
Chart.defaults.font.family = 'system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';

// `build()` returns a Chart.js configuration; it is called again when the theme or a choice changes.
function figure(title, caption, build) {
  const canvas = make('canvas', {role: 'img', 'aria-label': title});
  const box = make('div', {class: 'canvas'}, canvas);
  const entry = {box, canvas, build, chart: null};
  charts.push(entry);
  return {element: make('figure', {}, make('h3', {}, title), box,
                        caption ? make('figcaption', {}, caption) : null),
          redraw: () => draw(entry)};
}

function draw(entry) {
  if (!entry.canvas.isConnected) return;
  if (entry.chart) entry.chart.destroy();
  Chart.defaults.color = color('--ink');
  Chart.defaults.borderColor = color('--line');
  const config = entry.build();
  if (config.heightPx) entry.box.style.height = config.heightPx + 'px';
  entry.chart = new Chart(entry.canvas, config);
}
const drawAll = () => charts.forEach(draw);

const axis = (title, more) => ({title: {display: true, text: title}, ...more});
const hidden = '\u0000';  // label of datasets that the legend leaves out
const legend = {position: 'bottom', labels: {boxWidth: 14, filter: item => item.text !== hidden}};

// Axes follow values, not intervals: what reaches above 1.25 times the largest value is cut there.
const topOf = values => 1.25 * Math.max(...values.filter(Number.isFinite));

// A line through points {x, y, low, high}, with error bars: one stroke per interval, capped; an
// arrow where it goes on above `top`.
function lineWithBars(label, ink, points, top = Infinity, more = {}) {
  const line = {label, data: points, borderColor: ink, backgroundColor: ink, borderWidth: 2,
                pointRadius: 3.5, tension: 0, ...more};
  const strokes = [], cut = [];
  for (const p of points) {
    if (p.low === undefined || p.low > top) continue;
    strokes.push({x: p.x, y: p.low}, {x: p.x, y: Math.min(p.high, top)}, {x: p.x, y: NaN});
    if (p.high > top) cut.push({x: p.x, y: 0.985 * top});
  }
  if (!strokes.length) return [line];
  const arrows = cut.length ? [{label: hidden, data: cut, showLine: false, pointStyle: 'triangle', pointRadius: 5, pointHitRadius: 0,
                                borderColor: ink, backgroundColor: ink}] : [];
  return [line, ...arrows, {label: hidden, data: strokes, borderColor: ink, borderWidth: 1.5, spanGaps: false,
                 pointStyle: 'line', pointRadius: 5, pointBorderWidth: 1.5, pointHitRadius: 0}];
}

function xyChart(datasets, x, y) {
  return {type: 'line', data: {datasets}, options: {
    parsing: true, interaction: {mode: 'nearest', intersect: false},
    scales: {x: {type: 'linear', ...x}, y: {type: 'linear', ...y}},
    plugins: {legend: {...legend, display: datasets.length > 1}, tooltip: {filter: item => item.dataset.label !== hidden}}}};
}

// Dots {x, y: row} in named rows, and in each row a bar over its interval [low, high], capped.
function rowsChart(names, dots, intervals, title) {
  const strokes = intervals.flatMap((pair, y) => pair ? [{x: pair[0], y}, {x: pair[1], y}, {x: NaN, y: NaN}] : []);
  return {type: 'scatter', heightPx: 100 + 24 * names.length, data: {datasets: [
    {label: 'measured', data: dots, backgroundColor: seriesColor(0), borderColor: seriesColor(0), pointRadius: 3.5},
    {label: '95 % interval', data: strokes, showLine: true, borderColor: seriesColor(1), backgroundColor: seriesColor(1), borderWidth: 1.5,
     spanGaps: false, pointStyle: 'line', pointRotation: 90, pointRadius: 5, pointBorderWidth: 1.5, pointHitRadius: 0}]}, options: {
    scales: {x: {type: 'linear', ...axis(title)},
             y: {type: 'linear', reverse: true, min: -0.5, max: names.length - 0.5, grid: {display: false},
                 afterBuildTicks: scale => { scale.ticks = names.map((_, value) => ({value})); },
                 ticks: {callback: row => names[row], autoSkip: false}}},
    plugins: {legend: {...legend, display: strokes.length > 0},
              tooltip: {filter: item => item.datasetIndex === 0,
                        callbacks: {label: item => `${names[item.raw.y]}: ${item.raw.x.toFixed(2)} %`}}}}};
}

// Ticks at the values that are there, and nowhere else.
const ticksAt = values => ({
  afterBuildTicks: scale => { scale.ticks = values.map(value => ({value})); },
  ticks: {callback: value => String(value), autoSkip: true},
});

function barChart(labels, datasets, options) {
  const horizontal = options.horizontal;
  const values = {beginAtZero: true, ...options.values, stacked: options.stacked};
  const names = {stacked: options.stacked, ...options.names};
  return {type: 'bar', data: {labels, datasets}, heightPx: options.heightPx, options: {
    indexAxis: horizontal ? 'y' : 'x',
    scales: horizontal ? {x: values, y: names} : {x: names, y: values},
    plugins: {legend: {...legend, display: datasets.length > 1},
              tooltip: {callbacks: options.tooltip || {}}}}};
}
