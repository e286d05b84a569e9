// Elements, numbers and tables of all pages. All text goes through textContent: names may hold anything. A page has a `glossary`, which
// explains heads of tables on hover.
function make(tag, options, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(options || {})) {
    if (key === 'class') element.className = value;
    else if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  for (const child of children) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

const absent = '\u2013';

const grouped = value => Math.round(value).toLocaleString('en-US');
// Says what readable() of core/base/number_words.h says: "7,377", "12.34", "0.123".
function readable(value) {
  if (value === undefined || value === null) return absent;
  const size = Math.abs(value);
  if (size >= 999.95) return grouped(value);
  if (size >= 99.995) return value.toFixed(1);
  if (size >= 0.9995) return value.toFixed(2);
  if (size >= 0.1) return value.toFixed(3);
  if (size === 0) return '0';
  return value.toFixed(Math.min(20, 2 - Math.floor(Math.log10(size)))).replace(/0+$/, '');
}
const percent = value => value === undefined ? absent : (100 * value).toFixed(1).replace(/^-0\.0$/, '0.0');
const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
// Says what size_text() of core/base/number_words.h says: "4 KiB", "97.5 MiB".
function bytesText(bytes) {
  let unit = 0;
  for (; bytes >= (Number.isInteger(bytes) ? 1024 : 1023.5); ++unit) bytes /= 1024;
  const decimals = Number.isInteger(bytes) || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  return `${bytes.toFixed(decimals)} ${byteUnits[unit]}`;
}
const gibibytes = value => value === undefined ? absent : (value / 2 ** 30).toFixed(2);

// A table that may be filled again and again: `show(rows, most)` keeps the order that was chosen, shows so many of the rows, and touches no
// cell that stays as it is. columns: {head, value(row), show(value, row), text: left-aligned, long: may wrap, mayGo: a phone leaves it
// out}. Rows sort by value; absent values come last. `kind(row)` is a row's class.
function tableOf(columns, kind = () => '') {
  const body = make('tbody'),
        classOf = ({text, long, mayGo}) => [text && 'text', long && 'long', mayGo && 'may-go'].filter(Boolean).join(' ');
  let rows = [], most = Infinity, chosen = null;
  const put = (cell, column, row) => {
    const value = column.value(row), shown = column.show ? column.show(value, row) : value ?? absent;
    cell.className = classOf(column);
    if (typeof shown === 'object') cell.replaceChildren(shown);
    else if (cell.textContent !== String(shown)) cell.textContent = shown;
  };
  const fill = () => {
    const order = chosen ?
        [...rows].sort((a, b) => compare(columns[chosen.place].value(a), columns[chosen.place].value(b), chosen.up ? 1 : -1)) :
        rows;
    const shown = order.slice(0, most);
    while (body.rows.length > shown.length) body.lastChild.remove();
    shown.forEach((row, i) => {
      const line = body.rows[i] ?? body.appendChild(make('tr', {}, ...columns.map(() => make('td'))));
      line.className = kind(row);
      columns.forEach((column, j) => put(line.cells[j], column, row));
    });
  };
  const heads = columns.map(
      column => make(
          'th', {class: classOf(column), scope: 'col'},
          make('button', {type: 'button', title: column.about ?? glossary[column.head] ?? 'sort'}, column.head)));
  heads.forEach((head, place) => head.firstChild.addEventListener('click', () => {
    chosen = {place, up: head.getAttribute('aria-sort') !== 'ascending'};
    heads.forEach(other => other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', chosen.up ? 'ascending' : 'descending');
    fill();
  }));
  const element = make('div', {class: 'scroll', tabindex: '0'}, make('table', {}, make('thead', {}, make('tr', {}, ...heads)), body));
  return {
    element,
    show: (some, howMany = Infinity) => {
      rows = some;
      most = howMany;
      fill();
    }
  };
}

function table(columns, rows) {
  const {element, show} = tableOf(columns);
  show(rows);
  return element;
}

function compare(a, b, direction) {
  if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
  if (typeof a === 'number' && typeof b === 'number') return direction * (a - b);
  return direction * String(a).localeCompare(String(b), undefined, {numeric: true});
}

// A choice above charts; `show` is called with each entry that is chosen, not with the first: the
// caller has drawn it.
function choice(label, entries, name, chosen, show) {
  const select = make('select', {'aria-label': label}, ...entries.map((entry, i) => make('option', {value: String(i)}, name(entry))));
  select.value = String(chosen);
  select.addEventListener('change', () => show(entries[Number(select.value)]));
  return entries.length > 1 ? make('p', {class: 'screen'}, make('label', {class: 'faint'}, label + ' ', select)) : null;
}

function card(title, ...children) {
  return make('section', {class: 'card'}, make('h2', {}, title), ...children);
}
