// scalemark accept judges the reports of a fleet by rules: which node passes, and what is at fault.
// scalemark baseline make records what a fleet that is known to be good reaches, for `accept
// --baseline`.

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/formats.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/sources.h"
#include "claims/judge/claims.h"
#include "claims/rows/row.h"
#include "core/base/error.h"
#include "core/base/host_name.h"
#include "core/base/text.h"
#include "core/launch/slurm_lists.h"
#include "core/settings/config_file.h"
#include "report/accept/baseline.h"
#include "report/accept/forms.h"
#include "report/accept/topology.h"
#include "report/judge/judge.h"
#include "report/say/explain/explain.h"
#include "report/say/render/render.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;
using acceptance::Acceptance;
using reporting::FormatRequest;
using reporting::NamedReport;
using reporting::Report;

constexpr const char* kTable = "table";

acceptance::Rules rules_of(const settings::ToolValues& values) {
  const auto given = values.text("rules");
  if (!given) return acceptance::standard_rules();
  std::vector<std::string> notes;
  const settings::ConfigFile rules = settings::read_rules(*given, notes);
  print_notes(notes);
  return acceptance::parse_rules(rules.text, rules.path);
}

std::optional<acceptance::Baseline> baseline_of(const settings::ToolValues& values) {
  const auto path = values.text("baseline");
  if (!path) return std::nullopt;
  return acceptance::parse_baseline(settings::read_text_file(*path), *path);
}

std::optional<acceptance::Topology> topology_of(const settings::ToolValues& values) {
  const auto path = values.text("topology");
  if (!path) return std::nullopt;
  return acceptance::parse_topology(settings::read_text_file(*path), *path);
}

acceptance::Expected expected_of(const settings::ToolValues& values) {
  acceptance::Expected expected;
  if (const auto list = values.text("nodes")) {
    const auto nodes = launching::expand_nodelist(*list);
    // A list with blanks or line ends would be drained as one node, which does not exist.
    if (!nodes || !std::ranges::all_of(*nodes, is_host_name)) {
      throw configuration("--nodes '" + *list + "' is no list of host names",
                          "n[001-064],gpu7 or a,b is expected, with commas between",
                          "\"$SLURM_JOB_NODELIST\" is one");
    }
    expected.nodes = *nodes;
  }
  if (const auto devices = values.count("devices_per_node")) {
    expected.devices_per_node = static_cast<int>(*devices);
  }
  return expected;
}

std::vector<FormatRequest> requests_of(const settings::ToolValues& values, OutputFiles& outputs) {
  auto requests = reporting::read_format_requests(values.text("format").value_or(kTable),
                                                  {kTable, "md", "jsonl", "html", "junit", "drain",
                                                   "undecided", "exclude", "absent", "suspects"});
  std::erase_if(requests,
                [](const FormatRequest& one) { return one.format == kTable && one.file.empty(); });
  for (const FormatRequest& one : requests) {
    if (one.file.empty()) {
      throw configuration("--format " + one.format + " names no file",
                          one.format + "=FILE: stdout has the answer, --details the tables");
    }
    outputs.check("--format", one.file);
  }
  return requests;
}

std::string rendered(const std::string& format, const Acceptance& judged) {
  if (format == "md") return acceptance::markdown_text(judged);
  if (format == "jsonl") return acceptance::json_lines(judged);
  if (format == "html") return acceptance::page_text(judged, reporting::utc_now());
  if (format == "junit") return acceptance::junit_text(judged);
  if (format == "undecided") return acceptance::undecided_text(judged);
  if (format == "absent") return acceptance::absent_text(judged);
  if (format == "suspects") return acceptance::suspects_text(judged);
  if (format == "exclude") return acceptance::exclude_text(judged);
  if (format == "drain") return acceptance::drain_text(judged, reporting::utc_now());
  return acceptance::details_text(judged, {});
}

std::string without_files(const std::string& command) {
  return without_option(without_option(command, "--format", /*has_value=*/true), "--overwrite",
                        /*has_value=*/false);
}

// "acc/1/{host}" -> "acc/2/{host}": the last part that is a number counts sessions.
std::string next_output(const std::string& output) {
  std::vector<std::string> parts;
  for (const fs::path& part : fs::path(output)) parts.push_back(part.string());
  const auto session = std::find_if(parts.rbegin(), parts.rend(), [](const std::string& part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
  });
  if (session == parts.rend()) return output + "-2";
  *session = std::to_string(std::atoi(session->c_str()) + 1);
  fs::path next;
  for (const std::string& part : parts) next /= part;
  return next.string();
}

// The command of a node's own report, changed to other nodes and another folder, and to `starts`
// where they are given. Empty where no report is of a single host of which `is_model` holds. Where
// no scheduler names nodes, whoever types it chooses the node.
std::string command_again(const std::vector<NamedReport>& fleet,
                          const std::function<bool(const std::string&)>& is_model,
                          const std::vector<std::string>& nodes,
                          const std::optional<std::size_t>& starts) {
  for (const NamedReport& one : fleet) {
    const Report& report = one.report;
    const auto& own = report.environment.hosts;
    if (own.size() != 1 || !is_model(own.front().hostname)) continue;
    if (report.invocation.command != "sweep") continue;
    // The report may come from anybody: its words are quoted anew, and must begin with this
    // program.
    const auto words = shell_words(report.invocation.command_line);
    if (words.size() < 2 || words.front() != "scalemark") continue;
    std::string command = shell_line(words);
    const std::string output = option_value(command, "--output").value_or(one.name);
    command = without_option(std::move(command), "--output", /*has_value=*/true);
    if (starts) {
      command = without_option(std::move(command), "--repetitions", /*has_value=*/true);
      command += " --repetitions " + std::to_string(*starts);
    }
    command += " --output " + shell_word(next_output(output));
    if (own.front().scheduler_node.empty()) return command;
    return "srun --nodes=" + std::to_string(nodes.size()) +
           " --nodelist=" + shell_word(launching::compressed_nodelist(nodes)) +
           " --ntasks-per-node=1 --cpu-bind=none " + command;
  }
  return "";
}

