// checkpoint.json: what a training checkpoint holds, and what must be unchanged for a training to
// resume from it. Knows nothing of tensors, or of the code that writes and reads them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/field.h"
#include "report/record/records.h"

namespace scalemark::reporting {

struct CheckpointFile {
  std::string name;  // file name beside checkpoint.json
  std::int64_t bytes = 0;
  std::string xxh3_128;  // hex
};
template <class A>
constexpr void fields(A& a, typename A::template Field<CheckpointFile>& f) {
  a.record("checkpoint_file", "The state of rank 0, or what differs from it on another rank");
  a("name", f.name, {"beside checkpoint.json"});
  a("bytes", f.bytes, {"its size", "bytes"});
  a("xxh3_128", f.xxh3_128, {"checksum of the file, hexadecimal"});
}

struct CheckpointManifest {
  std::int64_t step = 0;                    // optimizer steps that are done
  std::map<std::string, std::string> same;  // settings, program, data and machines, which must stay
  std::vector<Evaluation> evaluation;       // one per finished epoch
  std::vector<Resumption> resumed;          // one per session that resumed
  // The unfinished epoch has dealt so many samples of its order, repeated ones included. Version
  // 0.9 did not write it.
  std::optional<std::int64_t> dealt;
  std::vector<CheckpointFile> files;  // ordered by rank
  // The checksum of all above; to_json() makes it. Version 0.9 did not write it.
  std::optional<std::string> sha256;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<CheckpointManifest>& m) {
  a.record("checkpoint", "What a training needs to resume");
  a("step", m.step, {"optimizer steps that are done", "steps"});
  a("same", m.same, {"settings, program, data and machines that must be unchanged"});
  a("evaluation", m.evaluation, {"of the epochs that are over"});
  a("resumed", m.resumed, {"of the sessions so far"});
  a("dealt", m.dealt,
    {"the first samples of the unfinished epoch's order, which ranks have trained on", "samples"});
  a("files", m.files, {"in rank order"});
  a("sha256", m.sha256, {"checksum of the others as one line of JSON, hexadecimal"});
}

std::string to_json(const CheckpointManifest& manifest);

// Throws bad_data() (65) naming `origin`, also where the text was changed since it was written.
CheckpointManifest checkpoint_from_json(std::string_view text, std::string_view origin);

// Lists the differences in words: "batch_size was 32, now 64". Empty: there are none.
std::vector<std::string> differences(const std::map<std::string, std::string>& before,
                                     const std::map<std::string, std::string>& now);

}  // namespace scalemark::reporting
