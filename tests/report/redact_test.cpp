#include "report/hide/redact.h"

#include <gtest/gtest.h>

#include "report/hide/names.h"
#include "report/record/finding_kinds.h"
#include "report/record/report_json.h"
#include "tests/report/sample_collectives.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

std::string redacted_text(const std::string& text) {
  Report report = sample_report(1, false);
  report.findings = {{"x", "info", "", text}};
  return redacted(report).findings.front().text;
}

TEST(Redact, SaysWhereAPlaceCameFromButNotThePlace) {
  Report report = sample_report(1, false);
  report.invocation.origins = {{"data", "option"},
                               {"output", "default"},
                               {"torch", "environment"},
                               {"save", "config mine.json"},
                               {"vocab", "config /home/ada/my runs/mine.json"}};
  EXPECT_EQ(redacted(report).invocation.origins,
            (std::map<std::string, std::string>{{"data", "option"},
                                                {"output", "default"},
                                                {"torch", "environment"},
                                                {"save", "config <path>"},
                                                {"vocab", "config <path>"}}));
}

TEST(Redact, ReplacesTheLongestNameThatIsAWordOfItsOwn) {
  Names names;
  names.add("gpu", "A");
  names.add("gpu-7", "B");
  names.add("/srv/x", "<path>");
  EXPECT_EQ(names.replaced("gpu gpu-7 gpu-77 gpus GPU, a/srv/x/y /srv/xy /SRV/X"),
            "A B A-77 gpus A, a<path>/y /srv/xy <path>");
  EXPECT_EQ(names.cleaned("gpu-7: 3 of 4\nat /srv/x/y\n3/4 of /srv/x", "..."),
            "B: 3 of 4\n...\n3/4 of <path>");
  names.add("two\n\nlines", "two\n\nlines");
  EXPECT_EQ(names.cleaned("two\n\nlines/r0\nat /x\n"), "two\n\nlines/r0\n<left out>\n");
}

// A review of the program found these texts.
TEST(Redact, LeavesNoRestOfAPath) {
  for (const char* text :
       {"/data/My Photos/Client ACME/img 1.jpg: the file is empty",
        "photos/cat-of-bob.jpg: neither JPEG nor PNG", "cat-of-bob.jpg: neither JPEG nor PNG",
        "/home/\xC3\xA9lodie/donn\xC3\xA9"
        "es/\xC3\x89t\xC3\xA9 2024/x.png",
        "cannot open photos/bob: Permission denied", "in ~bob", "see s3://bucket/of bob",
        "C:\\Users\\bob", "ask bob@acme.example", "gw.acme.example:29500 is not there"}) {
    EXPECT_EQ(redacted_text(text), "<left out>") << text;
    EXPECT_EQ(redacted_text(std::string("before\n") + text + "\nbehind"),
              "before\n<left out>\nbehind");
  }
}

TEST(Redact, KeepsTheReasonOfAPathThatItKnows) {
  Report report = sample_report(1, false);
  report.points.front().data = "/data/My Photos: Client ACME";
  report.findings = {{"x", "info", "", "cannot open /data/My Photos: Client ACME: No such file"},
                     {"x", "info", "", "/Data/my photos: client acme and My Photos: Client ACME"},
                     {"x", "info", "", "4 samples/s of the data: no data was read"}};
  std::vector<std::string> texts;
  for (const auto& finding : redacted(report).findings) texts.push_back(finding.text);
  EXPECT_EQ(texts,
            (std::vector<std::string>{"cannot open <path>: No such file", "<path> and <path>",
                                      "4 samples/s of the data: no data was read"}));
}

TEST(Redact, WritesAFindingAnewFromItsWords) {
  Report report = sample_report(1, false);
  report.environment.hosts[0].hostname = "acme-gpu7";
  report.findings = {
      make_finding(finding_kinds::data_wait, "", {{"share", 0.25}, {"why", "/srv/a b is slow"}}),
      make_finding(finding_kinds::data_wait, "", {{"share", 0.5}, {"why", "acme-gpu7 is slow"}})};
  const Report clean = redacted(report);
  EXPECT_EQ(clean.findings[0].text, "25.0 % of the step waits for data: <left out>");
  EXPECT_EQ(clean.findings[1].text, "50.0 % of the step waits for data: host-1 is slow");
}

TEST(Redact, KeepsWhatIsNoPath) {
  for (const char* text :
       {"12.5 samples/s", "1 - real / synthetic", "point 3/12 of p0/r0", "0.5 images/s/rank",
        "resnet50-b8-fp32-w2-ddp/r1: the halves of the window differ by 3.1 %"}) {
    EXPECT_EQ(redacted_text(text), text);
  }
}

