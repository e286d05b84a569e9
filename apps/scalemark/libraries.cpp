#include "apps/scalemark/libraries.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/file_checks.h"
#include "core/base/elf_notes.h"
#include "core/base/error.h"
#include "core/base/number_words.h"
#include "core/base/plugin.h"
#include "core/base/text.h"
#include "core/launch/child_process.h"
#include "core/launch/resources.h"
#include "core/launch/variables.h"

#ifndef SCALEMARK_TORCH_DIR
#define SCALEMARK_TORCH_DIR ""
#endif

namespace scalemark::cli {
namespace {

std::vector<std::string> engines() { return torch_minors_of(library_folder(), "engine"); }

Error torch_error(std::string code, std::string what, std::string hint) {
  const auto there = engines();
  const std::string pip = there.empty()
                              ? ""
                              : "pip install 'torch==" + there.back() +
                                    ".*', then --torch DIR or "
                                    "SCALEMARK_TORCH=DIR, DIR being its folder site-packages/torch "
                                    "(scripts/quickstart does both)";
  return Error({.code = std::move(code),
                .exit_code = ExitCode::kSystem,
                .domain = ErrorDomain::kSoftware,
                .what = std::move(what),
                .expected = "engines are here for torch " + engines_in_words(),
                .hint = hint.empty() ? pip : std::move(hint)});
}

std::filesystem::path engine_for(const std::string& minor) {
  return library_folder() / library_for("engine", minor);
}

}  // namespace

std::string engines_in_words() {
  const auto there = engines();
  return there.empty() ? "none" : joined(there, ", ");
}

TorchFolder find_torch(const std::string& given) {
  const std::string path = given.empty() ? SCALEMARK_TORCH_DIR : given;
  if (path.empty()) throw torch_error("E_TORCH_MISSING", "no torch folder is known", {});
  TorchFolder folder{.path = path,
                     .from = given.empty() ? "the built-in path" : "--torch or SCALEMARK_TORCH",
                     .version = {},
                     .minor = {},
                     .built_with = {}};
  const std::string named = "'" + path + "' (" + folder.from + ")";
  if (!std::filesystem::exists(folder.path / "lib" / "libtorch_cpu.so")) {
    throw torch_error("E_TORCH_MISSING", named + " has no lib/libtorch_cpu.so", {});
  }
  folder.version = torch_version(folder.path).value_or("unknown");
  folder.minor = torch_minor(folder.version);
  const auto there = engines();
  if (std::ranges::find(there, folder.minor) == there.end()) {
    throw torch_error("E_TORCH_VERSION", named + " is torch " + folder.version, {});
  }
  folder.built_with = own_note(engine_for(folder.minor), kTorchNote);
  return folder;
}

std::filesystem::path library_folder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw system_error("cannot read /proc/self/exe: " + error.message());
  return program.parent_path();
}

TorchFit fit_of(const TorchFolder& torch) {
  if (torch.version == torch.built_with) return TorchFit::kSame;
  // "2.11.0+cu130" is a release with the builder's mark; "2.11.0a0+0123456.nv25.1" is none.
  const auto mark_of = [](const std::string& version) -> std::optional<std::string> {
    const std::size_t end = version.find_first_not_of("0123456789.");
    if (end != std::string::npos && version[end] != '+') return std::nullopt;
    return end == std::string::npos ? "" : version.substr(end);
  };
  const auto mark = mark_of(torch.version);
  return mark && mark == mark_of(torch.built_with) ? TorchFit::kOtherPatch : TorchFit::kOtherBuild;
}

