#include "apps/scalemark/help.h"

#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/libraries.h"
#include "core/base/error.h"
#include "core/base/plugin.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/catalogue/workload.h"
#include "core/settings/value.h"

namespace scalemark::cli {
namespace {

using settings::Command;
using settings::Kind;
using settings::Option;
using settings::OptionGroup;

constexpr std::string_view kUsage = "usage: ";

struct HelpPage {
  std::string_view usage, text;
  std::vector<std::pair<std::string_view, std::string_view>> often;
  std::string_view examples;
};

HelpPage page_of(Command command) {
  std::string file(settings::command_name(command));
  std::ranges::replace(file, ' ', '-');
  const auto found = std::ranges::find(help_pages(), file, &NamedText::name);
  if (found == help_pages().end()) throw bug("the command " + file + " has no page of help");
  // Cuts `text` off at `mark`, and returns what stood behind the mark.
  const auto behind = [](std::string_view& text, std::string_view mark) -> std::string_view {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = text.substr(at + mark.size());
    text = text.substr(0, at);
    return rest;
  };
  HelpPage page{.usage = found->text, .text = {}, .often = {}, .examples = {}};
  page.text = behind(page.usage, "\n\n");
  page.examples = behind(page.text, "\n\nexamples:\n");
  for (std::string_view line : lines_of(behind(page.text, "\n\noptions:\n"))) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::size_t brief = std::min(line.find_first_not_of(' ', end), line.size());
    page.often.emplace_back(line.substr(0, end), line.substr(brief));
  }
  return page;
}

std::size_t help_width() { return text_width(terminal_of(STDOUT_FILENO)); }
// Where the texts of options begin.
std::size_t help_column() { return std::clamp<std::size_t>(help_width() / 3, 20, 34); }

std::string value_part(const Option& option) {
  if (option.value_name.empty()) return "";
  return settings::has_optional_value(option) ? "[=" + option.value_name + "]"
                                              : " " + option.value_name;
}

std::string description(Command command, const Option& option) {
  for (const auto& [commands, help] : option.own_help) {
    if (command & commands) return std::string(help);
  }
  std::string text(option.help);
  if (option.name == "workload") text += ": " + joined(catalogue::workload_names(), ", ");
  if (!option.unit.empty()) text += ", in " + std::string(option.unit);
  const bool off_flag = option.kind == Kind::kFlag && option.default_text == "off";
  if (!option.default_text.empty() && !off_flag) {
    text += " [" + std::string(option.default_text) + "]";
  }
  return text;
}

// Breaks paragraphs anew at the width of the terminal. Lines that begin with a blank stay.
std::string reflowed(std::string_view text) {
  std::string result, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) result += wrapped(paragraph, help_width(), 0);
    paragraph.clear();
  };
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == ' ') {
      end_paragraph();
      result += line + "\n";
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + line;
    }
  }
  end_paragraph();
  return result;
}

std::string option_lines(Command command, const Option& option, std::string_view brief = {}) {
  std::string left = option.letter ? std::string("  -") + option.letter + ", " : "      ";
  left += settings::option_flag(option) + value_part(option);
  const std::size_t column = help_column();
  std::string above;
  if (left.size() + 2 > column) above = std::exchange(left, "") + "\n";
  left.resize(column, ' ');
  const std::string text = brief.empty() ? description(command, option) : std::string(brief);
  return above + wrapped(text, help_width(), column, left);
}

struct Topic {
  OptionGroup group;
  std::string_view name;
};
constexpr Topic kTopics[] = {{OptionGroup::kTool, "options"},
                             {OptionGroup::kWhat, "what"},
                             {OptionGroup::kSize, "size"},
                             {OptionGroup::kRecipe, "recipe"},
                             {OptionGroup::kParallel, "parallel"},
                             {OptionGroup::kLoading, "loading"},
                             {OptionGroup::kMeasuring, "measuring"},
                             {OptionGroup::kSweeping, "sweeping"},
                             {OptionGroup::kCollectives, "collectives"},
                             {OptionGroup::kLaunch, "launch"},
                             {OptionGroup::kGeneral, "general"}};

std::vector<const Option*> options_of(Command command, OptionGroup group) {
  std::vector<const Option*> options;
  for (const Option& option : settings::all_options()) {
    if (option.group == group && takes(command, option)) options.push_back(&option);
  }
  return options;
}

std::string group_help(Command command, OptionGroup group) {
  std::string lines;
  for (const Option* option : options_of(command, group)) lines += option_lines(command, *option);
  return lines.empty() ? "" : "\n" + std::string(settings::title(group)) + ":\n" + lines;
}

std::string all_groups(Command command) {
  std::string text;
  for (const Topic& topic : kTopics) text += group_help(command, topic.group);
  return text;
}

std::string topic_names(Command command) {
  std::string text;
  for (const Topic& topic : kTopics) {
    if (options_of(command, topic.group).empty()) continue;
    text += (text.empty() ? "" : ", ") + std::string(topic.name);
  }
  return text;
}

std::string what_people_type(Command command, const HelpPage& page) {
  std::string text = "\nOptions that people type:\n";
  for (const auto& [name, brief] : page.often) {
    text += option_lines(command, *settings::find_option(name), brief);
  }
  std::size_t all = 0;
  for (const Topic& topic : kTopics) all += options_of(command, topic.group).size();
  return text + "\n" +
         reflowed("--help-all shows all " + std::to_string(all) + ", --help TOPIC one group (" +
                  topic_names(command) + ") or one option.");
}

