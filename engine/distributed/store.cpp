#include "engine/distributed/store.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <thread>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "engine/distributed/errors.h"
#include "engine/distributed/network.h"
#include "engine/distributed/stop_agreement.h"

namespace scalemark::distributed {
namespace {

using launching::Rendezvous;
using launching::World;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using StorePtr = c10::intrusive_ptr<c10d::Store>;

constexpr milliseconds kResolveLimit{10000};
// Another run may be about to release our port; a run that holds it for longer is not.
constexpr milliseconds kForeignStoreTimeout{10000};
constexpr milliseconds kServingPollPeriod{20};
// A busy store may take long to answer; at this interval the check asks whether somebody else
// listens there.
constexpr milliseconds kServerCheckPeriod{10000};
constexpr const char* kServingKey = "scalemark/serving";  // the key is outside every run's prefix

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

Error another_server(const World& world, const Rendezvous& at, const std::string& line) {
  return rendezvous_error("who listens at the rendezvous " + place_of(at) + detected_by(world) +
                              " is no store of ranks: it says '" + line + "'",
                          {}, "another program has the port; pass another one to every rank");
}

Error cannot_serve(const World& world, const Rendezvous& at, const std::string& reason) {
  return rendezvous_error(
      "rank 0 cannot serve the rendezvous at " + place_of(at) + detected_by(world) + ": " + reason,
      {}, "free the port, or pass another one to every rank");
}

Error no_server_error(const World& world, const Rendezvous& at, milliseconds timeout) {
  const Answer answer = answer_at(at.host, at.port);
  if (!answer.line.empty()) return another_server(world, at, answer.line);
  const std::string who = at.agent_store ? "the launcher's agent" : "rank 0";
  if (answer.failure.empty()) {
    return rendezvous_error("who listens at the rendezvous " + place_of(at) + detected_by(world) +
                                " is no store of ranks: it says nothing to one; waited " +
                                in_seconds(timeout),
                            {}, "another program has the port; pass another one to every rank");
  }
  return rendezvous_error("nobody serves the rendezvous at " + place_of(at) + detected_by(world) +
                              "; waited " + in_seconds(timeout) + " for " + who + " (" +
                              answer.failure + ")",
                          {},
                          "see whether rank 0 runs on that host and the port is open between the "
                          "hosts; unset variables that are left from another job");
}

// Ends the wait for a store when somebody else answers in its place, or when a signal asks for it;
// the caller has the signal's own error.
class ServerCheck {
 public:
  ServerCheck(const World& world, const Rendezvous& at) : world_(world), at_(at) {}

  void operator()() {
    if (received_signal()) throw rendezvous_error("asked to end while waiting for a store");
    if (clock_.elapsed() < next_) return;
    next_ = clock_.elapsed() + kServerCheckPeriod;
    const std::string line = answer_at(at_.host, at_.port).line;
    if (!line.empty()) throw another_server(world_, at_, line);
  }

