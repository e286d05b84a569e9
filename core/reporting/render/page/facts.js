// Facts of a report that the sections need. Nothing is measured or judged here.
const phase = key => p => p.phases_s[key];
const exposed = [['exposed communication', phase('exposed_communication')]];
// What no peer causes, such as the finalisation of a single rank's reducer, is not waited for.
const exposedInParts = [['communication', p => p.communication?.network_s ?? p.phases_s.exposed_communication],
                        ['waits for peers', p => p.communication?.peer_wait_s ?? 0]];
const hasParts = p => p.communication?.network_s !== undefined;
const talks = p => p.world_size > 1 && !isSolo(p);
// Label and seconds of each part of a step. Waits for peers stand apart where every run knows them.
const phasesOf = runs => [['forward', phase('forward')], ['backward', phase('backward')], ['optimizer', phase('optimizer')],
                          ...(runs.filter(talks).every(hasParts) ? exposedInParts : exposed),
                          ['data wait', phase('data_wait')], ['copy to device', phase('host_to_device')], ['other', phase('other')]];

// A rank's wait for the slowest rank of each step, mean per step.
const peerWait = (run, rank) => run.own_s.mean_of_step_max - rank.own_s.mean;

const okRuns = report => report.points.filter(p => p.status === 'ok');

function runsByGroup(report) {
  const groups = new Map((report.groups || []).map(group => [group.group, []]));
  for (const point of okRuns(report)) {
    if (!groups.has(point.group)) groups.set(point.group, []);
    groups.get(point.group).push(point);
  }
  return new Map([...groups].filter(([, runs]) => runs.length));
}

const isSolo = p => p.strategy === 'none' && p.world_size > 1;

// Traits that differ between points; those that all points share are left out.
const traits = [
  ['workload', p => p.workload], ['precision', p => p.precision], ['device', p => p.device],
  ['backend', p => p.backend], ['size', p => p.image_size ?? p.sequence_length],
  ['accumulation', p => p.gradient_accumulation_steps], ['overlap', p => p.overlap],
  ['compression', p => p.gradient_compression], ['bucket', p => p.bucket_cap_mb],
  ['checkpointing', p => !!p.activation_checkpointing],
  ['stochastic depth', p => p.stochastic_depth ?? 0],
  ['fused layers', p => !!p.fused_layers], ['CUDA graphs', p => !!p.cuda_graphs],
  ['threads', p => p.threads], ['data', p => p.data === 'synthetic' ? 'synthetic' : 'files'],
];
// Options that the sweep varies and no trait has, too; texts of numbers are numbers.
const numeric = text => text === undefined || text === '' || Number.isNaN(Number(text)) ? text : Number(text);
const traitsOf = points => [...traits, ...[...new Set(points.flatMap(p => Object.keys(p.varying ?? {})))]
    .map(option => [inWords(option), p => numeric(p.varying?.[option])])];
// Names points by what tells them apart, without the trait `but`.
function namer(points, more, but) {
  const all = [...traitsOf(points).filter(([name]) => name !== but), ...more];
  const telling = all.filter(([, value]) => new Set(points.map(p => String(value(p)))).size > 1);
  return p => telling.map(([name, value]) => shown(name, value(p))).join(' ') || p.group;
}
function shown(name, value) {
  if (name === 'batch') return `b${value}`;
  if (name === 'ranks') return `${value} rank${value === 1 ? '' : 's'}`;
  if (name === 'accumulation') return `x${value}`;
  if (typeof value === 'boolean') return `${name} ${value ? 'on' : 'off'}`;
  return typeof value === 'number' ? `${name} ${value}` : String(value);
}
const strategyOf = p => isSolo(p) ? 'solo' : p.strategy;

// "weak, batch_size 64": the kind and the values in which this slice differs from the others.
function sliceName(table, tables) {
  const telling = Object.keys(table.fixed).filter(
      key => tables.some(other => other.fixed[key] !== table.fixed[key]));
  return [table.kind, ...telling.map(key => `${inWords(key)} ${table.fixed[key]}`)].join(', ');
}

// One row per world size that communicates, the baseline where nothing else has one rank.
function plotted(rows) {
  const talking = rows.filter(row => row.strategy !== 'none');
  const ones = rows.filter(row => row.world_size === 1 && row.strategy === 'none');
  return [...(talking.some(row => row.world_size === 1) ? [] : ones), ...talking];
}

// T in milliseconds; undefined of a point that was not measured.
const stepMs = p => p.wall_s === undefined || !p.iterations ? undefined : 1000 * p.wall_s / p.iterations;
const milliseconds = seconds => readable(seconds === undefined ? seconds : 1000 * seconds);

const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length;

function histogram(values, bins) {
  const low = Math.min(...values), high = Math.max(...values);
  const width = (high - low) / bins || 1;
  const counts = new Array(bins).fill(0);
  for (const value of values) counts[Math.min(bins - 1, Math.floor((value - low) / width))]++;
  return counts.map((count, i) => ({x: low + (i + 0.5) * width, y: count}));
}
