"""Logs and tables as their programs write them, made after their sources: for import_test.py."""

import json


def nccl_tests(ranks, program="all_reduce_perf", busbw=100.0):
    factor = 2 * (ranks - 1) / ranks
    lines = [f"# Collective test starting: {program}", "# nThread 1 nGpus 1 minBytes 8192 maxBytes 67108864 step: 8(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0",
             "#", "# Using devices"]
    lines += [f"#  Rank {rank:2d} Group  0 Pid {4000 + rank} on      node{rank // 4} device {rank % 4:2d} [0000:0{rank % 4}:00] NVIDIA H100 80GB HBM3" for rank in range(ranks)]
    lines += ["#", "#                                                              out-of-place                       in-place",
              "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong",
              "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)"]
    for power in (13, 16, 26):
        size = 2**power
        time = 10 + size / busbw * factor / 1e3
        block = f"{time:8.2f} {size / time / 1e3:7.2f} {size / time / 1e3 * factor:7.2f}      0"
        lines.append(f"{size:12d} {size // 4:13d}     float     sum      -1 {block} {block}")
    return "\n".join([*lines, "# Out of bounds values : 0 OK", "# Avg bus bandwidth    : 100.0", "#", ""])


def nanogpt(tokens, milliseconds, steps=40):
    lines = [f"tokens per iteration will be: {tokens:,}", "number of parameters: 123.59M", "step 0: train loss 10.9886, val loss 10.9898"]
    lines += [f"iter {10 * i}: loss {11 - i / 10:.4f}, time {milliseconds * (20 if i == 0 else 1 + (i % 3) / 100):.2f}ms, mfu {'-100.00' if i == 0 else '35.12'}%" for i in range(steps)]
    return "\n".join(lines) + "\n"


def llm_c(gpus, milliseconds, steps=20):
    def setting(name, value):
        return f"| {name:<21} | {value!s:<50} |"

    lines = [setting("micro batch size B", 64), setting("sequence length T", 1024), setting("total batch size", 65536 * gpus), setting("use_master_weights", "enabled"),
             setting("device", "NVIDIA A100-SXM4-80GB"), setting("precision", "BF16"), setting("num_processes", gpus), "=> setting grad_accum_steps=1"]
    lines += [f"step {i + 1:4d}/{steps} | loss {11 - i / 10:7.6f} (+nanz)| norm 1.2345 (+nanz)| lr 6.00e-04 | {milliseconds:.2f} ms | 45.1% bf16 MFU | {65536 * gpus / milliseconds * 900:.0f} tok/s"
              for i in range(steps)]
    return "\n".join(lines) + "\n"


def torchtitan(gpus, tps, steps=20, mesh="dp_replicate"):
    head = "\x1b[36m[titan] 2025-01-01 12:00:00,000 - root - INFO - "
    lines = [head + f"Building 1-D device mesh with ['{mesh}'], [{gpus}]", head + "CUDA capacity: NVIDIA H100 80GB HBM3 with 79.10GiB memory",
             head + f"Training starts at step 1, with local batch size 2, global batch size {2 * gpus}, sequence length 8192, total steps 200 (warmup 2)"]
    for i in range(steps):
        for rank in range(2):
            lines.append(f"[rank{rank}]:{head}step: {10 * i:2}  \x1b[32mloss:  7.8532  \x1b[33mgrad_norm:  1.2345  memory: 41.33GiB(52.00%)  \x1b[34mtps: {tps if i else tps // 9:,}  tflops: 300.00  mfu: 30.33%\x1b[39m")
    return "\n".join(lines) + "\n"


def trainer_state(rate, batch=8):
    history = [{"epoch": 0.5, "grad_norm": float("nan"), "learning_rate": 5e-05, "loss": 2.5, "step": 10},
               {"epoch": 1.0, "step": 20, "total_flos": 1.2e14, "train_loss": 2.4, "train_runtime": 30.0, "train_samples_per_second": rate, "train_steps_per_second": rate / 64}]
    return json.dumps({"best_metric": None, "epoch": 1.0, "global_step": 20, "log_history": history, "max_steps": 20, "num_train_epochs": 1, "train_batch_size": batch}, indent=2)


def trainer_text(rate, gpus):
    return f"""[INFO|trainer.py:2414] 2025-01-01 12:00:00,000 >> ***** Running training *****
[INFO|trainer.py:2415] 2025-01-01 12:00:00,000 >>   Num examples = 1,280
[INFO|trainer.py:2417] 2025-01-01 12:00:00,000 >>   Instantaneous batch size per device = 8
[INFO|trainer.py:2420] 2025-01-01 12:00:00,000 >>   Total train batch size (w. parallel, distributed & accumulation) = {16 * gpus}
[INFO|trainer.py:2421] 2025-01-01 12:00:00,000 >>   Gradient Accumulation steps = 2
  5%|5         | 1/20\r100%|##########| 20/20 {{'train_runtime': 30.0, 'train_samples_per_second': {rate}, 'train_steps_per_second': {rate / 16 / gpus:.3f}, 'train_loss': 2.4, 'epoch': 1.0}}
***** train metrics *****
  epoch                    =        1.0
  train_loss               =        2.4
  train_runtime            = 0:00:30.00
  train_samples_per_second =    {rate:.2f}
  train_steps_per_second   =    {rate / 16 / gpus:.2f}
***** eval metrics *****
  eval_samples_per_second  =     999.99
"""


