// The answers first: what runs, how far, how fast, what is wrong.
function listOf(warns) {
  const element = make('ul', {class: 'words plain'});
  return {
    element,
    show: lines => {
      element.hidden = !lines.length;
      element.replaceChildren(...lines.map(line => make('li', {class: warns(line) ? 'warns' : ''}, line)));
    }
  };
}

const statesWords = {
  running: ['good', 'running'],
  complete: ['good', 'complete'],
  interrupted: ['bad', 'interrupted'],
  failed: ['bad', 'failed']
};

// {lost, next_s}: nobody answers since then. {saved}: this is a file of that time.
function linkText({lost, saved, next_s: next}, {state}) {
  if (saved)
    return `Saved ${new Date(saved).toLocaleString('sv')}${
        state === 'running' ? ', while the run went on' : ''}: this file changes no more.`;
  if (state !== 'running')
    return lost ? `The run has ended (${state}), and its page with it. All that is shown is of ${timeText(seen.at)}.` :
                  `The run has ended (${state}). Rates, waits and machines are those that it had when it ran.`;
  return lost ?
      `No answer since ${timeText(lost)}; the run may have ended, or rank 0 was killed or stopped: its output folder says which. ` +
          `All that is shown is of ${timeText(seen.at)}; asked again every ${next} s.` :
      '';
}

function figuresOf({status, now}) {
  const runs = status.state === 'running',
        left = runs && status.seconds_left !== undefined ? [clockText(status.seconds_left), 'left'] : null;
  return [
    now.samples_per_s === undefined ? null : [rateText(now.samples_per_s), `${status.sample_unit} per s` + (runs ? '' : ', at last')], left,
    status.loss === undefined ? null : [significant(status.loss, 4), 'loss'],
    status.learning_rate === undefined ? null : [significant(status.learning_rate, 3), 'learning rate'],
    status.evaluation ? [shareText(status.evaluation.value), `${status.evaluation.metric} after epoch ${status.evaluation.epoch}`] : null
  ].filter(Boolean);
}

// "2 ranks on 1 machine (cpu), run 4f1d2c3b, began 12:03:10, scalemark 0.2.0"
function placeText({ranks = [], nodes = [], run_id: id, started, version}) {
  const devices = new Set(ranks.map(rank => rank.device)), device = devices.size === 1 && ranks[0].device ? ` (${ranks[0].device})` : '';
  const where = (nodes.length ? ` on ${many(nodes.length, 'machine')}` : '') + device;
  return [
    ranks.length ? many(ranks.length, 'rank') + where : '', `run ${id.slice(0, 8)}`, `began ${timeText(Date.parse(started))}`,
    `scalemark ${version}`
  ].filter(Boolean)
      .join(', ');
}

// "rank 2: others wait 30 %"; of many the first ones.
function marksOf({ranks = []}) {
  const most = 8, marked = ranks.filter(rank => rank.mark), weight = {silent: 0, behind: 1, slowest: 2};
  marked.sort((a, b) => weight[a.mark] - weight[b.mark] || a.rank - b.rank);
  const lines = marked.slice(0, most).map(rank => `rank ${rank.rank}: ${rank.reason}`);
  return marked.length > most ? [...lines, `and ${many(marked.length - most, 'rank')} more, in the table below`] : lines;
}

function wellText({status, now}) {
  if (status.state !== 'running' || marksOf(now).length) return '';
  return now.ranks?.length > 1 && now.interval_s !== undefined ? 'No rank stands out.' : '';
}

// "window: 2,100 of 12,000 steps (17 %)", "complete after 4:17"
function stateText(status) {
  if (status.state === 'running') return [status.phase, progressText(status)].filter(Boolean).join(': ');
  return `${status.state} after ${clockText((Date.parse(status.written) - Date.parse(status.started)) / 1000)}`;
}

function headCard() {
  const name = make('h1', {}, 'scalemark'), place = make('p', {class: 'faint'}), link = make('p', {class: 'alarm', role: 'status'});
  const state = make('p', {class: 'state'}), figures = make('div', {class: 'figures'}), plan = make('p'), phase = make('p', {id: 'phase'});
  const bar = make('progress', {max: '1', 'aria-label': 'steps of this phase'}), marks = listOf(() => true),
        well = make('p', {class: 'well'});
  const box = make('section', {class: 'card', id: 'now'}, figures, plan, phase, bar, marks.element, well);
  const show = (view, problem) => {
    const {status, now} = view;
    name.textContent = status.command + (status.what ? ': ' + status.what : '');
    place.textContent = placeText(status);
    link.textContent = linkText(problem, status);
    link.className = problem.saved ? 'faint' : status.state === 'complete' ? 'well' : 'alarm';
    const [kind, word] =
        problem.lost && status.state === 'running' ? ['bad', 'no answer'] : statesWords[status.state] ?? ['bad', status.state];
    state.className = `state ${kind}`;
    state.textContent = word;
    figures.replaceChildren(
        ...figuresOf(view).map(([value, label]) => make('div', {}, make('p', {class: 'large'}, value), make('p', {class: 'faint'}, label))),
        state);
    plan.textContent = planText(status);
    phase.textContent = stateText(status);
    bar.hidden = !status.planned || status.done === undefined;
    if (!bar.hidden) bar.value = Math.min(1, status.done / status.planned);
    marks.show([now.alarm, ...marksOf(now)].filter(Boolean));
    well.textContent = problem.lost ? '' : wellText(view);
    const share = status.planned && status.done !== undefined ? `${Math.floor(100 * status.done / status.planned)} % ` : '';
    document.title = (status.state === 'running' && (problem.lost || marksOf(now).length) ? '! ' : '') +
        (status.state === 'running' ? share + status.phase : status.state) + ' \u00b7 ' + (status.what || status.command);
  };
  return {top: make('header', {}, name, make('span', {}, saveButton(), ' ', toggle())), place, link, element: box, show};
}

function findingsCard() {
  const most = 5, infos = new Set(), warns = line => !infos.has(line);
  const first = listOf(warns), rest = listOf(warns), title = make('summary');
  const more = make('details', {}, title, rest.element), element = card('Findings so far', first.element, more);
  let key = '';
  return {
    element,
    show: ({findings = []}) => {
      const lines = findings
                        .map(({severity, code, point, text}) => {
                          const line = `${code}: ${text}` + (point ? ` (${point})` : '');
                          if (severity === 'info') infos.add(line);
                          return line;
                        })
                        .reverse();
      element.hidden = !lines.length;
      if (lines.join() === key) return;  // so that a list that is open stays as it is read
      key = lines.join();
      first.show(lines.slice(0, most));
      rest.show(lines.slice(most));
      more.hidden = lines.length <= most;
      title.textContent = `${many(lines.length - most, 'finding')} before these`;
    }
  };
}
