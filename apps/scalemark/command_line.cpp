#include "apps/scalemark/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "apps/scalemark/help.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/settings/layers.h"
#include "core/settings/problem.h"
#include "core/settings/value.h"

namespace scalemark::cli {
namespace {

using settings::Command;
using settings::Kind;
using settings::Option;

std::string dashed(std::string_view name) { return settings::option_flag(name).substr(2); }

// "--batch-size,--batch_size,-b", with the aliases in both spellings; where a command takes lists,
// --batch-sizes too.
std::string cli11_names(const Option& option, Command command) {
  std::string names;
  const auto add = [&](std::string_view name) {
    names += (names.empty() ? "--" : ",--") + dashed(name);
    if (dashed(name) != name) names += ",--" + std::string(name);
  };
  add(option.name);
  for (const std::string_view alias : option.aliases) add(alias);
  const std::string plural = command & settings::kTakesLists ? settings::plural(option) : "";
  if (!plural.empty()) add(plural);
  if (option.letter) names += std::string(",-") + option.letter;
  return names;
}

// Whether an option takes one or several words, "FILE...", and may be given again ("FORMAT,..." is
// one word). Such options stand on the command line only; Invocation::lists keeps their words.
bool takes_several(const Option& option) {
  return option.value_name.ends_with("...") && !option.value_name.ends_with(",...");
}

struct Bound {
  const Option* option;
  CLI::Option* parsed;
};

std::vector<Bound> bind_options(CLI::App& app, Command command) {
  std::vector<Bound> bound;
  for (const Option& option : settings::all_options()) {
    if (!takes(command, option)) continue;
    CLI::Option* parsed = settings::has_optional_value(option)
                              ? app.add_flag(cli11_names(option, command))
                              : app.add_option(cli11_names(option, command));
    parsed->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (takes_several(option)) {
      parsed->expected(CLI::detail::expected_max_vector_size);  // any number of words
      parsed->inject_separator();  // an empty word before each further occurrence
    }
    bound.push_back({&option, parsed});
  }
  return bound;
}

bool names_an_option(std::string_view text, Command command) {
  if (!text.starts_with("--")) return false;
  const Option* option = settings::find_option(text.substr(2, text.find('=') - 2), command);
  return option && takes(command, *option);
}

void refuse_unknown(const std::vector<std::string>& remaining, Command command) {
  for (const std::string& word : remaining) {
    if (!word.starts_with('-') || word == "-" || word == "--") continue;
    const std::string name =
        word.substr(word.find_first_not_of('-') == std::string::npos ? word.size()
                                                                     : word.find_first_not_of('-'));
    std::vector<std::string> flags;
    for (const auto known : settings::option_names(command)) flags.push_back(dashed(known));
    const std::vector<std::string_view> candidates(flags.begin(), flags.end());
    const std::string command_text(settings::command_name(command));
    const std::string bare = name.substr(0, name.find('='));
    std::string hint = settings::replacement_hint(bare, command)
                           .value_or(settings::did_you_mean(bare, candidates, "--"));
    if (hint.empty()) hint = "`scalemark " + command_text + " --help` lists them";
    throw usage("unknown option '" + word.substr(0, word.find('=')) + "'", {}, std::move(hint));
  }
}

// Adds one entry for each time that the option was given.
void take_lists(const Option& option, const std::vector<std::string>& values,
                Invocation& invocation) {
  const std::size_t first = invocation.lists.size();
  for (const std::string& value : values) {
    if (invocation.lists.size() == first || value.empty()) {
      invocation.lists.push_back({option.name, {}});
    }
    if (!value.empty()) invocation.lists.back().second.push_back(value);
  }
}

void take(const Bound& bound, Command command, Invocation& invocation) {
  const std::string flag = settings::option_flag(*bound.option);
  const std::vector<std::string>& values = bound.parsed->results();
  for (const std::string& value : values) {
    if (names_an_option(value, command)) {
      throw usage(flag + " is followed by '" + value + "'", "a value is expected");
    }
  }
  if (bound.option->name == "config") {
    invocation.config_paths = values;
  } else if (bound.option->name == settings::kVariableOption) {
    invocation.sources.variables = values;
  } else if (bound.option->name == "set") {
    invocation.sources.set = values;
  } else if (takes_several(*bound.option)) {
    take_lists(*bound.option, values, invocation);
  } else if (values.size() > 1) {
    throw usage(flag + " is given " + std::to_string(values.size()) + " times", "once is expected");
  } else if (values.size() == 1) {
    // CLI11 gives "true" for an option that stands alone.
    const bool alone = values.front() == "true" && settings::has_optional_value(*bound.option);
    invocation.sources.options.emplace_back(bound.option->name, alone ? "on" : values.front());
  }
}

// CLI11's own texts name its types; ours say what is missing.
Error missing_value(const CLI::ParseError& error) {
  const std::string text = error.what();
  return usage("'" + text.substr(0, text.find_first_of(": ")) + "' lacks its value");
}

CommandLine parse_options(Command command, std::vector<std::string> arguments) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  CLI::Option* help = app.add_option("--help,-h")->expected(0, 1);
  CLI::Option* help_all = app.add_flag("--help-all");
  const std::vector<Bound> bound = bind_options(app, command);
  std::ranges::reverse(arguments);  // CLI11 takes its vector from the end
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    throw missing_value(error);
  }

