// A person reads this at the end of an acceptance; a shell reads the script that drains nodes.
#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "core/launching/slurm_lists.h"
#include "core/reporting/acceptance/forms.h"
#include "core/reporting/table/text_table.h"
#include "core/statistics/acceptance.h"

namespace scalemark::acceptance {
namespace {

// A section has so many lines beside its title; remarks have what head, steps and these leave.
constexpr std::size_t kMostPublished = 2;  // without --details
constexpr std::size_t kMostLines = 20, kLeastOfSection = 2, kMostLinesOfRemarks = 6;

std::size_t width_of(const Terminal& terminal) {
  return static_cast<std::size_t>(std::max(terminal.columns - 2, 20));
}

std::size_t nodes_with(const Acceptance& acceptance, Outcome outcome) {
  return static_cast<std::size_t>(
      std::ranges::count(acceptance.nodes, outcome, &NodeResult::outcome));
}

// "512 devices": each once.
std::size_t devices_of(const Acceptance& acceptance) {
  std::size_t devices = 0;
  for (const NodeResult& node : acceptance.nodes) devices += static_cast<std::size_t>(node.devices);
  return devices;
}

struct Section {
  OutcomeTitle title;
  std::vector<PartSentence> sentences;
};

std::vector<Section> sections_of(const Acceptance& acceptance) {
  std::vector<Section> sections;
  for (const OutcomeTitle& title : kOutcomeTitles) {
    auto sentences = sentences_of(acceptance, title.outcome);
    if (!sentences.empty()) sections.push_back({title, std::move(sentences)});
  }
  return sections;
}

// `most` lines below the title, one of which says how many more there are.
std::string section_text(const Section& section, std::size_t most, const Terminal& terminal) {
  constexpr std::size_t kWidestPart = 26;
  const auto& sentences = section.sentences;
  const std::size_t shown = sentences.size() <= most ? sentences.size() : most - 1;
  std::size_t width = 0;
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, sentences[i].part.size());
  width = std::min(width, kWidestPart);
  std::string text =
      inked(terminal, section.title.outcome == Outcome::kFailed ? Ink::kRed : Ink::kBold,
            section.title.title) +
      "\n";
  for (std::size_t i = 0; i < shown; ++i) {
    std::string line = "  " + reporting::on_one_line(sentences[i].part);
    line.resize(std::max(line.size(), width + 2), ' ');
    text += shortened(line + "  " + reporting::on_one_line(sentences[i].text), width_of(terminal)) +
            "\n";
  }
  if (sentences.size() > shown) {
    text += "  and " + std::to_string(sentences.size() - shown) + " more: --details\n";
  }
  return text;
}

// With their titles.
std::size_t least_lines(std::span<const Section> sections) {
  std::size_t lines = 0;
  for (const Section& one : sections) lines += 1 + std::min(kLeastOfSection, one.sentences.size());
  return lines;
}

// The first section has what the others do not need.
std::string sections_text(std::span<const Section> sections, std::size_t lines,
                          const Terminal& terminal) {
  std::string text;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::size_t most = lines - 1 - least_lines(sections.subspan(i + 1));
    text += section_text(sections[i], most, terminal);
    lines -= 1 + std::min(most, sections[i].sentences.size());
  }
  return text;
}

// Nodes to keep jobs away from: what failed, and what did not come to its end. A machine that
// others used is not bad.
std::vector<const NodeResult*> nodes_to_exclude(const Acceptance& acceptance) {
  std::vector<const NodeResult*> nodes;
  for (const NodeResult& node : acceptance.nodes) {
    const bool ended = std::ranges::none_of(acceptance.results, [&](const CheckResult& result) {
      return result.part.host == node.node.host && result.check == kReportCheck &&
             result.outcome != Outcome::kPassed;
    });
    if (node.outcome == Outcome::kFailed || !ended) nodes.push_back(&node);
  }
  return nodes;
}

// Each once: a cable is neither node's alone.
std::map<std::string, const CheckResult*> failed_links(const Acceptance& acceptance) {
  std::map<std::string, const CheckResult*> links;
  for (const CheckResult& result : acceptance.results) {
    const bool failed = result.part.kind == PartKind::kLink && result.outcome == Outcome::kFailed;
    if (failed) links.try_emplace(result.part.name(), &result);
  }
  return links;
}

// "links beside them: 1 failed, 2 undecided; each is between two nodes"; empty: all passed.
std::string links_text(const Acceptance& acceptance) {
  std::map<std::string, Outcome> worst;
  for (const CheckResult& result : acceptance.results) {
    if (result.part.kind != PartKind::kLink) continue;
    Outcome& outcome = worst[result.part.name()];
    outcome = std::max(outcome, result.outcome);
  }
  std::vector<std::string> counts;
  for (const auto& [outcome, word] :
       {std::pair(Outcome::kFailed, " failed"), std::pair(Outcome::kUnsure, " undecided"),
        std::pair(Outcome::kMissing, " missing")}) {
    const auto links =
        std::ranges::count(worst, outcome, [](const auto& one) { return one.second; });
    if (links > 0) counts.push_back(std::to_string(links) + word);
  }
  if (counts.empty()) return "";
  return "links beside them: " + joined(counts, ", ") + "; each is between two nodes";
}

