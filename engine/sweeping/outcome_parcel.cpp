#include "engine/sweeping/outcome_parcel.h"

#include <string>

#include "core/base/field.h"
#include "core/base/wire.h"
#include "core/reporting/record/rank_fields.h"

namespace scalemark::sweeping {
namespace {

constexpr std::size_t kPieceBytes = 4 << 20;

std::string piece_key(std::int64_t number, std::size_t piece) {
  return "task/measured/" + std::to_string(number) + "/" + std::to_string(piece);
}

std::string count_key(std::int64_t number) {
  return "task/measured/" + std::to_string(number) + "/count";
}

}  // namespace

void send_outcome(c10d::Store& store, std::int64_t number, const running::PointOutcome& outcome) {
  const std::string bytes = to_wire(outcome);
  std::size_t pieces = 0;
  for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes) {
    store.set(piece_key(number, pieces++), bytes.substr(at, kPieceBytes));
  }
  store.set(count_key(number), std::to_string(pieces));
}

running::PointOutcome receive_outcome(c10d::Store& store, std::int64_t number) {
  if (!store.check({count_key(number)})) throw bug("a rank reported a result and sent none");
  const auto pieces = std::stoull(store.get_to_str(count_key(number)));
  std::string bytes;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    bytes += store.get_to_str(piece_key(number, piece));
    store.deleteKey(piece_key(number, piece));
  }
  store.deleteKey(count_key(number));
  return from_wire<running::PointOutcome>(bytes);
}

}  // namespace scalemark::sweeping
