#include "core/machine/driver_library.h"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace scalemark::monitoring {

std::span<const std::string> driver_folders() {
  static const std::array<std::string, 2> kFolders{"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"};
  return kFolders;
}

void* open_driver_library(const std::string& file, std::string& why,
                          std::span<const std::string> folders) {
  if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  const char* reason = dlerror();
  why = std::string("no NVIDIA driver library: ") + (reason ? reason : file.c_str());
  if (file.find('/') != std::string::npos) return nullptr;
  std::string tried;
  for (const std::string& folder : folders) {
    if (void* handle = dlopen((folder + "/" + file).c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    tried += (tried.empty() ? "; nor in " : ", ") + folder;
  }
  why += tried;
  return nullptr;
}

}  // namespace scalemark::monitoring

namespace scalemark::monitoring::nvml {
namespace {

const char* first_missing(const Functions& f) {
  if (!f.init) return "nvmlInit_v2";
  if (!f.shutdown) return "nvmlShutdown";
  if (!f.device_count) return "nvmlDeviceGetCount_v2";
  if (!f.device_by_index) return "nvmlDeviceGetHandleByIndex_v2";
  return nullptr;
}

}  // namespace

Functions::Symbol Functions::symbol(const char* newest, const char* older) const {
  void* place = dlsym(library_, newest);
  return {place || !older ? place : dlsym(library_, older)};
}

bool is_in_mig_mode(const Functions& call, Device device) {
  unsigned current = 0, pending = 0;
  return call.mig_mode && call.mig_mode(device, &current, &pending) == kSuccess && current == 1;
}

std::optional<double> held_back_s(const Functions& call, Device device, int policy) {
  const auto time = answered<ViolationTime>(call.violation, device, policy);
  return time ? std::optional(1e-9 * static_cast<double>(time->violation_ns)) : std::nullopt;
}

std::unique_ptr<Library> Library::open(const std::string& file, std::string& why) {
  void* handle = open_driver_library(file, why);
  if (!handle) return nullptr;
  std::unique_ptr<Library> library(new Library(handle));
  if (const char* missing = first_missing(library->functions_)) {
    why = file + " has no " + missing + ": the driver is too old or the library is not NVML";
    return nullptr;
  }
  if (const Return code = library->functions_.init(); code != kSuccess) {
    why = "NVML does not start: " + library->text_of(code);
    return nullptr;
  }
  library->started_ = true;
  return library;
}

Library::~Library() {
  if (started_) functions_.shutdown();
  dlclose(handle_);
}

std::string Library::text_of(Return code) const {
  const char* text = functions_.error_string ? functions_.error_string(code) : nullptr;
  return text ? text : "NVML error " + std::to_string(code);
}

OpenDevice open_device(const std::string& uuid, const std::string& file) {
  std::string why;
  auto library = Library::open(file, why);
  if (!library) return {};
  const auto device = answered<Device>(library->call().device_by_uuid, uuid.c_str());
  if (!device || is_in_mig_mode(library->call(), *device)) return {};
  return {std::move(library), *device};
}

}  // namespace scalemark::monitoring::nvml
