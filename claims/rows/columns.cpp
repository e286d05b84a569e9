#include "claims/rows/columns.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "core/base/text.h"

namespace scalemark::tables {
namespace {

// Returns lower case. Any other run of characters than letters, digits, '/', '%' and
// '#' becomes one blank, and one blank stands at both ends.
std::string plain(std::string_view header) {
  std::string text = " ";
  for (const char c : header) {
    const auto byte = static_cast<unsigned char>(c);
    const bool kept = (byte < 128 && std::isalnum(byte)) || c == '/' || c == '%' || c == '#';
    // "images / s" is "images/s".
    if (kept && text.size() > 1 && text.ends_with(' ') &&
        (c == '/' || text[text.size() - 2] == '/'))
      text.pop_back();
    if (c == '#' && kept) {
      text += text.back() == ' ' ? "# " : " # ";
    } else if (kept) {
      text += static_cast<char>(std::tolower(byte));
    } else if (text.back() != ' ') {
      text += ' ';
    }
  }
  if (text.back() != ' ') text += ' ';
  return text;
}

constexpr std::pair<const char*, const char*> kPrecisionWords[] = {{"fp32", "fp32"},
                                                                   {" float32", "fp32"},
                                                                   {"single precision", "fp32"},
                                                                   {"tf32", "tf32"},
                                                                   {"tensorfloat", "tf32"},
                                                                   {" bf16", "bf16"},
                                                                   {"bfloat16", "bf16"},
                                                                   {"fp16", "fp16"},
                                                                   {" float16", "fp16"},
                                                                   {"half precision", "fp16"},
                                                                   {"mixed", "amp"},
                                                                   {" amp ", "amp"},
                                                                   {"fp8", "fp8"}};

bool names_work(const std::string& text) {
  return has_any(text, {"image", "img", "sample", "token", "tok/", "sequence", "seq/", "throughput",
                        "examples"});
}

double seconds_of(const std::string& text) {
  if (has_any(text, {" ms ", "millisecond", "msec", " ms/"})) return 1e-3;
  if (has_any(text, {" us ", "microsecond", " us/"})) return 1e-6;
  if (has_any(text, {" min ", "minute", " mins ", " min/"})) return 60;
  if (has_any(text, {" h ", "hour", " hrs "})) return 3600;
  return 1;
}

bool is_per_gpu(const std::string& text) {
  return has_any(text, {"per gpu", "/gpu", "/ gpu", "per device", "per accelerator", "each gpu",
                        "per card", "per rank", "per process"});
}

bool is_time(const std::string& text) {
  const bool per_piece = has_any(text, {"/step", "/iter", "/batch", "/epoch", "per step",
                                        "per iter", "per batch", "per epoch"});
  const bool counts_seconds =
      has_any(text, {"time", "second", " s ", " s/", " sec ", " sec/", " secs ", "duration",
                     "wall clock", "latency", " ms", "minute", " min ", "hour"});
  return counts_seconds && (per_piece || !names_work(text)) &&
         !has_any(text, {"times faster", "speedup", "speed up"});
}

// "images/min" counts for 60 seconds, any other rate for one.
double seconds_of_rate(const std::string& text) {
  if (!names_work(text)) return 1;
  if (has_any(text, {"/min", "per min"})) return 60;
  return has_any(text, {"/h ", "/hour", "per hour"}) ? 3600 : 1;
}

bool counts_steps(const std::string& text) {
  return has_any(text, {" it/", " its/", " iter/", " iters/", "iterations/", " step/", " steps/",
                        "batches/", "steps per s", "iterations per s", "iter per s"});
}

// "k img/s", "tokens/s (M)"
double thousands_of(const std::string& text) {
  if (has_any(text, {" k ", " ktok", " kimg", " ksample", " k/s", "thousand", "10 3 "})) return 1e3;
  return has_any(text, {" m ", " mtok", " mimg", "million"}) ? 1e6 : 1;
}

bool is_rate(const std::string& text) {
  return seconds_of_rate(text) > 1 ||
         has_any(text, {"throughput", "/s ", "/s/", "/sec", "/second", "per sec", "per second",
                        " ips ", " fps ", "img/s", "images/s", " it/s "});
}

std::string unit_of_rate(const std::string& text) {
  if (counts_steps(text)) return "it/s";
  if (has_any(text, {"img", "image"})) return "img/s";
  if (has_any(text, {"token", "tok/"})) return "tokens/s";
  if (has_any(text, {"seq"})) return "seq/s";
  return "samples/s";
}

// "Speedup over TensorFlow" compares programs, "over 1 GPU" counts of GPUs.
bool compares_others(const std::string& text) {
  if (has_any(text, {" 1 gpu", " single", " one gpu", " baseline", " linear"})) return false;
  return has_any(text, {" over ", " vs ", " versus ", " relative to ", " compared "});
}

// Returns the words that few headers have: not those in kCommon.
std::vector<std::string> own_words_of(const std::string& text) {
  static constexpr std::string_view kCommon =
      " images image img imgs samples sample tokens tok sequences seq s sec second seconds per "
      "throughput speedup speed up scaling strong weak efficiency total x % gpu gpus in the of fp32 "
      "tf32 fp16 bf16 amp mixed precision ips factor average avg training train mean k it iterations "
      "steps ";
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (c != ' ' && c != '/') {
      word += c;
      continue;
    }
    if (!word.empty() && !has_any(kCommon, {" " + word + " "})) words.push_back(word);
    word.clear();
  }
  return words;
}

ColumnKind batch_kind(const std::string& text) {
  if (has_any(text, {"token", " t "})) return ColumnKind::kOther;
  if (has_any(text, {"global", "total", "effective", "overall"})) return ColumnKind::kGlobalBatch;
  if (is_per_gpu(text) || has_any(text, {"local", "micro"})) return ColumnKind::kBatchPerGpu;
  return ColumnKind::kBatch;
}

// These headers hold a ratio word: the speed-up of so many GPUs, an efficiency, or one precision
// against another.
ColumnKind ratio_kind(const std::string& text, std::size_t precisions) {
  if (has_any(text, {"efficien", "effizien"})) return ColumnKind::kEfficiency;
  if (precisions >= 2) return ColumnKind::kPrecisionRatio;
  if (has_any(text, {"%"}) && has_any(text, {"scaling"})) return ColumnKind::kEfficiency;
  return ColumnKind::kSpeedup;
}

// These headers count or name something.
ColumnKind named_kind(const std::string& text) {
  const bool per_node = has_any(text, {"per node", "/node", "per host", "per server", "per worker",
                                       "per machine", "per instance"});
  if (per_node && has_any(text, {"gpu", "device", " ranks ", "processes"}))
    return ColumnKind::kGpusPerNode;
  // "MP mode" may mean mixed precision.
  const bool ways = has_any(text, {" tp ", " pp ", " dp ", " mp "}) && !has_any(text, {"mode"});
  if (ways ||
      has_any(text, {"tensor parallel", "pipeline parallel", "model parallel", "data parallel"}))
    return ColumnKind::kParallel;
  const bool counts =
      has_any(text, {"#", " num ", "number", " no ", "count", " nombre ", " numero "});
  if (has_any(text,
              {"world size", "worldsize", " gpus ", " gpu workers ", " ranks ", " devices ",
               " accelerators ", "processes", " gpu count", " cards ", " n gpu ", " total gpu "}))
    return has_any(text, {"type", "model ", "name"}) ? ColumnKind::kChip : ColumnKind::kGpus;
  if (counts && has_any(text, {" gpu ", " device "})) return ColumnKind::kGpus;
  if (has_any(text, {" nodes ", " hosts ", " machines ", " workers ", " instances ", " node count",
                     " node num", "number of node", " num node "}))
    return ColumnKind::kNodes;
  if (has_any(text, {"precision", "dtype", "data type", "math mode"}))
    return ColumnKind::kPrecision;
  if (has_any(text, {"sequence length", "seq len", "seqlen", " seq ", "max seq", "context length"}))
    return ColumnKind::kSequence;
  // Numbers of these tell networks apart.
  if (has_any(text, {" params ", "parameters", "image size", "resolution", " layers ", " hidden "}))
    return ColumnKind::kVariant;
  if (has_any(text, {"util", " mem", "vram", "power", "cost", "price", "temp"}))
    return ColumnKind::kOther;
  if (has_any(text, {" gpu ", "hardware", " device ", " system ", " chip ", "instance",
                     "accelerator", "gpu type"}))
    return ColumnKind::kChip;
  if (has_any(text, {" model ", "network", "workload", "architecture"}))
    return ColumnKind::kNetwork;
  if (has_any(text, {"samples", "images", "sequences"})) return ColumnKind::kSamples;
  if (has_any(text, {" epochs "})) return ColumnKind::kEpochs;
  if (has_any(text, {" steps ", " iterations ", " iters "})) return ColumnKind::kSteps;
  if (has_any(text, {"accuracy", " acc ", " top 1", " top1"})) return ColumnKind::kAccuracy;
  return ColumnKind::kOther;
}

}  // namespace