std::string command_of_undecided(const std::vector<NamedReport>& fleet, const Acceptance& judged) {
  const auto undecided = acceptance::undecided_of(judged);
  if (undecided.hosts.empty()) return "";
  return command_again(
      fleet, [&](const std::string& host) { return undecided.hosts.contains(host); },
      undecided.nodes, undecided.starts);
}

// Sets the command that measured the others, or else the nodes themselves.
void tell_lacking(const std::vector<NamedReport>& fleet, const Acceptance& judged,
                  acceptance::Next& next) {
  const std::vector<std::string> nodes =
      acceptance::names_of(judged, acceptance::Outcome::kMissing);
  if (nodes.empty()) return;
  std::set<std::string> hosts;
  for (const acceptance::NodeResult& node : judged.nodes) {
    if (node.outcome == acceptance::Outcome::kMissing) hosts.insert(node.node.host);
  }
  const auto is_other = [&](const std::string& host) { return !hosts.contains(host); };
  next.lacking = command_again(fleet, is_other, nodes, {});
  if (next.lacking.empty())
    next.lacking = command_again(fleet, [](const std::string&) { return true; }, nodes, {});
  if (!next.lacking.starts_with("srun ")) next.lacking_on = acceptance::nodes_text(nodes);
}

// Says in the words of `explain` where a training that scales badly lost it.
void explain_efficiency(const std::vector<NamedReport>& fleet, const acceptance::Rules& rules,
                        Acceptance& judged) {
  const auto training = acceptance::badly_scaling(judged, rules, fleet);
  if (!training) return;
  try {
    const Report shown = reporting::for_people(training->report->report);
    judged.explained =
        reporting::explanation_in_brief(reporting::explain(shown, {}, {.group = training->group}));
  } catch (const Error&) {
    return;  // its row has no efficiency to explain
  }
  judged.explained.front().insert(0, training->name + ", ");
  const fs::path file(training->report->name);
  const fs::path folder = file.filename() == "report.json" ? file.parent_path() : file;
  judged.explain_command = "scalemark explain " + shell_word(folder.string()) + " --group " +
                           shell_word(training->group);
}

}  // namespace

ExitCode accept_command(const Invocation& invocation) {
  if (invocation.positionals.empty()) {
    throw usage("no report is given",
                "reports of a fleet, or folders that hold them, are expected");
  }
  const settings::ToolValues values = read_tool_values(invocation);
  const auto rules = rules_of(values);
  const auto baseline = baseline_of(values);
  const auto topology = topology_of(values);
  auto expected = expected_of(values);
  OutputFiles outputs(inputs_of(invocation, values), values.on("overwrite"));
  const auto requests = requests_of(values, outputs);
  std::vector<NamedReport> fleet = read_fleet(invocation.positionals, &expected.unreadable);
  acceptance::sort_by_time(fleet);
  Acceptance judged = acceptance::accept(fleet, rules, expected, baseline ? &*baseline : nullptr,
                                         topology ? &*topology : nullptr);
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  if (values.on("dry_run")) {
    return print_result(reporting::section_text(acceptance::plan_of(judged, rules), terminal));
  }

  std::vector<const Report*> reports;
  for (const NamedReport& one : fleet) reports.push_back(&one.report);
  judged.published = claims::published_beside(published::own_library(), reports);
  explain_efficiency(fleet, rules, judged);

  const bool details = values.on("details");
  const std::string& typed = invocation.command_line;
  acceptance::Next next{.again = command_of_undecided(fleet, judged),
                        .lacking = {},
                        .judged = without_option(typed, "--baseline", /*has_value=*/true),
                        .all = details ? "" : without_files(typed) + " --details",
                        .files = {}};
  tell_lacking(fleet, judged, next);
  reports.clear();
  fleet = {};  // the files of a large fleet need its memory
  std::vector<OutputText> texts;
  for (const FormatRequest& one : requests) {
    texts.push_back({one.file, rendered(one.format, judged)});
    next.files.push_back(one.file);
  }
  write_all(texts, outputs);
  print_result(acceptance::hand_over(judged, next, terminal));
  if (details) print_result("\n" + acceptance::details_text(judged, terminal));
  return judged.exit_code;
}

namespace {

// The file may hold hours of machine time: only --overwrite replaces it.
std::string output_of(const Invocation& invocation, const settings::ToolValues& values) {
  const auto output = values.text("output");
  if (!output) throw usage("--output is not given", "the name of a file is expected");
  OutputFiles(inputs_of(invocation, values), values.on("overwrite")).check("--output", *output);
  return *output;
}

}  // namespace

ExitCode baseline_make_command(const Invocation& invocation) {
  if (invocation.positionals.empty()) {
    throw usage("no report is given",
                "reports of a fleet, or folders that hold them, are expected");
  }
  const settings::ToolValues values = read_tool_values(invocation);
  const std::string output = output_of(invocation, values);
  const auto baseline =
      acceptance::make_baseline(read_fleet(invocation.positionals), reporting::utc_now());
  write_output(output, acceptance::baseline_json(baseline));
  const std::string use = acceptance::is_weak(baseline) ? "weak as it is" : "use it";
  return print_result(acceptance::baseline_summary(baseline) + "written: " + output + "; " + use +
                      ": scalemark accept ... --baseline " + shell_word(output) + "\n");
}

}  // namespace scalemark::cli