namespace {

// Set in the process that tries a torch: it trains, and tries nothing itself.
constexpr const char* kTrial = "SCALEMARK_TORCH_TRIAL";

Error does_not_fit(const TorchFolder& torch, const std::string& reason) {
  return torch_error(
      "E_TORCH_VERSION",
      "torch " + torch.version + " in '" + torch.path.string() +
          "' does not work with the engine " + "that was built with " + torch.built_with + ": " +
          reason,
      "build for it (cmake --preset release -DSCALEMARK_TORCH=" + torch.path.string() +
          " && cmake --build --preset release), or name another torch with --torch");
}

// Libraries are loaded by full path and before the engine: sonames that are loaded win over the
// engine's RUNPATH, so that torch may be in another place than at build time.
void load_torch_library(const TorchFolder& torch, const char* name) {
  open_library(torch.path / "lib" / name, "torch",
               "pip install --force-reinstall torch==" + torch.version);
}

// A failed process says why in its line with our error, else in its last line.
std::string reason_in(const launching::LineRelay& output) {
  constexpr std::string_view kOurs = "): ", kHint = ". Hint: ";
  std::string last;
  for (const std::string& line : output.last_lines()) {
    last = line;
    if (line.find("error E_") != std::string::npos) break;
  }
  if (const auto at = last.find(kOurs); at != std::string::npos) last.erase(0, at + kOurs.size());
  return last.substr(0, last.find(kHint));
}

// Reads what the child says until it has closed its output; ends it after `limit_s`.
void read_all(const launching::ChildProcess& child, launching::LineRelay& output, int limit_s) {
  std::vector<pollfd> open{{child.out.get(), POLLIN, 0}, {child.err.get(), POLLIN, 0}};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(limit_s);
  while (!open.empty() && std::chrono::steady_clock::now() < end) {
    ::poll(open.data(), open.size(), 1000);
    std::erase_if(open, [&](const pollfd& stream) {
      char bytes[4096];
      const ssize_t got = ::read(stream.fd, bytes, sizeof bytes);
      if (got > 0) output.feed({bytes, static_cast<std::size_t>(got)});
      return got == 0;
    });
  }
  if (!open.empty()) ::kill(child.pid, SIGKILL);
}

// A torch with a private change in the layout of a class trains wrongly or ends by a signal, which
// is why a process of its own tries it.
void try_to_train(const TorchFolder& torch, const std::string& device) {
  constexpr int kLimitS = 120;  // a machine at its limits takes so long for seconds
  const launching::TemporaryFolder folder(launching::temporary_place().path);
  auto environment = launching::without_launcher_variables(launching::snapshot_environment());
  std::erase_if(environment,
                [](const auto& entry) { return entry.first.starts_with("SCALEMARK_"); });
  environment[kTrial] = "1";
  const launching::ChildProcess child = launching::start_child(
      {.program = "/proc/self/exe",
       .arguments = {"scalemark", "train", "--workload", "bert-mini", "--batch-size", "2",
                     "--warmup-iters", "1", "--iters", "5", "--device", device, "--torch",
                     torch.path.string(), "--output", (folder.path() / "trial").string()},
       .environment = std::move(environment),
       .inherited_fd = {}});
  launching::LineRelay output("", launching::LineRelay::Mode::kLines);
  read_all(child, output, kLimitS);
  int status = 0;
  ::waitpid(child.pid, &status, 0);
  output.finish();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw does_not_fit(torch, WIFEXITED(status) ? reason_in(output)
                            : WTERMSIG(status) == SIGKILL
                                ? "a trial did not end within " + age_text(kLimitS)
                                : "a trial ended by signal " + std::to_string(WTERMSIG(status)));
}

}  // namespace

const api::EngineApi& load_engine(const TorchFolder& torch, const EngineUse& use) {
  refuse_lost_working_folder();
  const TorchFit fit = fit_of(torch);
  const bool is_trial = std::getenv(kTrial) != nullptr;
  if (fit == TorchFit::kOtherBuild && use.is_first && !is_trial) try_to_train(torch, use.device);
  load_torch_library(torch, "libc10.so");
  load_torch_library(torch, "libtorch_cpu.so");
  try {
    const auto& api = open_plugin_as<api::EngineApi>({.path = engine_for(torch.minor),
                                                      .symbol = "scalemark_engine_api",
                                                      .abi = api::kEngineAbi});
    if (fit != TorchFit::kSame && use.is_first && !is_trial) {
      print_note("torch " + torch.version + " runs with the engine that was built with " +
                 torch.built_with);
    }
    return api;
  } catch (const Error& error) {
    if (fit == TorchFit::kSame || is_trial) throw;
    throw does_not_fit(torch, error.record().what);
  }
}

const data::DataApi& load_data_library() {
  return open_plugin_as<data::DataApi>({.path = library_folder() / "libscalemark_data.so",
                                        .symbol = "scalemark_data_api",
                                        .abi = data::kDataAbi});
}

}  // namespace scalemark::cli
