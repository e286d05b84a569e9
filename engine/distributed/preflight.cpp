#include "engine/distributed/preflight.h"

#include <algorithm>
#include <optional>
#include <set>
#include <thread>

#include "core/base/text.h"
#include "engine/distributed/errors.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kPollPeriod{20};
constexpr const char* kFactsKey = "preflight/facts";
constexpr const char* kResultKey = "preflight/result";
constexpr const char* kAgreed = "agreed";

std::string verdict_key(int rank) { return "preflight/verdict/" + std::to_string(rank); }

std::string value_of(const Facts& facts, const std::string& key) {
  const auto found = facts.find(key);
  return found == facts.end() ? "absent" : found->second;
}

// One rank's wait for keys of the others, ended by a posted fault or the deadline.
class Await {
 public:
  Await(c10d::Store& store, FaultBoard& board, milliseconds limit)
      : store_(store), board_(board), limit_(limit), end_(steady_clock::now() + limit) {}

  void operator()(const std::string& key, int rank) const {
    while (!store_.check({key})) {
      if (store_.check({"fault/count"})) throw_posted();
      if (steady_clock::now() >= end_) {
        throw peer_lost(
            "rank " + std::to_string(rank) + " did not answer within " + in_seconds(limit_),
            "it had joined", "look at its output");
      }
      std::this_thread::sleep_for(kPollPeriod);
    }
  }

 private:
  void throw_posted() const {
    const auto cause = board_.find_cause(milliseconds(0));
    if (cause.record) throw Error(caused_by(*cause.record, board_.rank()));
  }

  c10d::Store& store_;
  FaultBoard& board_;
  milliseconds limit_;
  steady_clock::time_point end_;
};

// Rank 0: what the others found, as one text for everybody.
std::string collect(c10d::Store& store, int world_size, const Await& await) {
  std::vector<std::string> found;
  for (int rank = 1; rank < world_size; ++rank) {
    await(verdict_key(rank), rank);
    const std::string verdict = store.get_to_str(verdict_key(rank));
    if (verdict != kAgreed) found.push_back("rank " + std::to_string(rank) + ": " + verdict);
  }
  return found.empty() ? kAgreed : joined(found, "; ");
}

std::string own_verdict(c10d::Store& store, const Facts& mine) {
  const auto of_rank_0 = decode_facts(store.get_to_str(kFactsKey));
  if (!of_rank_0) return "cannot read rank 0's facts: another version of scalemark";
  const auto found = differences(*of_rank_0, mine);
  return found.empty() ? kAgreed : joined(found, ", ");
}

std::string exchange(c10d::Store& store, int world_size, const Facts& mine, FaultBoard& board,
                     milliseconds limit) {
  const Await await(store, board, limit);
  if (board.rank() == 0) {
    store.set(kFactsKey, encode(mine));
    const std::string result = collect(store, world_size, await);
    store.set(kResultKey, result);
    return result;
  }
  await(kFactsKey, 0);
  store.set(verdict_key(board.rank()), own_verdict(store, mine));
  await(kResultKey, 0);
  return store.get_to_str(kResultKey);
}

}  // namespace

std::vector<std::string> differences(const Facts& of_rank_0, const Facts& mine) {
  std::set<std::string> keys;
  for (const auto& [key, value] : of_rank_0) keys.insert(key);
  for (const auto& [key, value] : mine) keys.insert(key);
  std::vector<std::string> lines;
  for (const std::string& key : keys) {
    const std::string theirs = value_of(of_rank_0, key), own = value_of(mine, key);
    if (of_rank_0.contains(key) == mine.contains(key) && theirs == own) continue;
    lines.push_back(key + " is " + own + "; rank 0 has " + theirs);
  }
  return lines;
}

void preflight(const c10::intrusive_ptr<c10d::Store>& store, int world_size, const Facts& mine,
               FaultBoard& board, milliseconds limit) {
  if (world_size == 1) return;
  std::string result;
  try {
    result = exchange(*store, world_size, mine, board, limit);
  } catch (...) {
    throw translate_collective_error(std::current_exception(), board);
  }
  if (result == kAgreed) return;
  throw ranks_disagree(result, {},
                       "start every rank with the same options, program, libraries and data");
}

}  // namespace scalemark::distributed
