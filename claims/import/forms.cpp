// The forms of log that are known, each found by its content, and the choice of one run where a log
// holds several.
#include <algorithm>
#include <array>
#include <utility>

#include "claims/import/log_text.h"
#include "claims/rows/table_files.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace scalemark::importing {
namespace {

// Framework and unit are set where the log does not say another one.
struct Form {
  std::string_view name, looked_for;
  Runs (*read)(const LogText&);
  std::string_view framework, unit;
  bool alone = true;  // false: its program calls one of another form, or one calls it
};

// Trainers print lines of the libraries below them: the outer form stands before the inner one.
constexpr auto kForms = std::to_array<Form>(
    {{"MLPerf mllog", ":::MLLOG", read_mllog, "MLPerf", "", false},
     {"DLLL", "DLLL {", read_dlll, "DLLL log", "", false},
     {"nccl-tests text", "rccl-tests, too: a table with algbw and busbw", read_nccl_tests, "", ""},
     {"Hugging Face Trainer", "trainer_state.json, all_results.json, train_samples_per_second",
      read_trainer_log, "Hugging Face Trainer", "samples/s", false},
     {"tf_cnn_benchmarks", "total images/sec:", read_tf_cnn, "TensorFlow (tf_cnn_benchmarks)",
      "img/s"},
     {"Horovod synthetic benchmark", "Img/sec per", read_horovod, "Horovod", "img/s"},
     {"Megatron-LM", "elapsed time per iteration", read_megatron, "Megatron-LM", "seq/s", false},
     {"DeepSpeed", "SamplesPerSec=", read_deepspeed, "DeepSpeed", "samples/s", false},
     {"llm.c", "tok/s", read_llm_c, "llm.c", "tokens/s"},
     {"nanoGPT", "iter N: loss", read_nanogpt, "nanoGPT", "tokens/s"},
     {"torchtitan", "tps:", read_torchtitan, "torchtitan", "tokens/s"},
     {"timm", "Train: 0 [ 100/1251", read_timm, "timm", "img/s"},
     {"PyTorch ImageNet example", "Epoch: [0][  10/5004] Time", read_imagenet_example,
      "PyTorch (ImageNet example)", "img/s"},
     {"torchvision references", "Epoch: [0] ... eta:", read_torchvision,
      "PyTorch (torchvision references)", "img/s"}});

std::string looked_for() {
  std::vector<std::string> texts;
  for (const Form& form : kForms)
    texts.push_back(std::string(form.name) + " (" + std::string(form.looked_for) + ")");
  return "looked for: " + joined(texts, ", ");
}

// "lines 1-43: 111,709 tokens/s; lines 44-86: ...".
std::string in_words(const Runs& runs) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> texts;
  for (const Run& run : runs) {
    if (texts.size() <= kMostNamed)
      texts.push_back("lines " + std::to_string(run.first_line) + "-" +
                      std::to_string(run.last_line) + ": " + in_brief(run.log));
  }
  if (runs.size() <= kMostNamed) return joined(texts, "; ");
  texts.resize(kMostNamed);
  return joined(texts, "; ") + " and " + std::to_string(runs.size() - kMostNamed) + " more";
}

Log chosen(Runs runs, const std::string& file, std::optional<int> run) {
  const auto count = static_cast<std::int64_t>(runs.size());
  if (run && (*run < 1 || *run > count))
    throw configuration("--run is " + std::to_string(*run) + ", and '" + file + "' holds " +
                        counted(count, "run"));
  if (!run && count > 1)
    throw bad_data("'" + file + "' holds " + counted(count, "run") + ": " + in_words(runs),
                   "the log of one run is expected", "--run 2 takes the second one");
  return std::move(runs[static_cast<std::size_t>(run.value_or(1) - 1)].log);
}

// Whether no value of the one stands between values of the other.
bool are_apart(const Runs& a, const Runs& b) {
  const auto ends = [](const Runs& runs) {
    return std::pair(runs.front().log.first_line, runs.back().log.last_line);
  };
  return ends(a).second < ends(b).first || ends(b).second < ends(a).first;
}

}  // namespace

std::optional<Log> find_log(std::string_view text, const std::string& file,
                            std::optional<int> run) {
  const LogText lines(text);
  const Form* first = nullptr;
  Runs all;
  for (const Form& form : kForms) {
    Runs runs;
    try {
      runs = form.read(lines);
    } catch (const Error& error) {
      if (first) continue;
      throw bad_data("'" + file + "': " + error.record().what, error.record().expected,
                     error.record().hint);
    }
    if (runs.empty()) continue;
    // Runs of another program may follow, and an inner form is no run of its own.
    if (first && !((first->alone || form.alone) && are_apart(all, runs))) continue;
    if (!first) first = &form;
    for (Run& one : runs) {
      one.log.file = file;
      one.log.form = form.name;
      published::Row& row = one.log.says;
      if (row.framework.empty()) row.framework = form.framework;
      if (row.unit.empty()) row.unit = form.unit;
      all.push_back(std::move(one));
    }
    std::ranges::sort(all, {}, [](const Run& one) { return one.log.first_line; });
  }
  if (all.empty()) return std::nullopt;
  for (Run& one : all) {
    if (all.front().log.form == all.back().log.form) break;
    one.first_line = one.log.first_line;
    one.last_line = one.log.last_line;
  }
  return chosen(std::move(all), file, run);
}

Log read_log(std::string_view text, const std::string& file, std::optional<int> run) {
  if (auto log = find_log(text, file, run)) return *std::move(log);
  throw unread_file(text, file);
}

Error unread_file(std::string_view text, const std::string& file) {
  const std::string name = "'" + file + "'", word = shell_word(file);
  if (const auto log = find_log(text, file, 1))
    return bad_data(name + " is a log (" + log->form + ")", "another kind of file is expected here",
                    "`scalemark judge " + word + "` compares it, `scalemark import " + word +
                        " --output ROWS.jsonl` makes rows of it");
  try {
    const std::string form = form_of_table(text, file);
    const bool is_printed = form == "table" || form == "rows";
    return bad_data(name + " is a table (" + form + ")", "another kind of file is expected here",
                    (is_printed ? "`scalemark judge " + word + "` compares it, " : std::string()) +
                        "`scalemark published add " + word + " --library DIR` keeps it");
  } catch (const tables::NoTable& error) {
    return bad_data(
        name + " is no log that is known here, and" + error.record().what.substr(name.size()),
        looked_for() + ", and tables of GPUs and a rate (Markdown, CSV, HTML, SuperBench, timm)",
        "write its numbers as a table, `GPUs,img/s` and below it `8,3100`, and what that does not "
        "say as --fields: `scalemark judge TABLE.csv --fields "
        "system=MACHINE,workload=NETWORK,precision=FORMAT`");
  }
}

}  // namespace scalemark::importing
