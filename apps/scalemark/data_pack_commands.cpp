// scalemark data pack, data verify. data/ does the work; this file prints the results.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/libraries.h"
#include "apps/scalemark/loading_values.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/live/progress.h"

namespace scalemark::cli {
namespace {

using settings::ToolValues;
using Done = std::function<void(std::int64_t done, std::int64_t all)>;

// Shows progress as a bar on a terminal. The first call of done() says how much was done before.
class ShownProgress {
 public:
  ShownProgress(const ToolValues& values, std::string phase) : phase_(std::move(phase)) {
    const auto options = live::progress_options_for(stderr);
    if (options && !values.on("no_progress")) shown_.emplace(stderr, *options, "images", "image");
  }

  Done done() {
    return [this](std::int64_t done, std::int64_t all) {
      if (!shown_) return;
      if (!begun_) shown_->begin(phase_, all, 1, done);
      begun_ = true;
      shown_->update(done);
    };
  }

 private:
  std::string phase_;
  std::optional<live::Progress> shown_;
  bool begun_ = false;
};

std::int64_t shard_bytes(const ToolValues& values) {
  const std::string text = *values.text("shard_size");
  if (const auto bytes = parse_byte_size(text)) return *bytes;
  throw configuration("--shard-size is '" + text + "'", "a size with its unit: 1GiB, 500MB");
}

data::PackOptions pack_options(const std::vector<std::string>& words, const ToolValues& values) {
  return {.tree = words[0],
          .output = words[1],
          .form = *find_word<data::packed::Form>(*values.text("form")),
          .shard_bytes = shard_bytes(values),
          .skip_bad_samples = on_bad_sample_of(values) == data::OnBadSample::kSkip,
          .threads = threads_of(values),
          .overwrite = values.on("overwrite")};
}

std::string listed_text(const std::vector<std::string>& files, const std::string& what) {
  if (files.empty()) return "";
  std::string text = counted(std::ssize(files), "file") + " " + what + ":\n";
  for (const std::string& file : files) text += on_one_line(file) + "\n";
  return text;
}

std::string pack_text(const data::PackReport& made, const data::PackOptions& options) {
  std::string text = std::to_string(made.train) + " images for training and " +
                     std::to_string(made.evaluate) + " for evaluation as " +
                     std::string(name_of(options.form)) + ", " + size_text(made.bytes) + " in " +
                     counted(made.shards, "shard");
  if (made.shards_found > 0) {
    text += " (" + std::to_string(made.shards_found) + " of an earlier call)";
  }
  return text + ", in " + options.output + "\n" + listed_text(made.left_out, "left out") +
         listed_text(made.kept_undecodable, "kept that will not decode") +
         "train on it: scalemark train --workload resnet50 --data " + shell_word(options.output) +
         "\n";
}

std::string verify_text(const data::VerifyReport& report) {
  const std::string samples = counted(report.samples, "sample");
  if (!report.packed) return samples + ", each of which decodes\n";
  return samples + " in " + counted(report.shards, "shard") + ", " + size_text(report.bytes) +
         ", all of which match their checksums\n";
}

// Prints all faults on stdout, and throws an error that names the first.
[[noreturn]] void report_faults(const data::VerifyReport& report, const std::string& path) {
  std::string text;
  for (const std::string& fault : report.faults) text += on_one_line(fault) + "\n";
  print_result(text);
  const auto faults = std::ssize(report.faults);
  throw bad_data(
      path + " has " + counted(faults, "fault") + (faults == 1 ? ": " : ", the first: ") +
          report.faults.front(),
      {},
      report.packed ? "copy the damaged files anew, or pack the tree again" : data::kLeaveOutHint);
}

}  // namespace

ExitCode data_pack_command(const Invocation& invocation) {
  const auto& words = exactly(invocation, 2, "an image folder and an output folder");
  const ToolValues values = read_tool_values(invocation);
  data::PackOptions options = pack_options(words, values);
  data::PackReport made;
  {
    const StopLine stopped("data pack was stopped",
                           "the same command goes on behind the last shard that is complete");
    ShownProgress progress(values, "packing");
    options.progress = progress.done();
    made = load_data_library().pack_images(options);
  }
  print_notes(made.notes);
  return print_result(pack_text(made, options));
}

ExitCode data_verify_command(const Invocation& invocation) {
  const std::string& path = exactly(invocation, 1, "packed data or an image folder").front();
  const ToolValues values = read_tool_values(invocation);
  data::VerifyReport report;
  {
    const StopLine stopped("data verify was stopped", "");
    ShownProgress progress(values, "verifying");
    report = load_data_library().verify_images(
        {.path = path, .threads = threads_of(values), .progress = progress.done()});
  }
  print_notes(report.notes);
  if (!report.faults.empty()) report_faults(report, path);
  return print_result(verify_text(report));
}

}  // namespace scalemark::cli
