// Every form has these in common: prefixes change nothing, two runs are told, damage never crashes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>

#include "claims/import/log_text.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "tests/claims/import/sample_logs.h"

namespace scalemark::importing {
namespace {

// All that a log says, but for its lines.
std::string all_of(const Log& log) {
  std::string text = log.form + "; " + in_brief(log) + "; " + log.says.workload + ", " +
                     log.says.precision + ", " + log.chip + ", " +
                     std::to_string(log.says.gpus.value_or(0)) + ", " +
                     std::to_string(log.says.batch_per_gpu.value_or(0)) + ", " +
                     std::to_string(log.says.global_batch_size.value_or(0)) + ", " +
                     std::to_string(log.says.sequence_length.value_or(0));
  for (const double step : log.steps) text += " " + std::to_string(step);
  for (const published::Row& row : log.claims)
    text += " " + row.metric + std::to_string(*row.value);
  return text + joined(log.contradictions, ";") + joined(log.unread, ";");
}

std::string with_prefix(const std::string& text, const std::function<std::string(int)>& prefix,
                        const std::string& end = "") {
  std::string all;
  int number = 0;
  for (const std::string_view line : lines_of(text))
    all += prefix(number++) + std::string(line) + end + "\n";
  return all;
}

std::string clock(int second) {
  return std::to_string(10 + second / 50 % 50) + ":" + std::to_string(10 + second % 50);
}

TEST(LogForms, AreFoundByTheirContent) {
  for (const Sample& sample : sample_logs()) {
    const Log log = read_log(sample.text, "x.log");
    EXPECT_EQ(log.form, sample.form);
    EXPECT_EQ(in_brief(log), sample.brief) << sample.form;
    EXPECT_TRUE(log.contradictions.empty()) << sample.form << joined(log.contradictions, "; ");
    EXPECT_TRUE(log.unread.empty()) << sample.form << joined(log.unread, "; ");
    EXPECT_GT(log.first_line, 0u) << sample.form;
    EXPECT_GE(log.last_line, log.first_line) << sample.form;
  }
}

TEST(LogForms, AreReadBehindEveryPrefix) {
  const std::vector<std::pair<const char*, std::function<std::string(int)>>> prefixes = {
      {"kubectl", [](int i) { return "2026-01-05T08:" + clock(i) + ".123456789Z "; }},
      {"brackets", [](int i) { return "[2026-01-05 08:" + clock(i) + ",123] "; }},
      {"clock", [](int i) { return "08:" + clock(i) + " "; }},
      {"journal", [](int i) { return "Jan  5 08:" + clock(i) + " gpu12 python[4711]: "; }},
      {"ts", [](int i) { return "Jan 05 08:" + clock(i) + " "; }},
      {"mpirun", [](int) { return "[1,0]<stdout>:"; }},
      {"mpirun with times",
       [](int i) { return "Mon Jan  5 08:" + clock(i) + " 2026[1,0]<stdout>:"; }},
      {"prrte", [](int) { return "[prterun-gpu12-4711@1,0]<stdout>: "; }},
      {"prrte, detailed", [](int) { return "[prterun-gpu12-4711@1,0][gpu12:4712]<stdout>: "; }},
      {"srun", [](int) { return "0: "; }},
      {"srun, many", [](int) { return " 00: "; }},
      {"torchrun", [](int) { return "[rank0]:"; }},
      {"torchelastic", [](int) { return "[default0]:"; }},
      {"mpich", [](int) { return "[0] "; }},
      {"pdsh", [](int) { return "gpu-12: "; }},
      {"compose", [](int) { return "trainer-1  | "; }},
      {"coloured compose", [](int) { return "\x1b[36mtrainer-1  |\x1b[0m "; }},
      {"pods", [](int) { return "[pod/job-0-abcde/trainer] "; }},
      {"Python", [](int i) { return "2026-01-05 08:" + clock(i) + ",123 - INFO - "; }},
      {"Python, named",
       [](int i) { return "2026-01-05 08:" + clock(i) + ",123 - train.core - INFO - "; }},
      {"Python, untimed", [](int) { return "INFO:__main__:"; }},
      {"CRI", [](int i) { return "2026-01-05T08:" + clock(i) + ".123456789Z stdout F "; }},
      {"absl", [](int i) { return "I0105 08:" + clock(i) + ".123456 4711 train.py:12] "; }},
      {"glog", [](int i) { return "W20260105 08:" + clock(i) + ".123456  4711 loop.cc:7] "; }},
      {"host in brackets", [](int) { return "[node7] "; }},
      {"SageMaker", [](int) { return "[1,mpirank:0,algo-1]<stdout>:"; }},
      {"kubectl over mpirun",
       [](int i) { return "2026-01-05T08:" + clock(i) + "Z [1,0]<stdout>:"; }},
      {"compose over srun", [](int) { return "trainer-1  | 0: "; }},
      {"pod, time and rank",
       [](int i) { return "[pod/job-0/trainer] 2026-01-05T08:" + clock(i) + "Z [rank0]: "; }}};
  for (const Sample& sample : sample_logs()) {
    const std::string plain = all_of(read_log(sample.text, "x.log"));
    EXPECT_EQ(all_of(read_log("\xef\xbb\xbf" + sample.text, "x.log")), plain) << "byte order mark";
    EXPECT_EQ(all_of(read_log(with_prefix(
                                  sample.text, [](int) { return "\x1b[32m"; }, "\x1b[0m\r"),
                              "x.log")),
              plain)
        << "colours";
    for (const auto& [name, prefix] : prefixes) {
      const std::string text = with_prefix(sample.text, prefix);
      try {
        EXPECT_EQ(all_of(read_log(text, "x.log")), plain) << sample.form << " behind " << name;
      } catch (const Error& error) {
        ADD_FAILURE() << sample.form << " behind " << name << ": " << error.record().what;
      }
    }
  }
}

// Four ranks print the same lines, but the others are twice as fast or slow: rank 0 is read.
TEST(LogForms, AreReadOfOneRank) {
  const auto of_ranks = [](const std::string& tag, const std::string& first,
                           const std::string& other) {
    const auto a = lines_of(first), b = lines_of(other);
    std::string text;
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (const int rank : {2, 0, 3, 1})
        text += filled(tag, {std::to_string(rank)}) + std::string(rank == 0 ? a[i] : b[i]) + "\n";
    }
    return text;
  };
  for (const char* tag : {"[1,mpirank:{},algo-1]<stdout>:", "[gpu{}] ",
                          "[1,{}]<stdout>:", "{}: ", "[rank{}]:", "gpu{}: ", "worker-{}  | "}) {
    const Log log = read_log(of_ranks(tag, sample_horovod(310), sample_horovod(155)), "x.log");
    EXPECT_EQ(in_brief(log), "4,960 img/s") << tag;
    ASSERT_EQ(log.remarks.size(), 1u) << tag;
    EXPECT_NE(log.remarks.front().find("4 ranks or hosts"), std::string::npos)
        << log.remarks.front();
  }
}

// The settings of a second run belong to it, whoever prints them.
TEST(LogForms, OfTwoRunsKeepTheirOwnSettings) {
  for (const auto& [head, values] : std::vector<std::pair<std::string, std::string>>{
           {"", ""}, {"", "[rank0]:"}, {"0: ", "7: "}, {"[1,0]<stdout>:", "[1,7]<stdout>:"}}) {
    const auto run = [&](int gpus, int tps) {
      return head + "Building 1-D device mesh with ['dp_replicate'], [" + std::to_string(gpus) +
             "]\n" + head + "CUDA capacity: NVIDIA H100 with 79.10GiB memory\n" +
             counting(values + "step: #n  loss:  7.85  tps: " + std::to_string(tps) + "  mfu: 3%",
                      1, 20, 1);
    };
    const std::string text = run(8, 6000) + run(64, 5900);
    EXPECT_EQ(read_log(text, "x.log", 1).says.gpus, 8) << values;
    EXPECT_EQ(read_log(text, "x.log", 2).says.gpus, 64) << values;
    EXPECT_EQ(in_brief(read_log(text, "x.log", 2)), "5,900 tokens/s per GPU") << values;
  }
}

TEST(LogForms, OfTwoRunsAreToldWithTheirLines) {
  for (const Sample& sample : sample_logs()) {
    const std::string twice = sample.text + sample.text;
    const auto count = std::to_string(lines_of(sample.text).size());
    const auto next = std::to_string(lines_of(sample.text).size() + 1);
    const auto end = std::to_string(lines_of(twice).size());
    try {
      read_log(twice, "x.log");
      ADD_FAILURE() << sample.form << " of two runs was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kBadData);
      EXPECT_EQ(error.record().what, "'x.log' holds 2 runs: lines 1-" + count + ": " +
                                         sample.brief + "; lines " + next + "-" + end + ": " +
                                         sample.brief)
          << sample.form;
    }
    for (const int run : {1, 2})
      EXPECT_EQ(all_of(read_log(twice, "x.log", run)), all_of(read_log(sample.text, "x.log")))
          << sample.form;
    EXPECT_THROW(read_log(twice, "x.log", 3), Error);
    EXPECT_THROW(read_log(sample.text, "x.log", 2), Error);
  }
}

// Somebody keeps the tests of a network and a training in one file.
TEST(LogForms, OfTwoProgramsAreTwoRuns) {
  const auto all = sample_logs();
  const auto sample = [&](std::string_view form) {
    return std::ranges::find(all, form, &Sample::form)->text;
  };
  const std::string nccl = sample("nccl-tests text"), other = sample("Megatron-LM");
  for (const std::string& text : {nccl + other, other + nccl}) {
    const bool first = text.starts_with(nccl);
    EXPECT_EQ(read_log(text, "x", first ? 1 : 2).form, "nccl-tests text");
    EXPECT_EQ(read_log(text, "x", first ? 2 : 1).form, "Megatron-LM");
    try {
      read_log(text, "x");
      ADD_FAILURE() << "two runs were read as one";
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kBadData);
      for (const char* brief : {"holds 2 runs", "10 rows of all-reduce on 8 GPUs", "32 seq/s"})
        EXPECT_NE(error.record().what.find(brief), std::string::npos) << error.record().what;
    }
  }
  EXPECT_EQ(read_log(sample("llm.c") + nccl + nccl, "x", 3).form, "nccl-tests text");
  // A Trainer sums up what DeepSpeed has printed step by step.
  EXPECT_EQ(read_log(sample("DeepSpeed") + sample("Hugging Face Trainer"), "x").form,
            "Hugging Face Trainer");
}

