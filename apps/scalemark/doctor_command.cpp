// scalemark doctor: what is here, what is missing, what was detected from which variables.
#include "apps/scalemark/commands.h"
#include "apps/scalemark/help.h"
#include "apps/scalemark/library_folder.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/sources.h"
#include "apps/scalemark/torch_folder.h"
#include "core/base/error.h"
#include "core/launching/describe.h"
#include "core/monitoring/gpu_code.h"
#include "core/settings/defaults.h"
#include "core/settings/read_fields.h"

namespace scalemark::cli {
namespace {

std::string row(std::string name, const std::string& value) {
  name.resize(12, ' ');
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
  std::string text = row("cpu", probed.cpu_name + ", " + std::to_string(probed.machine.cores) +
                                    " cores for this process");
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

settings::Settings launch_settings(const settings::ToolValues& values) {
  settings::Settings settings;
  for (const char* name : {"launcher", "standalone"}) {
    const settings::RawSettings one{{name, {values.text(name).value_or(""), "option"}}};
    settings::read_fields(one, settings);
  }
  return settings;
}

}  // namespace

const HelpPage doctor_page = {
    "",
    "Prints the program, torch, processors, GPUs, and which launcher was detected from which\n"
    "variables.",
    "  scalemark doctor\n"};

ExitCode doctor_command(const Invocation& invocation) {
  exactly(invocation, 0, "nothing but options");
  const settings::ToolValues values = read_tool_values(invocation);
  bool missing = false;
  std::string text = version_text();
  text += torch_row(values.text("torch").value_or(""), missing);
  text += library_row("libscalemark_engine.so", "training");
  text += library_row("libscalemark_cuda.so", "GPUs");
  text += library_row("libscalemark_data.so", "images and text");
  text += machine_rows(probe_machine());
  text += "launching\n";
  const auto detection = launching::detect(launching::make_request(launch_settings(values)));
  for (const std::string& line : launching::describe(detection)) text += "  " + line + "\n";
  print_result(text);
  return missing || !detection.problems.empty() ? ExitCode::kSystem : ExitCode::kPass;
}

}  // namespace scalemark::cli
