// The page asks the run every 2 s, and goes on less often where nobody answers or the run has ended. A page that was saved asks nobody.
const every_s = 2, patience_s = 5, slowest_s = 30;
// `source` is this page as it came, before anything is drawn: saved, it draws what its element "saved" holds.
const source = '<!doctype html>\n' + document.documentElement.outerHTML, saved = JSON.parse(document.getElementById('saved').textContent);

function saveButton() {
  const savePage = () => {
    const data = asJson(Date.now()).replaceAll('<', '\\u003c'), {run_id: id} = seen.answer.status;
    const page = source.replace(/(<script [^>]*id="saved">)null/, (_, tag) => tag + data);
    const url = URL.createObjectURL(new Blob([page], {type: 'text/html'}));
    save(`scalemark-${id.slice(0, 8)}.html`, url);
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  };
  return make(
      'button',
      {type: 'button', class: 'screen', hidden: '', id: 'save', title: 'this page as a file, with all that it shows', onclick: savePage},
      'save');
}

const head = headCard(), findings = findingsCard(), courses = coursesCard(), ranks = ranksCard(), gpus = gpusCard(), nodes = nodesCard();
const main = document.querySelector('main');
const waiting = make('p', {role: 'status'}, 'Asking the run \u2026');
const foot = make(
    'footer', {class: 'faint'}, 'The same as text: ', make('a', {href: 'metrics'}, 'metrics'), ', for Prometheus; ',
    make('a', {href: 'status'}, 'status'), ', as JSON; ', make('a', {href: 'now'}, 'now'),
    ', what this page reads. In a terminal: scalemark top.');
const body = [head.element, findings.element, courses.element, ranks.element, gpus.element, nodes.element];
const problem = {
  lost: null,
  next_s: every_s
};
let failures = 0, timer = null;

function showAll() {
  if (!seen.answer) return;
  const view = standing();
  waiting.remove();
  body.forEach(one => {
    if (!one.isConnected) foot.isConnected ? foot.before(one) : main.append(one);
  });
  document.getElementById('save').hidden = Boolean(saved);
  main.classList.toggle('old', Boolean(problem.lost) && view.status.state === 'running');
  head.show(view, problem);
  findings.show(view.status);
  courses.show();
  ranks.show(view);
  gpus.show(view);
  nodes.show(view);
}

async function answer(address) {
  const limit = new AbortController(), alarm = setTimeout(() => limit.abort(), 1000 * patience_s);
  try {
    const response = await fetch(address, {cache: 'no-store', signal: limit.signal});
    if (!response.ok) throw new Error(`the answer is ${response.status}: ${await response.text()}`);
    return await response.json();
  } finally {
    clearTimeout(alarm);
  }
}

// Learns the time before this page was opened, by this machine's clock.
async function askPast() {
  try {
    const {now, frames} = await answer('past');
    recall(frames.map(frame => ({...frame, at: 1000 * frame.at})), Date.now() - 1000 * now);
  } catch {  // the page begins with what it sees itself
  }
}

function noteFailure(error) {
  failures++;
  problem.lost ??= Date.now();
  takeLoss(Date.now());
  if (!seen.answer) waiting.textContent = `No answer from the run (${error.message}). Asked again every few seconds.`;
}

async function ask() {
  clearTimeout(timer);
  timer = null;
  try {
    const found = await answer('now');
    if (found.status?.schema !== 'scalemark.status/1') throw new Error('the answer is of another version: load this page again');
    seen.at = Date.now();
    failures = 0;
    problem.lost = null;
    take(found, seen.at);
  } catch (error) {
    noteFailure(error);
  }
  const ended = seen.answer && seen.answer.status.state !== 'running';
  problem.next_s = Math.min(slowest_s, (ended ? 5 : every_s) * 2 ** Math.min(5, Math.max(0, failures - 1)));
  showAll();
  timer = setTimeout(ask, 1000 * problem.next_s);
}

main.append(head.top, head.place, head.link, waiting, foot);
startTheme();
if (saved) {
  Object.assign(seen, {answer: saved.answer, running: saved.running, at: saved.at});
  recall(saved.frames);
  problem.saved = saved.at;
  foot.remove();
  showAll();
} else {
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && timer !== null) ask();
  });
  askPast().then(ask);
}