  CommandLine line;
  line.invocation.command = command;
  if (help->count() > 0 || help_all->count() > 0) {
    line.action = Action::kCommandHelp;
    if (help->count() > 0) line.topic = help->results().front();
    if (help_all->count() > 0) line.topic = kAllTopics;
    return line;
  }
  const std::vector<std::string> remaining = app.remaining();
  refuse_unknown(remaining, command);
  for (const Bound& each : bound) take(each, command, line.invocation);
  for (const std::string& word : remaining) {
    if (word != "--") line.invocation.positionals.push_back(word);
  }
  return line;
}

Error unknown_command(const std::string& given) {
  std::vector<std::string_view> names{"help", "version"};
  for (const Command command : settings::all_commands()) {
    names.push_back(settings::command_name(command));
  }
  std::string hint = settings::did_you_mean(given, names);
  if (hint.empty()) hint = "`scalemark --help` lists the commands";
  return usage("unknown command '" + given + "'", {}, std::move(hint));
}

// Returns the commands whose first word is `word`: "data generate" and its like of "data".
std::vector<std::string_view> longer_names(const std::string& word) {
  std::vector<std::string_view> names;
  for (const Command command : settings::all_commands()) {
    const std::string_view name = settings::command_name(command);
    if (name.starts_with(word + " ")) names.push_back(name);
  }
  return names;
}

// Whether the word begins commands of two words, as "data" does; alone it is no command then.
bool begins_longer_name(const std::string& word) { return !longer_names(word).empty(); }

// Takes the words of the command off `rest`: one, or two as in "data generate".
Command take_command(std::vector<std::string>& rest) {
  std::string name = rest.front();
  rest.erase(rest.begin());
  if (begins_longer_name(name) && !rest.empty() && !rest.front().starts_with('-')) {
    name += " " + rest.front();
    rest.erase(rest.begin());
  }
  if (const auto command = settings::find_command(name)) return *command;
  throw unknown_command(name);
}

bool is_local_rank(std::string_view word) {
  const std::string name = settings::normalised(word.substr(0, word.find('=')));
  return name == "__local_rank";
}

// torch.distributed.launch puts --local-rank=N before the command; options stand behind it.
std::vector<std::string> move_local_rank_back(std::vector<std::string> arguments) {
  if (arguments.empty() || !is_local_rank(arguments.front())) return arguments;
  const std::ptrdiff_t words = arguments.front().find('=') == std::string::npos ? 2 : 1;
  if (std::ssize(arguments) <= words) return arguments;
  std::rotate(arguments.begin(), arguments.begin() + words, arguments.end());
  return arguments;
}

// At a terminal zsh hands on the comment behind a command, word by word.
void refuse_comment(const std::vector<std::string>& words) {
  if (std::ranges::find(words, "#") == words.end()) return;
  throw usage(
      "'#' is no argument of scalemark", "a comment stands on a line of its own",
      "zsh passes comments on as words: leave them out, or `setopt interactive_comments`; a "
      "file of that name is ./#");
}

CommandLine help_of(Command command) {
  CommandLine line{.action = Action::kCommandHelp};
  line.invocation.command = command;
  return line;
}

}  // namespace

std::string shell_command(const std::vector<std::string>& words) {
  std::vector<std::string> line{"scalemark"};
  line.insert(line.end(), words.begin(), words.end());
  return shell_line(line);
}

CommandLine parse_command_line(const std::vector<std::string>& arguments) {
  std::vector<std::string> rest = move_local_rank_back(arguments);
  if (rest.empty()) return {.action = Action::kFirstQuestion};
  refuse_comment(rest);
  // `help data` prints the general help, which lists the commands that begin with "data".
  if (rest.front() == "help" && rest.size() > (begins_longer_name(rest.back()) ? 2u : 1u)) {
    rest.erase(rest.begin());
    return help_of(take_command(rest));
  }
  const std::string& first = rest.front();
  if (first == "--version" || first == "version") return {.action = Action::kVersion};
  if (first == "--help" || first == "-h" || first == "help") return {.action = Action::kHelp};
  if (first.starts_with('-')) {
    throw usage("'" + first + "' comes before the command", {}, "scalemark COMMAND [OPTIONS]");
  }
  if (begins_longer_name(first) && rest.size() == 1) {
    throw usage("'" + first + "' is the beginning of a command",
                listed(longer_names(first), 20) + " is expected",
                "`scalemark --help` says what they do");
  }
  if (begins_longer_name(first) && (rest[1] == "--help" || rest[1] == "-h")) {
    return {.action = Action::kHelp};
  }
  const Command command = take_command(rest);
  CommandLine line = parse_options(command, std::move(rest));
  line.invocation.arguments = arguments;
  line.invocation.command_line = shell_command(arguments);
  return line;
}

}  // namespace scalemark::cli
