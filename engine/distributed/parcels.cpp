#include "engine/distributed/parcels.h"

#include <cstddef>

namespace scalemark::distributed {
namespace {

constexpr std::size_t kPieceBytes = 1 << 20;

std::string piece_key(const std::string& key, std::size_t piece) {
  return key + "/" + std::to_string(piece);
}

std::size_t pieces_of(c10d::Store& store, const std::string& key) {
  return std::stoull(store.get_to_str(key));
}

}  // namespace

void send_parcel(c10d::Store& store, const std::string& key, std::string_view text) {
  std::size_t pieces = 0;
  for (std::size_t at = 0; at < text.size(); at += kPieceBytes) {
    store.set(piece_key(key, pieces++), std::string(text.substr(at, kPieceBytes)));
  }
  store.set(key, std::to_string(pieces));
}

std::string receive_parcel(c10d::Store& store, const std::string& key,
                           const std::function<void()>& on_piece) {
  std::string text;
  for (std::size_t piece = 0, all = pieces_of(store, key); piece < all; ++piece) {
    text += store.get_to_str(piece_key(key, piece));
    if (on_piece) on_piece();
  }
  return text;
}

void delete_parcel(c10d::Store& store, const std::string& key) {
  for (std::size_t piece = 0, all = pieces_of(store, key); piece < all; ++piece) {
    store.deleteKey(piece_key(key, piece));
  }
  store.deleteKey(key);
}

}  // namespace scalemark::distributed
