// Fills in what the command line does not hold: the environment, and the texts of config files.
// `configs` lists those that --config knows by name.
#pragma once

#include <string>
#include <vector>

#include "apps/scalemark/command_line.h"
#include "core/launch/detect.h"
#include "core/settings/layers.h"
#include "core/settings/reader.h"

namespace scalemark::cli {

// Throws no_input() (66) for a pipe that several ranks of `detection` would each read a part of.
// `named`: the option that names it, such as "--run-token".
void refuse_shared(const std::string& named, const std::string& path,
                   const launching::Detection& detection);
void refuse_shared_configs(const Invocation& invocation, const launching::Detection& detection);

// Throws no_input (66) for a config file that cannot be read, or a name that is not known.
settings::Layers read_layers(const Invocation& invocation);

// Reads the values of a command that trains nothing. Prints each problem on stderr, then throws
// (78).
settings::ToolValues read_tool_values(const Invocation& invocation);

// How many threads --workers asks for; 0 means, as in training, that the calling thread works.
int threads_of(const settings::ToolValues& values);

// The only positional argument; empty: none. Throws usage() (64) for a second one.
std::string at_most_one(const Invocation& invocation);

// The positional arguments, exactly `count` of them. Throws usage() (64) naming `what` is expected.
const std::vector<std::string>& exactly(const Invocation& invocation, std::size_t count,
                                        const std::string& what);

}  // namespace scalemark::cli
