// A person reads this at the end of an acceptance: what to do, what failed, how sure that is, and
// how to continue; a shell reads the script that drains nodes.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/characters.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/launch/slurm_lists.h"
#include "core/plan/collectives/link_rounds.h"
#include "core/statistics/acceptance.h"
#include "report/accept/forms.h"

namespace scalemark::acceptance {
namespace {

constexpr std::size_t kMostLines = 10;  // before they are wrapped

// Returns the nodes to keep jobs away from: those that failed, and those whose run did not end
// well. A node that merely has no report is not bad, nor is a machine that others used, nor one
// whose stage was stopped.
std::vector<const NodeResult*> nodes_to_exclude(const Acceptance& acceptance) {
  std::set<std::string> ended_badly;
  for (const CheckResult& result : acceptance.results) {
    const bool ended = result.check != kReportCheck || result.outcome == Outcome::kPassed;
    if (!ended && result.why != kNoReport && !result.stopped) ended_badly.insert(result.part.host);
  }
  std::vector<const NodeResult*> nodes;
  for (const NodeResult& node : acceptance.nodes) {
    if (node.outcome == Outcome::kFailed || ended_badly.contains(node.node.host)) {
      nodes.push_back(&node);
    }
  }
  return nodes;
}

std::vector<std::string> names_to_exclude(const Acceptance& acceptance) {
  std::vector<std::string> names;
  for (const NodeResult* node : nodes_to_exclude(acceptance)) {
    names.push_back(scheduler_name(node->node));
  }
  return names;
}

// Returns each failed link once, for a cable belongs to neither node alone; those of one switch are
// one.
std::map<std::string, const CheckResult*> failed_links(const Acceptance& acceptance) {
  std::map<std::string, const CheckResult*> links;
  for (const CheckResult& result : acceptance.results) {
    const bool failed = result.part.kind == PartKind::kLink && result.outcome == Outcome::kFailed;
    if (failed) links.try_emplace(told_name(acceptance, result.part), &result);
  }
  return links;
}

// Is there a node that more starts cannot decide, but a baseline could?
bool baseline_decides(const Acceptance& acceptance) {
  std::set<std::pair<std::string, std::string>> classes;
  for (const CheckedClass& one : acceptance.classes) {
    if (!one.reference || !one.doubt.empty()) classes.emplace(one.check, one.of_class);
  }
  const std::set<std::string> worse = hosts_worse_than(acceptance, Outcome::kUnsure);
  return std::ranges::any_of(acceptance.results, [&](const CheckResult& result) {
    return result.outcome == Outcome::kUnsure && result.more_starts == 0 &&
           classes.contains({result.check, result.of_class}) && !worse.contains(result.part.host);
  });
}

bool by_baseline(const CheckedClass& one) { return one.reference_from.starts_with(kOfBaseline); }

// Checks with a wider limit, as of copies, say nothing of what the strict ones find.
double strictest_limit(const Acceptance& acceptance) {
  double strictest = 0;
  for (const CheckedClass& one : acceptance.classes) {
    if (one.smallest_decidable) strictest = std::max(strictest, one.limit);
  }
  return strictest;
}

// Names what gave the references: a fleet that passes against itself may be slow as a whole.
std::string compared_with(const Acceptance& acceptance) {
  const auto found = std::ranges::find_if(acceptance.classes, by_baseline);
  if (found == acceptance.classes.end()) return "itself";
  const bool all = std::ranges::all_of(acceptance.classes, by_baseline);
  return found->reference_from + (all ? "" : ", and in part against itself");
}

// Whether the stages of all these nodes were stopped: they are to be measured again.
bool were_all_stopped(const Acceptance& acceptance, const std::vector<std::string>& nodes) {
  std::set<std::string> stopped;
  for (const CheckResult& result : acceptance.results) {
    if (result.stopped) stopped.insert(scheduler_name(result.part));
  }
  return std::ranges::all_of(nodes, [&](const auto& node) { return stopped.contains(node); });
}

// Says what to do about the worst outcome.
std::string recommended_action(const Acceptance& acceptance) {
  const auto named = names_of(acceptance, acceptance.outcome);
  const std::string nodes = nodes_text(named);
  switch (acceptance.outcome) {
    case Outcome::kPassed:
      return "take the fleet, judged against " + compared_with(acceptance);
    case Outcome::kFailed:
      if (!named.empty()) return "send back or repair " + nodes;
      return failed_links(acceptance).empty() ? "look at what failed below"
                                              : "look at cables and ports of what failed below";
    case Outcome::kMissing:
      if (named.empty()) return "look at what was not measured";
      return were_all_stopped(acceptance, named)
                 ? "measure " + nodes + " again"
                 : "find out why " + nodes + (named.size() == 1 ? " was" : " were") +
                       " not measured";
    case Outcome::kUnsure:
      break;
  }
  if (named.empty()) return "look at what is undecided below";
  return undecided_of(acceptance).starts > 0 || were_all_stopped(acceptance, named)
             ? "measure " + nodes + " again"
             : "compare " + nodes + " with machines known to be good";
}

// Returns the first sentence, and how many more there are; empty: none.
std::string first_statement(const Acceptance& acceptance, const OutcomeTitle& title) {
  auto sentences = sentences_of(acceptance, title.outcome);
  std::erase_if(sentences, &PartSentence::stopped);
  if (sentences.empty()) return "";
  return std::string(title.title) + ": " + sentences.front().in_words() +
         (sentences.size() > 1 ? "; and " + std::to_string(sentences.size() - 1) + " more" : "");
}

// Returns the commands that would decide, and what to do with failed nodes and files.
std::vector<std::pair<std::string, std::string>> steps_of(const Acceptance& acceptance,
                                                          const Next& next) {
  std::vector<std::pair<std::string, std::string>> steps;
  const Undecided undecided = undecided_of(acceptance);
  if (undecided.starts > 0) {
    steps.emplace_back(
        counted(undecided.starts, "more start"),
        next.again.empty()
            ? "of " + launching::compressed_nodelist(undecided.nodes) + ", measured as before"
            : next.again);
  }
  // A comment behind a command would be an argument in zsh.
  if (baseline_decides(acceptance)) {
    steps.emplace_back("a baseline", "scalemark baseline make GOOD_REPORTS --output good.json && " +
                                         next.judged + " --baseline good.json");
  }
  if (!next.lacking.empty()) {
    steps.emplace_back(next.lacking_on.empty() ? "not measured" : "on " + next.lacking_on,
                       next.lacking);
  }
  if (const auto names = names_to_exclude(acceptance); !names.empty()) {
    steps.emplace_back("next job",
                       "--exclude=" + shell_word(launching::compressed_nodelist(names)));
  }
  if (!next.files.empty()) steps.emplace_back("written", joined(next.files, ", "));
  return steps;
}

// Keeps at most `most` texts, of which the last says how many more there are.
void cut(std::vector<std::string>& texts, std::size_t most) {
  if (texts.size() <= most) return;
  const std::size_t more = texts.size() - most;
  texts.resize(most);
  texts.back() += "; and " + std::to_string(more) + " more";
}

// Where the fleet lost its efficiency stands before what the other checks find; two lines are left
// for what failed and for notes.
void add_explained(const Acceptance& acceptance, reporting::Answer& answer, std::size_t& room) {
  constexpr std::size_t kForOthers = 2;
  if (acceptance.explained.empty() || room < kForOthers + 2) return;
  std::vector<std::string> lines = acceptance.explained;
  lines.resize(std::min(lines.size(), room - kForOthers - 1));
  room -= lines.size() + 1;
  answer.found.insert(answer.found.begin(), lines.begin(), lines.end());
  answer.next.emplace_back("why", acceptance.explain_command);
}

// The nearest published rate takes no line that a failed part, or one of two notes, needs.
void add_published(const std::vector<std::string>& published, reporting::Answer& answer,
                   std::size_t& room) {
  if (published.empty() || room < answer.parts.size() + 3) return;
  answer.found.push_back(published.front());
  if (published.size() > 1) answer.found.back() += "; and more: --details";
  --room;
}

using ClassOfCheck = std::pair<std::string, std::string>;

// Chooses nodes of which nothing failed and nothing is to be measured again: two of each class, and
// as few as that needs. Passes that are in doubt show what a session has in common as well.
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

std::vector<std::string> names_of(const Acceptance& acceptance, Outcome outcome) {
  std::vector<std::string> names;
  for (const NodeResult& node : acceptance.nodes) {
    if (node.outcome == outcome) names.push_back(scheduler_name(node.node));
  }
  return names;
}

std::string headline(const Acceptance& acceptance) {
  std::size_t devices = 0;  // each once
  for (const NodeResult& node : acceptance.nodes) devices += static_cast<std::size_t>(node.devices);
  std::string counts = std::to_string(names_of(acceptance, Outcome::kPassed).size()) + " of " +
                       counted(acceptance.nodes.size(), "node") + " passed";
  for (const OutcomeTitle& title : kOutcomeTitles) {
    const std::size_t nodes = names_of(acceptance, title.outcome).size();
    if (nodes > 0) counts += ", " + std::to_string(nodes) + " " + title.title;
  }
  return recommended_action(acceptance) + "; " + counts + " (" + counted(devices, "device") + ")";
}

std::vector<std::string> reach_of(const Acceptance& acceptance) {
  const CheckedClass* widest = nullptr;
  const double strictest = strictest_limit(acceptance);
  for (const CheckedClass& one : acceptance.classes) {
    if (!one.smallest_decidable || one.limit < strictest) continue;
    if (widest == nullptr || *one.smallest_decidable > *widest->smallest_decidable) widest = &one;
  }
  const auto all = static_cast<std::int64_t>(acceptance.classes.size());
  const auto by_it = std::ranges::count_if(acceptance.classes, by_baseline);
  std::string text = "no speed is judged yet: too few starts, or too few of a kind";
  if (widest != nullptr) {
    text = "a part that is " + percent(*widest->smallest_decidable) + " slower ";
    text +=
        by_it == all ? "than " + widest->reference_from + " is found (99 %), other boots included"
        : by_it == 0
            ? "than its kind here is found (99 %), in this boot; a fleet that is slow as "
              "a whole passes"
            : "is found (99 %): " + std::to_string(by_it) + " of " + counted(all, "comparison") +
                  " are with a baseline, the others within the fleet";
  }
  if (acceptance.knows_all_nodes) return {text};
  return {text, "a node without a report is not missed: name all by --nodes LIST"};
}

std::vector<std::string> remarks_of(const Acceptance& acceptance) {
  std::map<std::string, std::set<std::string>> doubts;
  for (const CheckedClass& one : acceptance.classes) {
    if (!one.doubt.empty()) doubts[one.doubt].insert(one.check);
  }
  // Missing runs and doubts come first: notes decide nothing.
  std::vector<std::string> texts = acceptance.stopped_early;
  for (const auto& [doubt, checks] : doubts)
    texts.push_back(listed_checks(checks, checks.size()) + ": " + doubt);
  texts.insert(texts.end(), acceptance.notes.begin(), acceptance.notes.end());
  return texts;
}

reporting::Answer answer_of(const Acceptance& acceptance, const Next& next) {
  reporting::Answer answer;
  for (const PartSentence& one : sentences_of(acceptance, Outcome::kFailed)) {
    answer.parts.push_back(one.in_words());
  }
  answer.found = reach_of(acceptance);
  answer.notes = remarks_of(acceptance);
  const auto after_stops = static_cast<std::ptrdiff_t>(acceptance.stopped_early.size());
  answer.notes.insert(answer.notes.begin() + after_stops,
                      first_statement(acceptance, kNotMeasured));
  answer.notes.push_back(first_statement(acceptance, kUndecided));
  std::erase(answer.notes, "");
  answer.next = steps_of(acceptance, next);
  std::size_t room = kMostLines - 2 - answer.found.size() - answer.next.size();  // beside the head
  add_explained(acceptance, answer, room);
  add_published(acceptance.published, answer, room);
  // Failed parts get half of the lines, and those that the notes do not need.
  cut(answer.parts, std::max(room / 2, room - std::min(room, answer.notes.size())));
  cut(answer.notes, room - answer.parts.size());
  const bool has_more = acceptance.outcome != Outcome::kPassed && !next.all.empty();
  if (has_more) answer.next.emplace_back("all of it", next.all);
  return answer;
}

std::string hand_over(const Acceptance& acceptance, const Next& next, const Terminal& terminal) {
  std::string head = wrapped(headline(acceptance), text_width(terminal), 2);
  head.pop_back();
  return inked(terminal, Ink::kBold, head) + "\n" +
         reporting::set_answer(answer_of(acceptance, next), terminal);
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

std::string exclude_text(const Acceptance& acceptance) {
  return launching::compressed_nodelist(names_to_exclude(acceptance)) + "\n";
}

std::string absent_text(const Acceptance& acceptance) {
  std::set<std::string> names;
  for (const CheckResult& result : acceptance.results) {
    if (result.why == kNoReport) names.insert(scheduler_name(result.part));
  }
  return launching::compressed_nodelist({names.begin(), names.end()}) + "\n";
}

std::string suspects_text(const Acceptance& acceptance) {
  constexpr std::size_t kSoundOnes = 4;      // a slow group shows by its links with others
  std::map<std::string, std::string> names;  // by host
  for (const NodeResult& node : acceptance.nodes) names[node.node.host] = scheduler_name(node.node);
  const auto nodes = links_of_nodes(acceptance);
  std::vector<std::string> suspects, sound;
  for (const auto& [host, links] : nodes) {
    if (!names.contains(host) || links.others.size() + 1 == nodes.size()) continue;
    if (2 * links.failed >= links.all) suspects.push_back(names[host]);
    if (links.failed == 0 && sound.size() < kSoundOnes) sound.push_back(names[host]);
  }
  if (suspects.empty()) return "\n";
  // The first ones show what all have in common, where they are too many for all pairs.
  suspects.resize(std::min(suspects.size(), planning::kAllMeetUpTo - sound.size()));
  suspects.insert(suspects.end(), sound.begin(), sound.end());
  return launching::compressed_nodelist(suspects) + "\n";
}

std::string drain_text(const Acceptance& acceptance, const std::string& at) {
  const ResultsOfHosts results = results_of_hosts(acceptance.results);
  std::map<std::string, std::vector<std::string>> nodes_by_reason;
  for (const NodeResult* node : nodes_to_exclude(acceptance)) {
    nodes_by_reason[with_blanks(reason_of(*node, results))].push_back(scheduler_name(node->node));
  }
  std::string text =
      "#!/bin/sh\n# Nodes that scalemark accept failed, or whose run ended badly, " + at + ".\n";
  for (const auto& [reason, nodes] : nodes_by_reason) {
    text += "scontrol update NodeName=" + shell_word(launching::compressed_nodelist(nodes)) +
            " State=DRAIN Reason=" + shell_word("scalemark " + at.substr(0, 10) + ": " + reason) +
            "\n";
    text += "# kubectl cordon";
    for (const std::string& node : nodes) text += " " + shell_word(with_blanks(node));
    text += "\n";
  }
  for (const auto& [link, result] : failed_links(acceptance)) {
    const std::string which = link == result->part.name() ? "the link " + link : link;
    text += "# " + with_blanks(which + " failed, neither node for itself: " + result->why) + "\n";
  }
  return text;
}

}  // namespace scalemark::acceptance
