#include "engine/distributed/open_store.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "engine/distributed/bounded.h"
#include "engine/distributed/errors.h"
#include "engine/distributed/network.h"

namespace scalemark::distributed {
namespace {

using launching::Rendezvous;
using launching::World;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using StorePtr = c10::intrusive_ptr<c10d::Store>;

constexpr milliseconds kResolveLimit{10000};
// Another run may be about to release our port; after this time it is not.
constexpr milliseconds kForeignStorePatience{10000};
constexpr milliseconds kLookForServing{20};
constexpr const char* kServingKey = "scalemark/serving";  // outside every run's prefix

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

StorePtr new_tcp_store(const Rendezvous& at, bool server, milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = at.port;
  options.isServer = server;
  options.waitWorkers = false;
  options.timeout = timeout;
  if (server) options.masterListenFd = at.listen_fd;
  return c10::make_intrusive<c10d::TCPStore>(at.host, options);
}

Error cannot_open(const Rendezvous& at, bool server, milliseconds timeout,
                  const std::string& reason) {
  if (server) {
    return rendezvous_error("rank 0 cannot serve the rendezvous at " + place_of(at) + ": " + reason,
                            {}, "free the port, or pass another one to every rank");
  }
  return rendezvous_error(
      "nothing answered at " + place_of(at) + " within " + in_seconds(timeout) +
          "; waited for the store of " + (at.agent_store ? "the launcher's agent" : "rank 0") +
          (reason.empty() ? "" : " (" + reason + ")"),
      {}, "see whether rank 0 runs on that host and the port is open between the hosts");
}

StorePtr connect(const Rendezvous& at, bool server, milliseconds timeout) {
  std::optional<StorePtr> store;
  try {
    // c10d's own timeout does not cover a server that accepts and then never answers.
    store = within(timeout + milliseconds(1000),
                   [at, server, timeout] { return new_tcp_store(at, server, timeout); });
  } catch (const std::exception& error) {
    throw cannot_open(at, server, timeout, first_line(error.what()));
  }
  if (!store) throw cannot_open(at, server, timeout, "connected, but it is not a c10d store");
  return *store;
}

// "RUN TAG": the tag distinguishes launches with one run id and reveals nothing of the secret.
std::string served_text(const Rendezvous& at) {
  const std::string tag = at.secret.empty() ? "" : sha256_hex("tag of " + at.secret).substr(0, 16);
  return at.run_id + " " + tag;
}

// A store answers before its rank 0 has said what it serves. False: it did not say so until `end`.
bool says_what_it_serves(c10d::Store& store, steady_clock::time_point end) {
  while (!store.check({kServingKey})) {
    if (steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kLookForServing);
  }
  return true;
}

// Names the run or launch that the store serves, if that is another one.
std::optional<std::string> foreign_run(c10d::Store& store, const Rendezvous& at,
                                       steady_clock::time_point end) {
  if (!says_what_it_serves(store, end)) return std::nullopt;
  const std::string served = store.get_to_str(kServingKey);
  if (served == served_text(at)) return std::nullopt;
  const std::string run = served.substr(0, served.rfind(' '));
  return run == at.run_id ? "another launch of run " + run + ", or one with another --run-token"
                          : "run " + run;
}

// A client of a store that another run's rank 0 serves would wait in vain for its own rank 0.
StorePtr connect_to_own_run(const Rendezvous& at, milliseconds timeout) {
  const auto end = steady_clock::now() + std::min(timeout, kForeignStorePatience);
  while (true) {
    std::string seen;
    try {
      StorePtr store = connect(at, false, timeout);
      const auto other = foreign_run(*store, at, end);
      if (!other) return store;
      seen = "the store at " + place_of(at) + " serves " + *other;
    } catch (const c10::Error& error) {  // it ended while we asked
      seen = "the store at " + place_of(at) + " ended: " + first_line(error.what());
    }
    if (steady_clock::now() >= end) {
      throw rendezvous_error(seen, "this is run " + at.run_id,
                             "two jobs use one port: pass another port to every rank of one");
    }
    std::this_thread::sleep_for(milliseconds(200));
  }
}

OpenedStore open_tcp(const World& world, const Rendezvous& at, milliseconds timeout) {
  require_resolvable(at.host, std::min(timeout, kResolveLimit));
  if (at.agent_store) return {.store = connect(at, false, timeout), .hosts = false};
  if (world.rank != 0) return {.store = connect_to_own_run(at, timeout), .hosts = false};
  OpenedStore opened{.store = connect(at, true, timeout), .hosts = true};
  opened.store->set(kServingKey, served_text(at));
  return opened;
}

OpenedStore open_file(const World& world, const Rendezvous& at, milliseconds timeout) {
  const auto folder = std::filesystem::absolute(at.file).parent_path();
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw rendezvous_error("the rendezvous file " + at.file + " cannot be made",
                           folder.string() + " is no folder",
                           "name a file in a folder that every rank can write to");
  }
  std::optional<StorePtr> store;
  try {
    store = within(timeout, [file = at.file, size = world.world_size] {
      return StorePtr(c10::make_intrusive<c10d::FileStore>(file, size));
    });
  } catch (const std::exception& error) {
    throw rendezvous_error("cannot open the rendezvous file " + at.file, first_line(error.what()),
                           "every rank must be able to read and write it");
  }
  if (!store) {
    throw rendezvous_error("the rendezvous file " + at.file +
                               " could not be opened and locked in " + in_seconds(timeout),
                           {}, "file locks must work on that file system");
  }
  (*store)->setTimeout(timeout);
  return {.store = *store, .hosts = false};
}

}  // namespace

std::string place_of(const Rendezvous& at) {
  if (at.kind == Rendezvous::Kind::kFile) return "file " + at.file;
  return at.host + ":" + std::to_string(at.port);
}

OpenedStore open_store(const World& world, const Rendezvous& at, milliseconds timeout) {
  switch (at.kind) {
    case Rendezvous::Kind::kTcp:
      return open_tcp(world, at, timeout);
    case Rendezvous::Kind::kFile:
      return open_file(world, at, timeout);
    case Rendezvous::Kind::kNone:
      break;
  }
  if (world.world_size > 1) {
    throw configuration(std::to_string(world.world_size) + " ranks have no place to meet", {},
                        "pass --rendezvous HOST:PORT or --rendezvous file:PATH to every rank");
  }
  return {.store = c10::make_intrusive<c10d::HashStore>(), .hosts = false};
}

}  // namespace scalemark::distributed
