#include "engine/distributed/meeting.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/host_name.h"
#include "core/launch/outcome.h"
#include "core/launch/slurm_lists.h"
#include "engine/distributed/errors.h"
#include "engine/distributed/network.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/distributed/store.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;

// Rank 0 polls more often: all others wait for its answer.
constexpr milliseconds kPollPeriodOfRank0{250};
// The store may end with rank 0, and others ask it once in a slice.
constexpr milliseconds kTimeToRead = KeyWait::kSlice + milliseconds(500);

std::string rank_key(int rank) { return "rank/" + std::to_string(rank); }
std::string host_key(int rank) { return "host/" + std::to_string(rank); }
std::string refusal_key(std::int64_t number) { return "refused/" + std::to_string(number); }

// Rank 0's world size and digest: "2 8c3f".
struct Profile {
  int world_size = 0;
  std::string digest;
};

std::string encode(const Profile& profile) {
  return std::to_string(profile.world_size) + " " + profile.digest;
}

Profile decode(const std::string& text) {
  const auto space = text.find(' ');
  return {.world_size = std::stoi(text.substr(0, space)), .digest = text.substr(space + 1)};
}

// A rank that was started with another world size; as text, since its build may be another, too.
struct Refused {
  int rank = 0, world_size = 0, node = 0, nodes = 1;
};

std::string encode(const Refused& refused) {
  return std::to_string(refused.rank) + " " + std::to_string(refused.world_size) + " " +
         std::to_string(refused.node) + " " + std::to_string(refused.nodes);
}

Refused decode_refused(const std::string& text) {
  Refused refused;
  std::istringstream(text) >> refused.rank >> refused.world_size >> refused.node >> refused.nodes;
  return refused;
}

std::string size_of(const Refused& refused) {
  return "rank " + std::to_string(refused.rank) + ": world_size is " +
         std::to_string(refused.world_size);
}

std::string short_name(const std::string& host) { return host.substr(0, host.find('.')); }

// Names the nodes of which no rank came, with their names where the launcher lists them: "nodes
// 3-17 and 40", "n[3-17,40]". Empty: there are none, or they are not known.
std::string silent_nodes(const launching::World& world, const std::vector<int>& missing,
                         const std::set<std::string>& came_from) {
  if (const auto names = launching::expand_nodelist(world.node_list)) {
    std::set<std::string> came;
    for (const std::string& host : came_from) came.insert(short_name(host));
    std::vector<std::string> silent;
    std::ranges::copy_if(*names, std::back_inserter(silent),
                         [&](const auto& name) { return !came.contains(short_name(name)); });
    return silent.size() == names->size() ? "" : launching::compressed_nodelist(silent);
  }
  const int ranks = world.local_world_size;
  if (world.assumes_node || world.nodes * ranks != world.world_size) return {};
  std::map<int, int> missing_of;
  for (const int rank : missing) ++missing_of[rank / ranks];
  std::vector<int> silent;
  for (const auto& [node, count] : missing_of) {
    if (count == ranks) silent.push_back(node);
  }
  return silent.empty() || world.nodes == 1 ? "" : name_ranks(silent, "node");
}

class Meeting {
 public:
  Meeting(const c10::intrusive_ptr<c10d::Store>& store, const MeetingTerms& terms,
          const std::function<void()>& on_poll)
      : store_(store),
        terms_(terms),
        rank_(terms.world.rank),
        world_size_(terms.world.world_size),
        on_poll_(on_poll),
        wait_(*store, std::max(terms.timeout - terms.spent, milliseconds(1)),
              rank_ == 0 ? kPollPeriodOfRank0 : KeyWait::kSlice) {}

  void lead() {
    take_place();
    store_->set("profile", encode(Profile{world_size_, terms_.digest}));
    say_ready();
    if (!wait_("all-ready", [this] { poll_store(), check_refusals(); })) throw posted(missing());
    store_->set("started", "1");
  }

