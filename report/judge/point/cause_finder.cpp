#include "report/judge/point/cause_finder.h"

#include <algorithm>
#include <functional>

#include "report/record/point_facts.h"

namespace scalemark::reporting {

double whole_step_s(const PointRecord& point) {
  return point.step_time_s.value_or(point.step_mean_over_ranks_s);
}

void CauseFinder::add(const FindingKind& kind, double seconds, AllNamed values,
                      std::optional<FindingPlace> place, const Sort& sort) {
  if (!(seconds >= kLeastCause * step_s_)) return;
  values.emplace_back("ms", kMs * seconds);
  values.emplace_back("share", seconds / step_s_);
  const Finding made = make_finding(kind, point_.id, values, std::move(place));
  all_.push_back({.code = made.code,
                  .is_fault = sort.is_fault.value_or(kind.severity == std::string_view("warning")),
                  .domain = made.domain,
                  .layer = std::string(name_of(kind.layer)),
                  .seconds = seconds,
                  .place = made.place,
                  .text = made.text,
                  .remedy = Wording(made).filled(kind.remedy).value_or(""),
                  .at_most_s = seconds,
                  .predicted_s = sort.predicted_s,
                  .values = made.values,
                  .words = made.words});
}

const Finding* CauseFinder::find(const FindingKind& kind) const {
  const auto found = std::ranges::find_if(context_.findings, [&](const Finding& finding) {
    return finding.code == kind.code && finding.point == point_.id;
  });
  return found == context_.findings.end() ? nullptr : &*found;
}

const monitoring::Host* CauseFinder::host(const std::string& name) const {
  return find_host(context_.hosts, name);
}

std::optional<double> CauseFinder::mean_of_host(const char* source, const std::string& host) const {
  std::optional<double> mean;
  each_reading(source, [&](const TelemetryRecord& record) {
    if (record.host == host && !mean) mean = record.values.mean;
  });
  return mean;
}

std::vector<CauseRecord> CauseFinder::take() {
  std::ranges::stable_sort(all_, std::greater{}, [](const CauseRecord& cause) {
    return std::pair(cause.is_fault, cause.seconds);
  });
  return std::move(all_);
}

}  // namespace scalemark::reporting
