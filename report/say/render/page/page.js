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

const data = JSON.parse(document.getElementById('data').textContent);
const main = document.querySelector('main');
data.reports.forEach((report, i) => {
  main.append(make('header', {}, make('h1', {}, title(report)), i === 0 ? toggle() : null), ...reportSections(report));
});
if (!data.reports.length) main.append(make('p', {}, 'No report.'));
document.title = data.reports.length ? 'scalemark: ' + title(data.reports[0]) : 'scalemark';

startTheme();