TEST(Redact, CoversMachinesWithTheirDomains) {
  Report report = sample_report(1, false);
  report.environment.hosts[0].hostname = "n7";
  report.sessions = {{0, "2026-01-02T03:04:05Z", "", "acme-node12", "", {}, ""}};
  report.findings = {{"x", "info", "", "n7.acme-cluster.example left"},
                     {"x", "info", "", "GW.Acme-Cluster.example:29500 is not there"},
                     {"x", "info", "", "of acme-cluster.example."},
                     {"x", "info", "", "acme-node[11-14] and acme-node13"}};
  std::vector<std::string> texts;
  for (const auto& finding : redacted(report).findings) texts.push_back(finding.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"<left out>", "<left out>", "<left out>",
                                             "<host>[11-14] and <host>13"}));
  report.environment.hosts[0].hostname = "n7.acme-cluster.example";
  texts.clear();
  for (const auto& finding : redacted(report).findings) texts.push_back(finding.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"host-1 left", "<left out>", "of <host>.",
                                             "<host>[11-14] and <host>13"}));
}

TEST(Redact, CoversMachinesAndCardsOfTelemetry) {
  Report report = sample_report(1, false);
  report.telemetry = {{"p0.r0", "acme-gpu7", {.source = "sm_clock_MHz", .device = "cuda:0"}},
                      {"p0.r0", "acme-gpu7", {.source = "lo", .device = "enx00e04c680001"}}};
  report.points.front().attempts = {{9.5, "shared: acme-gpu7: other processes"}, {12.5, ""}};
  report.findings = {
      {"shared", "warning", "p0.r0", "shared: cuda:0 of acme-gpu7: 1 other process"}};
  const Report redacted = reporting::redacted(report);
  EXPECT_EQ(redacted.telemetry[0].values.device, "cuda:0");
  EXPECT_EQ(redacted.telemetry[0].values.source, "sm_clock_MHz");
  const std::string text = to_json(redacted);
  EXPECT_EQ(text.find("acme"), std::string::npos);
  EXPECT_EQ(text.find("00e04c680001"), std::string::npos);
}

TEST(Redact, CoversMachinesOfLinksAndCollectives) {
  Report report = sample_collectives({.host = "acme-gpu7"});
  report.links = {{"acme-gpu7", "acme-gpu9", 1e-3, 2}, {"rank 0", "rank 1", 1e-3, 2}};
  report.collectives[0].status = PointStatus::kFailed;
  report.collectives[0].reason = "acme-gpu9: connection lost";
  report.collectives[1].expected_source = "25 Gb/s of acme-gpu7";
  report.findings = {{"link_latency", "warning", "", "acme-gpu7 to acme-gpu9: slow"}};
  const Report clean = redacted(report);
  const std::string text = to_json(clean);
  EXPECT_EQ(text.find("acme"), std::string::npos);
  EXPECT_EQ(clean.links[1].a, "rank 0");
  EXPECT_EQ(clean.collectives[0].reason, clean.links[0].b + ": connection lost");
  for (std::size_t i = 0; i < report.collectives.size(); ++i) {
    EXPECT_EQ(clean.collectives[i].id, report.collectives[i].id);
    EXPECT_EQ(clean.collectives[i].time_s, report.collectives[i].time_s);
  }
  ASSERT_EQ(clean.collective_winners.size(), report.collective_winners.size());
  EXPECT_EQ(clean.collective_winners[0].in_words, report.collective_winners[0].in_words);
  EXPECT_EQ(clean.collective_fits[0].in_words, report.collective_fits[0].in_words);
  EXPECT_EQ(clean.effects[0].in_words, report.effects[0].in_words);
}

TEST(Redact, NamesDataByNumber) {
  Report report = sample_report(1, false);
  report.points.clear();
  for (const char* data :
       {"/srv/acme_patients", "synthetic", "pictures of bob", "/x/acme_patients"}) {
    PointRecord point = sample_point(1);
    const std::string last = data[0] == '/'   ? "acme_patients"
                             : data[0] == 's' ? data
                                              : "pictures_of_bob";
    point.group = "resnet50-b8-fp32-w1-none-data-" + last + (data[1] == 'x' ? "-2" : "");
    point.id = point.group + "/r0";
    point.data = data;
    point.varying = {{"data", data}};
    report.findings.push_back({"x", "info", point.id, point.group + ": runs differ"});
    report.points.push_back(point);
  }
  const Report clean = redacted(report);
  std::vector<std::string> data, ids;
  for (const auto& point : clean.points) {
    data.push_back(point.data);
    ids.push_back(point.id.substr(point.id.find("-data-")));
    EXPECT_EQ(point.id, point.group + "/r0");
  }
  EXPECT_EQ(data, (std::vector<std::string>{"data-1", "synthetic", "data-2", "data-3"}));
  EXPECT_EQ(ids, (std::vector<std::string>{"-data-1/r0", "-data-synthetic/r0", "-data-2/r0",
                                           "-data-3-2/r0"}));
  EXPECT_EQ(clean.findings[2].text, clean.points[2].group + ": runs differ");
}