std::vector<std::string> precisions_in(std::string_view header) {
  const std::string text = plain(header);
  std::map<std::size_t, std::string> found;  // keyed by where the word stands
  for (const auto& [word, precision] : kPrecisionWords) {
    if (const std::size_t at = text.find(word); at != std::string::npos) found[at] = precision;
  }
  std::vector<std::string> all;
  for (const auto& [at, precision] : found) {
    if (std::ranges::find(all, precision) == all.end()) all.push_back(precision);
  }
  // "AMP (bf16)" names one precision.
  const auto amp = std::ranges::find(all, "amp");
  if (amp != all.end() && all.size() == 2 &&
      (all[0] == "fp16" || all[1] == "fp16" || all[0] == "bf16" || all[1] == "bf16")) {
    const bool bf16 = all[0] == "bf16" || all[1] == "bf16";
    if (text.find(" to ") == std::string::npos && text.find(" vs ") == std::string::npos)
      return {bf16 ? "bf16" : "amp"};
  }
  return all;
}

bool is_rate_kind(ColumnKind kind) {
  return kind == ColumnKind::kRate || kind == ColumnKind::kRatePerGpu;
}

bool is_time_kind(ColumnKind kind) {
  return kind == ColumnKind::kStepTime || kind == ColumnKind::kTime ||
         kind == ColumnKind::kEpochTime;
}

