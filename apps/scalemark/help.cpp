#include "apps/scalemark/help.h"

#include <sstream>
#include <vector>

#include "core/base/version.h"
#include "core/catalogue/workload.h"

namespace scalemark::cli {
namespace {

using settings::Command;
using settings::Group;
using settings::Kind;
using settings::Option;

constexpr std::size_t kHelpColumn = 34;
constexpr std::size_t kWidth = 110;

struct Page {
  Command command;
  const char* summary;
  const char* arguments;
  const char* text;
  const char* examples;
};

constexpr Page kPages[] = {
    {settings::kTrain, "train one configuration and write a report", "",
     "Trains one network on one or more ranks and measures it. Every option has a useful default:\n"
     "`scalemark train` alone trains the mlp on this machine. Results go to stdout and\n"
     "OUTPUT/report.json, everything else to stderr.",
     "  scalemark train --workload resnet50 --batch-size 64\n"
     "  scalemark train --workload resnet50 --data DIR --epochs 3       images from "
     "DIR/train/<class>/\n"
     "  scalemark train --workload bert-mini --nproc-per-node 2         two ranks on this machine\n"
     "  torchrun --no-python --nproc-per-node 8 scalemark train --workload bert-large\n"
     "  scalemark train --config run.json --set batch_size=32 --dry-run what would run, and why\n"},
    {settings::kSweep, "many configurations, repeated, and how well they scale", "",
     "Plans the cross product of all lists, adds the baseline (1 rank, no exchange) and the same\n"
     "ranks without communication, and repeats everything in blocks of random order. Every option\n"
     "of what is trained and how takes a list or a range: 1,2,4 or 32..256*2 or 1..9+2; the "
     "plural\n"
     "is the same option. --batch-size makes weak scaling, --global-batch-size strong scaling.\n"
     "`scalemark sweep` alone sweeps the mlp on 1 and 2 ranks, or ResNet-50 on all GPUs.",
     "  scalemark sweep --dry-run                                       the plan, and nothing "
     "else\n"
     "  scalemark sweep --workload resnet50 --world-sizes 1,2,4,8 --batch-sizes 32..256*2\n"
     "  scalemark sweep --world-sizes 1..8*2 --global-batch-size 256 --strong-by accumulation\n"
     "  scalemark sweep --workload bert-mini --precisions fp32,amp-bf16 --quick\n"},
    {settings::kReport, "show reports: table, Markdown, CSV, HTML, JUnit, ...", "FILE|FOLDER...",
     "Renders reports that `scalemark train` and `sweep` wrote; a folder stands for its "
     "report.json.",
     "  scalemark report results/runs/a/report.json results/runs/b\n"
     "  scalemark report results/runs/a --format md,html=a.html,junit=a.xml\n"},
    {settings::kPredict, "what more ranks would give", "FILE|FOLDER...",
     "Fits compute and communication to the world sizes that were measured, and says how fast "
     "more\n"
     "ranks would be, how sure that is, and what it assumes. At least two world sizes of the same\n"
     "workload, settings and batch per rank are needed. docs/PREDICTION.md tells how well it "
     "works.\n",
     "  scalemark predict results/runs/a/report.json --world-sizes 16,64,256,1024\n"
     "  scalemark predict results/runs/a --world-sizes 64 --topology cluster.json\n"},
    {settings::kCompare, "old reports against new ones: faster, same, slower, unsure", "[FILE...]",
     "Compares points of the same group, with Welch's test over repetitions and Holm's correction\n"
     "over points, and prints Markdown. Several files on a side are several sessions, and the\n"
     "session is then the unit. More than two sides: --new once for each, or plain FILEs, each a\n"
     "side of its own, the first being old. Exit code: 1 something got slower, else 2 something "
     "is\n"
     "unsure, else 0.",
     "  scalemark compare --old before/report.json --new after/report.json\n"
     "  scalemark compare --old a1 a2 a3 --new b1 b2 b3 --threshold 1%     three sessions each\n"
     "  scalemark compare v1.json v2.json v3.json                          both against the "
     "first\n"},
    {settings::kDataGenerate, "make a small data set", "images|text DIR",
     "Writes a deterministic labelled JPEG tree (DIR/train/<class>/, DIR/val/<class>/), or a text\n"
     "corpus with its vocabulary.",
     "  scalemark data generate images /tmp/images --samples 640\n"
     "  scalemark data generate text /tmp/text\n"},
    {settings::kDataTokenize, "turn plain text into a token file", "TEXT",
     "Reads a text file or a folder of them and writes a memory-mapped token file once. Plain "
     "text\n"
     "(a line is a sentence, a blank line ends a document) or WikiExtractor's <doc> files.",
     "  scalemark data tokenize wiki.txt --vocab vocab.txt --output wiki.tokens\n"},
    {settings::kDataBench, "measure how fast data is loaded", "",
     "Reads, decodes and batches without training; one epoch warms the file cache first.",
     "  scalemark data bench --data DIR --workers 4 --image-size 224\n"
     "  scalemark data bench --data wiki.tokens --sequence-length 128\n"},
    {settings::kDoctor, "say what this machine has and what is missing", "",
     "Prints the program, torch, processors, GPUs, and which launcher was detected from which\n"
     "variables.",
     "  scalemark doctor\n"},
};

const Page& page_of(Command command) {
  for (const Page& page : kPages) {
    if (page.command == command) return page;
  }
  return kPages[0];
}

std::string value_part(const Option& option) {
  switch (option.kind) {
    case Kind::kFlag:
      return "";
    case Kind::kSwitch:
      return " on|off";
    case Kind::kChoice: {
      std::string text;
      for (const auto choice : option.choices) {
        text += (text.empty() ? " " : "|") + std::string(choice);
      }
      return text;
    }
    default:
      return " " + std::string(option.value_name);
  }
}

std::string description(const Option& option) {
  std::string text(option.help);
  if (option.name == "workload") {
    std::string names;
    for (const auto& workload : catalogue::all_workloads()) {
      names += (names.empty() ? "" : ", ") + workload.name;
    }
    text += ": " + names;
  }
  if (!option.unit.empty()) text += ", in " + std::string(option.unit);
  const bool off_flag = option.kind == Kind::kFlag && option.default_text == "off";
  if (!option.default_text.empty() && !off_flag) {
    text += " [" + std::string(option.default_text) + "]";
  }
  return text;
}

// `text` from `column` on, broken between words at kWidth.
std::string wrapped(const std::string& text, std::size_t column) {
  std::istringstream words(text);
  std::string lines, word;
  std::size_t at = column;
  while (words >> word) {
    if (at > column && at + 1 + word.size() > kWidth) {
      lines += "\n" + std::string(column, ' ');
      at = column;
    }
    if (at > column) lines += " ", ++at;
    lines += word;
    at += word.size();
  }
  return lines;
}

std::string option_lines(const Option& option) {
  std::string left = option.letter ? std::string("  -") + option.letter + ", " : "      ";
  left += settings::option_flag(option) + value_part(option);
  if (left.size() + 2 > kHelpColumn) {
    left += "\n" + std::string(kHelpColumn, ' ');
  } else {
    left.resize(kHelpColumn, ' ');
  }
  return left + wrapped(description(option), kHelpColumn) + "\n";
}

constexpr Group kGroups[] = {Group::kTool,     Group::kWhat,    Group::kSize,      Group::kRecipe,
                             Group::kParallel, Group::kLoading, Group::kMeasuring, Group::kSweeping,
                             Group::kLaunch,   Group::kGeneral};

}  // namespace

std::string version_text() {
  const Version version = program_version();
  return "scalemark " + version.version + " (commit " + version.git_commit +
         (version.git_dirty ? ", changed" : "") + "; " + version.build_type + ", " +
         version.compiler + "; built with torch " + std::string(kTorchVersion) + ")\n";
}

std::string program_help() {
  std::string text =
      "scalemark trains real networks data-parallel and reports how well they scale.\n\n"
      "usage: scalemark COMMAND [OPTIONS]\n\ncommands:\n";
  for (const Page& page : kPages) {
    std::string name = "  " + std::string(settings::command_name(page.command));
    name.resize(18, ' ');
    text += name + page.summary + "\n";
  }
  return text +
         "\n  scalemark COMMAND --help   options of a command\n"
         "  scalemark --version        version, commit, torch\n\n"
         "first steps:\n"
         "  scalemark doctor                                  is everything here?\n"
         "  scalemark train                                   a small network, one rank\n"
         "  scalemark train --workload resnet50 --nproc-per-node 2\n"
         "  scalemark train --workload resnet50 --dry-run     what would run\n"
         "  scalemark sweep --quick                           how it scales: a first look\n";
}

std::string command_help(Command command) {
  const Page& page = page_of(command);
  std::string text = "usage: scalemark " + std::string(settings::command_name(command));
  if (*page.arguments) text += " " + std::string(page.arguments);
  text += " [OPTIONS]\n\n" + std::string(page.text) + "\n";
  for (const Group group : kGroups) {
    std::string lines;
    for (const Option& option : settings::all_options()) {
      if (option.group == group && (option.commands & command)) lines += option_lines(option);
    }
    if (!lines.empty()) text += "\n" + std::string(settings::title(group)) + ":\n" + lines;
  }
  text += "\nExamples:\n" + std::string(page.examples);
  if (command & settings::kRuns) {
    text +=
        "\nEach option is also a key of --config files (with underscores) and a variable\n"
        "(SCALEMARK_BATCH_SIZE); stronger is: default < recipe < --config < variable < option < "
        "--set.\n";
  }
  return text;
}

}  // namespace scalemark::cli