// A number that nothing contradicted counts as held against another, as `judge` says.
TEST(LogForms, OfNumbersThatAgreeAreCounted) {
  std::map<std::string, std::size_t> compared;
  for (const Sample& sample : sample_logs())
    compared[std::string(sample.form)] = read_log(sample.text, "x").compared;
  EXPECT_EQ(compared.at("Horovod synthetic benchmark"), 2u);
  for (const char* form : {"Hugging Face Trainer", "torchvision references"})
    EXPECT_GT(compared.at(form), 0u) << form;
  EXPECT_EQ(compared.at("torchtitan"), 0u);
}

// Cut, doubled, with other bytes, or with numbers that nobody prints.
std::string damaged(std::string text, std::mt19937& chance) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : chance() % n; };
  const std::size_t at = below(text.size());
  switch (below(5)) {
    case 0:
      return text.substr(0, at);
    case 1:
      return text.substr(0, at) + text.substr(below(text.size()));
    case 2:
      return text.substr(0, at) + std::string(1, static_cast<char>(below(256))) +
             text.substr(at + 1);
    case 3:
      return text.substr(0, at) + text.substr(std::min(text.size(), at + 1 + below(40)));
    default:
      break;
  }
  const char* numbers[] = {"nan",  "inf", "-1",      "0", "1e308", "1e-308", "99999999999999999999",
                           "1,,2", "",    "0.000001"};
  for (int i = 0; i < 5; ++i) {
    std::size_t begin = text.find_first_of("0123456789", below(text.size()));
    if (begin == std::string::npos) continue;
    const std::size_t end = std::min(text.find_first_not_of("0123456789.,", begin), text.size());
    text.replace(begin, end - begin, numbers[below(std::size(numbers))]);
  }
  return text;
}