// Nodes of which nothing but a baseline can tell more.
std::size_t nodes_for_a_baseline(const Acceptance& acceptance) {
  std::set<std::pair<std::string, std::string>> classes;
  for (const CheckedClass& one : acceptance.classes) {
    if (!one.reference || !one.doubt.empty()) classes.emplace(one.check, one.of_class);
  }
  const std::set<std::string> worse = hosts_worse_than(acceptance, Outcome::kUnsure);
  std::set<std::string> hosts;
  for (const CheckResult& result : acceptance.results) {
    if (result.outcome != Outcome::kUnsure || result.more_starts > 0) continue;
    if (!classes.contains({result.check, result.of_class})) continue;
    if (!worse.contains(result.part.host)) hosts.insert(result.part.host);
  }
  return hosts.size();
}

// The commands that would decide, and how to go on.
std::vector<std::string> steps_of(const Acceptance& acceptance, const Next& next) {
  std::vector<std::string> steps;
  const Undecided undecided = undecided_of(acceptance);
  if (undecided.starts > 0) {
    steps.push_back(counted(static_cast<std::int64_t>(undecided.starts), "more start") + "  " +
                    (next.again.empty() ? "of " + launching::compressed_nodelist(undecided.nodes) +
                                              ", measured as before"
                                        : next.again));
  }
  if (const std::size_t nodes = nodes_for_a_baseline(acceptance); nodes > 0) {
    const std::string who = counted(static_cast<std::int64_t>(nodes), "node");
    steps.push_back("a baseline decides " + who + ": GOOD, reports of machines known to be good");
    steps.push_back("  scalemark baseline make GOOD --output good.json && " + next.judged +
                    " --baseline good.json");
  }
  std::vector<std::string> names;
  for (const NodeResult* node : nodes_to_exclude(acceptance)) {
    names.push_back(scheduler_name(node->node));
  }
  if (!names.empty()) {
    steps.push_back("next job  --exclude=" + shell_word(launching::compressed_nodelist(names)));
  }
  const std::string files = next.files.empty() ? "" : "; written: " + joined(next.files, ", ");
  steps.push_back("exit code " + std::to_string(static_cast<int>(acceptance.exit_code)) + files);
  return steps;
}

// The largest of the checks: what is slower by so much is found by each of them.
std::vector<std::string> reach_of(const Acceptance& acceptance) {
  const CheckedClass* widest = nullptr;
  for (const CheckedClass& one : acceptance.classes) {
    if (!one.smallest_decidable) continue;
    if (widest == nullptr || *one.smallest_decidable > *widest->smallest_decidable) widest = &one;
  }
  if (widest == nullptr) return {"no check has a reference to judge by yet; of this boot only"};
  const std::string finds =
      printed("finds what is %.1f %% slower than the ", 100 * *widest->smallest_decidable);
  if (!widest->reference_from.starts_with(kOfBaseline)) {
    return {finds + "reference (99 %); of this boot only"};
  }
  const auto all = static_cast<std::int64_t>(acceptance.classes.size());
  const auto by_it = std::ranges::count_if(acceptance.classes, [](const CheckedClass& one) {
    return one.reference_from.starts_with(kOfBaseline);
  });
  std::string from = "limits from " + widest->reference_from;
  if (by_it < all) {
    from = std::to_string(by_it) + " of " + counted(all, "comparison") + " by " +
           widest->reference_from + "; the others by the fleet itself";
  }
  return {finds + (by_it < all ? "reference (99 %)" : "baseline (99 %), other boots included"),
          from};
}

using ClassOfCheck = std::pair<std::string, std::string>;

// Nodes of which nothing failed and nothing is to be measured again, two of each class, and as few
// as that needs. Passes that are in doubt show what a session has in common as well.
std::vector<const NodeResult*> controls_of(const Acceptance& acceptance,
                                           const std::set<std::string>& undecided,
                                           const std::set<ClassOfCheck>& classes) {
  std::map<std::string, std::set<ClassOfCheck>> of_host;
  for (const CheckResult& result : acceptance.results) {
    const ClassOfCheck one(result.check, result.of_class);
    if (classes.contains(one)) of_host[result.part.host].insert(one);
  }
  std::map<ClassOfCheck, std::size_t> chosen;
  std::vector<const NodeResult*> controls;
  for (const NodeResult& node : acceptance.nodes) {
    if (node.outcome > Outcome::kUnsure || undecided.contains(node.node.host)) continue;
    const auto& own = of_host[node.node.host];
    const auto lacks = [&](const ClassOfCheck& one) {
      return chosen[one] < statistics::kControlsOfSession;
    };
    if (std::ranges::none_of(own, lacks)) continue;
    for (const ClassOfCheck& one : own) ++chosen[one];
    controls.push_back(&node);
  }
  return controls;
}

}  // namespace

