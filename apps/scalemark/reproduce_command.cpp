// scalemark reproduce runs the configurations that published numbers are about, and says claimed /
// measured / verdict.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <set>

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/commands.h"
#include "apps/scalemark/formats.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/row_files.h"
#include "apps/scalemark/sources.h"
#include "claims/import/tables.h"
#include "claims/judge/claims.h"
#include "claims/rows/mapping.h"
#include "claims/rows/row.h"
#include "core/base/error.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/base/threads.h"
#include "core/launch/signal_scope.h"
#include "core/plan/listed_configs.h"
#include "core/plan/scale_down.h"
#include "report/keep/disk.h"
#include "report/record/report_json.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;
using claims::PlannedCommand;
using published::NamedTable;
using reporting::ClaimRecord;

// The rows that are asked for: a file of rows, or tables of a library.
struct Asked {
  std::vector<published::Row> rows;
  std::vector<NamedTable> tables;  // points into rows
};

void find_asked(const Invocation& invocation, const settings::ToolValues& values, Asked& asked) {
  if (invocation.positionals.empty()) {
    throw usage(
        "no table is named",
        "a published table, or a file of rows (.jsonl, .csv, .md, .txt, .html), is expected",
        "`scalemark published list` lists them");
  }
  const std::string& word = invocation.positionals.front();
  if (invocation.positionals.size() > 1)
    throw usage("'" + invocation.positionals[1] + "' is one name too many",
                "one table at a time is expected");
  if (importing::is_table_file(word)) {
    asked.rows = read_row_file(word, values).rows;
    asked.tables = published::tables_of(asked.rows);
    return;
  }
  refuse_idle_fields(values);
  asked.rows = library_rows(values);
  asked.tables = published::find_tables(asked.rows, word);
}

// Leaves out the rows of other precisions than the one that is asked for, and returns that; empty:
// all. Throws configuration() (78) for one that no row of the tables has.
std::string keep_precision(const settings::ToolValues& values, std::vector<NamedTable>& tables) {
  if (!values.given("precision")) return "";
  const std::string wanted = values.text("precision").value_or("");
  std::set<std::string> there;
  for (NamedTable& table : tables) {
    std::erase_if(table.rows, [&](const published::Row* row) {
      const auto point = published::map_row(*row).point.value_or(published::MappedPoint());
      there.insert(point.precisions.begin(), point.precisions.end());
      return std::ranges::count(point.precisions, wanted) == 0;
    });
  }
  std::erase_if(tables, [](const NamedTable& table) { return table.rows.empty(); });
  if (there.contains(wanted)) return wanted;
  throw configuration("--precision is '" + wanted + "', which no row of the table has",
                      there.empty() ? "" : joined(there, ", "));
}

std::vector<std::string> listed_reports(const std::string& text) {
  std::vector<std::string> paths;
  for (const std::string_view path : split(text, ",")) {
    if (!path.empty()) paths.emplace_back(path);
  }
  if (paths.empty())
    throw usage("--from names no report",
                "folders or report.json files, with commas between, are expected");
  return paths;
}

// Words that `reproduce` passes on to each of the planned commands.
std::vector<std::string> words_of(const PlannedCommand& planned,
                                  const settings::ToolValues& values) {
  std::vector<std::string> words = planned.words();
  if (const auto time = values.text("scale_down"))
    words.push_back("--scale-down" + (*time == "on" ? "" : "=" + *time));
  if (values.on("yes")) words.push_back("--yes");
  if (values.on("overwrite")) words.push_back("--overwrite");
  return words;
}

// A command of the plan, as it runs on this machine.
struct PlannedRun {
  PlannedCommand command;
  std::vector<std::string> words;  // behind `scalemark`
  fs::path folder;
  double seconds = 0;        // by the plan; 0: not known
  std::string scaled;        // says how it is made smaller; empty: it is not
  std::size_t changes = 0;   // so many options were changed for that
  std::string what_is_done;  // equal in runs that do the same
};

PlannedRun planned_run(const PlannedCommand& command, const settings::ToolValues& values,
                       const planning::Surveyed& here) {
  PlannedRun run{.command = command, .words = words_of(command, values), .folder = {}};
  const Invocation invocation = parse_command_line(run.words).invocation;
  settings::RawSettings raw = read_layers(invocation).raw;
  if (const auto limit_s = planning::scale_down_s(raw)) {
    planning::ScaledDown scaled = planning::scaled_down(invocation.command, raw, here, *limit_s);
    run.seconds = scaled.planned_s;
    run.scaled = planning::in_words(scaled);
    run.changes = scaled.changes.size();
    raw = std::move(scaled.raw);
  } else {
    run.seconds = planning::forecast(invocation.command, raw, here).estimated_s;
  }
  run.what_is_done = command.command;
  for (const auto& [option, value] : raw) run.what_is_done += "\n" + option + "=" + value.text;
  return run;
}

