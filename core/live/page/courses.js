// The last ten minutes as curves.
const phaseColors = {
  window: '--c3',
  epochs: '--c3',
  warmup: '--c5',
  data: '--c6',
  model: '--c4',
  complete: '--c1',
  interrupted: '--c8',
  failed: '--bad',
  'no answer': '--bad'
};

function timeSpan() {
  const least = 60 * 1000, last = seen.frames.at(-1)?.at ?? Date.now(), first = Math.max(seen.frames[0]?.at ?? last, last - shown_ms);
  return {min: first, max: Math.max(last, first + least)};
}

function timeAxis() {
  const span = timeSpan(), minutes = (span.max - span.min) / 60000;
  return {
    ...span,
    ticks: {
      stepSize: 1000 *
          (minutes <= 1.5   ? 15 :
               minutes <= 4 ? 30 :
               minutes <= 8 ? 60 :
                              120),
      includeBounds: false,
      maxRotation: 0,
      autoSkipPadding: 20,
      callback: at => timeText(at)
    }
  };
}

// A line: where nobody answered, or the value is not known, it is broken; a value between two breaks is a point.
function lineOf(label, place, value, more) {
  const data = seen.frames.map(frame => ({x: frame.at, y: frame.lost ? NaN : value(frame) ?? NaN}));
  const stands = i => !Number.isNaN(data[i]?.y ?? NaN);
  return {
    label,
    data,
    borderColor: seriesColor(place),
    backgroundColor: seriesColor(place),
    borderWidth: 1.5,
    pointRadius: data.map((_, i) => stands(i) && !stands(i - 1) && !stands(i + 1) ? 2 : 0),
    ...more
  };
}

function courseChart(datasets, y, text) {
  const config = xyChart(datasets, timeAxis(), y);
  config.options.interaction = {mode: 'nearest', axis: 'x', intersect: false};
  config.options.plugins.tooltip = {
    callbacks:
        {title: items => items.length ? timeText(items[0].parsed.x) : '', label: item => `${item.dataset.label}: ${text(item.parsed.y)}`}
  };
  return config;
}
const shareAxis = {
  min: 0,
  suggestedMax: 0.1,
  ticks: {callback: value => shareText(value)}
};
const numberAxis = (name, text) => ({...axis(name), ticks: {callback: value => value === 0 ? '0' : text(value)}});

// How the mean rank spends its time; a GPU's work is not seen from its host.
function timeParts() {
  const mean = name => frame => frame.means[name];
  const waits = [
    ['waits for data', 'data_wait_share', 4], ['lacks a CPU', 'queued_share', 3], ['waits for peers', 'peer_wait_share', 1],
    ['waits for the network', 'network_wait_share', 5]
  ].filter(([, name]) => seen.knows.has(name));
  const isMeasured = frame => frame.means.data_wait_share !== undefined;
  const computes = frame => isMeasured(frame) ? 1 - waits.reduce((sum, [, name]) => sum + (mean(name)(frame) ?? 0), 0) : undefined;
  const parts = waits.map(([label, name, place]) => [label, frame => isMeasured(frame) ? mean(name)(frame) ?? 0 : undefined, place]);
  const all = seen.knows.has('utilisation') ? parts : [['computes', computes, 0], ...parts];
  return all.map(([label, value, place], i) => lineOf(label, place, value, {fill: i ? '-1' : 'origin', borderWidth: 0.5, pointRadius: 0}));
}

const isMarked = rank => Boolean(seen.answer.now.ranks?.find(one => one.rank === rank)?.mark);

// The ranks to draw of a measure: few enough to be told apart. Their means over the time tell which.
function ranksToDraw(name) {
  const most = 8, sums = [], counts = [];
  for (const {values} of seen.frames) {
    values?.[name]?.forEach((value, rank) => {
      if (Number.isNaN(value)) return;
      sums[rank] = (sums[rank] ?? 0) + value;
      counts[rank] = (counts[rank] ?? 0) + 1;
    });
  }
  const order = Object.keys(sums).map(Number).sort((a, b) => sums[a] / counts[a] - sums[b] / counts[b] || a - b);
  if (order.length <= most) return {ranks: order.sort((a, b) => a - b), of: order.length};
  const marked = order.filter(isMarked).slice(0, most - 4);
  const rest = order.filter(rank => !marked.includes(rank)), ends = (most - marked.length) >> 1;
  return {ranks: [...marked, ...rest.slice(0, ends), ...rest.slice(-ends)].sort((a, b) => a - b), of: order.length};
}

const measures = {
  ranks: [
    {name: 'waits for peers', key: 'peer_wait_share', text: shareText, y: shareAxis},
    {name: 'waits for data', key: 'data_wait_share', text: shareText, y: shareAxis},
    {name: 'lacks a CPU', key: 'queued_share', text: shareText, y: shareAxis}, {name: 'rate', key: 'samples_per_s', text: rateText, y: {}},
    {name: 'memory', key: 'resident_bytes', text: sizeText, y: {}}
  ],
  gpus:
      numbers.gpus.filter(one => !one.counts)
          .map(({below, key, form}) => ({name: below, key, text: forms[form], y: forms[form] === shareText ? {...shareAxis, max: 1} : {}}))
};

