#include "engine/process/hang_watch.h"

#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/host_name.h"
#include "core/base/threads.h"
#include "core/base/wire.h"
#include "core/launch/outcome.h"
#include "engine/distributed/clock.h"
#include "engine/distributed/store.h"

namespace scalemark::process {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kStoreLimit{1000};
constexpr milliseconds kThreadsLimit{500}, kStacksLimit{2000};  // the latter with finding names
constexpr milliseconds kShowLimit{4000};  // others look for a request every 1 to 2.5 s
constexpr milliseconds kPoll{50};

// Counts requests: stalls in the lower digits, what people asked for in the upper ones.
constexpr const char* kRequestKey = "hang/request";
constexpr std::int64_t kStall = 1, kShow = std::int64_t{1} << 32;

std::string process_key(int rank) { return "hang/process/" + std::to_string(rank); }
std::string note_key(int rank) { return "hang/note/" + std::to_string(rank); }

std::string pid_space() {
  std::error_code unknown;
  return fs::read_symlink("/proc/self/ns/pid", unknown).string();
}

void leave_for_launcher(const std::string& error_file, std::string_view note) noexcept try {
  if (error_file.empty()) return;
  AtomicFile file(launching::hang_note_of(error_file));
  file.append(note);
  file.commit();
} catch (const std::exception&) {  // the launcher does without
}

// A signal handler may only use static objects.
sem_t wanted;
std::atomic<bool> asked_by_signal{false};

void ask_by_signal(int) {
  asked_by_signal = true;
  ::sem_post(&wanted);
}

}  // namespace

HangWatch::HangWatch(const RunRequest& request, const PhaseTracker& phase_tracker)
    : request_(request), phase_tracker_(phase_tracker) {
  monitoring::prepare_stacks();
  ::sem_init(&wanted, 0, 0);
  asked_by_signal = false;
  if (!is_ignored(SIGUSR2)) {
    struct sigaction action {};
    action.sa_handler = ask_by_signal;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGUSR2, &action, nullptr);
  }
  thread_ = quiet_thread([this] { serve(); });
}

HangWatch::~HangWatch() {
  if (!is_ignored(SIGUSR2)) std::signal(SIGUSR2, SIG_IGN);  // the process ends: nothing to show
  over_ = true;
  ::sem_post(&wanted);
  thread_.join();
}

void HangWatch::join(RankContext& context) noexcept try {
  context_ = &context;
  if (context.world().world_size == 1) return;
  const std::pair<int, std::string> mine{::getpid(), context.machine() + " " + pid_space()};
  context.error_store().store()->set(process_key(context.world().rank), to_wire(mine));
} catch (const std::exception&) {  // others do without: the store is gone
}

// Only ranks of this node are asked for, so that many nodes do not ask for all.
void HangWatch::meet() noexcept try {
  RankContext& context = *context_;
  if (context.world().world_size == 1) return;
  c10d::Store& store = *context.error_store().store();
  std::map<int, Neighbour> found;
  const auto& nodes = context.node_of_rank();
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    const auto number = static_cast<int>(rank);
    if (number == context.world().rank || nodes[rank] != context.world().node) continue;
    if (!store.check({process_key(number)})) continue;
    auto process =
        try_from_wire<std::pair<int, std::string>>(store.get_to_str(process_key(number)));
    if (process) found[number] = {process->first, std::move(process->second)};
  }
  const std::string own_space = context.machine() + " " + pid_space();
  std::erase_if(found, [&](const auto& one) { return one.second.space != own_space; });
  const std::lock_guard lock(mutex_);
  neighbours_ = std::move(found);
} catch (const std::exception&) {
}

distributed::Position HangWatch::position() const {
  const RankContext* context = context_;
  const auto group = context != nullptr ? context->group_in_use() : RankContext::GroupInUse{};
  return {.group = group.count ? group.count->group() : "",
          .collectives = group.count ? group.count->begun() : 0,
          .phase = phase_tracker_.phase(),
          .step = phase_tracker_.step()};
}

void HangWatch::post_position() noexcept try {
  RankContext* context = context_;
  if (context == nullptr || context->world().world_size == 1) return;
  distributed::post_position(context->error_store().store(), context->world().rank, position());
} catch (const std::exception&) {
}

std::int64_t HangWatch::ask(std::int64_t more) {
  RankContext* context = context_;
  if (context == nullptr || context->world().world_size == 1) return seen_ + more;
  return context->error_store().store()->add(kRequestKey, more);
}

std::int64_t HangWatch::asked_so_far() const {
  RankContext* context = context_;
  if (context == nullptr || context->world().world_size == 1) return seen_;
  return context->error_store().store()->add(kRequestKey, 0);
}

void HangWatch::beat() noexcept try {
  post_position();
  const auto asked = distributed::within(kStoreLimit, [this] { return asked_so_far(); });
  if (asked && *asked > seen_) ::sem_post(&wanted);
} catch (const std::exception&) {  // the heartbeat finds out that the store is gone
}

