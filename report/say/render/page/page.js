// The page from top to bottom.
function title(report) {
  if (report.title) return report.title;
  const workloads = [...new Set(report.points.map(p => p.workload))].join(', ');
  const hosts = report.environment.hosts.map(host => host.hostname);
  const where = hosts.length > 1 ? `${hosts.length} hosts` : hosts[0];
  return [`${workloads || report.invocation.command}`, where].filter(Boolean).join(' on ');
}

// Tables that no chart stands above.
function otherSections(report) {
  const charted = ({title, columns}) =>
      isScaling(title) || isOfEffects(title) || isCollective({columns}) || title.startsWith('Devices') || title === 'Findings';
  return report.sections.filter(section => !charted(section)).map(section => card(section.title, ...inside(section)));
}

function reportSections(report) {
  if (!report.points) return [answerSection(report), partsSection(report), ...otherSections(report)].filter(Boolean);
  return [
    answerSection, collectivesSection, scalingSection, waterfallSection, effectsSection, throughputSection, stepsSection, bucketsSection,
    memorySection, devicesSection, otherSections, findingsSection, environmentSection, collectiveRunsSection, runsSection
  ].flatMap(section => section(report))
      .filter(Boolean);
}

// Links to the cards, which get names for it. Few cards need none.
const places = new Set();
function contents(cards) {
  if (cards.length < 4) return null;
  return make('nav', {class: 'screen contents', 'aria-label': 'contents'}, ...cards.map(card => {
    const name = card.querySelector('h2').textContent, stem = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    card.id = stem;
    for (let n = 2; places.has(card.id); n++) card.id = `${stem}-${n}`;
    places.add(card.id);
    return make('a', {href: '#' + card.id}, name);
  }));
}

const data = JSON.parse(document.getElementById('data').textContent);
learn(data.words);
const main = document.querySelector('main');
data.reports.forEach((report, i) => {
  const cards = reportSections(report);
  main.append(...[make('header', {}, make('h1', {}, title(report)), i === 0 ? toggle() : null), contents(cards), ...cards].filter(Boolean));
});
main.append(data.reports.length ? wordsCard(data.words) : make('p', {}, 'No report.'));
document.title = data.reports.length ? 'scalemark: ' + title(data.reports[0]) : 'scalemark';

startTheme();