  void follow() {
    if (!wait_("profile", on_poll_)) throw no_leader_error();
    const Profile of_rank_0 = decode(store_->get_to_str("profile"));
    if (of_rank_0.world_size != world_size_) throw other_size(of_rank_0.world_size);
    if (of_rank_0.digest != terms_.digest) yield_to_matching_rank();
    take_place();
    say_ready();
    if (!wait_("started", [this] { poll_store(); })) throw not_everybody();
  }

 private:
  void take_place() {
    if (store_->add(rank_key(rank_), 1) > 1) throw place_is_taken();
    store_->set(host_key(rank_), host_name());
  }

  void say_ready() {
    if (store_->add("ready", 1) == world_size_) store_->set("all-ready", "1");
  }

  // Is called where this rank's settings differ from rank 0's. If it is a rank of this run,
  // preflight() lists all differences.
  void yield_to_matching_rank() {
    KeyWait pass(*store_, terms_.grace, kPollPeriodOfRank0);
    if (pass(rank_key(rank_), on_poll_)) throw place_is_taken();
  }

  void poll_store() {
    if (const auto killed = killed_rank(terms_.launcher)) {
      post(*killed);
      throw Error(caused_by(*killed, rank_));
    }
    try {
      on_poll_();
    } catch (...) {
      tell_of_signal();
      throw;
    }
    if (count_posted_errors(*store_) == 0) return;
    let_others_read();
    // This costs a connection, so it is not made at every poll.
    ErrorStore error_store(store_, rank_, world_size_, false);
    throw_posted_error(*store_, error_store);
  }

  // A rank of this run that was started with another world size never gives way; a rank of another
  // job leaves its place to ours.
  void check_refusals() {
    if (!store_->check({"refused/count"})) return;
    const std::int64_t count = store_->add("refused/count", 0);
    for (std::int64_t number = refusals_seen_ + 1; number <= count; ++number) {
      if (!store_->check({refusal_key(number)})) return;
      refusals_seen_ = number;
      const auto refused = decode_refused(store_->get_to_str(refusal_key(number)));
      refused_.emplace(refused.rank, std::pair(wait_.waited(), refused));
    }
    for (const auto& [rank, seen] : refused_) {
      if (wait_.waited() - seen.first < terms_.grace) continue;
      if (nobody_else_has_come(seen.second))
        throw posted(sizes_differ(size_of(seen.second), world_size_));
    }
  }

  // Whether no fitting rank took the place of one that does not fit. A node with fewer ranks of its
  // own numbers them as others of ours, so there it is the node's place that counts.
  bool nobody_else_has_come(const Refused& refused) {
    if (refused.rank >= world_size_ || !store_->check({rank_key(refused.rank)})) return true;
    const launching::World& world = terms_.world;
    const int ranks = world.local_world_size;
    if (world.assumes_node || world.nodes == 1 || refused.nodes != world.nodes ||
        ranks * world.nodes != world_size_)
      return false;
    const auto of_node = std::views::iota(refused.node * ranks, (refused.node + 1) * ranks);
    return std::ranges::none_of(of_node, [&](int rank) { return store_->check({rank_key(rank)}); });
  }

  // The ranks that have joined do not wait for one that was asked to end.
  void tell_of_signal() {
    const auto signal = received_signal();
    if (!signal) return;
    post(Error(launching::interruption(*signal, /*has_report=*/false)).record());
  }

  // Every rank with a place ends by it.
  void post(const ErrorRecord& error) {
    ErrorStore(store_, rank_, world_size_, false).post(error);
    let_others_read();
  }

  // The store may end with rank 0.
  void let_others_read() {
    if (rank_ == 0) std::this_thread::sleep_for(kTimeToRead);
  }

  Error posted(Error error) {
    post(error.record());
    return error;
  }

  static Error sizes_differ(const std::string& text, int of_rank_0) {
    return ranks_disagree(text, "rank 0 has " + std::to_string(of_rank_0),
                          "start every rank with the same number of ranks");
  }

