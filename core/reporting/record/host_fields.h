// The fields of environment.hosts[]: one machine with its cores, network cards, RDMA ports and
// GPUs. See field.h.
#pragma once

#include "core/base/field.h"
#include "core/monitoring/host.h"

namespace scalemark::monitoring {

template <class A>
constexpr void fields(A& a, typename A::template Field<Cores>& c) {
  a.record("cores", "CPU cores");
  a("physical", c.physical, {"cores that the machine has"});
  a("logical", c.logical, {"the same with each hyper-thread counted"});
  a("usable", c.usable, {"logical cores in the affinity mask of rank 0 of this machine"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<CgroupLimits>& c) {
  a.record("cgroup", "Limits of the control group that the ranks run in; an absent limit: none");
  a("version", c.version, {"version of control groups: 1 | 2; 0: none is mounted"});
  a("cpus", c.cpus, {"CPU time that the group may use, in cores", "cores"});
  a("memory_bytes", c.memory_bytes, {"memory that the group may use", "bytes"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Nic>& n) {
  a.record("nic", "A network card");
  a("name", n.name, {"name of the interface", Holds::kText});
  a("state", n.state, {"up | down | ..., as the kernel says", Holds::kWord});
  a("speed_Mbit_per_s", n.speed_Mbit_per_s,
    {"speed of the link as the driver says", "Mbit/s", kAnyNumber});
  a("mtu", n.mtu, {"largest packet", "bytes"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<RdmaPort>& r) {
  a.record("rdma_port", "A port of an InfiniBand or RoCE adapter");
  a("device", r.device, {"name of the adapter: mlx5_0", Holds::kText});
  a("port", r.port, {"its number on the adapter, from 1"});
  a("state", r.state, {"ACTIVE | DOWN | INIT | ..., as the kernel says", Holds::kWord});
  a("physical_state", r.physical_state,
    {"LinkUp | Polling | Disabled | ..., as the kernel says", Holds::kWord});
  a("link_layer", r.link_layer, {"InfiniBand, or Ethernet: RoCE", Holds::kWord});
  a("rate_Gbit_per_s", r.rate_Gbit_per_s, {"rate of the link as it is now", "Gbit/s"});
  a.text("netdev", r.netdev, {"network interface over the same port", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<MigInstance>& m) {
  a.record("mig_instance", "A slice of a GPU in MIG mode");
  a("name", m.name, {"product and slice", Holds::kWord});
  a.text("uuid", m.uuid, {"unique id, MIG-...; absent in a redacted report", Holds::kSerial});
  a("memory_bytes", m.memory_bytes, {"memory of the slice", "bytes"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Pcie>& p) {
  a.record("pcie", "PCI Express link");
  a("generation", p.generation, {"1 to 6"});
  a("width", p.width, {"lanes"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Gpu>& g) {
  a.record("gpu", "A GPU as NVML shows it, or CUDA where there is no NVML");
  a("index", g.index, {"its number in the driver's order, by PCI address"});
  a("name", g.name, {"product name", Holds::kWord});
  a.text("uuid", g.uuid, {"unique id", Holds::kSerial});
  a.text("pci", g.pci, {"PCI address", Holds::kSerial});
  a.text("serial", g.serial, {"serial number of the board", Holds::kSerial});
  a("memory_bytes", g.memory_bytes, {"memory in all", "bytes"});
  a.text("driver", g.driver, {"version of the driver", Holds::kWord});
  a.object("compute_capability",
           [&](auto& inner) {
             inner.record("compute_capability", "CUDA compute capability");
             inner("major", g.compute_major, {"number before the point"});
             inner("minor", g.compute_minor, {"number behind the point"});
           },
           {"which instructions the chip has"});
  a.object("clocks",
           [&](auto& inner) {
             inner.record("clocks", "Highest clock rates");
             inner("max_sm_MHz", g.max_sm_clock_MHz, {"of the multiprocessors", "MHz"});
             inner("max_memory_MHz", g.max_memory_clock_MHz, {"of the memory", "MHz"});
           },
           {"highest clock rates that the driver allows"});
  a("power_limit_W", g.power_limit_W, {"power limit that the driver enforces", "W"});
  a.part(g.pcie, [&](auto& whole) {
    whole.object("pcie", [&](auto& inner) { fields(inner, g.pcie); },
                 {"the link as it is now, not as it could be"});
  });
  a("nvlink", g.nvlinks, {"NVLinks that are active"});
  a.list("mig_instances", g.mig_instances, {"slices of a GPU in MIG mode"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Host>& h) {
  a.record("host", "One machine");
  a("hostname", h.hostname, {"name of the machine", Holds::kHost});
  a.text("scheduler_node", h.scheduler_node,
         {"its name in the scheduler: SLURMD_NODENAME, or NODE_NAME of a pod", Holds::kHost});
  a.text("boot_id", h.boot_id,
         {"changes with each boot; absent in a redacted report", Holds::kSerial});
  a.text("os", h.os, {"distribution and its version", Holds::kWord});
  a.text("kernel", h.kernel, {"name, release and architecture of the kernel", Holds::kWord});
  a.text("cpu", h.cpu, {"model of the CPU", Holds::kWord});
  a("cores", h.cores, {"CPU cores of the machine, and how many of them the ranks may use"});
  a("cpu_flags", h.cpu_flags,
    {"instruction sets that matter for training, in the kernel's spelling: avx2, avx512f, ...",
     Holds::kWord});
  a("cgroup", h.cgroup, {"limits of the control group"});
  a("memory_bytes", h.memory_bytes, {"memory installed", "bytes"});
  a("nics", h.nics, {"network cards"});
  a.list("rdma", h.rdma, {"ports of InfiniBand and RoCE adapters"});
  a("gpus", h.gpus, {"all GPUs that the driver shows, also those that are not used"});
  a.list("visible_gpus", h.visible_gpus,
         {"index of each GPU that CUDA_VISIBLE_DEVICES leaves, in its order"});
  a.text("gpu_note", h.gpu_note, {"facts about the GPUs that are unknown, and why", Holds::kText});
}

}  // namespace scalemark::monitoring