bool is_ratio_kind(ColumnKind kind) {
  return kind == ColumnKind::kSpeedup || kind == ColumnKind::kEfficiency;
}

bool is_measure(ColumnKind kind) {
  return is_rate_kind(kind) || is_time_kind(kind) || is_ratio_kind(kind) ||
         kind == ColumnKind::kMfu;
}

bool share_a_word(const ColumnMeaning& a, const ColumnMeaning& b) {
  return std::ranges::any_of(a.own_words, [&](const std::string& word) {
    return std::ranges::find(b.own_words, word) != b.own_words.end();
  });
}

ColumnMeaning meaning_of(std::string_view header) {
  const std::string text = plain(header);
  ColumnMeaning meaning{.precisions = precisions_in(header), .own_words = own_words_of(text)};
  const bool rate_of_scaling = is_rate(text) && has_any(text, {"throughput", "/s", "per sec"}) &&
                               !has_any(text, {"speedup", "speed up", "efficien", " vs "});
  const bool ratio =
      !rate_of_scaling &&
      has_any(text, {"speedup", "speed up", "scaling", "efficien", "scale factor", " vs ",
                     " x faster", "effizienz", "beschleunigung", "acc l ration"});
  // "GPU hours", "ms per image".
  const bool gpu_hours = has_any(text, {"gpu hour", "gpu h ", "gpuhour", "device hour"});
  const bool of_a_sample = !is_rate(text) &&
                           has_any(text, {"per image", "per sample", "per sequence", "per token",
                                          "/image", "/img", "/sample", "/token"}) &&
                           has_any(text, {" ms", " us", " s ", " s/", " sec", "time", "latency"});
  if (has_any(text, {" mfu "})) {
    meaning.kind = ColumnKind::kMfu;
  } else if (gpu_hours) {
    meaning.kind = ColumnKind::kGpuHours;
    meaning.factor = 3600;
  } else if (of_a_sample) {
    meaning.kind = ColumnKind::kSampleTime;
    meaning.factor = seconds_of(text);
  } else if (ratio && meaning.precisions.size() < 2 && compares_others(text)) {
    meaning.kind = ColumnKind::kOther;
  } else if (ratio) {
    meaning.kind = ratio_kind(text, meaning.precisions.size());
    // The cells show whether a per cent is printed as 0.98 or 98 (table_columns.cpp).
  } else if (has_any(text, {"accum"})) {
    meaning.kind = ColumnKind::kAccumulation;
  } else if (has_any(text,
                     {" p50 ", " p90 ", " p95 ", " p99 ", "90%", "95%", "99%", "percentile"})) {
    meaning.kind = ColumnKind::kOther;
  } else if (is_time(text)) {
    meaning.factor = seconds_of(text);
    meaning.kind = has_any(text, {"step", "iter", "/batch", "per batch", "batch time", "latency"})
                       ? ColumnKind::kStepTime
                   : has_any(text, {"epoch"}) ? ColumnKind::kEpochTime
                                              : ColumnKind::kTime;
  } else if (has_any(text, {"flop"}) && has_any(text, {"/s", "flops", "per s"})) {
    meaning.kind = ColumnKind::kFlops;
  } else if (has_any(text, {"flop", "gb/s", "mb/s", "gib/s", "mib/s", "/w ", "/watt", "per watt",
                            "/j ", "per joule"})) {
    meaning.kind = ColumnKind::kOther;
  } else if (is_rate(text)) {
    meaning.kind = is_per_gpu(text) ? ColumnKind::kRatePerGpu : ColumnKind::kRate;
    meaning.unit = unit_of_rate(text);
    meaning.factor = thousands_of(text) / seconds_of_rate(text);
  } else if (has_any(text, {"improvement", " gain ", "increase", " faster "})) {
    // The cells show whether these are shares of a rate.
    meaning.kind = compares_others(text) ? ColumnKind::kOther : ColumnKind::kSpeedup;
    meaning.gain = true;
  } else if (has_any(text, {"batch", " bs ", " gbs ", " mbs "})) {
    meaning.kind = batch_kind(text);
  } else {
    meaning.kind = named_kind(text);
  }
  return meaning;
}

ColumnMeaning meaning_of_prose(std::string_view sentence) {
  const std::string text = plain(sentence);
  ColumnMeaning meaning;
  // In "batch 32 per GPU" the last words are not about a rate, so such a sentence is not used.
  const bool batch_per_gpu = is_per_gpu(text) && has_any(text, {"batch"});
  const bool rate = is_rate(text) && !counts_steps(text);
  const bool time = has_any(text, {" time", " seconds", "latency", " minutes", " hours", "duration",
                                   " ms ", " s/", " sec ", "ms/"});
  if (batch_per_gpu || (rate && time)) return meaning;
  if (rate) {
    meaning.kind = is_per_gpu(text) ? ColumnKind::kRatePerGpu : ColumnKind::kRate;
    meaning.unit = unit_of_rate(text);
  } else if (time) {
    meaning.kind = ColumnKind::kTime;
    meaning.factor = seconds_of(text);
  } else if (has_any(text, {"speedup", "speed up", "scaling factor"}) && !compares_others(text)) {
    meaning.kind = ColumnKind::kSpeedup;
  }
  return meaning;
}

}  // namespace scalemark::tables
