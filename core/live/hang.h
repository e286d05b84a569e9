// How the ranks of a run stand that makes no progress, or that somebody wants to look into: of what
// kind each one's standstill is, who has to act on it, and the text of hang/stacks.txt, where equal
// stacks are told once. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/machine/stacks.h"

namespace scalemark::live {

inline constexpr const char* kHangFolder = "hang";
inline constexpr const char* kStacksFile = "stacks.txt";

// A rank tells of itself, and of the processes beside it, when it stands or is asked.
struct HangNote {
  int rank = 0;
  std::int64_t number = 0;  // the request that it answers has it
  std::string host;
  int pid = 0;
  std::string phase;
  std::optional<std::int64_t> step, collectives;
  monitoring::Stacks stacks;
  std::map<int, std::pair<int, monitoring::ProcessStanding>> beside;  // by rank, with its pid
};
template <class A>
constexpr void fields(A& a, typename A::template Field<HangNote>& n) {
  a.values(n.rank, n.number, n.host, n.pid, n.phase, n.step, n.collectives, n.stacks, n.beside);
}

// Returns the bytes of a note that takes at most `most`: outer frames, then threads are left out.
std::string fitted(HangNote note, std::size_t most = 32 << 10);

// All that is known of a rank.
struct StandingRank {
  int rank = 0;
  std::string host;
  int pid = 0;           // 0: not known
  bool is_late = false;  // the others wait for it
  std::string phase;
  std::optional<std::int64_t> step, collectives;
  std::optional<monitoring::ProcessStanding> process;
  std::optional<monitoring::Stacks> stacks;  // unset: it did not answer
};

// Adds what the notes say to `ranks`, in which each rank has the place of its number.
void add_notes(std::vector<StandingRank>& ranks, const std::vector<HangNote>& notes);

HangKind kind_of(const StandingRank& rank);
// Who has to act on a standstill of this kind. kWaits: nobody is late, so the network.
ErrorDomain domain_of(HangKind kind);
// "rank 1 (pid 4711 on n7) is stopped by a signal from outside"; what its kind tells of it.
std::string in_words(const StandingRank& rank);
HungRank summary_of(const StandingRank& rank);

// `why`: "rank 0: no progress for 3 s", or who asked; `written`: the time.
std::string text_of(const std::vector<StandingRank>& ranks, std::string_view why,
                    std::string_view written);

}  // namespace scalemark::live