// A chart that is there once it has something to show.
function course(title, caption, has, build) {
  const made = figure(title, caption, build);
  return {
    element: made.element,
    show: () => {
      made.element.hidden = !has();
      if (has()) made.refresh();
    }
  };
}

// A line per rank of the measure that is chosen; the first one that is known, until somebody chooses.
function rankCourse(title, list) {
  let chosen = null;
  const names = () => list.filter(one => seen.knows.has(one.key));
  const current = () => chosen ?? names()[0];
  const picker = choice('show', list, one => one.name, 0, one => {
    chosen = one;
    made.show();
  });
  const made = course(title, ' ', () => names().length > 0, () => {
    const {key, text, y} = current(), {ranks} = ranksToDraw(key);
    return courseChart(
        ranks.map(
            (rank, i) => lineOf(
                `rank ${rank}`, i, frame => frame.values[key]?.[rank],
                isMarked(rank) ? {borderColor: color('--bad'), backgroundColor: color('--bad'), borderWidth: 3} : {})),
        {...y, ticks: {callback: value => value === 0 ? '0' : text(value)}}, text);
  });
  const select = picker.querySelector('select'), caption = made.element.querySelector('figcaption');
  made.element.querySelector('h3').after(picker);
  return {
    element: made.element,
    show: () => {
      made.show();
      if (!names().length) return;
      [...select.options].forEach((option, i) => {
        option.disabled = !seen.knows.has(list[i].key);
      });
      select.value = String(list.indexOf(current()));
      const {ranks, of} = ranksToDraw(current().key);
      caption.textContent = ranks.length < of ?
          `${ranks.length} of ${grouped(of)} ranks: those that are marked, and the lowest and the highest on the mean.` :
          '';
    }
  };
}

// A strip of the phases of rank 0, as wide as the time that the charts show.
function phaseStrip() {
  const strip = make('div', {class: 'phases', role: 'img'}), words = make('figcaption');
  const show = () => {
    const span = timeSpan(), parts = [], lengths = new Map();
    seen.frames.forEach((frame, i) => {
      const name = frame.lost ? 'no answer' : frame.phase, to = seen.frames[i + 1]?.at ?? frame.at;
      const last = parts.at(-1);
      if (last && last.name === name && last.point === frame.point) last.to = to;
      else parts.push({name, point: frame.point, from: frame.at, to});
      lengths.set(name, (lengths.get(name) ?? 0) + to - frame.at);
    });
    const share = ms => 100 * ms / (span.max - span.min);
    strip.replaceChildren(
        ...parts.filter(part => share(part.to - part.from) > 0.1)
            .map(
                part => make(
                    'span', {
                      style: `left: ${share(part.from - span.min)}%; width: ${share(part.to - part.from)}%; background: var(${
                          phaseColors[part.name] ?? '--c7'})`,
                      title: [part.name, part.point, `${timeText(part.from)} to ${timeText(part.to)}`].filter(Boolean).join(', ')
                    },
                    share(part.to - part.from) > 7 ? part.name : '')));
    words.textContent = [...lengths].filter(([, ms]) => ms > 0).map(([name, ms]) => `${name} ${clockText(ms / 1000)}`).join(', ');
    strip.setAttribute('aria-label', `phases: ${words.textContent}`);
  };
  return {element: make('figure', {}, make('h3', {}, 'Phases of rank 0'), strip, words), show};
}

function coursesCard() {
  const any = value => () => seen.frames.some(frame => !frame.lost && value(frame) !== undefined);
  const rate = course(
      'Rate', 'All ranks; over the last 10 s and 10 steps or more.', any(frame => frame.rate),
      () => courseChart(
          [lineOf('rate', 0, frame => frame.rate)], {...numberAxis(`${seen.answer.status.sample_unit} per s`, rateText), beginAtZero: true},
          rateText));
  const loss = course(
      'Loss', 'Training loss of rank 0.', any(frame => frame.loss),
      () => courseChart(
          [lineOf('loss', 1, frame => frame.loss)], numberAxis('loss', value => significant(value, 4)), value => significant(value, 5)));
  const parts = course(
      'Where the time goes', ' ', () => seen.knows.has('data_wait_share'),
      () => courseChart(timeParts(), {...shareAxis, stacked: true, max: seen.knows.has('utilisation') ? undefined : 1}, shareText));
  const ranks = rankCourse('Rank by rank', measures.ranks), phases = phaseStrip(), note = make('p', {class: 'faint'});
  const element = make(
      'section', {class: 'card', id: 'courses'}, make('h2', {}, 'The last ten minutes'), note, phases.element,
      make('div', {class: 'pair'}, rate.element, loss.element, parts.element, ranks.element));
  return {
    element,
    show: () => {
      const {at, means = {}, values = {}} = seen.frames[0];
      const hasMeansOnly = Object.keys(means).length > 0 && Object.keys(values).length === 0;
      note.textContent = `Since ${timeText(at)}.` +
          (hasMeansOnly ? ' Of so many ranks the run remembers means: curves of single ranks begin where this page was opened.' : '');
      parts.element.querySelector('figcaption').textContent =
          'Mean over the ranks' + (seen.knows.has('utilisation') ? ': of a GPU what its host waits for.' : '.');
      [phases, rate, loss, parts, ranks].forEach(one => one.show());
    }
  };
}
