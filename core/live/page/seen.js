// So much is known of the run in the last ten minutes: what rank 0 remembers of the time before this page was opened (live::Past), and what
// the page has seen since. A page that was saved has what had been seen then.
const shown_ms = 10 * 60 * 1000;
const mostFrames = 400;

const seen = {
  frames: [],       // {at, phase, point, rate, loss, means, values}, or {at, lost: true} where nobody answered
  answer: null,     // the newest {status, now}
  running: null,    // the newest with rates: a run that has ended has none
  knows: new Set()  // measures of which a value has come
};

// Returns one value of each rank by measure; a rank's place is its number, NaN is not known.
function valuesOf({ranks = []}, {ranks: rates = []}) {
  const size = ranks.reduce((most, rank) => Math.max(most, rank.rank + 1), 0), values = {};
  for (const name of numbers.measures) {
    const column = new Float32Array(size).fill(NaN);
    ranks.forEach((rank, i) => {
      column[rank.rank] = rates[i]?.[name] ?? rank[name] ?? rank.gpu?.[name] ?? NaN;
    });
    if (!column.some(value => !Number.isNaN(value))) continue;
    values[name] = column;
    seen.knows.add(name);
  }
  return values;
}

function meansOf(values) {
  const mean = of => of.reduce((sum, value) => sum + value, 0) / of.length;
  return Object.fromEntries(
      Object.entries(values).map(([name, column]) => [name, mean([...column].filter(value => !Number.isNaN(value)))]));
}

function keep(frame) {
  seen.frames.push(frame);
  const oldest = frame.at - shown_ms;
  while (seen.frames.length > mostFrames || seen.frames[0].at < oldest) seen.frames.shift();
}

// A new answer; that of another run, at the same address, begins anew.
function take(answer, at) {
  const {status, now} = answer;
  if (seen.answer && seen.answer.status.run_id !== status.run_id) Object.assign(seen, {frames: [], running: null, knows: new Set()});
  const ended = status.state !== 'running';
  if (!ended || seen.answer?.status.state === 'running' || !seen.frames.length) {
    const phase = ended ? status.state : status.phase, values = valuesOf(status, now);
    keep({at, phase, point: status.point, rate: now.samples_per_s, loss: status.loss, means: meansOf(values), values});
  }
  seen.answer = answer;
  if (!ended && (now.samples_per_s !== undefined || seen.running?.now.samples_per_s === undefined)) seen.running = answer;
}

function takeLoss(at) {
  if (seen.frames.length && !seen.frames.at(-1).lost && seen.answer?.status.state === 'running') keep({at, lost: true});
}

// Takes frames that came as JSON, which has null where a value is not known.
function recall(frames, later_ms = 0) {
  for (const {at, means = {}, values = {}, ...frame} of frames) {
    const columns = Object.entries(values).map(([name, column]) => [name, Float32Array.from(column, value => value ?? NaN)]);
    Object.keys(means).forEach(name => seen.knows.add(name));
    keep({at: at + later_ms, means, values: Object.fromEntries(columns), ...frame});
  }
}

// Writes all of it as JSON; no pixel shows more than four digits.
function asJson(at) {
  const four = value => Number.isNaN(value) ? null : Number(value.toPrecision(4));
  const frames = seen.frames.map(({values, ...frame}) => {
    const columns = Object.entries(values ?? {}).map(([name, column]) => [name, [...column].map(four)]);
    return {...frame, values: Object.fromEntries(columns)};
  });
  return JSON.stringify({at, frames, answer: seen.answer, running: seen.running});
}

// The ranks and rates to show: of a run that has ended those that it had when it ran, without marks.
function standing() {
  const {status, now} = seen.answer;
  if (status.state === 'running' || !seen.running) return {status, now};
  const was = seen.running.now;
  const ranks = status.ranks?.map(
      ({rank}) => ({...was.ranks?.find(one => one.rank === rank), rank, mark: undefined, reason: undefined, last_step_age_s: undefined}));
  return {status, now: {...was, ranks, nodes: status.nodes?.map(({host}) => was.nodes?.find(one => one.host === host) ?? {host})}};
}
