// Tables: a row per rank, per GPU and per machine, with the columns of `scalemark top`.
const mostRows = 64;

// A table whose columns may change: it is made anew when they do.
function changingTable(kind) {
  const element = make('div');
  let heads = '', made = null;
  return {
    element,
    show: (columns, rows, most) => {
      const now = columns.map(column => column.head).join('|');
      if (now !== heads) {
        made = tableOf(columns, kind);
        made.element.classList.add('tall');
        element.replaceChildren(made.element);
        heads = now;
      }
      made.show(rows, most);
    }
  };
}

const column = (head, value, text, more) => ({head, value, show: value => known(value, text), ...more});
const isKnown = (rows, one) => rows.some(row => one.value(row) !== undefined);
// A column that has said something stays, so that tables do not change to and fro. An absent value says nothing, nor does 0.
function staying() {
  const heads = new Set();
  return (rows, one) => {
    if (rows.some(row => !['', '0', '0 %', absent].includes(one.show(one.value(row), row)))) heads.add(one.head);
    return heads.has(one.head);
  };
}
const differ = (rows, value) => new Set(rows.map(value)).size > 1;

const rankSays = staying(), gpuSays = staying(), nodeSays = staying();

function rankColumns(rows, {phase, sample_unit: unit}) {
  const words = {text: true}, same = value => value;
  const always = [
    column('rank', row => row.rank, String), column('step', row => row.step, grouped),
    column(`${unit} per s`, row => row.now.samples_per_s, rateText)
  ];
  const rates = [
    column('wait data', row => row.now.data_wait_share, shareText), column('wait peers', row => row.now.peer_wait_share, shareText),
    column('wait network', row => row.now.network_wait_share, shareText), column('last step', row => row.now.last_step_age_s, ageText),
    column('memory', row => row.resident_bytes, sizeText)
  ].filter(one => isKnown(rows, one));
  const where = [column('host', row => row.host, same, words), column('device', row => row.device, same, words)].filter(
      one => differ(rows, one.value));
  const phases = differ(rows, row => row.phase) || rows[0].phase !== phase ? [column('phase', row => row.phase, same, words)] : [];
  const wrong = [column('what is wrong', row => row.now.reason ?? '', same, words)].filter(one => rankSays(rows, one));
  return [always[0], ...wrong, ...where, ...phases, ...always.slice(1).filter(one => isKnown(rows, one)), ...rates];
}

// Marked ranks come first where not all are in sight.
function inOrder(rows) {
  const weight = {silent: 0, behind: 1, slowest: 2};
  return rows.length <= 16 ? rows : [...rows].sort((a, b) => (weight[a.now.mark] ?? 3) - (weight[b.now.mark] ?? 3) || a.rank - b.rank);
}

// A card with a table, whose rows a button lets out.
function tableCard(title, id, kind, ...above) {
  const table = changingTable(kind), note = make('span', {class: 'faint'}), element = card(title, ...above, table.element);
  let all = false, again = () => {};
  const button = make('button', {
    type: 'button',
    class: 'screen',
    onclick: () => {
      all = !all;
      again();
    }
  });
  const line = make('p', {}, note, ' ', button);
  element.id = id;
  element.append(line);
  const show = (columns, rows, noun) => {
    again = () => show(columns, rows, noun);
    element.hidden = !rows.length;
    if (!rows.length) return;
    table.show(columns, rows, all ? Infinity : mostRows);
    line.hidden = rows.length <= mostRows;
    note.textContent = all ? '' : `${mostRows} of ${many(rows.length, noun)}; a click on a head sorts all of them.`;
    button.textContent = all ? `show ${mostRows}` : `show all ${grouped(rows.length)}`;
  };
  return {element, show};
}

function ranksCard() {
  const made = tableCard('Ranks', 'ranks', row => row.now.mark ? 'marked' : '');
  return {
    element: made.element,
    show: ({status, now}) => {
      const rows = inOrder((status.ranks ?? []).map((rank, i) => ({...rank, now: now.ranks?.[i] ?? {}})));
      made.show(rows.length ? rankColumns(rows, status) : [], rows, 'rank');
    }
  };
}

// Columns of numbers of machines (core/machine/machine_numbers.inc), which `record` gives of a row; heads begin with `above` or not.
const numberColumns = (list, record, named) => list.map(
    ({key, above, below, form, ...more}) => column(named ? `${above} ${below}` : below, row => record(row)[key], forms[form], more));
const inPlace = columns => columns.sort((a, b) => a.place - b.place);

function gpuColumns(rows) {
  const words = {text: true}, same = value => value, all = inPlace(numberColumns(numbers.gpus, row => row.gpu, false));
  const host = differ(rows, row => row.host) ? [column('host', row => row.host, same, words)] : [];
  const held = column('held down by', row => row.gpu.held_down_by?.join(', ') ?? '', same, words);
  return [
    column('rank', row => row.rank, String), ...host, column('GPU', row => row.gpu.device, same, words),
    ...all.filter(one => !one.counts && isKnown(rows, one)), ...[held, ...all.filter(one => one.counts)].filter(one => gpuSays(rows, one))
  ];
}

function gpusCard() {
  const curves = rankCourse('GPU by GPU', measures.gpus);
  const made = tableCard('GPUs', 'gpus', row => row.gpu.held_down_by?.length && row.now.mark ? 'marked' : '', curves.element);
  return {
    element: made.element,
    show: ({status, now}) => {
      const rows = inOrder((status.ranks ?? []).map((rank, i) => ({...rank, now: now.ranks?.[i] ?? {}})).filter(rank => rank.gpu));
      made.show(rows.length ? gpuColumns(rows) : [], rows, 'GPU');
      curves.show();
    }
  };
}

function nodeColumns(rows) {
  const busy = {head: 'CPUs busy', value: row => row.now.busy_cpus, show: (value, row) => `${known(value, cpusText)} of ${row.cpus}`};
  const trouble = inPlace([
    ...numberColumns(numbers.rates, row => row.now, true), ...numberColumns(numbers.nodes.filter(one => !one.counts), row => row, true)
  ]);
  const others = column('CPUs others', row => row.now.other_cpus, cpusText);
  return [
    column('machine', row => row.host, value => value, {text: true}), busy, ...[others, ...trouble].filter(one => nodeSays(rows, one))
  ];
}

function nodesCard() {
  const made = tableCard('Machines', 'machines');
  return {
    element: made.element,
    show: ({status, now}) => {
      const rows = (status.nodes ?? []).map((node, i) => ({...node, now: now.nodes?.[i] ?? {}}));
      made.show(rows.length ? nodeColumns(rows) : [], rows, 'machine');
    }
  };
}
