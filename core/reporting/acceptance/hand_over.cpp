// A person reads this at the end of an acceptance; a shell reads the script that drains nodes.
#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/launching/slurm_lists.h"
#include "core/reporting/acceptance/forms.h"
#include "core/reporting/table/text_table.h"

namespace scalemark::acceptance {
namespace {

// Titles of outcomes divide what head (2), command, exclude list and end leave of the lines.
constexpr std::size_t kMostLines = 20, kLinesAround = 5, kMostRemarks = 3;
constexpr std::ptrdiff_t kMostLinesOfRemarks = 6;

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

// `most` lines below the title, one of which says how many more there are.
std::string section_text(const OutcomeTitle& section, const std::vector<PartSentence>& sentences,
                         std::size_t most, const Terminal& terminal) {
  constexpr std::size_t kWidestPart = 26;
  const std::size_t shown = sentences.size() <= most ? sentences.size() : most - 1;
  std::size_t width = 0;
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, sentences[i].part.size());
  width = std::min(width, kWidestPart);
  std::string text =
      inked(terminal, section.outcome == Outcome::kFailed ? Ink::kRed : Ink::kBold, section.title) +
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

// The first section has what the others do not need; each has two lines at least.
std::string sections_text(const Acceptance& acceptance, std::size_t lines,
                          const Terminal& terminal) {
  constexpr std::size_t kLeast = 2;
  std::vector<std::pair<const OutcomeTitle*, std::vector<PartSentence>>> all;
  for (const OutcomeTitle& section : kOutcomeTitles) {
    auto sentences = sentences_of(acceptance, section.outcome);
    if (!sentences.empty()) all.emplace_back(&section, std::move(sentences));
  }
  lines -= std::min(lines, all.size());  // titles
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t for_others = 0;
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      for_others += std::min(kLeast, all[j].second.size());
    }
    const std::size_t most = std::max(kLeast, lines - std::min(lines, for_others));
    text += section_text(*all[i].first, all[i].second, most, terminal);
    lines -= std::min({lines, most, all[i].second.size()});
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

// The largest of the checks: what is slower by so much is found by each of them.
std::vector<std::string> resolution(const Acceptance& acceptance) {
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

std::vector<std::string> remarks_of(const Acceptance& acceptance) {
  std::vector<std::string> texts;
  for (const CheckedClass& one : acceptance.classes) {
    if (!one.doubt.empty()) texts.push_back(one.check + ": " + one.doubt);
  }
  texts.insert(texts.end(), acceptance.notes.begin(), acceptance.notes.end());
  return texts;
}

std::string hand_over(const Acceptance& acceptance, const Next& next, const Terminal& terminal) {
  const std::size_t width = width_of(terminal);
  std::string text = inked(terminal, Ink::kBold, head_text(acceptance)) + "\n";
  std::vector<std::string> head = resolution(acceptance);
  if (const std::size_t links = failed_links(acceptance).size(); links > 0) {
    head.insert(head.begin(), counted(static_cast<std::int64_t>(links), "link") +
                                  " failed beside them, each between two nodes");
  }
  for (const std::string& line : head) text += shortened("  " + line, width) + "\n";
  std::vector<std::string> remarks = remarks_of(acceptance);
  remarks.resize(std::min(remarks.size(), kMostRemarks));
  std::string said;
  for (const std::string& remark : remarks) {
    const std::string more = reporting::wrapped(reporting::on_one_line(remark), width, 2, "! ");
    if (std::ranges::count(said + more, '\n') > kMostLinesOfRemarks) break;
    said += more;
  }
  const auto lines = static_cast<std::size_t>(std::ranges::count(said, '\n'));
  text += said + sections_text(acceptance, kMostLines - kLinesAround - (head.size() - 1) - lines,
                               terminal);
  if (const auto starts = undecided_of(acceptance).starts; starts > 0 && !next.again.empty()) {
    text += counted(static_cast<std::int64_t>(starts), "more start") + "  " + next.again + "\n";
  }
  std::vector<std::string> names;
  for (const NodeResult* node : nodes_to_exclude(acceptance)) {
    names.push_back(scheduler_name(node->node));
  }
  if (!names.empty()) {
    text += "next job  --exclude=" + launching::compressed_nodelist(names) + "\n";
  }
  text += "exit code " + std::to_string(static_cast<int>(acceptance.exit_code));
  return text + (next.files.empty() ? "" : "; written: " + joined(next.files, ", ")) + "\n";
}

Undecided undecided_of(const Acceptance& acceptance) {
  Undecided undecided;
  const std::set<std::string> failed = failed_hosts(acceptance);
  for (const CheckResult& result : acceptance.results) {
    if (result.more_starts == 0 || failed.contains(result.part.host)) continue;
    undecided.starts = std::max(undecided.starts, result.more_starts);
    if (!undecided.hosts.insert(result.part.host).second) continue;
    undecided.nodes.push_back(scheduler_name(result.part));
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
    for (const std::string& node : nodes) text += " " + shell_word(node);
    text += "\n";
  }
  for (const auto& [link, result] : failed_links(acceptance)) {
    text += "# the link " + link +
            " failed, neither node for itself: " + reporting::on_one_line(result->why) + "\n";
  }
  return text;
}

}  // namespace scalemark::acceptance
