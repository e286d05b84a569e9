"""The steps of scripts/gpu_slot: what is run on a machine with one GPU, and how each result is judged."""
