#include "core/reporting/point/replays.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/reporting/record/finding_kinds.h"

namespace scalemark::reporting {
namespace {

constexpr std::size_t kDevicesToTell = 3;

std::string device_key(const ReplayRecord& replay) {
  if (!replay.uuid.empty()) return replay.uuid;
  return replay.host + "\n" + replay.device + "\n" + std::to_string(replay.rank);
}

std::string class_key(const ReplayRecord& replay) {
  return replay.work + "\n" + replay.precision + "\n" + replay.method;
}

// The devices that have each digest.
using Digests = std::map<std::string, std::set<std::string>>;

std::size_t devices_of(const Digests& digests) {
  std::set<std::string> all;
  for (const auto& [digest, devices] : digests) all.insert(devices.begin(), devices.end());
  return all.size();
}

JudgedReplay judge(const ReplayRecord& replay, const Digests& digests) {
  JudgedReplay judged{.replay = &replay, .why = {}};
  const std::string what = replay.precision + " " + replay.work;
  if (replay.wrong > 0) {
    judged.verdict = BitsVerdict::kWrong;
    judged.why = what + ": " + grouped(static_cast<double>(replay.wrong)) + " of " +
                 grouped(static_cast<double>(replay.rounds)) +
                 " rounds gave other bits than the first (" + replay.first_wrong + ")";
    return judged;
  }
  if (digests.size() < 2) return judged;
  const std::size_t all = devices_of(digests);
  const std::size_t alike = digests.at(replay.digest).size();
  if (2 * alike > all) return judged;
  const bool majority =
      std::ranges::any_of(digests, [&](const auto& one) { return 2 * one.second.size() > all; });
  const bool told = majority && all >= kDevicesToTell;
  judged.verdict = told ? BitsVerdict::kWrong : BitsVerdict::kDiffer;
  const std::string of_all = std::to_string(all) + " devices";
  judged.why = what + (told ? ": other bits than most of " + of_all
                            : ": " + of_all + " differ, which is right cannot be told");
  return judged;
}

}  // namespace

std::vector<JudgedReplay> judge_replays(std::span<const ReplayRecord* const> replays) {
  std::map<std::string, Digests> classes;
  for (const ReplayRecord* replay : replays) {
    if (replay->digest.empty()) continue;
    classes[class_key(*replay)][replay->digest].insert(device_key(*replay));
  }
  std::vector<JudgedReplay> judged;
  for (const ReplayRecord* replay : replays) {
    if (!replay->digest.empty()) judged.push_back(judge(*replay, classes[class_key(*replay)]));
  }
  return judged;
}

std::vector<Finding> findings_of_replays(std::span<const ReplayRecord> replays) {
  std::vector<const ReplayRecord*> all;
  for (const ReplayRecord& replay : replays) all.push_back(&replay);
  std::vector<Finding> findings;
  for (const JudgedReplay& judged : judge_replays(all)) {
    if (judged.verdict == BitsVerdict::kSame) continue;
    const ReplayRecord& replay = *judged.replay;
    const std::string name =
        "rank " + std::to_string(replay.rank) + " (" + replay.host + ", " + replay.device + "): ";
    const bool wrong = judged.verdict == BitsVerdict::kWrong;
    findings.push_back(make_finding(
        wrong ? finding_kinds::wrong_bits : finding_kinds::bits_differ, "", name + judged.why,
        FindingPlace{
            .rank = replay.rank, .host = replay.host, .device = replay.device, .link = {}}));
  }
  return findings;
}

double excluded_wrong_share(std::int64_t rounds) {
  return rounds > 3 ? 3.0 / static_cast<double>(rounds) : 1.0;
}

}  // namespace scalemark::reporting
