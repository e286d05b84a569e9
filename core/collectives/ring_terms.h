// What a collective sends on the links of its ranks, by formula: the same model as predictions use
// for the all-reduce of training (core/prediction/allreduce.h), for the other collectives too.
#pragma once

#include "core/collectives/words.h"
#include "core/prediction/allreduce.h"

namespace scalemark::collectives {

// Messages that follow each other, and bytes, at each level, of `bytes` as nccl-tests counts them;
// g ranks on each of n nodes, N in all:
//   all-reduce                  as prediction::allreduce_terms(), a ring in each level
//   all-gather, reduce-scatter  half of that: (g - 1) messages of S / g, (n - 1) of S / n
//   broadcast, reduce           a chain in pieces that follow each other: g - 1 (n - 1) latencies,
//   S gather                      into the root: g - 1 messages of S / N, N - g from other nodes
//   all-to-all                  each rank g - 1 messages of S / N; through each node's connection
//                               g (N - g), of which those of one rank follow each other
//   send-recv                   a ring shift: one message of S; on several nodes the one between
//   barrier                     log2, rounded up, messages without data
// All are zero for one rank.
prediction::CostTerms ring_terms(Collective collective, prediction::Layout layout, double bytes);

}  // namespace scalemark::collectives
