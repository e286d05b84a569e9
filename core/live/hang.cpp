#include "core/live/hang.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/base/text.h"
#include "core/base/wire.h"
#include "core/base/words.h"

namespace scalemark::live {
namespace {

using monitoring::Frame;
using monitoring::Stacks;
using monitoring::ThreadStack;

// Parts of the names of functions in which the kernel waits for a file system or its disk, and of
// those of drivers of devices.
constexpr auto kOfFileSystems = std::to_array<std::string_view>(
    {"nfs",         "rpc_",    "lustre", "ll_",   "cl_",      "osc_",   "ptlrpc", "ceph",
     "gpfs",        "beegfs",  "fuse",   "cifs",  "smb",      "ext4",   "xfs",    "btrfs",
     "jbd2",        "f2fs",    "folio",  "page",  "bit_wait", "buffer", "blk",    "bio_",
     "io_schedule", "filemap", "vfs_",   "inode", "sb_",      "freeze"});
constexpr auto kOfDrivers =
    std::to_array<std::string_view>({"nvidia", "nv_", "uvm_", "ib_uverbs", "mlx", "amdgpu"});
constexpr auto kOfReading = std::to_array<std::string_view>({"scalemark::data::"});
constexpr auto kOfWaiting = std::to_array<std::string_view>(
    {"gloo::", "c10d::", "MPI_", "nccl", "scalemark::distributed::", "cudaStreamSynchronize",
     "cuStreamSynchronize", "cudaEventSynchronize", "cuEventSynchronize"});

bool has_any_of(std::string_view text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts,
                             [&](std::string_view part) { return text.find(part) != text.npos; });
}

// A function's name without its parameters, "gloo::allreduce"; as far as that is plain.
std::string short_name(const std::string& function) {
  constexpr std::string_view kNameless = "(anonymous namespace)::";
  const std::size_t nameless = function.rfind(kNameless);
  const std::size_t begin = nameless == function.npos ? 0 : nameless + kNameless.size();
  const std::size_t end = function.find('(', begin);
  const bool is_plain = end != function.npos && end > begin && function.find('<') > end;
  return is_plain ? function.substr(begin, end - begin) : function;
}

// Where it is, without the types of its parameters and templates.
std::string_view scope_of(std::string_view function) {
  return function.substr(0, function.find_first_of("(<"));
}

const ThreadStack* main_of(const std::optional<Stacks>& stacks) {
  if (!stacks || stacks->threads.empty() || stacks->threads.front().frames.empty()) return nullptr;
  return &stacks->threads.front();
}

bool main_is_in(const StandingRank& rank, std::span<const std::string_view> parts) {
  const ThreadStack* main = main_of(rank.stacks);
  return main != nullptr && std::ranges::any_of(main->frames, [&](const Frame& frame) {
           return has_any_of(scope_of(frame.function), parts);
         });
}

std::string name_of_frame(const Frame& frame) {
  return frame.function.empty() ? frame.place : frame.function;
}

// The innermost functions that say what a thread does: names of the C library say only that it
// sleeps.
std::string line_of(const Stacks& stacks) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> names;
  for (const Frame& frame : stacks.threads.front().frames) {
    const bool tells = !frame.function.empty() && !frame.place.starts_with("libc.so") &&
                       !frame.place.starts_with("libpthread") &&
                       !frame.place.starts_with("libstdc++");
    if (tells) names.push_back(short_name(frame.function));
    if (names.size() == kShown) break;
  }
  if (names.empty()) return name_of_frame(stacks.threads.front().frames.front());
  return joined(names, " <- ");
}

std::string position_of(const StandingRank& rank) {
  std::vector<std::string> parts;
  if (!rank.phase.empty()) parts.push_back("phase " + rank.phase);
  if (rank.step) parts.push_back("step " + std::to_string(*rank.step));
  if (rank.collectives) parts.push_back(std::to_string(*rank.collectives) + " collectives begun");
  return parts.empty() ? "no position" : joined(parts, ", ");
}

std::string title_of(const StandingRank& rank) {
  std::vector<std::string> where;
  if (rank.pid != 0) where.push_back("pid " + std::to_string(rank.pid));
  if (!rank.host.empty()) where.push_back("on " + rank.host);
  const std::string name = "rank " + std::to_string(rank.rank);
  return where.empty() ? name : name + " (" + joined(where, " ") + ")";
}

