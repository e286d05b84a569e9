#include "apps/scalemark/outputs.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <utility>

#include "apps/scalemark/file_checks.h"
#include "claims/rows/row.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "report/keep/output_folder.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kReadOfAReport{"report.json", "journal.jsonl"};
constexpr std::array<std::string_view, 2> kEmptiedFolders{"checkpoints", "raw"};

bool is_folder(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

bool is_file(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

// Calls `use` for every file in a folder, and in the folders below it.
template <class Use>
void for_each_file(const fs::path& folder, fs::directory_options links, Use use) {
  constexpr int kDeepest = 64;  // links may lead in a circle
  std::error_code failed;
  const auto options = fs::directory_options::skip_permission_denied | links;
  for (fs::recursive_directory_iterator entry(folder, options, failed), end;
       !failed && entry != end; entry.increment(failed)) {
    if (entry.depth() >= kDeepest) entry.disable_recursion_pending();
    if (is_file(entry->path())) use(entry->path());
  }
}

// A file with a single name cannot stand in the folder under another one. That spares a walk, which
// takes minutes over a large data set.
bool holds(const fs::path& folder, const fs::path& file) {
  std::error_code unknown;
  if (fs::hard_link_count(file, unknown) == 1) return false;
  bool found = false;
  for_each_file(folder, fs::directory_options::follow_directory_symlink,
                [&](const fs::path& one) { found = found || is_same_file(one, file); });
  return found;
}

Error is_input(const std::string& named, const fs::path& output, const fs::path& input) {
  return configuration(named + " '" + output.string() + "' is an input of this command" +
                           (output == input ? "" : ": '" + input.string() + "'"),
                       "another file is expected");
}

std::string first_line(std::istream& text) {
  std::string line;
  std::getline(text, line);
  return line;
}

Error exists(const std::string& named, const fs::path& path) {
  return cannot_create(named + " '" + path.string() + "' exists already", {},
                       "choose another name, or give --overwrite");
}

}  // namespace

Inputs::Inputs(const Invocation& invocation) {
  for (const std::string& path : invocation.config_paths) files_.emplace(path);
  for (const auto& [option, path] : invocation.sources.options) {
    if (option == "run_token" || option == "metrics_token") files_.emplace(path);
  }
}

void Inputs::add(const std::string& path) {
  const fs::path given = path;
  if (!is_folder(path)) {
    files_.insert(given);
    if (given.filename() == kReadOfAReport.front()) reports_.insert(folder_of(given));
    return;
  }
  const auto add_report = [&](const fs::path& folder) {
    for (const std::string_view name : kReadOfAReport) files_.insert(folder / name);
    reports_.insert(folder);
  };
  if (is_file(given / kReadOfAReport.front())) return add_report(given);
  for_each_file(path, fs::directory_options::none, [&](const fs::path& file) {
    if (file.filename() == kReadOfAReport.front()) add_report(file.parent_path());
  });
}

void Inputs::add_library(const std::string& folder) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (published::is_library_file(entry.path())) files_.insert(entry.path());
  }
}

void Inputs::add_data(const std::string& path) {
  if (!is_folder(path)) return files_.emplace(path), void();
  const fs::path train = fs::path(path) / "train";
  if (!is_folder(train)) return folders_.emplace(path), void();
  folders_.insert(train);
  folders_.insert(fs::path(path) / "val");
}

void Inputs::refuse(const std::string& named, const fs::path& output) const {
  if (!is_file(output) || output_place(output).descriptor >= 0) return;
  for (const fs::path& input : files_) {
    if (is_same_file(output, input)) throw is_input(named, output, input);
  }
  for (const fs::path& folder : folders_) {
    if (lies_in(output, folder) || holds(folder, output)) throw is_input(named, output, folder);
  }
}

void Inputs::refuse_folder(const std::string& named, const fs::path& output) const {
  for (const fs::path& folder : folders_) {
    if (lies_in(output, folder)) {
      throw configuration(named + " '" + output.string() + "' is a part of the data",
                          "a folder outside of '" + folder.string() + "' is expected");
    }
  }
  for (const fs::path& input : files_) {
    for (const std::string_view name : kEmptiedFolders) {
      if (is_file(input) && lies_in(input, output / name)) throw is_input(named, output, input);
    }
    for (const std::string_view name : kReadOfAReport)
      if (is_same_file(input, output / name)) throw is_input(named, output, input);
  }
}

void add_inputs(const settings::Settings& settings, Inputs& inputs) {
  if (settings.task.data != "synthetic") inputs.add_data(settings.task.data);
  for (const std::string& file : {settings.task.vocab, settings.recipe.init_from}) {
    if (!file.empty()) inputs.add_data(file);
  }
}

void refuse_folders(const settings::Settings& settings, const Inputs& inputs) {
  for (const auto& [option, folder] : {std::pair{"--output", settings.general.output},
                                       {"--trace", settings.measuring.trace},
                                       {"--tensorboard", settings.general.tensorboard}}) {
    if (!folder.empty()) inputs.refuse_folder(option, folder);
  }
}

bool Inputs::lies_beside_report(const fs::path& path) const {
  return std::ranges::any_of(reports_,
                             [&](const fs::path& folder) { return lies_in(path, folder); });
}

Inputs inputs_of(const Invocation& invocation, const settings::ToolValues& values) {
  Inputs inputs(invocation);
  for (const std::string& word : invocation.positionals) inputs.add(word);
  for (const auto& [option, words] : invocation.lists) {
    for (const std::string& word : words) inputs.add(word);
  }
  for (const char* option : {"rules", "baseline", "topology", "vocab"}) {
    if (const auto path = values.text(option)) inputs.add(*path);
  }
  std::stringstream reports(values.text("from").value_or(""));
  for (std::string path; std::getline(reports, path, ',');) {
    if (!path.empty()) inputs.add(path);
  }
  if (const auto library = values.text("library")) inputs.add_library(*library);
  return inputs;
}

OutputFiles::OutputFiles(Inputs inputs, bool overwrite)
    : inputs_(std::move(inputs)), overwrite_(overwrite) {}

void OutputFiles::reserve_folder(const fs::path& folder) { of_run_ = real_place(folder); }

void OutputFiles::check(const std::string& named, const std::string& path) {
  inputs_.refuse(named, path);
  refuse_unwritable_file(named, path);
  const OutputPlace place = output_place(path);
  if (place.is_stream) return;
  const fs::path real = real_place(place.path);
  const bool by_run =
      real.parent_path() == of_run_ && reporting::is_written_by_runs(real.filename().string());
  if (by_run || !named_.insert(real).second)
    throw configuration(named + " writes '" + path + "' twice");
  if (!overwrite_ && is_file(place.path) && !inputs_.lies_beside_report(place.path))
    throw exists(named, path);
}

void OutputFiles::check_content(const std::string& named, const fs::path& path,
                                std::string_view text) const {
  const OutputPlace place = output_place(path);
  if (overwrite_ || place.is_stream || !is_file(place.path)) return;
  std::ifstream earlier(place.path, std::ios::binary);
  std::istringstream now{std::string(text.substr(0, text.find('\n') + 1))};
  const bool is_rendering = path.stem() == "report" || first_line(earlier) == first_line(now);
  if (!is_rendering) throw exists(named, path);
}

void write_output(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.append(text);
  file.commit();
}

}  // namespace scalemark::cli
