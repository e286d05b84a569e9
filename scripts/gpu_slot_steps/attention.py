"""Torch's backends of scaled-dot-product attention against math in float32, with padding and without.

BERT's shapes, no dropout (its random numbers differ by backend). Each backend is forced in turn; output and the
gradient of all three inputs are compared by their largest difference, relative to the largest value. One JSON line
per backend, dtype, mask and length: errors and milliseconds, or why the backend refused. The line of `chosen` says
what torch takes by itself. Run as a program, by a Python that has torch.
"""

import argparse
import json
import time

HEADS, WIDTH = 16, 64


def padding_mask(n, tokens, dtype, device, torch):
    """0 on real tokens, -infinity on padding, [n, 1, 1, s]: the mask that our BERT makes. Every row keeps one token."""
    lengths = torch.linspace(1, tokens, n, device=device).long()
    padded = torch.arange(tokens, device=device)[None, :] >= lengths[:, None]
    return torch.zeros(n, tokens, dtype=dtype, device=device).masked_fill_(padded, -torch.inf)[:, None, None, :]


def attend(inputs, mask, upstream, torch):
    """The output and the gradients of query, key and value."""
    inputs = [tensor.detach().requires_grad_() for tensor in inputs]
    output = torch.nn.functional.scaled_dot_product_attention(*inputs, attn_mask=mask)
    return output.detach(), torch.autograd.grad(output, inputs, upstream)


def largest_error(values, references):
    """NaN when one is there."""
    return max(((value.float() - reference).abs().max() / reference.abs().max()).item()
               for value, reference in zip(values, references))


def milliseconds(work, device, torch, repetitions=5):
    wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    work()
    wait()
    start = time.perf_counter()
    for _ in range(repetitions):
        work()
    wait()
    return 1e3 * (time.perf_counter() - start) / repetitions


def compare(case, backends, device, torch):
    """Yields one row per backend."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    torch.manual_seed(0)
    dtype, n, tokens = getattr(torch, case["dtype"]), case["sequences"], case["tokens"]
    inputs = [torch.randn(n, HEADS, tokens, WIDTH, device=device, dtype=dtype) for _ in range(3)]
    upstream = torch.randn_like(inputs[0])
    mask = padding_mask(n, tokens, dtype, device, torch) if case["padded"] else None
    with sdpa_kernel(SDPBackend.MATH):
        reference, gradients = attend([t.float() for t in inputs], mask if mask is None else mask.float(),
                                      upstream.float(), torch)
    choice = SDPBackend(torch._fused_sdp_choice(*inputs, attn_mask=mask)).name
    yield {**case, "backend": "chosen", "choice": choice}
    for name, backend in backends.items():
        try:
            with sdpa_kernel(backend):
                output, own = attend(inputs, mask, upstream, torch)
                ms = milliseconds(lambda: attend(inputs, mask, upstream, torch), device, torch)
        except RuntimeError as error:
            if "CUDA error" in str(error):
                raise  # no refusal: nothing after it can be believed
            yield {**case, "backend": name, "refused": str(error).splitlines()[0][:120]}
            continue
        yield {**case, "backend": name, "output_error": largest_error([output], [reference]),
               "gradient_error": largest_error(own, gradients), "ms": ms}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--tokens", default="128,512")
    parser.add_argument("--sequences", type=int, default=8)
    parser.add_argument("--dtypes", default="bfloat16,float16,float32")
    options = parser.parse_args()

    import warnings

    import torch
    from torch.nn.attention import SDPBackend

    warnings.simplefilter("ignore")  # a forced backend warns at length of why it cannot
    torch.backends.cuda.matmul.allow_tf32 = False
    backends = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION,
                "efficient": SDPBackend.EFFICIENT_ATTENTION, "math": SDPBackend.MATH}
    for tokens in map(int, options.tokens.split(",")):
        for dtype in options.dtypes.split(","):
            for padded in (False, True):
                case = {"dtype": dtype, "tokens": tokens, "sequences": options.sequences, "padded": padded}
                for row in compare(case, backends, torch.device(options.device), torch):
                    print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
