#!/bin/bash
# One run of scalemark as a job of Flux:
#
#   flux batch --nodes 2 --exclusive configs/launching/flux.sh sweep --workload resnet50
#
# PROGRAM (default ./scalemark) is the program, OUTPUT (default results/runs/job-<number>) the folder of the report; both, and
# the data, must be at the same path on every node. TASKS_PER_NODE (default: its GPUs) are the ranks of a node.
#flux: --job-name=scalemark
program=${PROGRAM:-./scalemark}
output=${OUTPUT:-results/runs/job-$(flux getattr jobid)}
read -r nodes gpus < <(flux resource list --no-header --states=all --format='{nnodes} {ngpus}')
tasks=${TASKS_PER_NODE:-$((gpus / nodes))}

options=(--nodes="$nodes" --tasks-per-node="$tasks")
[ "$gpus" = 0 ] || options+=(--gpus-per-node="$((gpus / nodes))")
flux run "${options[@]}" "$program" "$@" --output "$output" --rendezvous "$(flux hostlist --local --nth=0)"
