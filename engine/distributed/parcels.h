// Long texts in the store, which takes at most 8 MiB for a value and copies it for each reader:
// they are kept in pieces of 1 MiB, under names that begin with the text's key. Knows nothing of
// the texts.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace scalemark::distributed {

// All three throw as the store does. `key` itself comes last, so that a rank may wait for it.
void send_parcel(c10d::Store& store, const std::string& key, std::string_view text);

// Call it when `key` is there. `on_piece` is called after each piece.
std::string receive_parcel(c10d::Store& store, const std::string& key,
                           const std::function<void()>& on_piece = {});

// Call it when all have received it.
void delete_parcel(c10d::Store& store, const std::string& key);

}  // namespace scalemark::distributed
