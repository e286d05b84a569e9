// The errors that only this module throws, and how durations are written in them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace scalemark::distributed {

// E_RENDEZVOUS, 69: the ranks did not find each other.
Error rendezvous_error(std::string what, std::string expected = {}, std::string hint = {});

// E_PEER_LOST, 69: a rank that was there is gone.
Error peer_lost(std::string what, std::string expected = {}, std::string hint = {});

// E_RANKS_DISAGREE, 76.
Error ranks_disagree(std::string what, std::string expected = {}, std::string hint = {});

// "2.5 s"
std::string in_seconds(std::chrono::milliseconds duration);

// "ranks 1, 2 and 5" or "rank 1".
std::string name_ranks(const std::vector<int>& ranks);

}  // namespace scalemark::distributed
