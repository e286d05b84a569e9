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
  const file = title.toLowerCase().replaceAll(' ', '-');
  charts.push(entry);
  return {
    element: make('figure', {}, make('h3', {}, title), box, caption ? make('figcaption', {}, caption) : null, saveAs(title, {
                    PNG: () => savePng(`${file}.png`, canvas.width, canvas.height, context => context.drawImage(canvas, 0, 0)),
                    CSV: () => save(`${file}.csv`, dataUrl('text/csv', csvOf(entry.chart.data)))
                  })),
    redraw: () => draw(entry),
    refresh: () => refresh(entry)
  };
}

// Returns lines of RFC 4180. A bar between two values has both, another value is `to`.
function csvOf({labels, datasets}) {
  const cell = value => /[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value ?? '';
  const row = (name, value, i) => value?.x !== undefined ? [name, value.x, '', value.y] :
      Array.isArray(value)                               ? [name, labels[i], ...value] :
                                                           [name, labels[i], '', value];
  const rows = datasets.flatMap(({label, data}) => data.map((value, i) => row(label, value, i)));
  return [['series', 'x', 'from', 'to'], ...rows].map(cells => cells.map(cell).join(',') + '\r\n').join('');
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
// Shows what build() now says; curves that a reader has switched off stay so.
function refresh(entry) {
  if (!entry.chart) return draw(entry);
  const {data, options} = entry.build();
  const shown = entry.chart.data;
  shown.labels = data.labels;
  shown.datasets.length = Math.min(shown.datasets.length, data.datasets.length);
  data.datasets.forEach((set, i) => {
    if (shown.datasets[i]?.label === set.label) Object.assign(shown.datasets[i], set);
    else shown.datasets[i] = set;
  });
  entry.chart.options = options;
  entry.chart.update('none');
}
const drawAll = () => charts.forEach(draw);

const axis = (title, more) => ({title: {display: true, text: title}, ...more});
const legend = {
  position: 'bottom',
  labels: {boxWidth: 14}
};

function xyChart(datasets, x, y) {
  return {
    type: 'line',
    data: {datasets},
    options: {
      parsing: true,
      interaction: {mode: 'nearest', intersect: false},
      scales: {x: {type: 'linear', ...x}, y: {type: 'linear', ...y}},
      plugins: {legend: {...legend, display: datasets.length > 1}}
    }
  };
}

function barChart(labels, datasets, options) {
  const horizontal = options.horizontal;
  const values = {beginAtZero: true, ...options.values, stacked: options.stacked};
  const names = {stacked: options.stacked, ...options.names};
  return {
    type: 'bar',
    data: {labels, datasets},
    heightPx: options.heightPx,
    options: {
      indexAxis: horizontal ? 'y' : 'x',
      scales: horizontal ? {x: values, y: names} : {x: names, y: values},
      plugins: {legend: {...legend, display: datasets.length > 1}}
    }
  };
}