std::string head_text(const Acceptance& acceptance) {
  std::string text = counted(static_cast<std::int64_t>(acceptance.nodes.size()), "node") + ", " +
                     counted(static_cast<std::int64_t>(devices_of(acceptance)), "device") + ": " +
                     std::to_string(nodes_with(acceptance, Outcome::kPassed)) + " passed, " +
                     std::to_string(nodes_with(acceptance, Outcome::kFailed)) + " failed, " +
                     std::to_string(nodes_with(acceptance, Outcome::kUnsure)) + " undecided";
  const std::size_t missing = nodes_with(acceptance, Outcome::kMissing);
  if (missing > 0) text += ", " + std::to_string(missing) + " missing";
  return text;
}

std::vector<std::string> resolution(const Acceptance& acceptance) {
  std::vector<std::string> lines = reach_of(acceptance);
  if (!acceptance.knows_all_nodes) {
    lines.push_back("only nodes with a report are known: give all by --nodes LIST");
  }
  return lines;
}

std::vector<std::string> remarks_of(const Acceptance& acceptance) {
  std::map<std::string, std::set<std::string>> doubts;
  for (const CheckedClass& one : acceptance.classes) {
    if (!one.doubt.empty()) doubts[one.doubt].insert(one.check);
  }
  std::vector<std::string> texts;
  for (const auto& [doubt, checks] : doubts) texts.push_back(joined(checks, ", ") + ": " + doubt);
  texts.insert(texts.end(), acceptance.notes.begin(), acceptance.notes.end());
  return texts;
}

std::string hand_over(const Acceptance& acceptance, const Next& next, const Terminal& terminal) {
  const std::size_t width = width_of(terminal);
  std::vector<std::string> head = resolution(acceptance);
  for (std::size_t i = 0; i < std::min(kMostPublished, acceptance.published.size()); ++i)
    head.push_back(acceptance.published[i]);
  const std::string links = links_text(acceptance);
  if (!links.empty()) head.insert(head.begin(), links);
  const std::vector<std::string> steps = steps_of(acceptance, next);
  const std::vector<Section> sections = sections_of(acceptance);

  std::size_t lines = kMostLines - 1 - head.size() - steps.size();
  const std::size_t for_remarks = std::min(kMostLinesOfRemarks, lines - least_lines(sections));
  std::string said;
  for (const std::string& remark : remarks_of(acceptance)) {
    const std::string more = reporting::wrapped(reporting::on_one_line(remark), width, 2, "! ");
    const auto count = static_cast<std::size_t>(std::ranges::count(said + more, '\n'));
    if (count > for_remarks) break;
    said += more;
  }
  lines -= static_cast<std::size_t>(std::ranges::count(said, '\n'));

  std::string text = inked(terminal, Ink::kBold, head_text(acceptance)) + "\n";
  for (const std::string& line : head)
    text += shortened("  " + reporting::on_one_line(line), width) + "\n";
  return text + said + sections_text(sections, lines, terminal) + joined(steps, "\n") + "\n";
}

Undecided undecided_of(const Acceptance& acceptance) {
  Undecided undecided;
  std::set<ClassOfCheck> classes;
  const std::set<std::string> worse = hosts_worse_than(acceptance, Outcome::kUnsure);
  for (const CheckResult& result : acceptance.results) {
    if (result.more_starts == 0 || worse.contains(result.part.host)) continue;
    undecided.starts = std::max(undecided.starts, result.more_starts);
    classes.emplace(result.check, result.of_class);
    if (!undecided.hosts.insert(result.part.host).second) continue;
    undecided.nodes.push_back(scheduler_name(result.part));
  }
  for (const NodeResult* node : controls_of(acceptance, undecided.hosts, classes)) {
    undecided.nodes.push_back(scheduler_name(node->node));
  }
  return undecided;
}

std::string undecided_text(const Acceptance& acceptance) {
  return launching::compressed_nodelist(undecided_of(acceptance).nodes) + "\n";
}

std::string drain_text(const Acceptance& acceptance, const std::string& at) {
  std::map<std::string, std::vector<std::string>> nodes_by_reason;
  for (const NodeResult* node : nodes_to_exclude(acceptance)) {
    nodes_by_reason[reporting::on_one_line(reason_of(acceptance, *node))].push_back(
        scheduler_name(node->node));
  }
  std::string text = "#!/bin/sh\n# Nodes that scalemark accept failed or missed, " + at + ".\n";
  for (const auto& [reason, nodes] : nodes_by_reason) {
    text += "scontrol update NodeName=" + shell_word(launching::compressed_nodelist(nodes)) +
            " State=DRAIN Reason=" + shell_word("scalemark " + at.substr(0, 10) + ": " + reason) +
            "\n";
    text += "# kubectl cordon";
    for (const std::string& node : nodes) text += " " + shell_word(reporting::on_one_line(node));
    text += "\n";
  }
  for (const auto& [link, result] : failed_links(acceptance)) {
    text += "# the link " +
            reporting::on_one_line(link + " failed, neither node for itself: " + result->why) +
            "\n";
  }
  return text;
}

}  // namespace scalemark::acceptance