TEST(LogForms, OfDamagedTextsGiveALogOrBadData) {
  const bool full = std::getenv("SCALEMARK_SOAK") != nullptr;
  std::mt19937 chance(56);
  for (const Sample& sample : sample_logs()) {
    for (int i = 0; i < (full ? 100'000 : 300); ++i) {
      const std::string text = damaged(i % 3 ? sample.text : sample.text + sample.text, chance);
      try {
        const Log log = read_log(text, "x.log");
        in_brief(log);
        import_logs({&log, 1}, GivenFields("gpus=8,system=A100,workload=x,precision=fp32", 1), "t");
      } catch (const Error& error) {
        const ExitCode code = error.record().exit_code;
        EXPECT_TRUE(code == ExitCode::kBadData || code == ExitCode::kConfiguration)
            << sample.form << ": " << error.what();
      }
    }
  }
}

// Time that grew with the square of these would take minutes.
TEST(LogForms, OfHostileTextsAreBounded) {
  const std::size_t n = 1 << 18;
  for (const std::string piece : {"[", "[1,", "0: ", "a|", "\x1b[", "\r", "{", ":::MLLOG {",
                                  "DLLL {\"", "Train: ", "Epoch: [", "tok/s", "algbw\n", "1 1\n"}) {
    std::string text;
    while (text.size() < n) text += piece;
    for (const char* mark : {"", "algbw ", "tok/s img/sec ", "images/sec: SamplesPerSec="})
      EXPECT_THROW(read_log(mark + text, "x.log"), Error) << piece;
  }
}

}  // namespace
}  // namespace scalemark::importing
