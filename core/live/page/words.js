// Numbers and lines in the words of `scalemark top`.
const rateText = value => value >= 999.5 ? grouped(value) : value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
const shareText = share => `${(100 * share).toFixed(0)} %`;
const cpusText = cpus => cpus < 0.05 ? '0' : cpus.toFixed(1);
const countText = value => value < 0.05 ? '0' : rateText(value);
const many = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
const known = (value, text) => value === undefined || value === null ? absent : text(value);

function clockText(seconds) {
  const whole = Math.floor(Math.max(0, seconds)), two = number => String(number % 60).padStart(2, '0');
  const minutes = Math.floor(whole / 60), hours = Math.floor(minutes / 60);
  return hours ? `${hours}:${two(minutes)}:${two(whole)}` : `${minutes}:${two(whole)}`;
}
const ageText = seconds => seconds >= 99.5 ? clockText(seconds) : `${seconds.toFixed(seconds < 9.95 ? 1 : 0)} s`;

const sizeText = bytes => bytes < 0.5 ? '0' : bytesText(Math.round(bytes));

// In the order of NumberForm (core/machine/machine_numbers.h).
const forms = [
  grouped, countText, shareText, sizeText, cpusText, watts => `${watts.toFixed(0)} W`, clock => `${grouped(clock)} MHz`,
  degrees => `${degrees.toFixed(0)} \u00b0C`
];

// A loss of 2.3145 is 2.315: zeros at the end say nothing.
const significant = (value, digits) => String(Number(value.toPrecision(digits)));

// A time of day as the reader's clock shows it.
function timeText(at) {
  const time = new Date(at), two = number => String(number).padStart(2, '0');
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

// "2,100 of 12,000 steps (17 %)"
function progressText({done, planned, command}) {
  const unit = command === 'comm' ? 'calls' : 'steps';
  if (done === undefined) return '';
  if (planned === undefined) return `${grouped(done)} ${unit}`;
  return `${grouped(done)} of ${grouped(planned)} ${unit}` + (planned > 0 ? ` (${Math.floor(100 * done / planned)} %)` : '');
}

// "4 of 15 runs done, now resnet50-b8-fp32-w4-ddp/r2"
function planText({runs_done: done = 0, runs_planned: planned, point, state}) {
  return [planned === undefined ? '' : `${done} of ${many(planned, 'run')} done`, state === 'running' && point ? `now ${point}` : '']
      .filter(Boolean)
      .join(', ');
}

// Heads of tables that are not everyday English.
const glossary = {
  'wait data': 'share of the time in which training waited for the loader',
  'wait peers': 'share in which it waited for ranks that came later',
  'wait network': 'share in an exchange that no rank is spared',
  'last step': 'since its last step ended',
  'memory': 'resident memory of its process',
  'what is wrong': 'by the rules of scalemark top',
  'CPUs busy': 'at work for any program',
  'CPUs others': 'at work for programs that are no ranks of this run',
  'held down by': 'what holds its clocks down'
};