std::string state_in_words(const monitoring::ProcessStanding& standing) {
  std::string text(name_of(standing.state));
  return standing.asleep_in.empty() ? text : text + " (" + standing.asleep_in + ")";
}

std::string body_of(const ThreadStack& thread) {
  if (!thread.answered)
    return "    took no stack; its state: " + state_in_words(thread.standing) + "\n";
  std::string text;
  for (const Frame& frame : thread.frames)
    text += "    " + frame.place + (frame.function.empty() ? "" : "  " + frame.function) + "\n";
  return text;
}

// Two threads do the same where their functions are equal, whichever instruction each is at.
std::string sameness_of(const ThreadStack& thread) {
  std::string text = thread.answered ? "" : state_in_words(thread.standing);
  for (const Frame& frame : thread.frames) text += name_of_frame(frame) + "\n";
  return text;
}

// Stacks that are equal, told once.
struct Fold {
  const ThreadStack* first = nullptr;
  std::map<int, std::vector<std::string>> threads;  // names, by rank
};

std::string ranks_in_words(const Fold& fold) {
  std::vector<int> ranks;
  for (const auto& [rank, names] : fold.threads) ranks.push_back(rank);
  return (ranks.size() == 1 ? "rank " : "ranks ") + number_ranges(ranks);
}

std::string threads_in_words(const Fold& fold) {
  std::map<std::string, int> counts;
  for (const auto& [rank, names] : fold.threads) {
    for (const std::string& name : names) ++counts[name];
  }
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts)
    parts.push_back(count == 1 ? name : std::to_string(count) + " x " + name);
  return joined(parts, ", ");
}

std::vector<Fold> folds_of(const std::vector<StandingRank>& ranks, bool main) {
  std::vector<Fold> folds;
  std::map<std::string, std::size_t> places;
  for (const StandingRank& rank : ranks) {
    if (!rank.stacks) continue;
    const auto& threads = rank.stacks->threads;
    for (std::size_t i = main ? 0 : 1;
         i < (main ? std::min<std::size_t>(threads.size(), 1) : threads.size()); ++i) {
      const auto [place, is_new] = places.try_emplace(sameness_of(threads[i]), folds.size());
      if (is_new) folds.push_back({.first = &threads[i], .threads = {}});
      folds[place->second].threads[rank.rank].push_back(threads[i].name);
    }
  }
  return folds;
}

}  // namespace

std::string fitted(HangNote note, std::size_t most) {
  auto& threads = note.stacks.threads;
  std::string bytes = to_wire(note);
  for (std::size_t frames = 32; bytes.size() > most && frames >= 8; frames /= 2) {
    for (std::size_t i = 1; i < threads.size(); ++i) {
      auto& all = threads[i].frames;
      if (all.size() > frames) all.resize(frames);
    }
    bytes = to_wire(note);
  }
  while (bytes.size() > most && threads.size() > 1) {
    threads.pop_back();
    ++note.stacks.left_out;
    bytes = to_wire(note);
  }
  return bytes;
}

void add_notes(std::vector<StandingRank>& ranks, const std::vector<HangNote>& notes) {
  const auto place_of = [&](int rank) -> StandingRank* {
    const auto place = static_cast<std::size_t>(rank);
    return rank >= 0 && place < ranks.size() ? &ranks[place] : nullptr;
  };
  for (const HangNote& note : notes) {
    for (const auto& [rank, seen] : note.beside) {
      StandingRank* one = place_of(rank);
      if (one == nullptr || one->process) continue;
      one->pid = seen.first;
      one->process = seen.second;
      if (one->host.empty()) one->host = note.host;
    }
  }
  for (const HangNote& note : notes) {
    StandingRank* one = place_of(note.rank);
    if (one == nullptr) continue;
    one->host = note.host;
    one->pid = note.pid;
    if (!one->collectives || note.collectives > one->collectives) {
      one->phase = note.phase;
      one->step = note.step;
      one->collectives = note.collectives;
    }
    one->stacks = note.stacks;
  }
}

