#include "engine/process/data_phase.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/durations.h"
#include "data/hash128.h"
#include "engine/distributed/error_store.h"
#include "engine/distributed/parcels.h"
#include "engine/distributed/store.h"

namespace scalemark::process {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kHeartbeatsKey = "data/heartbeats";  // counted up by every reading rank
constexpr const char* kReadyKey = "data/ready";  // number of ranks that have read their data
constexpr const char* kAllReadyKey = "data/all-ready";
constexpr milliseconds kHeartbeatPeriod{1000};

// `where`: the machine or machines that share it.
std::string key_of(const std::string& where, const std::string& what) {
  return "data/" + where + "/" + data::to_hex(data::digest_of(std::as_bytes(std::span(what))));
}

// A store that throws means a lost peer.
template <class Call>
auto asking(RankContext& context, Call call) {
  try {
    return call(*context.store_pointer());
  } catch (...) {
    throw distributed::translate_collective_error(std::current_exception(), context.error_store());
  }
}

}  // namespace

DataPhase::DataPhase(RankProcess& rank_process, RankContext& context)
    : rank_process_(rank_process),
      context_(context),
      heartbeat_period_(std::min(
          kHeartbeatPeriod, milliseconds_of(rank_process.phase_tracker().timeout_of("data") / 4))) {
  rank_process.phase_tracker().enter("data");
}

void DataPhase::still_reading() {
  rank_process_.watchdog().heartbeat(-1);
  const auto now = steady_clock::now();
  if (context_.world().world_size == 1 || now < next_heartbeat_) return;
  next_heartbeat_ = now + heartbeat_period_;
  asking(context_, [](c10d::Store& store) { return store.add(kHeartbeatsKey, 1); });
}

SharedBytes DataPhase::once_per_node(const std::string& what, const Make& make) {
  if (ranks_here() == 1) return make(false);
  // Containers may share a name and a boot; a launcher that numbers the nodes tells them apart.
  const launching::World& world = context_.world();
  const std::string node = world.assumes_node ? "" : "/" + std::to_string(world.node);
  const std::string key = key_of(context_.machine() + node, what), ticket_key = key + "/ticket";
  if (!is_first(key)) {
    await(ticket_key);
    const auto ticket =
        asking(context_, [&](c10d::Store& store) { return store.get_to_str(ticket_key); });
    if (auto taken = take_offered(ticket)) return *std::move(taken);
    return make(false);
  }
  SharedBytes made = make(true);
  auto offer = OfferedBytes::of(made.bytes);
  const std::string ticket = offer ? offer->ticket() : "none";
  if (offer) offered_.push_back(*std::move(offer));
  asking(context_, [&](c10d::Store& store) { store.set(ticket_key, ticket); });
  // Takes the one copy that all share, where there is one.
  if (auto taken = take_offered(ticket)) return *std::move(taken);
  return made;
}

SharedBytes DataPhase::once_per_run(const std::string& what, const Make& make) {
  const launching::World& world = context_.world();
  if (world.local_world_size == world.world_size) return make(false);
  const std::string key = key_of("all", what);
  if (!is_first(key)) {
    await(key);
    return held(asking(context_, [&](c10d::Store& store) {
      return distributed::receive_parcel(store, key, [&] { still_reading(); });
    }));
  }
  SharedBytes made = make(true);
  asking(context_, [&](c10d::Store& store) { distributed::send_parcel(store, key, made.text()); });
  sent_.push_back(key);
  return made;
}

bool DataPhase::is_first(const std::string& key) {
  return asking(context_, [&](c10d::Store& store) { return store.add(key + "/readers", 1) == 1; });
}

void DataPhase::finish() {
  const int world_size = context_.world().world_size;
  if (world_size > 1) {
    asking(context_, [&](c10d::Store& store) {
      if (store.add(kReadyKey, 1) == world_size) store.set(kAllReadyKey, "1");
    });
    await(kAllReadyKey);
  }
  offered_.clear();
  for (const std::string& key : std::exchange(sent_, {})) {
    asking(context_, [&](c10d::Store& store) { distributed::delete_parcel(store, key); });
  }
}

// Waits inside the store, so that many waiting ranks are no load on it. The only limit is the
// phase's own, which a heartbeat of any reading rank extends.
void DataPhase::await(const std::string& key) {
  std::optional<std::int64_t> beats;
  asking(context_, [&](c10d::Store& store) {
    const auto on_poll = [&] {
      distributed::throw_if_run_ends(store, context_.error_store());
      const auto now = store.add(kHeartbeatsKey, 0);
      if (now != beats) rank_process_.watchdog().heartbeat(-1);
      beats = now;
    };
    distributed::KeyWait came(store, milliseconds_of(std::numeric_limits<double>::max()),
                              heartbeat_period_);
    while (!came(key, on_poll)) continue;
  });
}

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

// Only sealed memory cannot be cut while somebody reads it.
bool is_sealed_memory(int descriptor, std::size_t bytes) {
  struct stat info = {};
  const int seals = ::fcntl(descriptor, F_GET_SEALS);  // -1: no sealable memory
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