void HangWatch::stalled() noexcept try {
  before_stall_ = seen_.load();
  post_position();
  const auto number = distributed::within(kStoreLimit, [this] { return ask(kStall); });
  answer(number.value_or(seen_ + kStall));
} catch (const std::exception&) {  // the store is gone: the launcher reads the file
  answer(seen_ + kStall);
}

std::map<int, std::pair<int, monitoring::ProcessStanding>> HangWatch::beside() {
  std::map<int, Neighbour> neighbours;
  {
    const std::lock_guard lock(mutex_);
    neighbours = neighbours_;
  }
  std::map<int, std::pair<int, monitoring::ProcessStanding>> found;
  for (const auto& [rank, process] : neighbours)
    found[rank] = {process.pid, monitoring::standing_of(process.pid)};
  return found;
}

live::HangNote HangWatch::note_of_now(std::int64_t number) {
  const distributed::Position at = position();
  live::HangNote note{.rank = request_.world.rank,
                      .number = number,
                      .host = host_name(),
                      .pid = ::getpid(),
                      .phase = at.phase,
                      .step = at.step,
                      .collectives = static_cast<std::int64_t>(at.collectives),
                      .stacks = {},
                      .beside = {}};
  // A thread may hold the loader's lock, on which finding names waits.
  auto stacks =
      distributed::within(kStacksLimit, [] { return monitoring::take_stacks(kThreadsLimit); });
  if (stacks) {
    note.stacks = *std::move(stacks);
  } else {
    note.stacks.untaken = "a thread holds the loader's lock";
  }
  note.beside = beside();
  return note;
}

// The launcher reads the file where the store is gone with rank 0.
void HangWatch::answer(std::int64_t number) noexcept try {
  const std::string note = live::fitted(note_of_now(number));
  seen_ = std::max(seen_.load(), number);
  leave_for_launcher(request_.error_file, note);
  RankContext* context = context_;
  if (context == nullptr || context->world().world_size == 1) return;
  distributed::within(kStoreLimit, [store = context->error_store().store(), note,
                                    key = note_key(context->world().rank)] {
    store->set(key, note);
    return true;
  });
} catch (const std::exception&) {
}

std::vector<live::HangNote> HangWatch::notes_after(std::int64_t before, milliseconds limit) {
  RankContext* context = context_;
  const int own = request_.world.rank;
  std::size_t silent = 0;  // ranks that cannot answer
  for (const auto& [rank, seen] : beside()) {
    const ProcessState state = seen.second.state;
    if (state == ProcessState::kStopped || state == ProcessState::kGone) ++silent;
  }
  if (context == nullptr || context->world().world_size == 1) return {note_of_now(before + kStall)};
  const auto gather = [store = context->error_store().store(), before, limit, silent,
                       size = context->world().world_size] {
    std::map<int, live::HangNote> notes;
    const auto end = std::chrono::steady_clock::now() + limit;
    while (true) {
      for (int rank = 0; rank < size; ++rank) {
        if (notes.contains(rank) || !store->check({note_key(rank)})) continue;
        auto note = try_from_wire<live::HangNote>(store->get_to_str(note_key(rank)));
        if (note && note->number > before) notes[rank] = *std::move(note);
      }
      if (notes.size() + silent >= static_cast<std::size_t>(size)) break;
      if (std::chrono::steady_clock::now() >= end) break;
      std::this_thread::sleep_for(kPoll);
    }
    return notes;
  };
  std::vector<live::HangNote> all;
  const auto notes = distributed::within(limit + kStoreLimit, gather);
  for (const auto& [rank, note] : notes.value_or(std::map<int, live::HangNote>{}))
    all.push_back(note);
  const bool has_own =
      std::ranges::any_of(all, [own](const live::HangNote& note) { return note.rank == own; });
  if (!has_own) all.push_back(note_of_now(before + kStall));
  return all;
}

// Answers requests of others, and those of people that reach this process by SIGUSR2.
void HangWatch::serve() {
  const WatchingThread watching;
  while (true) {
    while (::sem_wait(&wanted) != 0) {
    }
    if (over_) return;
    try {
      const std::int64_t before = seen_;
      const bool is_mine = asked_by_signal.exchange(false);
      const auto number = distributed::within(
          kStoreLimit, [this, is_mine] { return is_mine ? ask(kShow) : asked_so_far(); });
      if (!number || *number <= seen_) continue;
      answer(*number);
      const bool is_shown = *number / kShow > shown_;
      shown_ = *number / kShow;
      if (is_shown && request_.world.rank == 0) show(before);
    } catch (const std::exception& error) {
      std::cerr << "scalemark: note: no stacks could be kept: " << remark_of(error) << std::endl;
    }
  }
}

void HangWatch::show(std::int64_t before) {
  const auto hang = keep(look_around(before, kShowLimit), "somebody asked for it by SIGUSR2");
  shown_ = asked_so_far() / kShow;  // these were asked meanwhile, and stand in it
  if (hang->folder.empty()) return;
  const fs::path file =
      fs::path(request_.settings.general.output) / live::kHangFolder / live::kStacksFile;
  std::cerr << "scalemark: note: how the ranks stand is in " << file.string() << std::endl;
}

}  // namespace scalemark::process