HangKind kind_of(const StandingRank& rank) {
  if (rank.process) {
    const auto& [state, asleep_in] = *rank.process;
    if (state == ProcessState::kStopped) return HangKind::kStopped;
    if (state == ProcessState::kGone) return HangKind::kGone;
    if (has_any_of(asleep_in, kOfDrivers)) return HangKind::kDriver;
    if (has_any_of(asleep_in, kOfFileSystems)) return HangKind::kFileSystem;
  }
  if (main_is_in(rank, kOfReading)) return HangKind::kReads;
  if (!rank.is_late && (rank.stacks || rank.process)) {
    return main_of(rank.stacks) == nullptr || main_is_in(rank, kOfWaiting) ? HangKind::kWaits
                                                                           : HangKind::kBusy;
  }
  return rank.stacks || rank.process ? HangKind::kBusy : HangKind::kSilent;
}

ErrorDomain domain_of(HangKind kind) {
  switch (kind) {
    case HangKind::kStopped:
      return ErrorDomain::kLaunch;
    case HangKind::kReads:
    case HangKind::kFileSystem:
      return ErrorDomain::kData;
    case HangKind::kDriver:
      return ErrorDomain::kHardware;
    case HangKind::kWaits:
    case HangKind::kSilent:
      return ErrorDomain::kNetwork;
    case HangKind::kBusy:
    case HangKind::kGone:
      return ErrorDomain::kSoftware;
  }
  return ErrorDomain::kSoftware;
}

std::string in_words(const StandingRank& rank) {
  const std::string who = title_of(rank);
  const std::string in_kernel =
      rank.process && !rank.process->asleep_in.empty() ? " (" + rank.process->asleep_in + ")" : "";
  const bool has_stack = main_of(rank.stacks) != nullptr;
  const std::string at = has_stack ? ": " + line_of(*rank.stacks) : "";
  switch (kind_of(rank)) {
    case HangKind::kStopped:
      return who + " is stopped by a signal from outside";
    case HangKind::kGone:
      return who + " is gone";
    case HangKind::kFileSystem:
      return who + " sleeps in a file system" + in_kernel;
    case HangKind::kDriver:
      return who + " sleeps in a driver" + in_kernel;
    case HangKind::kReads:
      return who + " reads data" + at;
    case HangKind::kWaits:
      return who + " waits for the others" + at;
    case HangKind::kBusy:
      return has_stack ? who + " is busy elsewhere" + at
                       : who + " lives, and took no stack" + in_kernel;
    case HangKind::kSilent:
      return who + " does not answer";
  }
  return who;
}

HungRank summary_of(const StandingRank& rank) {
  const bool answered = main_of(rank.stacks) != nullptr;
  return {.rank = rank.rank,
          .host = rank.host,
          .state = rank.process ? rank.process->state
                   : answered   ? ProcessState::kSleeps
                                : ProcessState::kUnknown,
          .kind = kind_of(rank),
          .phase = rank.phase,
          .step = rank.step,
          .collectives = rank.collectives,
          .stack = answered ? line_of(*rank.stacks) : ""};
}

std::string text_of(const std::vector<StandingRank>& ranks, std::string_view why,
                    std::string_view written) {
  std::string text = "scalemark: how the ranks stand, " + std::string(written) + "\n" +
                     std::string(why) + "\n\nRanks\n";
  for (const StandingRank& rank : ranks) {
    text += "  " + in_words(rank) + "\n    " + position_of(rank);
    if (rank.process) text += "; process: " + state_in_words(*rank.process);
    if (rank.stacks && !rank.stacks->untaken.empty())
      text += "; no stacks: " + rank.stacks->untaken;
    if (rank.stacks && rank.stacks->left_out > 0)
      text += "; " + counted(rank.stacks->left_out, "thread") + " left out";
    text += "\n";
  }
  text += "\nMain threads, the innermost function first\n";
  for (const Fold& fold : folds_of(ranks, true))
    text += "  " + ranks_in_words(fold) + ":\n" + body_of(*fold.first);
  text += "\nOther threads\n";
  for (const Fold& fold : folds_of(ranks, false))
    text +=
        "  " + ranks_in_words(fold) + ": " + threads_in_words(fold) + "\n" + body_of(*fold.first);
  text += "\nBuild ids\n";
  std::map<std::string, std::string> ids;
  for (const StandingRank& rank : ranks) {
    if (rank.stacks) ids.insert(rank.stacks->build_ids.begin(), rank.stacks->build_ids.end());
  }
  for (const auto& [library, id] : ids) text += "  " + library + "  " + id + "\n";
  return text;
}

}  // namespace scalemark::live
