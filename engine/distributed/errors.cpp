#include "engine/distributed/errors.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/number_words.h"

namespace scalemark::distributed {
Error rendezvous_error(std::string what, std::string expected, std::string hint) {
  return make_error("E_RENDEZVOUS", ExitCode::kPeerLost, ErrorDomain::kLaunch, std::move(what),
                    std::move(expected), std::move(hint));
}

Error peer_lost(std::string what, std::string expected, std::string hint) {
  return make_error("E_PEER_LOST", ExitCode::kPeerLost, ErrorDomain::kNetwork, std::move(what),
                    std::move(expected), std::move(hint));
}

Error ranks_disagree(std::string what, std::string expected, std::string hint) {
  return make_error("E_RANKS_DISAGREE", ExitCode::kRanksDisagree, ErrorDomain::kLaunch,
                    std::move(what), std::move(expected), std::move(hint));
}

std::string in_seconds(std::chrono::milliseconds duration) {
  return seconds_text(static_cast<double>(duration.count()) / 1e3);
}

std::string name_ranks(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i > 0) text += i + 1 == ranks.size() ? " and " : ", ";
    text += std::to_string(ranks[i]);
  }
  return text;
}

}  // namespace scalemark::distributed
