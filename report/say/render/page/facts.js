// Facts of a report that the sections need. Nothing is measured or judged here.
const hasParts = p => p.communication?.network_s !== undefined;

// A rank's wait for the slowest rank of each step, mean per step.
const peerWait = (run, rank) => run.own_s.mean_of_step_max - rank.own_s.mean;

const okRuns = report => report.points.filter(p => p.status === 'ok');

// T in milliseconds; undefined of a point that was not measured.
const stepMs = p => p.wall_s === undefined || !p.iterations ? undefined : 1000 * p.wall_s / p.iterations;
const milliseconds = seconds => readable(seconds === undefined ? seconds : 1000 * seconds);

function histogram(values, bins) {
  const low = Math.min(...values), high = Math.max(...values);
  const width = (high - low) / bins || 1;
  const counts = new Array(bins).fill(0);
  for (const value of values) counts[Math.min(bins - 1, Math.floor((value - low) / width))]++;
  return counts.map((count, i) => ({x: low + (i + 0.5) * width, y: count}));
}
