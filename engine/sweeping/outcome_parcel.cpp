#include "engine/sweeping/outcome_parcel.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/error_json.h"
#include "engine/distributed/wire.h"
#include "engine/running/results/measurement_wire.h"

namespace scalemark::reporting {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RawColumn, name, unit)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RawTable, name, rows, columns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RawPart, steps_per_mark, tables, values)
}  // namespace scalemark::reporting

namespace scalemark::sweeping {
namespace {

using nlohmann::json;

constexpr std::size_t kPieceBytes = 4 << 20;

std::string piece_key(std::int64_t number, std::size_t piece) {
  return "task/measured/" + std::to_string(number) + "/" + std::to_string(piece);
}

std::string count_key(std::int64_t number) {
  return "task/measured/" + std::to_string(number) + "/count";
}

// Every series, in one order for both directions.
template <class Series, class Use>
void each_series(Series& series, Use use) {
  use(series.max_step_s);
  use(series.max_own_s);
  use(series.max_own_less_wait_s);
  use(series.max_wall_s);
}

json to_json(const reporting::StepSeries& series) {
  json all = json::array();
  each_series(series, [&](const std::vector<double>& values) { all.push_back(values); });
  return all;
}

void from_json(const json& all, reporting::StepSeries& series) {
  std::size_t next = 0;
  each_series(series, [&](std::vector<double>& values) { all.at(next++).get_to(values); });
}

// Only our own errors are kept for later.
json error_in(const std::exception_ptr& problem) {
  try {
    std::rethrow_exception(problem);
  } catch (const Error& error) {
    return to_json_value(error.record());
  }
}

std::string to_bytes(const running::PointOutcome& outcome) {
  std::vector<std::string> ranks;
  for (const auto& rank : outcome.ranks) ranks.push_back(running::to_wire(rank));
  json parcel{
      {"ranks", ranks}, {"series", to_json(outcome.series)}, {"measuring_s", outcome.measuring_s}};
  if (outcome.raw_steps) parcel["raw_steps"] = *outcome.raw_steps;
  if (outcome.not_saved) parcel["not_saved"] = error_in(outcome.not_saved);
  return distributed::pack(parcel);
}

running::PointOutcome from_bytes(const std::string& bytes) {
  const auto value = distributed::unpack(bytes);
  if (!value) throw bug("a rank's outcome that cannot be read");
  running::PointOutcome outcome;
  for (const auto& rank : value->at("ranks")) {
    outcome.ranks.push_back(running::from_wire(rank.get<std::string>()));
  }
  from_json(value->at("series"), outcome.series);
  outcome.measuring_s = value->at("measuring_s").get<double>();
  if (value->contains("raw_steps")) {
    outcome.raw_steps = value->at("raw_steps").get<reporting::RawPart>();
  }
  if (value->contains("not_saved")) {
    const auto record = error_from_json(value->at("not_saved"));
    if (!record) throw bug("a rank's error that cannot be read");
    outcome.not_saved = std::make_exception_ptr(Error(*record));
  }
  return outcome;
}

}  // namespace

void send_outcome(c10d::Store& store, std::int64_t number, const running::PointOutcome& outcome) {
  const std::string bytes = to_bytes(outcome);
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
  return from_bytes(bytes);
}

}  // namespace scalemark::sweeping
