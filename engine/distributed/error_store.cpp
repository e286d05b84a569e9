#include "engine/distributed/error_store.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/field.h"
#include "core/base/wire.h"
#include "engine/distributed/clock.h"
#include "engine/distributed/errors.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPollPeriod{50};
// A request to a working store takes microseconds; a store that needs longer than this is lost.
constexpr milliseconds kStoreGrace{500};
// A launcher learns of a rank's death when its peers do, or a moment later.
constexpr milliseconds kLauncherGrace{500};
constexpr const char* kNoticedKey = "fault/noticed";

std::string fault_key(std::int64_t number) { return "fault/" + std::to_string(number); }

// The store numbers the faults, so the first one is the same for every rank. A number whose text
// never arrived (its rank ended in between) is skipped.
std::optional<ErrorRecord> first_fault(c10d::Store& store, int own_rank) {
  const std::int64_t count = count_posted_errors(store);
  for (std::int64_t number = 1; number <= count; ++number) {
    if (!store.check({fault_key(number)})) continue;
    auto record = try_from_wire<ErrorRecord>(store.get_to_str(fault_key(number)));
    if (!record) {
      record = ranks_disagree("a rank of another version of scalemark has failed", {},
                              "start every rank with the same program")
                   .record();
    }
    if (record->rank != own_rank) return record;
  }
  return std::nullopt;
}

// Returns the first fault that `poll` finds within the limit.
template <class Poll>
std::optional<ErrorRecord> await_fault(Clock& clock, milliseconds limit, const Poll& poll) {
  const auto end = clock.now() + limit;
  while (true) {
    if (auto fault = poll()) return fault;
    if (clock.now() >= end) return std::nullopt;
    clock.sleep_for(kPollPeriod);
  }
}

void await_departures(c10d::Store& store, Clock& clock, int world_size, milliseconds limit) {
  const auto end = clock.now() + limit;
  while (store.add("left", 0) < world_size && clock.now() < end) clock.sleep_for(kPollPeriod);
}

ErrorRecord lost_record(const std::string& text, const ErrorStore::Cause& cause) {
  const std::string seen =
      cause.store_answers ? "a peer rank ended without posting an error"
                          : "a peer rank ended without posting an error, and the store is gone too";
  return peer_lost(seen + " (" + text + ")", {},
                   "look at the other ranks' output, and check whether the system killed it (out "
                   "of memory, "
                   "scheduler)")
      .record();
}

}  // namespace

ErrorStore::ErrorStore(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world_size,
                       bool hosts_store, Clock& clock)
    : store_(store->clone()),
      rank_(rank),
      world_size_(world_size),
      hosts_store_(hosts_store),
      clock_(clock) {}

void ErrorStore::post(ErrorRecord record, milliseconds limit) noexcept try {
  const bool is_loss = record.code == kPeerLostCode;
  if (is_loss && record.rank.value_or(rank_) == rank_) return;
  if (!is_loss) record.rank = rank_;
  record.hang.reset();  // rank 0 writes it into the report
  within(
      limit,
      [store = store_, text = to_wire(record)] {
        store->set(fault_key(store->add("fault/count", 1)), text);
        return true;
      },
      clock_);
} catch (const std::exception&) {
  // The store is gone: the fault cannot be posted.
}

ErrorStore::Cause ErrorStore::find_cause(milliseconds limit) noexcept try {
  if (world_size_ == 1) return {};
  auto found = within(
      limit + kStoreGrace,
      [store = store_, &clock = clock_, rank = rank_, limit, launcher = launcher_] {
        if (limit > limit.zero()) store->set(kNoticedKey, "1");
        return await_fault(clock, limit, [&] {
          auto fault = first_fault(*store, rank);
          return fault ? fault : killed_rank(launcher);
        });
      },
      clock_);
  if (!found) return cause_from_launcher(limit);
  return {.record = std::move(*found), .store_answers = true};
} catch (const std::exception&) {
  return cause_from_launcher(limit);
}