TEST(Redact, CoversPathsInVariables) {
  Report report = sample_report(1, false);
  report.points.resize(1);
  PointRecord& point = report.points[0];
  point.group = "resnet50-b8-fp32-w1-none-LD_PRELOAD-acme_malloc.so";
  point.id = point.group + "/r0";
  point.env = {{"LD_PRELOAD", "/home/bob/acme_malloc.so"}, {"NCCL_ALGO", "Ring"}};
  point.varying = {{"env.LD_PRELOAD", "/home/bob/acme_malloc.so"}};
  report.invocation.settings_json = R"({"env.LD_PRELOAD": ["unset", "/home/bob/acme_malloc.so"]})";
  const Report clean = redacted(report);
  EXPECT_EQ(clean.points[0].env.at("NCCL_ALGO"), "Ring");
  EXPECT_EQ(clean.points[0].group, "resnet50-b8-fp32-w1-none-LD_PRELOAD-1");
  EXPECT_EQ(to_json(clean).find("acme_malloc"), std::string::npos);
  EXPECT_EQ(to_json(clean).find("/home/bob"), std::string::npos);
}

TEST(Redact, CoversVariablesThatAreNotKnown) {
  Report report = sample_report(1, false);
  report.points.resize(1);
  PointRecord& point = report.points[0];
  point.env = {{"ACME_TOKEN", "hunter2"}, {"NCCL_ALGO", "Ring"}, {"OMP_PROC_BIND", "unset"}};
  point.varying = {{"env.ACME_TOKEN", "hunter2"}};
  point.group = "mlp-b8-fp32-w1-none-ACME_TOKEN-hunter2";
  point.id = point.group + "/r0";
  report.invocation.settings_json = R"({"env.ACME_TOKEN": ["unset", "hunter2"]})";
  report.invocation.command_line =
      "scalemark sweep --env ACME_TOKEN=,hunter2 --set env.ACME_TOKEN=hunter2";
  report.effects = {{.axis = "env.ACME_TOKEN",
                     .from = "unset",
                     .to = "hunter2",
                     .in_words = "ACME_TOKEN hunter2 against unset"}};
  report.findings = {{"x", "info", point.id, point.id + ": ACME_TOKEN=hunter2"}};
  const Report clean = redacted(report);
  EXPECT_EQ(clean.points[0].env,
            (std::map<std::string, std::string>{
                {"VARIABLE_1", "value-1"}, {"NCCL_ALGO", "Ring"}, {"OMP_PROC_BIND", "unset"}}));
  EXPECT_EQ(clean.points[0].id, "mlp-b8-fp32-w1-none-VARIABLE_1-1/r0");
  EXPECT_EQ(clean.invocation.command_line,
            "scalemark sweep --env VARIABLE_1=<value> --set env.VARIABLE_1=value-1");
  EXPECT_EQ(clean.effects[0].to, "value-1");
  EXPECT_EQ(clean.effects[0].in_words, "VARIABLE_1 <value> against unset");
  EXPECT_EQ(clean.findings[0].text, clean.points[0].id + ": VARIABLE_1=<value>");
  EXPECT_EQ(clean.invocation.settings_json, R"({"env.VARIABLE_1":["unset","value-1"]})");
}

TEST(Redact, TakesACommandLineWordByWord) {
  Report report = sample_report(1, false);
  const auto line = [&](const std::string& typed) {
    report.invocation.command_line = typed;
    return redacted(report).invocation.command_line;
  };
  EXPECT_EQ(line("/home/bob/scalemark train --data 'My Photos' --iters 5 --vocab=\"it's\""),
            "<path> train --data <path> --iters 5 --vocab=<path>");
  EXPECT_EQ(line("scalemark sweep --data synthetic --set data=My\\ Photos --batch-sizes 1,2"),
            "scalemark sweep --data synthetic --set data=<path> --batch-sizes 1,2");
  EXPECT_EQ(line("scalemark train --trace 'My Traces' --trace-steps 3"),
            "scalemark train --trace <path> --trace-steps 3");
  EXPECT_EQ(line("scalemark sweep --tensorboard secret-project --histograms ends"),
            "scalemark sweep --tensorboard <path> --histograms ends");
  EXPECT_EQ(line("scalemark train --data 'never ended"), "<path>");
}

