// An acceptance as sections, which a terminal, Markdown and a page set, and as figures of its
// parts.
#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "core/base/number_words.h"
#include "report/accept/forms.h"
#include "report/say/render/answer/answer.h"
#include "report/say/table/table.h"

namespace scalemark::acceptance {
namespace {

using reporting::column;
using reporting::Column;
using reporting::Plot;
using reporting::Section;

constexpr double kMostShown = 10;  // times the reference: that of a baseline may be any number

std::string percent_of(const std::optional<double>& share) {
  return share ? percent(*share) : reporting::kAbsent;
}

// "bf16, 8192 x 8192": the class without the model, which all of its kind share.
std::string what_of(const CheckResult& result) {
  const auto comma = result.of_class.find(", ");
  return comma == std::string::npos ? reporting::kAbsent : result.of_class.substr(comma + 2);
}

std::string measured_text(const CheckResult& result) {
  if (!result.fact.empty()) return result.fact;
  if (!result.value) return reporting::kAbsent;
  return rate_text(*result.value, result.unit);
}

std::string interval_of(const CheckResult& result) {
  if (!result.low || !result.high) return reporting::kAbsent;
  return percent_text(*result.low) + " to " + percent(*result.high);
}

Column may_go(Column column) {
  column.may_go = true;
  return column;
}

std::vector<Column> check_columns(const std::vector<const CheckResult*>& results) {
  using Result = CheckResult;
  return {column({"outcome"}, true, results, [](const Result& r) { return name_of(r.outcome); }),
          column({"part"}, true, results, [](const Result& r) { return r.part.name(); }),
          column({"check"}, true, results, &Result::check),
          may_go(column({"of"}, true, results, what_of)),
          column({"value"}, false, results, measured_text),
          column({"of reference"}, false, results,
                 [](const Result& r) { return percent_of(r.of_reference); }),
          column({"limit"}, true, results, limit_text),
          may_go(column({"99 %"}, false, results, interval_of)),
          may_go(column({"starts"}, false, results,
                        [](const Result& r) { return std::to_string(r.starts); })),
          column({"why"}, true, results, &Result::why)};
}

std::string in_words(LimitOf of) {
  switch (of) {
    case LimitOf::kNvlink:
      return "NVLink";
    case LimitOf::kPcie:
      return "PCIe";
    case LimitOf::kRdma:
      return "the RDMA ports";
    case LimitOf::kSockets:
      return "the interfaces";
    default:
      return "the " + std::string(name_of(of));
  }
}

// "95 % of the reference", "at most 0"
std::string rule_text(const Rule& rule) {
  if (rule.comparison == Comparison::kSameAsClass) return "as most of its kind";
  const std::string unit(definition_of(rule.metric).unit);
  const std::string grows = rule.comparison == Comparison::kGrowsByAtMost ? "grows by " : "";
  if (rule.of == LimitOf::kSession) {
    return grows + "at most " + given_percent(rule.limit) + " of the session";
  }
  if (rule.of != LimitOf::kNumber) {
    return given_percent(rule.limit) + " of " + in_words(rule.of);
  }
  return (rule.comparison == Comparison::kAtLeast ? "at least " : grows + "at most ") +
         significant(rule.limit, 4) + (unit.empty() ? "" : " " + unit);
}

std::vector<Column> not_passed_columns(const Acceptance& acceptance) {
  std::vector<Column> columns{{{"outcome"}, true, {}}, {{"part"}, true, {}}, {{"why"}, true, {}}};
  for (const OutcomeTitle& title : kOutcomeTitles) {
    for (const PartSentence& one : sentences_of(acceptance, title.outcome)) {
      columns[0].cells.emplace_back(title.title);
      columns[1].cells.push_back(one.names());
      columns[2].cells.push_back(one.text);
    }
  }
  return columns;
}

std::vector<Column> class_columns(const std::vector<CheckedClass>& classes) {
  using Class = CheckedClass;
  return {column({"check"}, true, classes, &Class::check),
          column({"of"}, true, classes, &Class::of_class),
          column({"parts"}, false, classes, [](const Class& c) { return std::to_string(c.parts); }),
          column({"reference"}, false, classes,
                 [](const Class& c) {
                   return c.reference ? rate_text(*c.reference, c.unit)
                                      : std::string(reporting::kAbsent);
                 }),
          column({"which is"}, true, classes, &Class::reference_from),
          column({"finds slower by"}, false, classes,
                 [](const Class& c) { return percent_of(c.smallest_decidable); })};
}

// Lists all checks, worst first.
Section all_checks(const Acceptance& acceptance) {
  return {"All checks", check_columns(worst_first(acceptance)), {}};
}

// On a terminal nobody finds anything beside thousands: of a large fleet the checks that passed and
// those of links are counted.
Section checks_for_terminal(const Acceptance& acceptance) {
  constexpr std::size_t kMostChecks = 500;
  auto results = worst_first(acceptance);
  if (results.size() <= kMostChecks) return {"All checks", check_columns(results), {}};
  std::size_t links = 0;
  const std::size_t all = results.size();
  std::erase_if(results, [&](const CheckResult* one) {
    const bool is_link = one->part.kind == PartKind::kLink;
    links += is_link ? 1 : 0;
    return is_link || one->outcome == Outcome::kPassed;
  });
  const std::size_t passed = all - links - results.size();
  return {"Checks of nodes and devices that did not pass",
          check_columns(results),
          {std::to_string(passed) + " more passed, and " + counted(links, "check") +
           " are of links: --format md, html, jsonl and junit have each"}};
}

std::string title_of(Outcome outcome) {
  const auto found = std::ranges::find(kOutcomeTitles, outcome, &OutcomeTitle::outcome);
  return found == kOutcomeTitles.end() ? std::string(name_of(outcome)) : found->title;
}

// Lists each node that did not pass, or a link of which failed, in a line.
std::vector<Column> node_columns(const Acceptance& acceptance) {
  const ResultsOfHosts results = results_of_hosts(acceptance.results);
  auto links = links_of_nodes(acceptance);
  std::vector<const NodeResult*> nodes;
  for (const NodeResult& node : acceptance.nodes) {
    if (node.outcome != Outcome::kPassed || links[node.node.host].failed > 0) {
      nodes.push_back(&node);
    }
  }
  std::ranges::stable_sort(nodes, std::greater<>(), &NodeResult::outcome);
  return {column({"node"}, true, nodes, [](const NodeResult& n) { return scheduler_name(n.node); }),
          column({"outcome"}, true, nodes, [](const NodeResult& n) { return title_of(n.outcome); }),
          column({"failed links"}, false, nodes,
                 [&](const NodeResult& n) {
                   const auto& [others, failed, all] = links[n.node.host];
                   return all == 0 ? reporting::kAbsent
                                   : std::to_string(failed) + " of " + std::to_string(all);
                 }),
          column({"why"}, true, nodes, [&](const NodeResult& n) {
            return n.outcome == Outcome::kPassed ? "" : reason_of(n, results);
          })};
}

// The sections say what did not pass, what was compared with what, and what else is known.
std::vector<Section> sections_of(const Acceptance& acceptance) {
  std::vector<Section> sections;
  if (auto columns = not_passed_columns(acceptance); !columns.front().cells.empty()) {
    sections.push_back({"What did not pass", std::move(columns), {}});
  }
  if (auto columns = node_columns(acceptance); !columns.front().cells.empty()) {
    sections.push_back({"By node", std::move(columns), {}});
  }
  if (!acceptance.classes.empty()) {
    sections.push_back({"What was compared", class_columns(acceptance.classes), {}});
  }
  std::vector<std::string> lines = acceptance.explained;
  if (!lines.empty()) lines.push_back("why in full: " + acceptance.explain_command);
  const std::vector<std::string> remarks = remarks_of(acceptance);
  lines.insert(lines.end(), remarks.begin(), remarks.end());
  lines.insert(lines.end(), acceptance.published.begin(), acceptance.published.end());
  if (!lines.empty()) sections.push_back({"Notes", {}, std::move(lines)});
  return sections;
}

// Draws the parts of one class, node by node, against what they are compared with.
Plot plot_of(const Acceptance& acceptance, const CheckedClass& of) {
  const auto percent_at = [](const std::optional<double>& share) {
    return share ? std::optional(100 * std::min(*share, kMostShown)) : std::nullopt;
  };
  Plot plot{.name = "parts",
            .title = "Parts against the reference",
            .caption = "Node by node, with 99 % intervals. Dashed: the limit.",
            .choice = "check",
            .chosen = of.check + ", " + of.of_class,
            .value = {.title = "% of the reference"},
            .legend_from = 1,
            .guides = {100}};
  std::map<Outcome, reporting::PlotSeries> series{
      {Outcome::kPassed, {"passed", "c1", reporting::Drawn::kDots}},
      {Outcome::kUnsure, {"undecided", "c5", reporting::Drawn::kTriangles}},
      {Outcome::kFailed, {"failed", "bad", reporting::Drawn::kTriangles}}};
  std::string host;
  double at = 0;
  for (const CheckResult& one : acceptance.results) {
    if (one.check != of.check || one.of_class != of.of_class || !one.of_reference) continue;
    if (one.part.host != host) {
      host = one.part.host;
      plot.at.ticks.push_back(at);
      plot.at.names.push_back(host);
    }
    if (one.limit && plot.guides.size() < 2) plot.guides.push_back(100 * *one.limit);
    series[one.outcome].marks.push_back({.at = at++,
                                         .value = percent_at(one.of_reference),
                                         .low = percent_at(one.low),
                                         .high = percent_at(one.high),
                                         .tip = one.part.name() + ": " +
                                                std::string(name_of(one.outcome)) + ", " +
                                                percent_of(one.of_reference)});
  }
  for (auto& [outcome, marks] : series) plot.series.push_back(std::move(marks));
  return plot;
}

std::vector<Plot> plots_of(const Acceptance& acceptance) {
  std::vector<Plot> plots;
  for (const CheckedClass& one : acceptance.classes) plots.push_back(plot_of(acceptance, one));
  return reporting::drawable(std::move(plots));
}

}  // namespace

std::map<std::string, LinksOfNode> links_of_nodes(const Acceptance& acceptance) {
  std::map<std::string, std::pair<const Part*, bool>> links;
  for (const CheckResult& one : acceptance.results) {
    if (one.part.kind != PartKind::kLink) continue;
    auto& [part, failed] = links[one.part.name()];
    part = &one.part;
    failed = failed || one.outcome == Outcome::kFailed;
  }
  std::map<std::string, LinksOfNode> nodes;
  for (const auto& [name, link] : links) {
    const auto& [part, is_failed] = link;
    for (const auto& [own, other] :
         {std::pair(part->host, part->other), std::pair(part->other, part->host)}) {
      auto& [others, failed, all] = nodes[own];
      others.insert(other);
      ++all;
      failed += is_failed ? 1 : 0;
    }
  }
  return nodes;
}

std::string limit_text(const CheckResult& result) {
  if (!result.limit) return result.limit_from.empty() ? reporting::kAbsent : result.limit_from;
  const bool is_share = result.low.has_value() || result.limit_from.starts_with("what ") ||
                        result.limit_from.starts_with(kOfBaseline);
  const std::string limit =
      is_share ? percent_of(result.limit) : rate_text(*result.limit, result.unit);
  return is_share ? limit + " of " + result.limit_from : limit + " (" + result.limit_from + ")";
}

std::vector<const CheckResult*> worst_first(const Acceptance& acceptance) {
  std::vector<const CheckResult*> results;
  for (const CheckResult& one : acceptance.results) results.push_back(&one);
  std::ranges::stable_sort(results, std::greater<>(), &CheckResult::outcome);
  return results;
}

std::string details_text(const Acceptance& acceptance, const Terminal& terminal) {
  std::string text;
  for (const Section& section : sections_of(acceptance)) {
    text += reporting::section_text(section, terminal) + "\n";
  }
  return text + reporting::section_text(checks_for_terminal(acceptance), terminal);
}

std::string markdown_text(const Acceptance& acceptance) {
  std::string text = "# Acceptance: " + std::string(name_of(acceptance.outcome)) + "\n\n" +
                     reporting::markdown_text(headline(acceptance)) + "\n\n";
  for (const std::string& line : reach_of(acceptance)) {
    text += "- " + reporting::markdown_text(line) + "\n";
  }
  for (const Section& section : sections_of(acceptance)) {
    text += reporting::section_markdown(section);
  }
  return text + reporting::section_markdown(all_checks(acceptance));
}

std::string page_text(const Acceptance& acceptance, const std::string& at) {
  return reporting::render_page(
      {.title = headline(acceptance),
       .verdict = std::string(name_of(acceptance.outcome)),
       .answer = answer_of(acceptance, {}),
       .sections = sections_of(acceptance),
       .figures = plots_of(acceptance),
       .facts = {"scalemark accept, " + at,
                 "exit code " + std::to_string(static_cast<int>(acceptance.exit_code))},
       .text = markdown_text(acceptance)});
}

Section plan_of(const Acceptance& acceptance, const Rules& rules) {
  std::vector<Column> columns{{{"check"}, true, {}},
                              {{"metric"}, true, {}},
                              {{"limit"}, true, {}},
                              {{"parts"}, false, {}},
                              {{"starts"}, false, {}}};
  for (const Rule& rule : rules.checks) {
    std::size_t parts = 0, least = 0, most = 0;
    for (const CheckResult& result : acceptance.results) {
      if (result.check != rule.name || result.starts == 0) continue;
      least = parts == 0 ? result.starts : std::min(least, result.starts);
      most = std::max(most, result.starts);
      ++parts;
    }
    const std::array cells{rule.name, std::string(definition_of(rule.metric).name), rule_text(rule),
                           parts == 0 ? "not measured" : std::to_string(parts),
                           least == most ? std::to_string(most)
                                         : std::to_string(least) + " to " + std::to_string(most)};
    for (std::size_t i = 0; i < cells.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  return {"", std::move(columns), {}};
}

}  // namespace scalemark::acceptance