// In man(7) a backslash begins an escape, a minus is no hyphen, and a point or an apostrophe at the
// beginning of a line makes a request of it.
std::string in_roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool begins = result.empty() || result.back() == '\n';
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    result += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return result;
}

std::string names_of(unsigned commands) {
  std::string names;
  for (const CommandRow& row : command_rows()) {
    if (!(row.command & commands)) continue;
    names += (names.empty() ? "" : ", ") + std::string(settings::command_name(row.command));
  }
  return names;
}

std::string roff_option(const Option& option) {
  unsigned commands = 0;
  for (const CommandRow& row : command_rows()) {
    if (takes(row.command, option)) commands |= row.command;
  }
  std::string text = ".TP\n";
  text +=
      "\\fB" + in_roff(settings::option_flag(option)) + "\\fR" + in_roff(value_part(option)) + "\n";
  std::string told;
  for (const CommandRow& row : command_rows()) {
    if (!(row.command & commands)) continue;
    const std::string own = in_roff(description(row.command, option));
    if (told.find(own) != told.npos) continue;
    told += (told.empty() ? "" : "\n.br\n") + own;
  }
  return text + told + "\n.br\n(" + in_roff(names_of(commands)) + ")\n";
}

}  // namespace

std::string man_page() {
  std::string text =
      ".TH SCALEMARK 1 \"\" \"scalemark " + in_roff(program_version().version) +
      "\" \"User Commands\"\n.SH NAME\nscalemark \\- measure how fast machines train "
      "networks, and how well they scale\n.SH SYNOPSIS\n.B scalemark\n.I COMMAND\n[OPTIONS]\n"
      ".br\n.B scalemark\n.I COMMAND\n.B \\-\\-help\n.SH COMMANDS\n";
  for (const CommandRow& row : command_rows()) {
    const HelpPage page = page_of(row.command);
    text += ".SS \"" + in_roff(page.usage.substr(kUsage.size())) + "\"\n" + in_roff(page.text) +
            "\n.PP\n.nf\n" + in_roff(page.examples) + ".fi\n";
  }
  text += ".SH OPTIONS\nThe commands that take an option stand behind it in brackets.\n";
  for (const Topic& topic : kTopics) {
    text += ".SS \"" + in_roff(settings::title(topic.group)) + "\"\n";
    for (const Option& option : settings::all_options()) {
      if (option.group == topic.group) text += roff_option(option);
    }
  }
  return text +
         ".SH EXIT STATUS\n0: all well; 1: a rule is violated, something became slower or failed; "
         "2: unsure or "
         "not finished; 64 and above: it could not run, and one line on stderr says why, with a "
         "code that "
         "docs/FAULTS.md explains.\n"
         ".SH ENVIRONMENT\nEach option of train, sweep and comm is a variable, too: "
         "SCALEMARK_BATCH_SIZE. "
         "NO_COLOR, CLICOLOR and CLICOLOR_FORCE decide on colours, PAGER shows long help.\n";
}

std::string version_text() {
  const Version version = program_version();
  return "scalemark " + version.version + " (commit " + version.git_commit +
         (version.git_dirty ? ", changed" : "") + "; " + version.build_type + ", " +
         version.compiler + "; built for torch " + engines_in_words() + ")\n";
}

std::string program_help() {
  std::string text =
      "scalemark trains real networks data-parallel and reports how well they scale.\n\n"
      "usage: scalemark COMMAND [OPTIONS]\n\ncommands:\n";
  for (const CommandRow& row : command_rows()) {
    std::string name = "  " + std::string(settings::command_name(row.command));
    name.resize(20, ' ');
    text += name + row.summary + "\n";
  }
  return text +
         "\n  scalemark COMMAND --help   options of a command\n"
         "  scalemark --version        version, commit, torch\n\n"
         "first steps:\n"
         "  scalemark                                         (at a terminal) does a second process pay?\n"
         "  scalemark doctor                                  is everything here?\n"
         "  scalemark train                                   a small network, one rank\n"
         "  scalemark train --workload resnet50 --nproc-per-node 2\n"
         "  scalemark train --workload resnet50 --dry-run     what would run\n"
         "  scalemark sweep --quick                           how it scales: a first look\n";
}

std::string command_help(Command command, std::string_view wanted) {
  const HelpPage page = page_of(command);
  if (!wanted.empty() && wanted != kAllTopics) {
    for (const Topic& topic : kTopics) {
      if (topic.name != wanted) continue;
      if (std::string text = group_help(command, topic.group); !text.empty()) return text.substr(1);
    }
    const Option* option = settings::find_option(wanted, command);
    if (option != nullptr && takes(command, *option)) return option_lines(command, *option);
    throw usage("--help knows no '" + std::string(wanted) + "'",
                topic_names(command) + ", or an option is expected");
  }
  std::string text = std::string(page.usage) + " [OPTIONS]\n\n" + reflowed(page.text);
  text +=
      wanted.empty() && !page.often.empty() ? what_people_type(command, page) : all_groups(command);
  text += "\nExamples:\n" + std::string(page.examples);
  if (!wanted.empty() && command & settings::kRuns) {
    text +=
        "\n" + reflowed(
                   "Each option is also a key of --config files (with underscores) and a variable "
                   "(SCALEMARK_BATCH_SIZE); stronger is: default < recipe < --config < variable < "
                   "option < --set.");
  }
  return text;
}

}  // namespace scalemark::cli
