// Checks the outputs that a command line names against existing files and against its inputs.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "apps/scalemark/command_line.h"
#include "core/settings/reader.h"
#include "core/settings/settings.h"

namespace scalemark::cli {

// The files that a command reads, however they are named.
class Inputs {
 public:
  // Begins with the files of --config, --run-token and --metrics-token.
  explicit Inputs(const Invocation& invocation);

  // Adds a file, or a folder that holds one report or several.
  void add(const std::string& path);
  // Adds a folder of rows: its *.jsonl.
  void add_library(const std::string& folder);
  // Adds the data of a training: all files of a folder, or of an image tree those of train/ and
  // val/.
  void add_data(const std::string& path);

  // Throws configuration() (78) where an output of this name would replace one of them: another
  // spelling, a hard link and a symbolic link are the same file. `named`: the option that names it.
  void refuse(const std::string& named, const std::filesystem::path& output) const;
  // The same where the folder of a run would be emptied of its files or checkpoints, or where a
  // data set would get the files of a run.
  void refuse_folder(const std::string& named, const std::filesystem::path& output) const;

  bool lies_beside_report(const std::filesystem::path& path) const;

 private:
  std::set<std::filesystem::path> files_;
  std::set<std::filesystem::path> folders_;  // all files of such a folder are read
  std::set<std::filesystem::path> reports_;  // the folders of reports
};

// The files that a training reads.
void add_inputs(const settings::Settings& settings, Inputs& inputs);

// Inputs::refuse_folder() for each folder that a training fills.
void refuse_folders(const settings::Settings& settings, const Inputs& inputs);

// All files that a command without ranks reads, by its words and options.
Inputs inputs_of(const Invocation& invocation, const settings::ToolValues& values);

// The outputs of a command line: each is checked before anything is read, and written at the end.
class OutputFiles {
 public:
  OutputFiles(Inputs inputs, bool overwrite);

  // Refuses the files of a run in this folder as further outputs.
  void reserve_folder(const std::filesystem::path& folder);
  // Throws configuration() (78) for a file that the command reads, or writes already;
  // cannot_create() (73) where it cannot be written, or is there and not to be replaced. What lies
  // in the folder of a report that is read is left to check_content().
  void check(const std::string& named, const std::string& path);
  // Throws cannot_create() (73) for a file in the folder of a report whose first line differs from
  // that of `text`: only an earlier rendering is replaced unasked.
  void check_content(const std::string& named, const std::filesystem::path& path,
                     std::string_view text) const;

 private:
  Inputs inputs_;
  bool overwrite_;
  std::set<std::filesystem::path> named_;
  std::filesystem::path of_run_;
};

// Throws as AtomicFile does.
void write_output(const std::filesystem::path& path, std::string_view text);

}  // namespace scalemark::cli