  NotAdmitted other_size(int of_rank_0) {
    const std::string size = std::to_string(world_size_), number = std::to_string(rank_);
    if (store_->check({"started"})) {
      return NotAdmitted(
          rendezvous_error(
              "run " + terms_.run + " at " + terms_.place + " has started with its ranks",
              "it has " + std::to_string(of_rank_0) + "; this is rank " + number + " of " + size,
              two_jobs())
              .record());
    }
    const Refused mine{.rank = rank_,
                       .world_size = world_size_,
                       .node = terms_.world.node,
                       .nodes = terms_.world.nodes};
    store_->set(refusal_key(store_->add("refused/count", 1)), encode(mine));
    return NotAdmitted(sizes_differ(size_of(mine), of_rank_0).record());
  }

  NotAdmitted place_is_taken() {
    const std::string where = store_->check({host_key(rank_)})
                                  ? " (on host " + store_->get_to_str(host_key(rank_)) + ")"
                                  : "";
    return NotAdmitted(ErrorRecord{
        .code = "E_DUPLICATE_RANK",
        .exit_code = ExitCode::kConfiguration,
        .domain = ErrorDomain::kLaunch,
        .what = "rank " + std::to_string(rank_) + " has already joined run " + terms_.run + " at " +
                terms_.place + where,
        .expected = "one process per rank",
        .hint = terms_.by_file ? "remove the file if it is left from an earlier run, or pass "
                                 "another --run-id"
                               : "give each process its own rank, or this job its own --run-id"});
  }

  static std::string two_jobs() {
    return "two jobs use one address: give one of them another port, or its own --run-id";
  }

  std::string where_and_how_long() const {
    return " at " + terms_.place + terms_.detected_by + " within " + in_seconds(terms_.timeout);
  }

  Error missing() {
    std::vector<int> missing;
    std::set<std::string> came_from;  // hosts
    for (int rank = 0; rank < world_size_; ++rank) {
      if (!store_->check({rank_key(rank)})) {
        missing.push_back(rank);
      } else if (store_->check({host_key(rank)})) {
        came_from.insert(store_->get_to_str(host_key(rank)));
      }
    }
    const std::string nodes = silent_nodes(terms_.world, missing, came_from);
    return rendezvous_error(name_ranks(missing) + " of " + std::to_string(world_size_) +
                                (nodes.empty() ? "" : " (nobody came from " + nodes + ")") +
                                " did not join run " + terms_.run + where_and_how_long(),
                            {}, see_whether());
  }

  Error no_leader_error() const {
    return rendezvous_error("rank 0 of " + std::to_string(world_size_) + " did not join run " +
                                terms_.run + where_and_how_long(),
                            {}, see_whether());
  }

  // This comes a little later than rank 0's own deadline, whose error names the missing ranks.
  Error not_everybody() {
    const auto cause = ErrorStore(store_, rank_, world_size_, false).find_cause();
    if (cause.record) return Error(caused_by(*cause.record, rank_));
    return rendezvous_error("not all " + std::to_string(world_size_) + " ranks joined run " +
                                terms_.run + where_and_how_long(),
                            {}, "rank 0's error names them; " + see_whether());
  }

  static std::string see_whether() {
    return "see whether they started, with the same address and run id; --timeout "
           "rendezvous=SECONDS allows more time";
  }

  c10::intrusive_ptr<c10d::Store> store_;
  const MeetingTerms& terms_;
  int rank_, world_size_;
  const std::function<void()>& on_poll_;
  KeyWait wait_;
  std::int64_t refusals_seen_ = 0;
  std::map<int, std::pair<milliseconds, Refused>> refused_;  // by rank, with the time
};

}  // namespace

void meet(const c10::intrusive_ptr<c10d::Store>& store, const MeetingTerms& terms,
          const std::function<void()>& on_poll) {
  Meeting meeting(store, terms, on_poll);
  terms.world.rank == 0 ? meeting.lead() : meeting.follow();
}

}  // namespace scalemark::distributed
