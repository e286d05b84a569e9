// `scalemark` alone asks one question at a terminal. A quick sweep answers it, in one sentence, a
// table and three commands.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/help.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/read_reports.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/launch/variables.h"
#include "core/plan/listed_configs.h"
#include "report/judge/judge.h"
#include "report/record/point_facts.h"
#include "report/say/render/answer/answer.h"
#include "report/say/words/words.h"

namespace scalemark::cli {
namespace {

// It depends on the machine: a second process on one core, or on one GPU, would only share it.
struct Question {
  std::string text;                // "does a second process pay here?"
  std::vector<std::string> words;  // the sweep that answers it, behind `scalemark`
  std::string why_one;             // why one process is all that is measured; else empty
};

Question question_for(const settings::Machine& machine) {
  const auto gpus = machine.gpus.size();
  if (gpus > 1) {
    const std::string all = std::to_string(gpus);
    return {"do " + all + " GPUs pay here?", {"sweep", "--quick", "--world-sizes", "1," + all}, ""};
  }
  if (gpus == 0 && machine.cores > 1)
    return {"does a second process pay here?", {"sweep", "--quick"}, ""};
  const std::string place = gpus == 1 ? "GPU" : "core";
  return {"how fast does one " + place + " train here?",
          {"sweep", "--quick", "--world-sizes", "1"},
          "one " + place + " is here, and a second process would only share it"};
}

// Only a person at a terminal is asked: no launcher has started this process, and no CI.
bool may_ask() {
  if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1) return false;
  const auto environment = launching::snapshot_environment();
  return value_at(environment, std::string("CI")).empty() &&
         std::ranges::none_of(environment, [](const auto& variable) {
           return launching::is_launcher_variable(variable.first);
         });
}

// Rounds the time of the plan up to tens of seconds: ranks have to start, too.
std::string time_of(const Question& question, const settings::Machine& machine) {
  settings::RawSettings raw{{"quick", {"on", "option"}}};
  if (question.words.size() > 2) raw["world_sizes"] = {question.words.back(), "option"};
  const planning::Surveyed here{.machine = machine, .memory = memory_there()};
  const double seconds = planning::forecast(settings::kSweep, raw, here).estimated_s;
  return rough_duration(std::ceil(seconds / 10) * 10);
}

bool is_wanted(const Question& question, const settings::Machine& machine) {
  std::cout << "[Enter] " << time_of(question, machine) << ": " << question.text << " (q: help) "
            << std::flush;
  std::string answer;
  if (!std::getline(std::cin, answer)) std::cout << "\n" << std::flush;
  return std::cin && (answer.empty() || answer == "y" || answer == "yes");
}

// Keeps off stdout what the sweep prints at its end, since its sentence comes before its table.
class Unheard {
 public:
  Unheard() : kept_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (kept_ >= 0 && nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    if (nowhere >= 0) close(nowhere);
  }
  ~Unheard() {
    if (kept_ < 0) return;
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
  }
  Unheard(const Unheard&) = delete;
  Unheard& operator=(const Unheard&) = delete;

 private:
  int kept_;
};

// One rank of a sweep has its share of the cores, as each of several has: not the whole machine.
std::string sentence_on(const reporting::Report& report, const reporting::ScalingRow* asked,
                        const Question& question) {
  if (asked && !asked->speedup)
    return "no answer: " + reporting::reason_in_words(report, asked->standing);
  if (asked) {
    const reporting::PointRecord* run = reporting::first_run(report.points, asked->group);
    return reporting::payment_in_words(
        *asked, "one rank" + (run ? " of " + counted(run->threads, "thread") : std::string()));
  }
  if (question.why_one.empty() || report.groups.empty() || report.points.empty()) return "";
  return reporting::group_rate(report.groups.front()) + " " +
         reporting::sample_unit(report.points.front().workload) + "/s; " + question.why_one;
}

// Ranks share the cores, and so did the one rank beside them: this one has all.
std::optional<std::string> one_process_with_all_cores(const reporting::Report& report,
                                                      const reporting::ScalingRow* asked,
                                                      int cores) {
  if (!asked) return std::nullopt;
  const reporting::PointRecord* run = reporting::first_run(report.points, asked->group);
  if (!run || !run->batch_size || !run->image_size) return std::nullopt;
  return "scalemark train --workload " + run->workload + " --image-size " +
         std::to_string(*run->image_size) + " --batch-size " +
         std::to_string(*run->batch_size * asked->world_size) + " --lr-scaling linear --threads " +
         std::to_string(cores);
}

void print_answer(const Question& question, const settings::Machine& machine,
                  const std::string& folder) {
  if (!std::filesystem::exists(folder + "/report.json")) return;
  const auto reports = read_reports({folder});
  const reporting::Report report = reporting::for_people(reports.front());
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  reporting::Answer found = reporting::answer_of(report, folder);
  constexpr std::size_t kCommands = 3;
  const auto alone = one_process_with_all_cores(report, found.asked, machine.cores);
  const bool beside = alone && machine.gpus.empty();
  if (beside) {
    found.next.resize(std::min(found.next.size(), kCommands - 1));
    found.next.emplace_back("one process, " + counted(machine.cores, "thread"), *alone);
  }
  std::string text = sentence_on(report, found.asked, question);
  if (!text.empty()) {
    if (beside && found.asked->speedup)
      text += "; against one process with all cores: measure it by the last command";
    text = wrapped(text, text_width(terminal), 0);
    text.pop_back();  // its line end stays outside of the ink
    text = inked(terminal, Ink::kBold, text) + "\n\n";
  }
  print_result(text + reporting::set_answer(found, terminal));
}

}  // namespace

ExitCode ask_first_question() {
  if (!may_ask()) return page_result(program_help());
  const settings::Machine machine = probe_machine().machine;
  Question question = question_for(machine);
  if (!is_wanted(question, machine)) return page_result(program_help());
  const std::string folder = "results/runs/first-" + probe_place("").date;
  question.words.insert(question.words.end(), {"--output", folder});
  ExitCode code{};
  {
    const Unheard quiet;
    code = row_of(settings::kSweep).run(parse_command_line(question.words).invocation);
  }
  print_answer(question, machine, folder);
  return code;
}

}  // namespace scalemark::cli
