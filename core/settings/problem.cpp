#include "core/settings/problem.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <vector>

#include "core/base/characters.h"
#include "core/settings/option.h"

namespace scalemark::settings {
namespace {

std::string subject(const Problem& problem) {
  return find_option(problem.option) ? option_flag(problem.option) : problem.option;
}

// A switch as the command line takes it; a configuration file may say true and false.
std::string shown_value(const Problem& problem) {
  const Option* option = find_option(problem.option);
  const bool is_switch = option && (option->kind == Kind::kSwitch || option->kind == Kind::kFlag);
  if (is_switch && problem.found == "true") return "on";
  if (is_switch && problem.found == "false") return "off";
  return problem.found;
}

std::string finding(const Problem& problem) {
  std::string text = subject(problem);
  if (!problem.found.empty()) {
    text += (text.empty() ? "" : " is ") + ("'" + shown_value(problem) + "'");
  }
  if (!problem.origin.empty()) text += " (from " + problem.origin + ")";
  return text;
}

}  // namespace

void Remarks::add(Remarks more) {
  std::ranges::move(more.problems, std::back_inserter(problems));
  std::ranges::move(more.notes, std::back_inserter(notes));
}

std::string to_line(const Problem& problem) {
  std::string line = finding(problem) + "; " + problem.allowed;
  if (!line.ends_with('.')) line += '.';
  if (!problem.hint.empty()) line += " Hint: " + problem.hint;
  return line;
}

Error refusal(const std::vector<Problem>& problems) {
  if (problems.size() == 1) {
    const Problem& only = problems.front();
    return configuration(finding(only), only.allowed, only.hint);
  }
  std::string names;
  std::vector<std::string> seen;
  for (const Problem& problem : problems) {
    const std::string name = subject(problem);
    if (name.empty() || std::ranges::count(seen, name) > 0) continue;
    seen.push_back(name);
    names += (names.empty() ? "" : ", ") + name;
  }
  return configuration(std::to_string(seen.size()) + " settings are refused: " + names,
                       "each is listed above");
}

void refuse_if_invalid(const std::vector<Problem>& problems) {
  if (!problems.empty()) throw refusal(problems);
}

namespace {

constexpr std::size_t kLongestWord = 80;  // longer words get no match; bounds the work
constexpr std::size_t kShortestPart = 4;  // "iter" may name "iters", "o" names nothing

std::size_t allowed_edits(std::size_t length) { return std::clamp<std::size_t>(length / 3, 1, 4); }

// One letter off in a word of three is often another word: 'gpu' is no typo of 'cpu'.
bool plausible(std::string_view a, std::string_view b) {
  return std::max(a.size(), b.size()) > 3 || a.front() == b.front();
}

bool one_contains_other(std::string_view a, std::string_view b) {
  if (std::min(a.size(), b.size()) < kShortestPart) return false;
  return a.find(b) != std::string_view::npos || b.find(a) != std::string_view::npos;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  const std::string wanted = lower_case(normalised(word));
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : candidates) {
    const std::string known = lower_case(normalised(candidate));
    const std::size_t distance = edit_distance(wanted, known);
    const bool near = distance <= allowed_edits(std::max(wanted.size(), known.size())) ||
                      one_contains_other(wanted, known);
    if (near && plausible(wanted, known) && (!best || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates,
                         std::string_view prefix) {
  const auto near = nearest(word, candidates);
  if (!near) return {};
  return "did you mean '" + std::string(prefix) + std::string(*near) + "'?";
}

namespace {

struct OtherWord {
  std::string_view name;
  unsigned commands;
  std::string_view hint;
};

// --accept promised an acceptance test but checked nothing: it set lengths and repetitions.
// --topology fed a model of links that predicted no better than the rule (PREDICTION_STUDY.md), and
// --save-topology wrote its file. The others are words of other tools: llama-bench, torchrun,
// mpirun, Hugging Face, nccl-tests.
constexpr const char* kRanks = "--nproc-per-node N starts N ranks on this machine";
constexpr const char* kSweptRanks =
    "--world-sizes 1,2,4 are the numbers of ranks that are compared";
constexpr std::array kOtherWords = {
    OtherWord{
        "accept", kSweep,
        "--thorough measures as long as --accept did; an acceptance test is not implemented yet"},
    OtherWord{"topology", kPredict,
              "links no longer count, since a model of them was no better than the rule: "
              "--ranks-per-node N says how many ranks share a node"},
    OtherWord{"save_topology", kComm,
              "the fitted links are in report.json, `collective_fits`, which `scalemark report DIR "
              "--details` shows; predict takes none any more"},
    OtherWord{"world_size", kTrain, kRanks},
    OtherWord{"gpus", kSweep | kComm, kSweptRanks},
    OtherWord{"gpus", kTrain, kRanks},
    OtherWord{"ngpus", kRuns, kRanks},
    OtherWord{"num_gpus", kRuns, kRanks},
    OtherWord{"np", kRuns, kRanks},
    OtherWord{"n", kRuns, kRanks},
    OtherWord{"nproc", kRuns, kRanks},
    OtherWord{"num_processes", kRuns, kRanks},
    OtherWord{"lr", kTrain | kSweep, "--learning-rate"},
    OtherWord{"bs", kTrain | kSweep, "--batch-size"},
    OtherWord{"batch", kTrain | kSweep, "--batch-size"},
    OtherWord{"arch", kTrain | kSweep, "--workload"},
    OtherWord{"model", kTrain | kSweep, "--workload"},
    OtherWord{"dataset", kTrain | kSweep, "--data"},
    OtherWord{"amp", kTrain | kSweep, "--precision amp-fp16 or amp-bf16"},
    OtherWord{"fp16", kTrain | kSweep, "--precision amp-fp16"},
    OtherWord{"bf16", kTrain | kSweep, "--precision amp-bf16"},
    OtherWord{"num_workers", kTrain | kSweep, "--workers, -j"},
    OtherWord{"steps", kTrain | kSweep, "--iters"},
    OtherWord{"max_steps", kTrain | kSweep, "--iters"},
    OtherWord{"minbytes", kComm, "--sizes 8,1MiB or 8..1GiBx2"},
    OtherWord{"maxbytes", kComm, "--sizes 8,1MiB or 8..1GiBx2"},
};

}  // namespace

std::optional<std::string> replacement_hint(std::string_view name, Command command) {
  const auto other = std::ranges::find_if(kOtherWords, [&](const OtherWord& word) {
    return word.name == normalised(name) && (word.commands & command);
  });
  if (other == kOtherWords.end()) return std::nullopt;
  return std::string(other->hint);
}

std::string unknown_option_hint(std::string_view name, Command command) {
  if (auto hint = replacement_hint(name, command)) return *hint;
  return did_you_mean(name, option_names(command));
}

}  // namespace scalemark::settings
