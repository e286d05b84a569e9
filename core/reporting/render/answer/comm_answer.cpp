// The answer of `comm`: a line per size and whatever else varies, or a line per link.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/reporting/collectives/words.h"
#include "core/reporting/record/surety.h"
#include "core/reporting/render/answer/answer.h"
#include "core/reporting/render/sections/sweep_sections.h"
#include "core/reporting/render/text.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {
namespace {

using Groups = std::vector<const CollectiveGroup*>;

struct CollectiveAxis {
  const char* name;
  std::function<std::string(const CollectiveGroup&)> text;
};

const std::vector<CollectiveAxis>& axes() {
  using Group = CollectiveGroup;
  static const std::vector<CollectiveAxis> kAxes{
      {"collective", [](const Group& g) { return std::string(name_of(g.collective)); }},
      {"type", [](const Group& g) { return std::string(name_of(g.dtype)); }},
      {"ranks", [](const Group& g) { return counted(g.world_size, "rank"); }},
      {"nodes", [](const Group& g) { return g.nodes > 1 ? counted(g.nodes, "node") : ""; }},
      {"placement", [](const Group& g) { return g.nodes > 1 ? g.placement : ""; }},
      {"backend", [](const Group& g) { return g.backend; }},
      {"via", [](const Group& g) { return "via " + std::string(name_of(g.via)); }},
      {"device", [](const Group& g) { return g.device; }},
      {"place", [](const Group& g) { return g.in_place ? "in place" : "out of place"; }},
      {"beside", [](const Group& g) { return g.overlap_compute ? "beside compute" : ""; }},
      {"traffic", [](const Group& g) { return g.congestion ? "with congestion" : ""; }},
  };
  return kAxes;
}

bool varies(const CollectiveAxis& axis, const Groups& groups) {
  return std::ranges::any_of(groups, [&](const CollectiveGroup* group) {
    return axis.text(*group) != axis.text(*groups.front());
  });
}

std::string time_cell(const CollectiveGroup& group) {
  if (group.time_s.value || group.standing.is_withheld()) {
    const double time_s = group.time_s.value.value_or(0);
    const std::string text =
        has_two_digits(group) ? two_digits(1e6 * time_s) : in_microseconds(time_s);
    return held_text(group.standing, group.time_s.value ? text : "");
  }
  return group.status_counts.empty() ? kAbsent : group.status_counts.begin()->first;
}

std::string time_interval(const CollectiveGroup& group) {
  const std::string instead = instead_of_interval(surety_of(group), group.n);
  if (!instead.empty()) return instead;
  return interval_text(group.time_s.ci95, in_microseconds);
}

std::vector<Column> collectives_table(const Groups& groups) {
  using Group = CollectiveGroup;
  std::vector<Column> columns;
  for (const CollectiveAxis& axis : axes()) {
    if (varies(axis, groups)) columns.push_back(column({axis.name}, true, groups, axis.text));
  }
  const auto any = [&](auto test) {
    return std::ranges::any_of(groups, [&](const Group* group) { return test(*group); });
  };
  if (any([](const Group& g) { return g.bytes > 0; })) {
    columns.push_back(column({"size"}, false, groups,
                             [](const Group& g) { return g.bytes > 0 ? size_text(g.bytes) : ""; }));
  }
  columns.push_back(column({"us"}, false, groups, time_cell));
  if (any([](const Group& g) { return g.n > 1; })) {
    columns.push_back(column({"95 %"}, true, groups, time_interval));
    columns.back().may_go = true;
  }
  if (any([](const Group& g) { return g.busbw_GBps.value.has_value(); })) {
    columns.push_back(numbers(
        {"busbw GB/s"}, groups, [](const Group& g) { return g.busbw_GBps.value; }, readable));
  }
  if (any([](const Group& g) { return g.expected_share.value.has_value(); })) {
    columns.push_back(numbers(
        {"of expected"}, groups, [](const Group& g) { return g.expected_share.value; },
        [](double share) { return percent(share, 0); }));
    columns.back().may_go = true;
  }
  if (any([](const Group& g) { return g.wrong.value_or(0) > 0; })) {
    columns.push_back(column({"wrong"}, false, groups, [](const Group& g) {
      return g.wrong ? std::to_string(*g.wrong) : kAbsent;
    }));
  }
  return columns;
}

// The slowest come first: they are what somebody looks for.
std::vector<Column> links_table(std::vector<LinkRecord> links) {
  std::ranges::stable_sort(links, {}, &LinkRecord::bandwidth_GBps);
  if (links.size() > kMostRows) links.resize(kMostRows);
  using Link = LinkRecord;
  return {column({"from"}, true, links, &Link::first), column({"to"}, true, links, &Link::second),
          numbers({"latency us"}, links, &Link::latency_s, in_microseconds),
          numbers({"GB/s"}, links, &Link::bandwidth_GBps, readable)};
}

// Too many rows: the smallest sizes go first.
std::size_t leave_out(Groups& groups) {
  if (groups.size() <= kMostRows) return 0;
  Groups by_size = groups;
  std::ranges::stable_sort(by_size, std::greater{}, &CollectiveGroup::bytes);
  by_size.resize(kMostRows);
  return std::erase_if(groups, [&](const CollectiveGroup* group) {
    return std::ranges::find(by_size, group) == by_size.end();
  });
}

std::string what_of(const Groups& groups) {
  std::string text;
  for (const CollectiveAxis& axis : axes()) {
    const std::string value = axis.text(*groups.front());
    if (value.empty() || value == "via c10d" || varies(axis, groups)) continue;
    text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

}  // namespace

Answer answer_of_collectives(const Report& report, const std::string& folder) {
  Answer answer;
  Groups groups;
  int fewest = 0, most = 0;
  for (const CollectiveGroup& group : report.collective_groups) {
    if (group.n == 0 && group.status_counts.contains("skipped")) continue;
    groups.push_back(&group);
    fewest = fewest == 0 ? group.n : std::min(fewest, group.n);
    most = std::max(most, group.n);
  }
  std::size_t left_out = 0;
  if (!groups.empty()) {
    answer.effort = effort_text(report, fewest, most);
    const auto* largest = *std::ranges::max_element(groups, {}, [](const CollectiveGroup* group) {
      return std::pair(group->bytes, group->busbw_GBps.value.value_or(0));
    });
    left_out = leave_out(groups);
    answer.what = what_of(groups);
    answer.table = collectives_table(groups);
    if (largest->busbw_GBps.value) {
      answer.figures.push_back({readable(*largest->busbw_GBps.value),
                                "GB/s bus bandwidth at " + size_text(largest->bytes)});
    }
  } else if (!report.links.empty()) {
    answer.what = counted(std::ssize(report.links), "link") + ", each by itself";
    left_out = report.links.size() > kMostRows ? report.links.size() - kMostRows : 0;
    answer.table = links_table(report.links);
  } else {
    answer.what = "nothing was measured";
  }
  constexpr std::size_t kMostWinners = 3;
  for (const CollectiveWinners& winners : report.collective_winners) {
    if (answer.found.size() < kMostWinners) answer.found.push_back(winners.in_words);
  }
  if (folder.empty()) return answer;
  answer.next.emplace_back(left_out > 0 ? std::to_string(left_out) + " more rows" : "details",
                           "scalemark report " + shell_word(folder) + " --details");
  answer.next.emplace_back("charts", folder + "/report.html");
  return answer;
}

}  // namespace scalemark::reporting
