// scalemark doctor prints what is here, what is missing, and what was detected from which
// variables; with --measure it also measures the machine and makes a report.

#include <dlfcn.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/commands.h"
#include "apps/scalemark/formats.h"
#include "apps/scalemark/help.h"
#include "apps/scalemark/libraries.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/rdma_text.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/base/plugin.h"
#include "core/base/text.h"
#include "core/launch/describe.h"
#include "core/launch/mpi_library.h"
#include "core/machine/gpu_code.h"
#include "core/machine/gpu_support.h"
#include "core/machine/gpus.h"
#include "core/machine/survey.h"
#include "core/settings/layers.h"
#include "core/settings/reader.h"
#include "report/judge/judge.h"
#include "report/judge/point/fingerprint.h"
#include "report/judge/point/telemetry.h"
#include "report/record/report.h"
#include "report/record/report_json.h"
#include "report/say/table/table.h"

namespace scalemark::cli {
namespace {

fingerprint::MeasureRequest request_of(const settings::ToolValues& values,
                                       const ProbedMachine& probed, const TorchFolder& torch) {
  fingerprint::MeasureRequest request;
  request.device =
      probed.machine.gpus.empty() ? settings::DeviceKind::kCpu : settings::DeviceKind::kCuda;
  request.threads = probed.machine.cores;
  request.torch = torch.path.string();
  request.library_folder = library_folder().string();
  request.folder = values.text("output").value_or(".");
  return request;
}

reporting::Report first_page(const Invocation& invocation) {
  reporting::Report report;
  report.started = reporting::utc_now();
  report.run_id = "none";
  report.tool = reporting::this_tool();
  report.invocation.command = "doctor";
  report.invocation.command_line = invocation.command_line;
  report.invocation.launcher = "single";
  report.invocation.settings_json = "{}";
  report.environment = {.hosts = {monitoring::survey_host()},
                        .variables = monitoring::allowed_variables()};
  return report;
}

// The report of --measure: the machine, and the speeds of its parts. The engine measures, on the
// first GPU where there is one, about 2 s for each measurement. Throws what finding torch and
// loading the engine throw, and the error of a process that cannot be set up.
reporting::Report measured_report(const Invocation& invocation, const settings::ToolValues& values,
                                  const ProbedMachine& probed) {
  const TorchFolder torch = find_torch(values.text("torch").value_or(""));
  reporting::Report report = first_page(invocation);
  const std::string device = probed.machine.gpus.empty() ? "cpu" : "cuda";
  const api::EngineApi& engine = load_engine(torch, {.device = device, .is_first = true});
  report.tool.libraries["libtorch"].running_with = torch.version;
  fingerprint::MeasuredMachine measured = engine.measure(request_of(values, probed, torch));
  if (measured.error) throw Error(*measured.error);
  report.fingerprint = std::move(measured.records);
  report.telemetry = reporting::telemetry_of("", std::span(&measured.readings, 1));
  reporting::mark_disturbed(report);
  report.finished = reporting::utc_now();
  report.status = reporting::ReportStatus::kComplete;
  report.exit_code = static_cast<int>(ExitCode::kPass);
  reporting::judge(report);
  return report;
}

// MPI_MAX_LIBRARY_VERSION_STRING of MPICH; Open MPI's is smaller.
constexpr std::size_t kLongestVersion = 8192;

// The version of the library; empty: it does not load. MPI's function for it may be called before
// MPI is started (MPI 3.0, 8.1.1).
std::string version_of(const launching::MpiLibrary& library) {
  void* handle = dlopen(std::string(library.soname).c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return {};
  using Function = int (*)(char*, int*);
  const auto ask = reinterpret_cast<Function>(dlsym(handle, "MPI_Get_library_version"));
  std::string text(kLongestVersion, '\0');
  int length = 0;
  if (ask == nullptr || ask(text.data(), &length) != 0) return std::string(library.title);
  text.resize(static_cast<std::size_t>(length));
  return launching::mpi_version_in(text);
}

std::string line_of(const launching::MpiLibrary& library,
                    const launching::Environment& environment) {
  const auto minors = torch_minors_of(library_folder(), library.part);
  const std::string version = version_of(library);
  const std::string mpirun = find_mpirun(library, environment);
  std::string line = version.empty() ? std::string(library.title) + ": " +
                                           std::string(library.soname) + " does not load"
                                     : version;
  const std::string part = ", libscalemark_" + std::string(library.part);
  line += minors.empty() ? part + " is not there (build with " + std::string(library.headers) + ")"
                         : part + " for torch " + joined(minors, ", ");
  line += mpirun.empty() ? ", no mpirun on PATH" : ", " + mpirun;
  if (version.empty() || mpirun.empty()) line += " (install " + std::string(library.package) + ")";
  return line;
}

// One line per MPI library, with its version, our plugin for it and the mpirun that would start
// ranks, or with what to install: "Open MPI 4.1.4, libscalemark_mpi_openmpi for torch 2.11,
// /usr/bin/mpirun.openmpi". Loads the libraries, does not start MPI.
std::vector<std::string> mpi_lines() {
  const auto environment = launching::snapshot_environment();
  std::vector<std::string> lines;
  for (const auto& library : launching::kMpiLibraries) {
    lines.push_back(line_of(library, environment));
  }
  return lines;
}

constexpr std::size_t kNames = 12;  // columns of a row's name

std::string row(std::string name, const std::string& value) {
  name.resize(kNames, ' ');
  return name + value + "\n";
}

// `minor`: of the torch that is found.
std::string torch_row(const std::string& given, std::string& minor) {
  try {
    const TorchFolder torch = find_torch(given);
    minor = torch.minor;
    return row("torch", torch.version + " in " + torch.path.string() + " (" + torch.from + ")");
  } catch (const Error& error) {
    return row("torch", "MISSING: " + error.record().what + "; " + error.record().expected) +
           row("", error.record().hint);
  }
}

// A library that uses torch is built for each minor version of it.
std::string library_row(const std::string& part, const std::string& meaning) {
  const std::string name = "libscalemark_" + part;
  const bool serves_all = std::filesystem::exists(library_folder() / (name + ".so"));
  const auto minors = torch_minors_of(library_folder(), part);
  return row(serves_all || !minors.empty() ? "library" : "no library",
             name + (serves_all ? ".so" : "") + " (" + meaning + ")" +
                 (minors.empty() ? "" : " for torch " + joined(minors, ", ")));
}

std::string gpu_rows(const settings::Gpu& gpu, int driver_cuda_version,
                     const monitoring::CodeInBuild& build) {
  if (!gpu.capability) return row("", "a GPU that the driver describes incompletely");
  const auto [major, minor] = *gpu.capability;
  std::string text = row(
      "", gpu.name + ", compute capability " + std::to_string(major) + "." + std::to_string(minor));
  const auto reason = settings::why_unsupported(
      settings::Precision::kAmpBf16,
      {.device = settings::DeviceKind::kCuda, .cpu_flags = {}, .gpu = gpu.capability});
  if (reason) text += row("", "tf32 and amp-bf16 on it: " + *reason);
  if (const auto refused =
          monitoring::reason_unsupported({.driver_cuda_version = driver_cuda_version,
                                          .device_count = 1,
                                          .name = gpu.name,
                                          .compute_major = major,
                                          .compute_minor = minor},
                                         build)) {
    return text + row("", "cannot be used: " + refused->what + "; " + refused->expected + ": " +
                              refused->hint);
  }
  const auto code = monitoring::for_driver(build, driver_cuda_version);
  return text +
         row("", "kernels of this build on it: " +
                     monitoring::in_words(monitoring::gpu_code_for(major, minor, code), code));
}

std::string machine_rows(const ProbedMachine& probed, const std::filesystem::path& cuda_plugin) {
  std::string text =
      row("cpu", (probed.cpu_name.empty() ? "unknown" : probed.cpu_name) + ", " +
                     std::to_string(probed.machine.cores) + " cores for this process");
  for (const auto precision : {settings::Precision::kAmpBf16}) {
    const auto reason = settings::why_unsupported(
        precision,
        {.device = settings::DeviceKind::kCpu, .cpu_flags = probed.machine.cpu_flags, .gpu = {}});
    text += row("", std::string(name_of(precision)) + " on cpu: " + reason.value_or("yes"));
  }
  const auto gpus = std::ssize(probed.machine.gpus) + probed.gpus_without_cuda_plugin;
  text += row("gpus", std::to_string(gpus) + " visible (/dev/nvidia*, CUDA_VISIBLE_DEVICES)");
  if (gpus == 0 && std::filesystem::exists("/dev/dxg"))
    text += row("", "this is WSL, whose GPU (/dev/dxg) is not used: runs take the CPUs");
  const int driver = probed.machine.gpus.empty() ? 0 : monitoring::driver_cuda_version();
  const auto code = monitoring::code_in(cuda_plugin);
  for (const settings::Gpu& gpu : probed.machine.gpus) text += gpu_rows(gpu, driver, code);
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

// The lines say what a launcher has decided; without one, where a run would be one rank, there are
// none.
std::string launching_rows(const launching::Detection& detection) {
  const bool alone = !detection.node && detection.world.launcher == "single";
  if (alone && detection.notes.empty() && detection.problems.empty()) return {};
  std::string text = "launching\n";
  for (const std::string& line : launching::describe(detection)) text += "  " + line + "\n";
  return text;
}

// Prints the report of --measure as it was asked for.
void measure(const Invocation& invocation, const settings::ToolValues& values,
             const ProbedMachine& probed, const std::string& text) {
  const auto folder = report_folder(values);
  const bool json = values.text("log_format") == "json";
  if (!json) print_result(text);  // shown at once: measuring takes seconds
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

ExitCode doctor_command(const Invocation& invocation) {
  exactly(invocation, 0, "nothing but options");
  const settings::ToolValues values = read_tool_values(invocation);
  std::string minor;
  std::string text = version_text();
  text += torch_row(values.text("torch").value_or(""), minor);
  text += library_row("engine", "training");
  text += library_row("cuda", "GPUs");
  text += library_row("data", "images and text");
  text += library_row("opencv", "augmentations");
  const ProbedMachine probed = probe_machine();
  for (const std::string& line : mpi_lines()) text += row("mpi", line);
  text += machine_rows(probed, library_folder() / library_for("cuda", minor));
  text += rdma_rows(!probed.machine.gpus.empty());
  const auto detection = launching::detect(launching::make_request(values.settings()));
  text += launching_rows(detection);
  if (values.on("measure")) {
    measure(invocation, values, probed, text);
  } else {
    note_options_without_measure(values);
    print_result(text);
  }
  return minor.empty() || !detection.problems.empty() ? ExitCode::kSystem : ExitCode::kPass;
}

}  // namespace scalemark::cli
