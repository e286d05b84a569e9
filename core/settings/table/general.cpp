#include "core/settings/table/table.h"

namespace scalemark::settings::table {
namespace {

std::vector<Option> layer_options() {
  return {
      {.name = "config",
       .kind = Kind::kPath,
       .group = Group::kGeneral,
       .help = "options from a flat JSON file, or from a built-in configuration (`scalemark "
               "configs`); several may be given, the later wins",
       .value_name = "FILE|NAME",
       .layer = true},
      {.name = "set",
       .kind = Kind::kText,
       .group = Group::kGeneral,
       .help = "one option as a pair; stronger than every other source",
       .value_name = "KEY=VALUE",
       .layer = true},
  };
}

std::vector<Option> run_options() {
  return {
      {.name = "output",
       .kind = Kind::kPath,
       .group = Group::kGeneral,
       .commands =
           kPredict | kBaselineMake | kDataTokenize | kDataShow | kDoctor | kReproduce | kImport,
       .field = kField<&GeneralSettings::output>,
       .help = "folder of the report; {host}, {job} and {date} are filled in (default: "
               "results/runs/<workload>-{date})",
       .own_help = {{kComm,
                     "folder of the report; {host}, {job} and {date} are filled in (default: "
                     "results/runs/comm-{date})"},
                    {kReproduce,
                     "folder of the reports, one below it for each run (default: "
                     "results/runs/reproduce-TABLE)"},
                    {kPredict, "where the report with its predictions goes (default: nowhere)"},
                    {kDoctor,
                     "with --measure: where its report goes, and the disk that is read (default: "
                     "no report, this folder's disk)"},
                    {kImport, "the file of rows (.jsonl)"},
                    {kDataTokenize, "the token file (default: TEXT.tokens)"},
                    {kDataShow, "the picture"},
                    {kBaselineMake, "the file of the baseline"}},
       .value_name = "PATH",
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "overwrite",
       .kind = Kind::kFlag,
       .group = Group::kGeneral,
       .commands = kReport | kCompare | kAccept | kLint | kPublishedLint | kPublishedExport |
                   kPredict | kBaselineMake | kDataTokenize | kDataGenerate | kDataPack |
                   kDataShow | kDoctor | kReproduce | kImport | kPublishedAdd,
       .field = kField<&GeneralSettings::overwrite>,
       .default_text = "off",
       .help =
           "use an output folder that is not empty: what earlier runs wrote into it goes, other "
           "files stay; replace a file that is named as an output",
       .own_help = {{kReport | kCompare | kAccept | kLint | kPublishedLint | kPublishedExport,
                     "replace files of --format that are there"},
                    {kPredict | kDoctor, "replace the report.json that is there"},
                    {kDataTokenize | kDataShow | kBaselineMake | kImport | kPublishedAdd,
                     "replace the file"},
                    {kDataGenerate | kDataPack, "replace what was made there before"}},
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "resume",
       .kind = Kind::kFlag,
       .group = Group::kGeneral,
       .without = kComm,
       .field = kField<&CheckpointSettings::resume>,
       .sweep_field = kSweepField<&SweepSettings::resume>,
       .default_text = "off",
       .help = "go on from the last checkpoint in --output, from the beginning where there is none",
       .own_help = {{kSweep, "run what is missing in --output"}},
       .one_start = true},
      {.name = "dry_run",
       .kind = Kind::kFlag,
       .group = Group::kGeneral,
       .commands = kAccept | kReproduce,
       .field = kField<&GeneralSettings::dry_run>,
       .default_text = "off",
       .help = "print the resolved settings with their origins, and exit",
       .own_help = {{kAccept, "print the checks and how much of them was measured, and exit"},
                    {kReproduce, "print the runs, as commands and configuration files, and exit"}}},
      {.name = "quiet",
       .kind = Kind::kFlag,
       .group = Group::kGeneral,
       .field = kField<&GeneralSettings::quiet>,
       .default_text = "off",
       .help = "the result and errors only: no progress, no notes",
       .letter = 'q',
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "verbose",
       .kind = Kind::kFlag,
       .group = Group::kGeneral,
       .field = kField<&GeneralSettings::verbose>,
       .default_text = "off",
       .help = "more about what happens",
       .letter = 'v',
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "no_progress",
       .kind = Kind::kFlag,
       .group = Group::kGeneral,
       .commands = kDataPack | kDataVerify,
       .field = kField<&GeneralSettings::no_progress>,
       .default_text = "off",
       .help = "no progress bar",
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "log_format",
       .kind = Kind::kChoice,
       .group = Group::kGeneral,
       .commands = kDoctor,
       .field = kField<&GeneralSettings::log_format>,
       .default_text = "text",
       .help = "form of the log lines, of --dry-run and of doctor --measure",
       .choices = names_of<LogFormat>(),
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "yes",
       .kind = Kind::kFlag,
       .group = Group::kGeneral,
       .commands = kReproduce,
       .without = kTrain,
       .default_text = "off",
       .help = "begin a plan of more than 3 hours without a question",
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "scale_down",
       .kind = Kind::kSeconds,
       .group = Group::kGeneral,
       .commands = kReproduce,
       .help = "shrink ranks, sizes, steps and repetitions until the run fits this machine and a "
               "time (alone: 5 minutes); it then shows the method, not the number",
       .value_name = "TIME",
       .words = {"on", "off"},
       .range = kAboveZero},
      {.name = "fail_on",
       .group = Group::kGeneral,
       .commands = kReport | kCompare | kLint | kPublishedLint,
       .field = kField<&GeneralSettings::fail_on>,
       .default_text = "error",
       .help = "findings that end the command with exit code 1: parts (those that blame a part of "
               "the machine), warning, error, none, or codes with commas between",
       .value_name = "WORD,...",
       .one_start = true},
      {.name = "metrics_port",
       .group = Group::kGeneral,
       .help =
           "rank 0 serves this run's pages: / for a browser, /metrics for Prometheus, /status "
           "for `scalemark top`; a PORT alone is open to this machine only, auto takes a free one",
       .value_name = "PORT|HOST:PORT|auto",
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "telemetry_every",
       .kind = Kind::kSeconds,
       .group = Group::kGeneral,
       .field = kField<&GeneralSettings::telemetry_every_s>,
       .default_text = "0.1",
       .help = "how often a side thread reads clocks, memory, disks and network; less often where "
               "that takes more than 0.5 % of a core",
       .value_name = "SECONDS",
       .range = {.low = 0.01, .high = 3600}},
      {.name = "metrics_token",
       .kind = Kind::kPath,
       .group = Group::kGeneral,
       .commands = kTop,
       .help = "file with a secret that the metrics page asks for (Authorization: Bearer); needed "
               "where --metrics-port is not on loopback",
       .own_help = {{kTop, "file with the secret that the run's metrics page asks for"}},
       .value_name = "FILE",
       .across_ranks = AcrossRanks::kMayDiffer},
      {.name = "torch",
       .kind = Kind::kPath,
       .group = Group::kGeneral,
       .commands = kDoctor,
       .field = kField<&GeneralSettings::torch>,
       .help =
           "folder of torch 2.11.0 (holds lib/libtorch_cpu.so); else $SCALEMARK_TORCH, else the "
           "one it was built with",
       .value_name = "DIR",
       .across_ranks = AcrossRanks::kMayDiffer},
  };
}

}  // namespace

std::vector<Option> general_options() {
  std::vector<Option> options = layer_options();
  for (Option& option : run_options()) options.push_back(std::move(option));
  return options;
}

}  // namespace scalemark::settings::table
