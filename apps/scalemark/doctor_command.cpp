// scalemark doctor: what is here, what is missing, what was detected from which variables.
#include <dlfcn.h>

#include <span>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/doctor_report.h"
#include "apps/scalemark/help.h"
#include "apps/scalemark/library_folder.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/mpi_rows.h"
#include "apps/scalemark/rdma_text.h"
#include "apps/scalemark/report_folder.h"
#include "apps/scalemark/sources.h"
#include "apps/scalemark/torch_folder.h"
#include "core/base/error.h"
#include "core/launching/describe.h"
#include "core/monitoring/gpu_code.h"
#include "core/reporting/record/report_json.h"
#include "core/reporting/table/table.h"
#include "core/settings/layers.h"

namespace scalemark::cli {
namespace {

constexpr std::size_t kNames = 12;  // columns that they take

std::string row(std::string name, const std::string& value) {
  name.resize(kNames, ' ');
  return name + value + "\n";
}

std::string torch_row(const std::string& given, bool& missing) {
  try {
    const TorchFolder torch = find_torch(given);
    return row("torch", torch.version + " in " + torch.path.string() + " (" + torch.from + ")");
  } catch (const Error& error) {
    missing = true;
    return row("torch", "MISSING: " + error.record().what + "; " + error.record().expected) +
           row("", error.record().hint);
  }
}

std::string library_row(const char* name, const char* meaning) {
  const bool there = std::filesystem::exists(library_folder() / name);
  return row(there ? "library" : "no library", std::string(name) + " (" + meaning + ")");
}

std::string gpu_rows(const settings::Gpu& gpu) {
  if (!gpu.capability) return row("", "a GPU that the driver describes incompletely");
  std::string text =
      row("", gpu.name + ", compute capability " + std::to_string(gpu.capability->major) + "." +
                  std::to_string(gpu.capability->minor));
  const auto reason = settings::why_unsupported(
      settings::Precision::kAmpBf16,
      {.device = settings::DeviceKind::kCuda, .cpu_flags = {}, .gpu = gpu.capability});
  if (reason) text += row("", "tf32 and amp-bf16 on it: " + *reason);
  text +=
      row("", "kernels of this build on it: " + monitoring::in_words(monitoring::gpu_code_for(
                                                    gpu.capability->major, gpu.capability->minor)));
  return text;
}

std::string machine_rows(const ProbedMachine& probed) {
  std::string text =
      row("cpu", (probed.cpu_name.empty() ? "unknown" : probed.cpu_name) + ", " +
                     std::to_string(probed.machine.cores) + " cores for this process");
  for (const auto precision : {settings::Precision::kAmpBf16}) {
    const auto reason = settings::why_unsupported(
        precision,
        {.device = settings::DeviceKind::kCpu, .cpu_flags = probed.machine.cpu_flags, .gpu = {}});
    text += row("", std::string(name_of(precision)) + " on cpu: " + reason.value_or("yes"));
  }
  const auto gpus = std::ssize(probed.machine.gpus) + probed.gpus_without_cuda_part;
  text += row("gpus", std::to_string(gpus) + " visible (/dev/nvidia*, CUDA_VISIBLE_DEVICES)");
  for (const settings::Gpu& gpu : probed.machine.gpus) text += gpu_rows(gpu);
  return text;
}

bool library_loads(const char* name) {
  void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (library) dlclose(library);
  return library != nullptr;
}

std::string rdma_rows(bool gpus) {
  std::string text;
  for (const std::string& line : rdma_lines({.survey = monitoring::survey_rdma(),
                                 .verbs_load = library_loads("libibverbs.so.1"),
                                 .gpus = gpus})) {
    text += row(text.empty() ? "rdma" : "", line);
  }
  return text;
}

// Prints the report of --measure as it was asked for.
void measure(const Invocation& invocation, const settings::ToolValues& values,
             const ProbedMachine& probed, const std::string& text) {
  const auto folder = report_folder(values);
  const bool json = values.text("log_format") == "json";
  if (!json) print_result(text);  // before what takes seconds
  const reporting::Report report = measured_report(invocation, values, probed);
  if (folder) write_report(*folder, report);
  if (json) {
    print_data(reporting::to_json(report));
  } else {
    print_result(reporting::render_table(std::span(&report, 1), reporting::TableFormat::kText,
                                         terminal_of(STDOUT_FILENO)));
  }
}

void note_options_without_measure(const settings::ToolValues& values) {
  for (const char* name : {"output", "overwrite", "log_format"}) {
    if (values.given(name)) {
      print_note(settings::option_flag(name) + " has no effect without --measure");
    }
  }
}

}  // namespace

const HelpPage doctor_page = {
    "",
    "Prints the program, torch, processors, GPUs, RDMA ports, and which launcher was detected "
    "from\n"
    "which variables. With --measure also what the machine does by itself: 2 s each of a matrix\n"
    "product per precision, memory copy, copy to the GPU, image loader and disk read, with 95 %\n"
    "intervals. Nothing else should run meanwhile. Two such reports can be compared.",
    "  scalemark doctor\n"
    "  scalemark doctor --measure --output results/runs/machine-{host}-{date}\n"
    "  scalemark compare machine-before machine-now\n"};

ExitCode doctor_command(const Invocation& invocation) {
  exactly(invocation, 0, "nothing but options");
  const settings::ToolValues values = read_tool_values(invocation);
  bool missing = false;
  std::string text = version_text();
  text += torch_row(values.text("torch").value_or(""), missing);
  text += library_row("libscalemark_engine.so", "training");
  text += library_row("libscalemark_cuda.so", "GPUs");
  text += library_row("libscalemark_data.so", "images and text");
  text += library_row("libscalemark_opencv.so", "augmentations");
  const ProbedMachine probed = probe_machine();
  for (const std::string& line : mpi_lines()) text += row("mpi", line);
  text += machine_rows(probed);
  text += rdma_rows(!probed.machine.gpus.empty());
  text += "launching\n";
  const auto detection = launching::detect(launching::make_request(values.settings()));
  for (const std::string& line : launching::describe(detection)) text += "  " + line + "\n";
  if (values.on("measure")) {
    measure(invocation, values, probed, text);
  } else {
    note_options_without_measure(values);
    print_result(text);
  }
  return missing || !detection.problems.empty() ? ExitCode::kSystem : ExitCode::kPass;
}

}  // namespace scalemark::cli
