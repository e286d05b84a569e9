#include "engine/distributed/errors.h"

#include <cstdio>
#include <utility>

namespace scalemark::distributed {
namespace {

Error make(const char* code, ExitCode exit_code, ErrorDomain domain, std::string what,
           std::string expected, std::string hint) {
  return Error({.code = code,
                .exit_code = exit_code,
                .domain = domain,
                .what = std::move(what),
                .expected = std::move(expected),
                .hint = std::move(hint)});
}

}  // namespace

Error rendezvous_error(std::string what, std::string expected, std::string hint) {
  return make("E_RENDEZVOUS", ExitCode::kPeerLost, ErrorDomain::kLaunch, std::move(what),
              std::move(expected), std::move(hint));
}

Error peer_lost(std::string what, std::string expected, std::string hint) {
  return make("E_PEER_LOST", ExitCode::kPeerLost, ErrorDomain::kNetwork, std::move(what),
              std::move(expected), std::move(hint));
}

Error ranks_disagree(std::string what, std::string expected, std::string hint) {
  return make("E_RANKS_DISAGREE", ExitCode::kRanksDisagree, ErrorDomain::kLaunch, std::move(what),
              std::move(expected), std::move(hint));
}

std::string in_seconds(std::chrono::milliseconds duration) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g s", static_cast<double>(duration.count()) / 1e3);
  return text;
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
