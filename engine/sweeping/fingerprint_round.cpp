#include "engine/sweeping/fingerprint_round.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "core/planning/fingerprint.h"
#include "core/reporting/record/report_json.h"
#include "engine/distributed/errors.h"

namespace scalemark::sweeping {
namespace {

using reporting::FingerprintRecord;

FingerprintRecord without_exchange(process::RankContext& context, const std::string& reason) {
  FingerprintRecord record;
  record.host = context.host();
  record.device = context.device().name();
  record.what = reporting::MachineRate::kAllReduce;
  record.unit = "B/s";
  record.reason = reason;
  return record;
}

}  // namespace

std::vector<FingerprintRecord> FingerprintRound::take(const planning::Plan& plan) {
  loop_.ranks().enter("wait");
  auto records = ask_all(FingerprintPart::kMachine);
  if (loop_.requested_signal()) return records;
  const std::string reason = planning::exchange_of(plan).reason;
  if (!reason.empty()) {
    records.push_back(without_exchange(context_, reason));
    return records;
  }
  std::ranges::move(ask_all(FingerprintPart::kExchange), std::back_inserter(records));
  return records;
}

// In the order of ranks.
std::vector<FingerprintRecord> FingerprintRound::ask_all(FingerprintPart part) {
  const auto texts = loop_.ask_all(encode(SweepCommand{.task = {}, .fingerprint = part}),
                                   [&] { return member_.answer(part); });
  if (texts.size() != static_cast<std::size_t>(loop_.ranks().size())) {
    throw distributed::peer_lost("a rank did not answer while the machines were measured", {},
                                 "look at its output, and check whether the system killed it");
  }
  member_.release();
  std::vector<FingerprintRecord> records;
  for (const auto& [rank, text] : texts) {
    std::ranges::move(reporting::fingerprint_from_json(text, "rank " + std::to_string(rank)),
                      std::back_inserter(records));
  }
  return records;
}

}  // namespace scalemark::sweeping