 private:
  const World& world_;
  const Rendezvous& at_;
  AwakeClock clock_;
  milliseconds next_ = kServerCheckPeriod;
};

// c10d's own timeout does not cover a server that accepts and then never answers.
StorePtr connect(const World& world, const Rendezvous& at, milliseconds timeout) {
  ServerCheck ask(world, at);
  try {
    const auto store = within(
        timeout + milliseconds(1000), [at, timeout] { return new_tcp_store(at, false, timeout); },
        real_clock(), std::ref(ask));
    if (store) return *store;
  } catch (const c10::Error&) {  // c10d's own words for a timeout
  }
  throw no_server_error(world, at, timeout);
}

// Starts rank 0's store and returns it once it answers at its address, since rank 0 is a client of
// its own store, too. Waits while the address belongs to another host, or while a cluster does not
// route it back here yet.
StorePtr serve(const World& world, const Rendezvous& at, milliseconds timeout) {
  bool is_announced = false;
  const auto on_poll = [&] {
    if (received_signal()) throw rendezvous_error("asked to end while waiting for its own store");
    if (!std::exchange(is_announced, true) && !leads_here(at.host)) {
      std::cerr << "scalemark: waiting for " << place_of(at) << detected_by(world)
                << " to lead back to rank 0: it is no address of this host" << std::endl;
    }
  };
  try {
    const auto store = within(
        timeout + milliseconds(1000), [at, timeout] { return new_tcp_store(at, true, timeout); },
        real_clock(), on_poll);
    if (store) return *store;
  } catch (const c10::Error& error) {
    if (leads_here(at.host)) throw cannot_serve(world, at, first_line(error.what()));
  }
  if (leads_here(at.host)) {
    throw cannot_serve(world, at, "its own store did not answer within " + in_seconds(timeout));
  }
  throw rendezvous_error("rank 0 cannot serve the rendezvous at " + place_of(at) +
                             detected_by(world) +
                             ": that is no address of this host, and did not lead back to it in " +
                             in_seconds(timeout),
                         {},
                         "give an address of rank 0's host; unset variables that are left from "
                         "another job");
}

// Returns "RUN TAG": the tag distinguishes launches with one run id and reveals nothing of the
// secret.
std::string served_text(const Rendezvous& at) {
  const std::string tag = at.secret.empty() ? "" : sha256_hex("tag of " + at.secret).substr(0, 16);
  return shared_id(at) + " " + tag;
}

// Waits until the store names what it serves, which rank 0 writes after the store begins to answer.
// Returns false when it has not done so by `end`.
bool says_what_it_serves(c10d::Store& store, steady_clock::time_point end) {
  while (!store.check({kServingKey})) {
    if (steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kServingPollPeriod);
  }
  return true;
}

// Names the run or launch that the store serves, if it is not ours.
std::optional<std::string> foreign_run(c10d::Store& store, const Rendezvous& at,
                                       steady_clock::time_point end) {
  if (!says_what_it_serves(store, end)) return std::nullopt;
  const std::string served = store.get_to_str(kServingKey);
  if (served == served_text(at)) return std::nullopt;
  const std::string run = served.substr(0, served.rfind(' '));
  return run == shared_id(at) ? "another launch of run " + run + ", or one with another --run-token"
                              : "run " + run;
}

// Checks the run, because a client of a store that another run's rank 0 serves would wait in vain
// for its own rank 0.
StorePtr connect_to_own_run(const World& world, const Rendezvous& at, milliseconds timeout) {
  const auto end = steady_clock::now() + std::min(timeout, kForeignStoreTimeout);
  while (true) {
    std::string seen;
    try {
      StorePtr store = connect(world, at, timeout);
      const auto other = foreign_run(*store, at, end);
      if (!other) return store;
      seen = "the store at " + place_of(at) + " serves " + *other;
    } catch (const c10::Error& error) {  // the store ended while we asked
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
  require_way_to(world, at, timeout);
  if (at.agent_store) return {.store = connect(world, at, timeout), .hosts = false};
  if (world.rank != 0) return {.store = connect_to_own_run(world, at, timeout), .hosts = false};
  OpenedStore opened{.store = serve(world, at, timeout), .hosts = true};
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

const std::string& shared_id(const Rendezvous& at) {
  return at.store_id.empty() ? at.run_id : at.store_id;
}

std::string detected_by(const World& world) {
  std::string names;
  for (const char* field : {"rank", "world_size", "rendezvous"}) {
    const auto found = world.detected_from.find(field);
    if (found == world.detected_from.end() || world.launcher == "local") continue;
    names += (names.empty() ? "" : ", ") + found->second;
  }
  return names.empty() ? "" : " (" + names + " are set)";
}

void require_way_to(const World& world, const Rendezvous& at, milliseconds limit) {
  if (at.kind != Rendezvous::Kind::kTcp) return;
  try {
    require_route(at.host, std::min(limit, kResolveLimit));
  } catch (const Error& error) {
    ErrorRecord record = error.record();
    record.what += detected_by(world);
    throw Error(record);
  }
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

bool await_key(c10d::Store& store, const std::string& key, milliseconds limit) {
  try {
    store.wait({key}, std::max(limit, milliseconds(1)));  // zero would mean for ever
    return true;
  } catch (const c10::DistNetworkError&) {
    throw;
  } catch (const c10::DistStoreError&) {
    return false;
  } catch (const c10::Error&) {  // FileStore has no type of its own for a timeout
    return store.check({key});
  }
}

std::vector<std::string> values_of(c10d::Store& store, const std::vector<std::string>& keys) {
  std::vector<std::string> values;
  if (keys.size() > 1 && store.hasExtendedApi()) {
    for (const auto& bytes : store.multiGet(keys)) values.emplace_back(bytes.begin(), bytes.end());
  } else {
    for (const std::string& key : keys) values.push_back(store.get_to_str(key));
  }
  return values;
}

std::vector<std::string> values_present(c10d::Store& store, std::vector<std::string> keys) {
  // The first `present` are there, and not all of the first `missing` are.
  std::size_t present = 0, missing = keys.size() + 1;
  for (std::size_t to = keys.size(); present + 1 < missing; to = (present + missing) / 2)
    (store.check({keys.begin() + present, keys.begin() + to}) ? present : missing) = to;
  keys.resize(present);
  return values_of(store, keys);
}

bool KeyWait::operator()(const std::string& key, const std::function<void()>& on_poll) {
  while (true) {
    if (await_key(store_, key, std::min(limit_ - clock_.elapsed(), slice_))) return true;
    on_poll();
    if (clock_.elapsed() >= limit_) return false;
  }
}

}  // namespace scalemark::distributed
