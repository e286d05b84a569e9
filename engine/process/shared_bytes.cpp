#include "engine/process/shared_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <utility>

#include "core/base/atomic_file.h"
#include "data/hash128.h"

namespace scalemark::process {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

// Only what is sealed cannot be cut under a reader.
bool is_sealed_memory(int descriptor, std::size_t bytes) {
  struct stat info = {};
  const int seals = ::fcntl(descriptor, F_GET_SEALS);  // -1: not such memory
  return ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) &&
         static_cast<std::size_t>(info.st_size) == bytes && seals >= 0 &&
         (seals & kSeals) == kSeals;
}

}  // namespace

SharedBytes held(std::string text) {
  const auto owner = std::make_shared<const std::string>(std::move(text));
  return {.bytes = std::as_bytes(std::span(*owner)), .owner = owner};
}

SharedBytes held(std::vector<std::byte> bytes) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return {.bytes = *owner, .owner = owner};
}

std::optional<OfferedBytes> OfferedBytes::of(std::span<const std::byte> bytes) {
  Descriptor memory(::memfd_create("scalemark-data", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.open() || bytes.empty() || !write_all(memory.get(), bytes) ||
      ::fcntl(memory.get(), F_ADD_SEALS, kSeals) != 0) {
    return std::nullopt;
  }
  const std::string ticket = std::to_string(::getpid()) + " " + std::to_string(memory.get()) + " " +
                             std::to_string(bytes.size()) + " " +
                             data::to_hex(data::digest_of(bytes));
  return OfferedBytes(std::move(memory), ticket);
}

OfferedBytes::OfferedBytes(Descriptor memory, std::string ticket)
    : memory_(std::move(memory)), ticket_(std::move(ticket)) {}

std::optional<SharedBytes> take_offered(const std::string& ticket) {
  std::istringstream words(ticket);
  std::string process, number, hash;
  std::size_t size = 0;
  if (!(words >> process >> number >> size >> hash) || size == 0) return std::nullopt;
  const std::string path = "/proc/" + process + "/fd/" + number;
  const Descriptor memory(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!memory.open() || !is_sealed_memory(memory.get(), size)) return std::nullopt;
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, memory.get(), 0);
  if (address == MAP_FAILED) return std::nullopt;
  SharedBytes taken{.bytes = {static_cast<const std::byte*>(address), size}};
  taken.owner = {address, [size](const void* a) { ::munmap(const_cast<void*>(a), size); }};
  if (data::to_hex(data::digest_of(taken.bytes)) != hash) return std::nullopt;
  return taken;
}

}  // namespace scalemark::process
