#include "core/settings/table/table.h"

namespace scalemark::settings::table {

std::vector<Option> sweep_options() {
  return {
      {.name = "world_sizes",
       .kind = Kind::kCount,
       .commands = kComm | kPredict,
       .field = kField<&CommSettings::world_sizes>,
       .identity = Identity::kAxis,
       .help = "numbers of ranks to measure (default: 1, 2, 4, ... up to the ranks there are; "
               "without a "
               "launcher 1,2 on cpu, up to all GPUs of the node on cuda); all: all ranks there are",
       .own_help = {{kComm,
                     "numbers of ranks to measure (default: all there are; without a launcher 2 on "
                     "cpu, all GPUs of the node on cuda)"},
                    {kPredict, "numbers of ranks to predict"}},
       .value_name = "LIST",
       .words = {"all"},
       .range = {.low = 1, .high = 1'000'000},
       .aliases = {"world_size"}},
      {.name = "strong_by",
       .kind = Kind::kChoice,
       .field = kField<&SweepSettings::strong_by>,
       .default_text = "batch",
       .help = "how a fixed global batch is kept with fewer ranks: a larger batch, or more "
               "accumulation",
       .choices = names_of<StrongBy>()},
      {.name = "placement",
       .kind = Kind::kChoice,
       .commands = kComm,
       .field = kField<&SweepSettings::placement, &CommSettings::placements>,
       .identity = Identity::kPoint,
       .default_text = "fill",
       .help = "ranks of a smaller point: fill nodes one after the other, or spread over all (comm "
               "takes both: fill,spread)",
       .choices = names_of<Placement>()},
      {.name = "device_spread",
       .kind = Kind::kShare,
       .field = kField<&SweepSettings::device_spread>,
       .help = "by how much healthy devices differ (standard deviation, 1%): a rank is named only "
               "beyond it (default: what the other ranks of the run show)",
       .range = {.low = 0, .high = 1, .low_excluded = true, .high_excluded = true}},
      {.name = "price_per_hour",
       .kind = Kind::kNumber,
       .field = kField<&SweepSettings::price_per_hour>,
       .help =
           "price per hour of all ranks together; the report then gives samples per unit of money",
       .range = kAboveZero},
      {.name = "repetitions",
       .kind = Kind::kCount,
       .commands = kComm,
       .field = kField<&SweepSettings::repetitions, &CommSettings::repetitions>,
       .help = "runs of each point (default 5; --quick 1, which gives no intervals)",
       .range = {.low = 1, .high = 100'000}},
      {.name = "until_ci",
       .kind = Kind::kShare,
       .field = kField<&SweepSettings::until_ci>,
       .help =
           "repeat until each point's 95 % intervals of throughput and of efficiency are within +- "
           "this share",
       .range = {.low = 0, .high = 1, .low_excluded = true, .high_excluded = true}},
      {.name = "max_time",
       .kind = Kind::kSeconds,
       .field = kField<&SweepSettings::max_time_s>,
       .help = "of the whole sweep (with --until-ci 1h unless given)",
       .range = kAboveZero},
      {.name = "tune",
       .field = kField<&SweepSettings::tune>,
       .help = "find the fastest value of this option, in the list given for it or its default "
               "list: values that are surely slower are dropped on the way",
       .value_name = "OPTION"},
      {.name = "quick",
       .kind = Kind::kFlag,
       .field = kField<&SweepSettings::quick>,
       .default_text = "off",
       .help =
           "a first look within 60 s (or --max-time): one repetition, short windows; a plan that "
           "cannot fit is refused"},
      {.name = "thorough",
       .kind = Kind::kFlag,
       .field = kField<&SweepSettings::thorough>,
       .default_text = "off",
       .help = "5 repetitions (3 where time is short) and long windows within 20 minutes (or "
               "--max-time), and before them what the machine does by itself, as doctor --measure; "
               "a plan that cannot fit is refused"},
      {.name = "checks",
       .kind = Kind::kChoices,
       .commands = kComm,
       .field = kField<&SweepSettings::checks, &CommSettings::checks>,
       .help = "what is measured of the devices besides the points of each start, for `accept`: "
               "devices: each rank's matrix products and memory copies on its own device; replay: "
               "the same products and training steps again and again, and whether their bits are "
               "the same; health: counters of errors before and after (comm has health only)",
       .value_name = "LIST",
       .choices = names_of<Check>()},
      {.name = "sustain",
       .kind = Kind::kSeconds,
       .field = kField<&SweepSettings::sustain_s>,
       .help = "before the points of the first start, hold matrix products so long on all devices "
               "of a node at once: does a device keep its speed?",
       .range = kAboveZero},
      {.name = "burn_in",
       .kind = Kind::kNumber,
       .field = kField<&SweepSettings::burn_in_hours>,
       .help = "repeat with long windows for so many hours",
       .value_name = "HOURS",
       .range = {.low = 0, .high = 10'000, .low_excluded = true},
       .unit = "hours"},
      {.name = "retries",
       .kind = Kind::kCount,
       .commands = kComm,
       .field = kField<&SweepSettings::retries, &CommSettings::retries>,
       .default_text = "1",
       .help = "retries of a run that failed without losing a rank, or whose window was disturbed: "
               "throttled, or shared with others",
       .range = {.low = 0, .high = 100}},
      {.name = "allow_oom",
       .kind = Kind::kFlag,
       .field = kField<&SweepSettings::allow_oom>,
       .default_text = "off",
       .help = "out of memory is an answer: it does not change the exit code"},
      {.name = "fresh_process",
       .kind = Kind::kFlag,
       .field = kField<&SweepSettings::fresh_process>,
       .default_text = "off",
       .help = "new ranks for each repetition (ranks that this command starts itself)"},
      {.name = "resume_anyway",
       .kind = Kind::kFlag,
       .field = kField<&SweepSettings::resume_anyway>,
       .default_text = "off",
       .help = "resume although program, settings or machine changed; the break is recorded",
       .one_start = true},
  };
}

}  // namespace scalemark::settings::table