def dlll(rate, steps=20):
    def line(**fields):
        return "DLLL " + json.dumps({"timestamp": "1.5", "datetime": "2025-01-01 12:00:00", "elapsedtime": "0.5", **fields})

    lines = [line(type="LOG", step="PARAMETER", data={"batch_size": 256, "amp": True}),
             line(type="METADATA", metric="train.total_ips", metadata={"unit": "images/s", "format": ":.2f"})]
    lines += [line(type="LOG", step=[0, i], data={"train.loss": 6.9, "train.compute_ips": 2 * rate, "train.total_ips": rate if i else 1.0}) for i in range(steps)]
    lines += [line(type="LOG", step=[0], data={"train.total_ips": rate * 0.9, "val.total_ips": 9999.0}), line(type="LOG", step=[], data={"train.total_ips": rate * 0.9})]
    return "\n".join(lines) + "\n"


def mllog(batch, rate, minutes=10):
    def line(key, value=None, time_ms=0, **metadata):
        return "0: :::MLLOG " + json.dumps({"namespace": "", "time_ms": 1_700_000_000_000 + time_ms, "event_type": "POINT_IN_TIME", "key": key, "value": value, "metadata": {"file": "t.py", "lineno": 1, **metadata}})

    lines = [line("submission_benchmark", "bert"), line("submission_platform", "1xDGXH100"), line("global_batch_size", batch), line("gradient_accumulation_steps", 1),
             line("max_sequence_length", 512), line("run_start")]
    for i in range(10):
        lines += [line("block_start", None, 60_000 * i, samples_count=i * 50_000), line("block_stop", None, 60_000 * i + 50_000, samples_count=(i + 1) * 50_000),
                  line("tracked_stats", {"throughput": rate}, 60_000 * i + 50_000, step=i)]
    return "\n".join([*lines, line("run_stop", None, 60_000 * minutes, status="success")]) + "\n"


def horovod(gpus, rate):
    lines = ["Model: resnet50", "Batch size: 64", f"Number of GPUs: {gpus}", "Running warmup...", "Running benchmark...", *(f"Iter #{i}: {rate:.1f} img/sec per GPU" for i in range(10))]
    return "\n".join([*lines, f"Img/sec per GPU: {rate:.1f} +-0.0", f"Total img/sec on {gpus} GPU(s): {rate * gpus:.1f} +-0.0"]) + "\n"


def tf_cnn(gpus, total):
    head = ["TensorFlow:  1.15", "Model:       resnet50", "Dataset:     imagenet (synthetic)", "Mode:        training", f"Batch size:  {64 * gpus} global", "             64 per device", "Num batches: 100"]
    steps = ["Step\tImg/sec\ttotal_loss", *(f"{i}\timages/sec: {total / gpus:.1f} +/- 0.1 (jitter = 0.4)\t9.100" for i in range(10, 101, 10)), "-" * 64]
    return "\n".join([*head, *steps, f"total images/sec: {total:.2f}", "-" * 64]) + "\n"


def megatron(gpus, batch, milliseconds):
    settings = {"bf16": True, "micro_batch_size": 4, "seq_length": 2048, "tensor_model_parallel_size": 1, "world_size": gpus}
    lines = [f"  {name} {'.' * (48 - len(name))} {value}" for name, value in settings.items()]
    lines += [f" [2025-11-02 09:00:00] iteration {i:8d}/     100 | consumed samples: {i * batch:12d} | elapsed time per iteration (ms): {milliseconds * (9 if i == 1 else 1):.1f} | "
              f"throughput per GPU (TFLOP/s/GPU): 200.1 | global batch size: {batch:5d} | lm loss: 1.8E+00 | loss scale: 1.0 |" for i in range(1, 41)]
    return "\n".join(lines) + "\n"


def deepspeed(rate):
    head = "[2025-11-02 09:00:00,123] [INFO] "
    lines = [head + f"[config.py:964:print]   {name} {'.' * (30 - len(name))} {value}"
             for name, value in {"train_batch_size": 64, "train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": 1, "world_size": 8, "bfloat16_enabled": True}.items()]
    for step in range(10, 201, 10):
        lines += [head + f"[logging.py:96:log_dist] [Rank 0] step={step}, skipped=0, lr=[5e-05]",
                  head + f"[timer.py:215:stop] epoch=0/micro_step={step}/global_step={step}, RunningAvgSamplesPerSec={rate * 0.9}, CurrSamplesPerSec={rate}, MemAllocated=0.3GB"]
    return "\n".join(lines) + "\n"