TEST(Redact, CoversBothValuesOfABreak) {
  Report report = sample_report(1, false);
  const auto broke = [&](const std::string& text) {
    report.sessions = {{0, "2026-01-02T03:04:05Z", "", "n1", "", {}, text}};
    return redacted(report).sessions[0].broke_with;
  };
  report.invocation.settings_json = R"({"data":"New Photos"})";
  report.points[0].data = "Old; Photos";
  EXPECT_EQ(
      broke("batch_size was 8, now 9; data was Old; Photos, now New Photos; iters was 1, now 2"),
      "batch_size was 8, now 9; data was <path>, now <path>; iters was 1, now 2");
  EXPECT_EQ(broke("batch_size was 8, now 9; data was /of nobody; known, now New Photos"),
            "<left out>");
}

// In whatever words and signs a library puts them.
TEST(Redact, LeavesOutAddressesWithinWords) {
  for (const char* text :
       {"Bootstrap : Using ib0:10.91.0.7<0>", "tcp:10.91.0.7:29500", "addr:10.91.0.7 is gone",
        "10.91.0.7..10.91.0.9",
        "\xE2\x80\x9C"
        "10.91.0.7\xE2\x80\x9D is gone",
        "is it 10.91.0.7?x", "#10.91.0.7", "10.20.30.40-10.20.30.50", "010.020.030.040",
        "at fd00::", "mac:aa:bb:cc:dd:91:ff", "addr:aa-bb-cc-dd-91-ff", "ip6:2001:db8:91::7",
        "2001:db8:91::7->x", "GPU 0000:91:00.0: Xid 79", "NVRM: Xid (PCI:0000:17:00): 79",
        "guid 0002:c903:0011:2233", "GPU-11111111-2222-3333-4444-555555559155",
        "MIG-11111111-2222-3333-4444-aaaaaaaaaaaa"}) {
    EXPECT_EQ(redacted_text(text), "<left out>") << text;
  }
  for (const char* text :
       {"c10d::ReduceOp is not there", "at 12:34:56", "1.0x -> ~6.9x", "std::vector",
        "torch 2.11.0, driver 550.54.15", "0.1 .. 0.2, 0.3..0.4", "2026-11-29"}) {
    EXPECT_EQ(redacted_text(text), text);
  }
}

TEST(Redact, TakesNoWordOfOursForTheStemOfAHost) {
  Report report = sample_report(1, false);
  report.environment.hosts.front().hostname = "resnet-01";
  report.findings = {{"x", "info", "", "resnet50 on resnet-01"}};
  EXPECT_EQ(redacted(report).findings[0].text, "resnet50 on host-1");
}

TEST(Redact, TakesAFileForNoHost) {
  Report report = sample_report(1, false);
  report.invocation.command_line = "scalemark train --rendezvous file:/srv/acme/meet --nnodes 2";
  report.findings = {{"x", "info", "", "the file is empty"},
                     {"x", "info", "", "no /srv/acme/meet"}};
  const Report hidden = redacted(report);
  EXPECT_EQ(hidden.findings[0].text, "the file is empty");
  EXPECT_EQ(hidden.findings[1].text, "no <path>");
  EXPECT_EQ(hidden.invocation.command_line.find("acme"), std::string::npos);
}

TEST(Redact, LeavesOutAddresses) {
  for (const char* text :
       {"peer 10.1.2.3:29500 left", "peer [fe80::1a2b:3c%eth0]:29500 left", "at 2001:DB8::7.",
        "::1 and others", "mapped ::ffff:10.0.0.7", "card 00:1a:2b:3c:4d:5e", "enx00e04c680001",
        "enx001517123456", "10.0.0.0/24", "GPU-5a1e0c1e-7d42-11ee-8c99-0242ac120002"}) {
    EXPECT_EQ(redacted_text(text), "<left out>") << text;
  }
}

TEST(Redact, TakesNothingElseForAnAddress) {
  for (const char* text : {"cuda:0 at 2026-01-02T03:04:05Z", "std::bad_alloc, at::native, a::b()",
                           "c10::Error in c10d::Reducer", "0:1:2 of 3:4", "x :: y"}) {
    EXPECT_EQ(redacted_text(text), text);
  }
}

}  // namespace
}  // namespace scalemark::reporting
