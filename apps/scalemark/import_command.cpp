// scalemark import: others' logs as rows of a table.
#include <algorithm>
#include <filesystem>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/row_files.h"
#include "apps/scalemark/sources.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/importing/log.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

// Looks before anything is read.
std::string free_output(const Invocation& invocation, const settings::ToolValues& values) {
  const auto output = values.text("output");
  if (!output) throw usage("--output is not given", "the name of a .jsonl file is expected");
  if (fs::path(*output).extension() != ".jsonl" && !output_place(*output).is_stream)
    throw usage("--output is '" + *output + "'", "a file with the ending .jsonl is expected");
  OutputFiles(inputs_of(invocation, values), values.on("overwrite")).check("--output", *output);
  return *output;
}

std::string forms_of(const std::vector<importing::Log>& logs) {
  std::vector<std::string> forms;
  for (const importing::Log& log : logs) {
    if (std::ranges::find(forms, log.form) == forms.end()) forms.push_back(log.form);
  }
  return joined(forms, " and ");
}

}  // namespace

const HelpPage import_page = {
    "LOG...",
    "Makes rows of a published table of others' logs, so that `lint`, `reproduce` and `published\n"
    "show` take them: nccl-tests, Hugging Face Trainer (trainer_state.json, all_results.json, "
    "what\n"
    "it prints), DLLL, MLPerf's mllog, and steps of torchtitan, llm.c and nanoGPT. The form is\n"
    "found by the content; several logs are one table. The median of the steps after the first\n"
    "tenth counts. What a log does not say is asked for, never guessed: --fields says it.",
    "  scalemark import all_reduce.log --output nccl.jsonl\n"
    "  scalemark import n1.log n2.log n4.log --output nanogpt.jsonl --fields \\\n"
    "      gpus=1/2/4,batch_per_gpu=12,precision=amp_bf16,system=A100,workload=gpt2\n"};

ExitCode import_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  if (invocation.positionals.empty()) throw usage("no log is given", "one or more are expected");
  const std::string output = free_output(invocation, values);
  const importing::GivenFields given(values.text("fields").value_or(""),
                                     invocation.positionals.size());
  std::vector<importing::Log> logs;
  for (const std::string& path : invocation.positionals)
    logs.push_back(importing::read_log(read_row_text(path), path));
  const auto imported = importing::import_logs(
      logs, given, values.text("group").value_or(fs::path(output).stem().string()));
  write_row_file(output, imported.rows);
  return print_result(counted(imported.rows.size(), "row") + " of " + forms_of(logs) +
                      " written to " + output + "\n" + joined(imported.lines, "\n") +
                      "\nnext: scalemark published show " + shell_word(output) + "\n");
}

}  // namespace scalemark::cli