def timm(gpus, rate):
    lines = [f"Training in distributed mode with multiple processes, 1 device per process.Process 0, total {gpus}, device cuda:0.", "Model resnet50 created, param count:25557032",
             "Using native Torch AMP. Training in mixed precision.", f"Learning rate (0.1) calculated from base learning rate (0.1) and effective global batch size ({128 * gpus}) with linear scaling."]
    lines += [f"Train: 0 [{i:4d}/1251 ({i // 13:3d}%)]  Loss: 6.9 (6.9)  Time: {128 * gpus / rate:.3f}s, {rate:7.2f}/s  (0.4s, 1.00/s)  LR: 1.0e-05  Data: 0.010 (0.015)" for i in range(0, 1251, 50)]
    return "\n".join(lines) + "\n"


def torchvision(gpus, seconds):
    lines = [f"Namespace(amp=False, batch_size=32, epochs=90, model='resnet50', world_size={gpus})"]
    lines += [f"Epoch: [{epoch}]  [{i:4d}/5005]  eta: 0:33:22  lr: 0.1  img/s: {32 / (seconds - 0.01):.1f}  loss: 6.9 (6.9)  time: {seconds:.4f}  data: 0.0100  max mem: 3524" for epoch in (0, 1) for i in range(0, 5001, 500)]
    return "\n".join(lines) + "\n"


def imagenet(seconds):
    lines = ["=> creating model 'resnet50'"]
    lines += [f"Epoch: [{epoch}][{i:5d}/5004]\tTime {seconds * (20 if i == 1 else 1):6.3f} ({seconds * 1.5:6.3f})\tData  0.000 ( 0.288)\tLoss 6.9e+00 (7.0e+00)\tAcc@1   0.00 (  0.12)" for epoch in (0, 1) for i in range(1, 5002, 500)]
    return "\n".join(lines) + "\n"


LOGS = {"nccl.log": nccl_tests(8), "nanogpt.log": nanogpt(491_520, 250.0), "llmc.log": llm_c(8, 300.0), "titan.log": torchtitan(8, 5762), "trainer_state.json": trainer_state(123.456),
        "trainer.log": trainer_text(123.456, 4), "dlll.log": dlll(2500.0), "mllog.log": mllog(768, 3700.5), "horovod.log": horovod(16, 310.5), "tf_cnn.log": tf_cnn(8, 2412.75), "megatron.log": megatron(8, 256, 2000.0),
        "deepspeed.log": deepspeed(84.25), "timm.log": timm(8, 5120.0), "torchvision.log": torchvision(8, 0.25), "imagenet.log": imagenet(0.25)}

TIMM = "model,train_samples_per_sec,train_step_time,train_batch_size,train_img_size,param_count\nresnet50,812.5,313.2,256,224,25.56\nvit_base_patch16_224,390.1,327.4,128,224,86.57\n"
TABLE = "gpus,throughput,batch per gpu\n1,\"1,000\",32\n2,1980,32\n4,3900,32\n"
MARKDOWN = "# Results\n\n| GPUs | images/s (FP32) | images/s (AMP) | Speed-up (AMP) |\n|---|---|---|---|\n| 1 x A100 | 400 | 800 | 1.0x |\n| 8 x A100 | 3,100 | 6,200 | 7.75x |\n"
SUMMARY = "".join(json.dumps({"node": f"n{i}", "kernel-launch/event_time:0": 0.005, "model-benchmarks:resnet/pytorch-resnet50/fp16_train_throughput": 1200.5 + i,
                              "model-benchmarks:resnet/pytorch-resnet50/fp32_train_throughput": 800.25}) + "\n" for i in range(2))
BASELINE = json.dumps({"bert_models/pytorch-bert-base/throughput-train-float16": 388.86, "bert_models/pytorch-bert-base/throughput-train-float32": 296.57, "kernel-launch/event_time": 0.006})

# Each log leaves these fields out, and holds this rate.
RUN = "gpus=8,system=A100,workload=bert-base,precision=amp_fp16"
FIELDS = {"nccl.log": "", "nanogpt.log": RUN + ",batch_per_gpu=12", "llmc.log": "workload=gpt2", "titan.log": "workload=llama3-8b,precision=bf16", "trainer_state.json": RUN,
          "trainer.log": "system=A100,workload=bert-base,precision=amp_fp16", "dlll.log": RUN.replace("bert-base", "resnet50") + ",batch_per_gpu=256",
          "mllog.log": "gpus=8,precision=amp (submission)",
          "horovod.log": "system=V100,precision=fp32", "tf_cnn.log": "system=V100,precision=fp32", "megatron.log": "system=H100,workload=gpt2", "deepspeed.log": "system=A100,workload=bert-base",
          "timm.log": "system=A100,precision=amp_fp16", "torchvision.log": "system=A100,precision=fp32", "imagenet.log": "gpus=8,system=A100,precision=fp32,batch_per_gpu=32"}
RATES = {"nanogpt.log": 491_520 / 0.2525, "llmc.log": 65536 * 8 / 0.3, "titan.log": 5762 * 8, "trainer_state.json": 123.456, "trainer.log": 123.456, "dlll.log": 2500.0, "mllog.log": 3700.5, "horovod.log": 16 * 310.5,
         "tf_cnn.log": 2412.75, "megatron.log": 128.0, "deepspeed.log": 84.25, "timm.log": 5120.0, "torchvision.log": 1024.0, "imagenet.log": 1024.0}
