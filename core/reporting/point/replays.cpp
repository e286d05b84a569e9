#include "core/reporting/point/replays.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/number_words.h"
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

// All that was done by one method.
struct BitsOfMethod {
  std::map<std::string, std::set<std::string>> by_device;  // digests of each
  std::map<std::string, std::size_t> voices;  // devices that have a digest and no other
  std::size_t all = 0;                        // voices together

  std::size_t alike(const std::string& digest) const {
    const auto found = voices.find(digest);
    return found == voices.end() ? 0 : found->second;
  }
  bool is_majority(const std::string& digest) const { return 2 * alike(digest) > all; }
};

using Methods = std::map<std::string, BitsOfMethod>;

Methods by_method(std::span<const ReplayRecord* const> replays) {
  Methods methods;
  for (const ReplayRecord* replay : replays) {
    if (replay->digest.empty()) continue;
    methods[class_key(*replay)].by_device[device_key(*replay)].insert(replay->digest);
  }
  for (auto& [key, bits] : methods) {
    for (const auto& [device, digests] : bits.by_device) {
      if (digests.size() > 1) continue;
      ++bits.voices[*digests.begin()];
      ++bits.all;
    }
  }
  return methods;
}

// Compares with the other devices, and with the same one in other sessions.
void compare(JudgedReplay& judged, const BitsOfMethod& bits) {
  const ReplayRecord& replay = *judged.replay;
  const bool contradicts = bits.by_device.at(device_key(replay)).size() > 1;
  if (bits.is_majority(replay.digest)) return;
  if (contradicts) {
    judged.verdict = BitsVerdict::kWrong;
    judged.why = "other bits in another session";
    return;
  }
  const bool majority = std::ranges::any_of(
      bits.voices, [&](const auto& one) { return bits.is_majority(one.first); });
  const bool told = majority && bits.all >= kDevicesToTell;
  judged.verdict = told ? BitsVerdict::kWrong : BitsVerdict::kDiffer;
  const std::string of_all = std::to_string(bits.all) + " devices";
  judged.why = told ? "other bits than most of " + of_all
                    : of_all + " differ, which is right cannot be told";
}

JudgedReplay judge(const ReplayRecord& replay, const Methods& methods) {
  JudgedReplay judged{.replay = &replay};
  if (replay.wrong > 0) {
    judged.verdict = BitsVerdict::kWrong;
    judged.why = grouped(replay.wrong) + " of " + grouped(replay.rounds) +
                 " rounds gave other bits than the first (" + replay.first_wrong + ")";
  } else if (replay.digest.empty()) {
    judged.verdict = BitsVerdict::kNotDone;
    judged.why = replay.reason.empty() ? "not done" : replay.reason;
  } else {
    compare(judged, methods.at(class_key(replay)));
  }
  if (!judged.why.empty()) judged.why = replay.precision + " " + replay.work + ": " + judged.why;
  return judged;
}

}  // namespace

std::vector<JudgedReplay> judge_replays(std::span<const ReplayRecord* const> replays) {
  const Methods methods = by_method(replays);
  std::vector<JudgedReplay> judged;
  for (const ReplayRecord* replay : replays) judged.push_back(judge(*replay, methods));
  return judged;
}

std::vector<Finding> findings_of_replays(std::span<const ReplayRecord> replays) {
  std::vector<const ReplayRecord*> all;
  for (const ReplayRecord& replay : replays) all.push_back(&replay);
  std::vector<Finding> findings;
  for (const JudgedReplay& judged : judge_replays(all)) {
    if (judged.verdict == BitsVerdict::kSame || judged.verdict == BitsVerdict::kNotDone) continue;
    const ReplayRecord& replay = *judged.replay;
    const bool wrong = judged.verdict == BitsVerdict::kWrong;
    findings.push_back(make_finding(
        wrong ? finding_kinds::wrong_bits : finding_kinds::bits_differ, "", {{"why", judged.why}},
        FindingPlace{.rank = replay.rank, .host = replay.host, .device = replay.device}));
  }
  return findings;
}

}  // namespace scalemark::reporting