// Each run once: what differs in the table may be the same when it is made smaller. The report says
// which options were changed, so that of equal runs the one with most changes stands for all.
std::vector<PlannedRun> plan_of(const std::vector<PlannedCommand>& commands,
                                const settings::ToolValues& values,
                                const settings::Machine& machine, const fs::path& output) {
  const planning::Surveyed here{.machine = machine,
                                .memory = memory_there(),
                                .missing_backends = missing_backends(ResolvedCommand())};
  std::vector<PlannedRun> runs;
  for (const PlannedCommand& command : commands) {
    PlannedRun run = planned_run(command, values, here);
    const auto same = std::ranges::find(runs, run.what_is_done, &PlannedRun::what_is_done);
    if (same == runs.end()) {
      runs.push_back(std::move(run));
    } else if (run.changes > same->changes) {
      *same = std::move(run);
    }
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].folder = runs.size() == 1 ? output : output / std::to_string(i + 1);
    runs[i].words.push_back("--output");
    runs[i].words.push_back(runs[i].folder.string());
  }
  return runs;
}

// Waits for a child, and passes on to it what asks this process to end.
int wait_for(pid_t pid, launching::SignalScope& signals) {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (ended < 0 && errno != EINTR)
      throw system_error(std::string("a run could not be waited for: ") + std::strerror(errno));
    pollfd arrival{.fd = signals.fd(), .events = POLLIN, .revents = 0};
    poll(&arrival, 1, -1);
    for (const int signal : signals.take()) {
      if (signal == SIGTSTP) {
        signals.stop_self();
      } else if (signal != SIGCHLD && signal != SIGCONT) {
        kill(pid, signal);
      }
    }
  }
}

// Runs this program with `words` in the foreground; returns its exit code.
int run_child(const std::vector<std::string>& words, launching::SignalScope& signals) {
  std::vector<std::string> all{"scalemark"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &none);
  const int failed =
      posix_spawn(&pid, "/proc/self/exe", nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failed == EAGAIN) throw thread_shortage();
  if (failed != 0)
    throw system_error(std::string("a run could not be started: ") + std::strerror(failed));
  return wait_for(pid, signals);
}

// Whether a run that ended with this code has measured something: all is well, there are findings,
// or rows have no number.
bool has_measured(int code) {
  const auto known = static_cast<ExitCode>(code);
  return known == ExitCode::kPass || known == ExitCode::kFail || known == ExitCode::kUnsure ||
         known == ExitCode::kOutOfMemory || known == ExitCode::kSilentCorruption;
}

// Which claims can be answered here, in which time.
std::string first_line(const std::vector<NamedTable>& tables, const claims::Machine& machine,
                       const claims::Answerable& here, const std::vector<PlannedRun>& runs) {
  double seconds = 0;
  for (const PlannedRun& run : runs) seconds += run.seconds;
  if (here.claims == 0 && !machine.scaled_down) {
    const auto found = claims::elsewhere(machine, tables);
    return found.where + "; " + found.instead;
  }
  std::string text = claims::answerable_text(machine, here);
  if (here.runs.empty()) return text;
  text += "; " + counted(runs.size(), "run");
  return seconds > 0 ? text + ", about " + rough_duration(seconds) + " by the plan" : text;
}

std::string dry_run_text(const std::string& first, const std::vector<PlannedRun>& runs,
                         const std::vector<ClaimRecord>& claims) {
  std::string text = first + "\n\n";
  for (const PlannedRun& run : runs) {
    text += shell_command(run.words) + "\n";
    if (!run.scaled.empty()) text += "  " + run.scaled + "\n";
  }
  for (const PlannedRun& run : runs) {
    const bool own = run.command.options.front().first != "config";
    if (own && run.scaled.empty()) text += "\n" + run.command.config_text();
  }
  return text + (runs.empty() ? "" : "\n") +
         claims::claims_text(claims, terminal_of(STDOUT_FILENO));
}

// How to measure what a stopped run and those behind it leave open, and to judge all of it. A sweep
// that is stopped has said by itself how to go on.
void say_how_to_go_on(const std::vector<PlannedRun>& runs, std::size_t stopped,
                      const std::string& table) {
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    folders.push_back(runs[i].folder.string());
    if (i < stopped || (i == stopped && runs[i].words.front() == "sweep")) continue;
    print_note((i == stopped ? "to go on: " : "then: ") + shell_command(runs[i].words));
  }
  print_note("then: " + shell_command({"reproduce", table, "--from", joined(folders, ",")}));
}

struct Measurement {
  std::vector<reporting::Report> reports;
  std::vector<std::string> folders;
  ExitCode worst = ExitCode::kPass;
};