// Asks the launcher, since the store is gone with the rank that held it.
ErrorStore::Cause ErrorStore::cause_from_launcher(milliseconds limit) noexcept try {
  Cause cause{.record = std::nullopt, .store_answers = false};
  if (launcher_) cause.record = await_fault(clock_, std::min(limit, kLauncherGrace), launcher_);
  return cause;
} catch (const std::exception&) {
  return {.record = std::nullopt, .store_answers = false};
}

bool ErrorStore::loss_is_noticed(c10d::Store& store) { return store.check({kNoticedKey}); }

void ErrorStore::leave(milliseconds limit) noexcept try {
  if (world_size_ == 1) return;
  const bool stay = hosts_store_;
  within(
      limit + kStoreGrace,
      [store = store_, &clock = clock_, size = world_size_, stay, limit] {
        store->add("left", 1);
        if (stay) await_departures(*store, clock, size, limit);
        return true;
      },
      clock_);
} catch (const std::exception&) {
  // The store is gone, so nobody waits for us.
}

std::optional<ErrorRecord> ErrorStore::own_end() {
  const Cause cause = find_cause(milliseconds(0));
  return cause.record ? std::optional(caused_by(*cause.record, rank_)) : std::nullopt;
}

std::optional<ErrorRecord> cause_of_hang(ErrorStore& error_store) {
  constexpr milliseconds kSecondTry{1500};  // a busy machine may need this long
  auto cause = error_store.find_cause(milliseconds(0));
  if (!cause.store_answers) cause = error_store.find_cause(kSecondTry);
  if (cause.record) return caused_by(*cause.record, error_store.rank());
  if (cause.store_answers || error_store.hosts_store()) return std::nullopt;
  return peer_lost("the run's store does not answer any more", {},
                   "look at rank 0's output, and at its machine")
      .record();
}

std::optional<ErrorRecord> killed_rank(const ErrorStore::AskLauncher& launcher) {
  auto told = launcher ? launcher() : std::nullopt;
  return told && told->code == kRankKilledCode ? told : std::nullopt;
}

ErrorRecord caused_by(const ErrorRecord& cause, int own_rank) {
  // A killed rank could not post its fault itself.
  const bool says_which_rank = cause.code == kRankKilledCode || cause.code == kPeerLostCode;
  constexpr std::string_view kPrefix = "scalemark: error ";
  constexpr std::size_t kMostQuoted = 160;
  ErrorRecord quoted = cause;
  quoted.hint.clear();
  std::string line = format_error_line(quoted);
  if (line.starts_with(kPrefix)) line.erase(0, kPrefix.size());
  // The rank that failed says all of it; rank 0 writes it into the report.
  if (own_rank != 0 && line.size() > kMostQuoted)
    line = line.substr(0, line.rfind(' ', kMostQuoted)) + " ...";
  ErrorRecord record = cause;
  if (!says_which_rank)
    record.what =
        (cause.rank ? "rank " + std::to_string(*cause.rank) : "a peer rank") + " ended: " + line;
  record.expected.clear();
  if (cause.code != kPeerLostCode) record.rank = own_rank;
  record.host.clear();
  record.phase.clear();
  record.point.clear();
  record.step.reset();
  return record;
}

Error translate_collective_error(const std::exception_ptr& exception, ErrorStore& error_store,
                                 milliseconds limit) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    if (meaning_of(error) != Meaning::kPeerLost) return Error(record_of(error));
    const ErrorStore::Cause cause = error_store.find_cause(limit);
    if (cause.record) return Error(caused_by(*cause.record, error_store.rank()));
    ErrorRecord record = lost_record(one_line(error), cause);
    record.rank = error_store.rank();
    return Error(std::move(record));
  } catch (...) {
    return bug("an exception of unknown type");
  }
}

std::int64_t count_posted_errors(c10d::Store& store) {
  return store.check({"fault/count"}) ? store.add("fault/count", 0) : 0;
}

void throw_posted_error(c10d::Store& store, ErrorStore& error_store) {
  if (count_posted_errors(store) == 0) return;
  if (const auto end = error_store.own_end()) throw Error(*end);
}

}  // namespace scalemark::distributed
