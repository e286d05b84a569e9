#include "core/catalogue/workload.h"
#include "core/collectives/collective.h"
#include "core/settings/table/table.h"

namespace scalemark::settings::table {

std::vector<Option> comm_options() {
  return {
      {.name = "collectives",
       .kind = Kind::kChoice,
       .field = kField<&CommSettings::collectives>,
       .default_text = "all-reduce",
       .help = "what is measured",
       .choices = names_of<collectives::Collective>(),
       .aliases = {"collective"}},
      {.name = "sizes",
       .kind = Kind::kMessageSize,
       .field = kField<&CommSettings::sizes>,
       .help = "bytes as nccl-tests counts them (of all-gather, gather, reduce-scatter and "
               "all-to-all those of all ranks together), or elements: 4KiB,1MB,1Mi:elem (default: "
               "1KiB..64MiBx4)",
       .value_name = "SIZE,..."},
      {.name = "sizes_of",
       .kind = Kind::kChoice,
       .field = kField<&CommSettings::sizes_of>,
       .help = "the sizes that training of this workload exchanges: its gradients as a whole, and "
               "DDP's buckets; alone, or besides --sizes",
       .choices = catalogue::workload_names()},
      {.name = "dtypes",
       .kind = Kind::kChoice,
       .field = kField<&CommSettings::dtypes>,
       .default_text = "fp32",
       .help = "type of the elements",
       .choices = names_of<collectives::DataType>(),
       .aliases = {"dtype"}},
      {.name = "via",
       .kind = Kind::kChoice,
       .field = kField<&CommSettings::vias>,
       .default_text = "c10d",
       .help = "through torch's c10d, as training calls it, or straight at the library (nccl, mpi)",
       .choices = names_of<collectives::Via>(),
       .aliases = {"vias"}},
      {.name = "in_place",
       .kind = Kind::kSwitch,
       .field = kField<&CommSettings::in_place>,
       .help = "receive where the data was sent from (default: on for all-reduce, broadcast and "
               "reduce, off for the others, as training calls them)"},
      {.name = "overlap_compute",
       .kind = Kind::kSwitch,
       .field = kField<&CommSettings::overlap_compute>,
       .default_text = "off",
       .help = "beside a matrix product on each rank"},
      {.name = "congestion",
       .kind = Kind::kSwitch,
       .field = kField<&CommSettings::congestion>,
       .default_text = "off",
       .help = "beside other traffic between the same ranks"},
      {.name = "pairs",
       .kind = Kind::kFlag,
       .field = kField<&CommSettings::pairs>,
       .default_text = "off",
       .help = "instead of collectives every link between two nodes, or between two ranks of one "
               "node, as many at once as can be; names a slow node or link (3 nodes or more)"},
      {.name = "pair_by",
       .kind = Kind::kChoice,
       .field = kField<&CommSettings::pair_by>,
       .default_text = "node",
       .help =
           "with --pairs: one link between two nodes, or one for each rank with the rank at the "
           "same place on the other node, all at once, so that every network card is seen",
       .choices = names_of<PairBy>()},
  };
}

}  // namespace scalemark::settings::table
