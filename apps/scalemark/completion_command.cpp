// scalemark completion prints, from the table of options, what a shell offers after TAB, and the
// manual page.
#include <string>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/help.h"
#include "claims/rows/names.h"
#include "claims/rows/row.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/catalogue/workload.h"
#include "core/settings/config_file.h"
#include "core/settings/option.h"

namespace scalemark::cli {
namespace {

using settings::Command;
using settings::Kind;
using settings::Option;

std::string with_blank(const std::string& list, std::string_view word) {
  return list + (list.empty() ? "" : " ") + std::string(word);
}

// The values that an option may have, with blanks between them; empty where it takes any text.
std::string values_of(const Option& option) {
  std::string values;
  for (const auto choice : option.choices) values = with_blank(values, choice);
  for (const auto word : option.words) values = with_blank(values, word);
  if (option.kind == Kind::kSwitch) values = "on off";
  if (option.name == "workload") values = joined(catalogue::workload_names(), " ");
  if (option.name == "config") {
    for (const auto& config : settings::builtin_configs()) values = with_blank(values, config.name);
  }
  if (option.name == "rules") {
    for (const auto& rules : settings::acceptance_rules()) values = with_blank(values, rules.name);
  }
  return values;
}

std::vector<const Option*> options_of(Command command) {
  std::vector<const Option*> options;
  for (const Option& option : settings::all_options()) {
    if (takes(command, option)) options.push_back(&option);
  }
  return options;
}

std::string flags_of(Command command) {
  std::string flags = "--help --help-all";
  for (const Option* option : options_of(command)) {
    flags = with_blank(flags, settings::option_flag(*option));
  }
  return flags;
}

// Commands, or the second words of those that begin with `first`.
std::string names_after(std::string_view first) {
  std::string names, last;
  for (const Command command : settings::all_commands()) {
    const std::string name(settings::command_name(command));
    const auto blank = name.find(' ');
    std::string word;
    if (first.empty()) {
      word = name.substr(0, blank);
    } else if (blank != name.npos && name.substr(0, blank) == first) {
      word = name.substr(blank + 1);
    }
    if (word.empty() || word == last) continue;
    names = with_blank(names, word);
    last = word;
  }
  return names;
}

std::vector<std::string> first_words() {
  std::vector<std::string> words;
  for (const Command command : settings::all_commands()) {
    const std::string name(settings::command_name(command));
    const std::string first = name.substr(0, name.find(' '));
    if (first != name && (words.empty() || words.back() != first)) words.push_back(first);
  }
  return words;
}

std::string table_names() {
  std::string names;
  const auto rows = published::own_library();
  for (const auto& table : published::tables_of(rows)) names = with_blank(names, table.name);
  return names;
}

// Lists take several values with commas between: what stands after the last comma is completed.
std::string bash_script() {
  std::string after_option, commands, pairs, first;
  for (const Option& option : settings::all_options()) {
    const std::string values = values_of(option);
    if (values.empty()) continue;
    after_option += "    " + settings::option_flag(option);
    if (const std::string list = settings::plural(option); !list.empty()) {
      after_option += "|" + settings::option_flag(list);
    }
    after_option += ") words='" + values + "' ;;\n";
  }
  for (const Command command : settings::all_commands()) {
    commands += "      '" + std::string(settings::command_name(command)) + "') words='" +
                flags_of(command) + "' ;;\n";
  }
  for (const std::string& word : first_words()) {
    first = with_blank(first, word);
    pairs += "      " + word + ") words='" + names_after(word) + "' ;;\n";
  }
  return "# Completion of scalemark for bash and zsh, made by `scalemark completion bash`.\n"
         "_scalemark() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]-} prev=${COMP_WORDS[COMP_CWORD-1]-} words= before=\n"
         "  local command=${COMP_WORDS[1]-} place=1\n"
         "  COMPREPLY=()\n"
         "  case \" " +
         first +
         " \" in *\" $command \"*) command=\"$command ${COMP_WORDS[2]-}\"; place=2 ;; esac\n"
         "  case $prev in\n" +
         after_option +
         "  esac\n"
         "  if [ -n \"$words\" ] && [ \"$COMP_CWORD\" -gt \"$place\" ]; then\n"
         "    case $cur in *,*) before=${cur%,*},; cur=${cur##*,} ;; esac\n"
         "    COMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"$cur\"))\n"
         "    return\n"
         "  fi\n"
         "  words=\n"
         "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
         "    words='" +
         names_after("") +
         " help --help --version'\n"
         "  elif [ \"$COMP_CWORD\" = 2 ] && [ \"$place\" = 2 ]; then\n"
         "    case ${COMP_WORDS[1]-} in\n" +
         pairs +
         "    esac\n"
         "  elif [ \"${cur:0:1}\" = - ]; then\n"
         "    case $command in\n" +
         commands +
         "    esac\n"
         "  else\n"
         "    case $command in\n"
         "      reproduce|'published show'|'published export'|'published lint') words='" +
         table_names() +
         "' ;;\n"
         "    esac\n"
         "  fi\n"
         "  [ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "}\n"
         "complete -o default -F _scalemark scalemark ./scalemark\n";
}

std::string fish_script() {
  std::string text =
      "# Completion of scalemark for fish, made by `scalemark completion fish`.\n"
      "complete -c scalemark -n __fish_use_subcommand -f -a '" +
      names_after("") + "'\n";
  for (const std::string& word : first_words()) {
    text += "complete -c scalemark -n '__fish_seen_subcommand_from " + word + "' -f -a '" +
            names_after(word) + "'\n";
  }
  for (const Command command : settings::all_commands()) {
    const std::string name(settings::command_name(command));
    const std::string condition =
        "'__fish_seen_subcommand_from " + name.substr(name.find(' ') + 1) + "'";
    for (const Option* option : options_of(command)) {
      const std::string values = values_of(*option);
      text += "complete -c scalemark -n " + condition + " -l " +
              settings::option_flag(*option).substr(2);
      if (!values.empty()) text += " -x -a '" + values + "'";
      text += "\n";
    }
  }
  return text;
}

}  // namespace

ExitCode completion_command(const Invocation& invocation) {
  const auto& given = invocation.positionals;
  if (given.size() == 1 && given.front() == "bash") return print_data(bash_script());
  if (given.size() == 1 && given.front() == "zsh") {
    return print_data("autoload -Uz compinit bashcompinit && compinit && bashcompinit\n" +
                      bash_script());
  }
  if (given.size() == 1 && given.front() == "fish") return print_data(fish_script());
  if (given.size() == 1 && given.front() == "man") return print_data(man_page());
  throw usage(given.empty() ? "no shell is given" : "'" + given.front() + "' is no shell we know",
              "bash, zsh, fish or man is expected");
}

}  // namespace scalemark::cli