// Runs one after the other up to one that measures nothing or is stopped: what there is until then
// is judged all the same.
Measurement measure(const std::vector<PlannedRun>& runs, const std::string& table) {
  Measurement all;
  launching::SignalScope signals;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const fs::path& folder = runs[i].folder;
    print_note(shell_command(runs[i].words));
    const int code = run_child(runs[i].words, signals);
    if (code != 0 && all.worst == ExitCode::kPass) all.worst = static_cast<ExitCode>(code);
    const bool is_there = has_measured(code) || fs::exists(folder / "report.json");
    if (is_there) {
      std::ranges::move(read_reports({folder.string()}), std::back_inserter(all.reports));
      all.folders.push_back(folder.string());
    }
    if (has_measured(code)) continue;
    if (is_there) say_how_to_go_on(runs, i, table);
    break;
  }
  return all;
}

// Each claim stands in the report that holds its groups; what no report holds, in the first.
void add_claims(const std::vector<std::string>& folders, std::vector<reporting::Report>& reports,
                const std::vector<ClaimRecord>& claims) {
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto is_here = [&](const ClaimRecord& claim) {
      const auto holds = [&](const std::string& group) {
        return std::ranges::any_of(reports[i].groups,
                                   [&](const auto& one) { return one.group == group; }) ||
               std::ranges::any_of(reports[i].collective_groups,
                                   [&](const auto& one) { return one.group == group; });
      };
      return claim.groups.empty() ? i == 0 : std::ranges::any_of(claim.groups, holds);
    };
    reports[i].claims.clear();
    std::ranges::copy_if(claims, std::back_inserter(reports[i].claims), is_here);
    // The run has released the folder, and another run may have begun in it.
    const reporting::LockedFile held(folders[i], O_RDONLY | O_DIRECTORY);
    reporting::write_atomically(fs::path(folders[i]) / "report.json",
                                reporting::to_json(reports[i]));
  }
}

ExitCode write_claims(const std::vector<reporting::FormatRequest>& requests,
                      const OutputFiles& outputs, const std::vector<ClaimRecord>& claims) {
  write_texts(requests, outputs, [&](const std::string& format, bool on_stdout) {
    if (format == "md") return claims::claims_markdown(claims);
    if (format == "csv") return claims::claims_csv(claims);
    if (format == "jsonl") return claims::claims_json_lines(claims);
    return format == "junit"
               ? claims::claims_junit(claims, reporting::utc_now())
               : claims::claims_text(claims, on_stdout ? terminal_of(STDOUT_FILENO) : Terminal());
  });
  return claims::exit_code_of(claims);
}

}  // namespace

ExitCode reproduce_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  Asked asked;
  find_asked(invocation, values, asked);
  const std::string precision = keep_precision(values, asked.tables);
  const auto from = values.text("from");
  if (from && (values.on("dry_run") || values.given("output") || values.given("scale_down"))) {
    throw usage("--from runs nothing, and --dry-run, --output and --scale-down are about runs",
                "--from by itself is expected");
  }
  if (values.on("dry_run") && values.given("format")) {
    throw usage("--dry-run prints the plan, and --format is about verdicts",
                "one of the two is expected");
  }
  OutputFiles outputs(inputs_of(invocation, values), values.on("overwrite"));
  const auto requests = read_texts(values, {"table", "md", "csv", "jsonl", "junit"}, outputs);
  if (from)
    return write_claims(requests, outputs,
                        claims::judge(asked.tables, read_reports(listed_reports(*from))));

  const bool dry_run = values.on("dry_run");
  const settings::Machine probed = probe_machine().machine;
  const claims::Machine machine =
      machine_of(probed, values.text("scale_down").value_or("off") != "off");
  const auto here = claims::answerable_on(machine, asked.tables);
  // A plan for another machine is shown as a whole.
  const bool whole = here.runs.empty() && dry_run && !machine.scaled_down;
  const auto commands =
      claims::commands_for(whole ? asked.tables : here.runs, precision, machine.scaled_down);
  if (commands.empty() && here.claims == 0 && !machine.scaled_down) {
    const auto found = claims::elsewhere(machine, asked.tables);
    if (found.compares) throw configuration(found.where, found.instead);
  }
  const fs::path output = values.text("output").value_or(
      "results/runs/reproduce-" +
      published::slug_of(fs::path(invocation.positionals.front()).stem().string()));
  const auto runs = plan_of(commands, values, probed, output);
  const std::string first = first_line(asked.tables, machine, here, runs);
  const auto unmeasured = claims::judge(asked.tables, {});
  if (dry_run) return print_result(dry_run_text(first, runs, unmeasured));
  print_note(first);
  if (runs.empty()) return write_claims(requests, outputs, unmeasured);
  Measurement measured = measure(runs, invocation.positionals.front());
  if (measured.folders.empty()) return measured.worst;
  const auto claims = claims::judge(asked.tables, measured.reports);
  add_claims(measured.folders, measured.reports, claims);
  print_result("\n");
  const ExitCode judged = write_claims(requests, outputs, claims);
  return measured.worst == ExitCode::kPass ? judged : measured.worst;
}

}  // namespace scalemark::cli
