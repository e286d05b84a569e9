"""The networks of the Python side: torch.nn, torchvision, Hugging Face. Shared by the CPU peer and the CUDA peer."""

BERT_SIZES = {  # layers, hidden, heads, feed forward
    "bert-mini": (4, 256, 4, 1024),
    "bert-base": (12, 768, 12, 3072),
    "bert-large": (24, 1024, 16, 4096),
}


def network(workload, torch):
    """Returns the network on the CPU, in float32; ResNet-50 with channels last."""
    n = torch.nn
    if workload == "linear":
        return n.Linear(1000, 10)
    if workload == "mlp":
        return n.Sequential(n.Linear(1024, 512), n.ReLU(), n.Linear(512, 256), n.ReLU(), n.Linear(256, 10))
    if workload == "resnet50":
        import torchvision

        return torchvision.models.resnet50().to(memory_format=torch.channels_last)
    from transformers import BertConfig, BertForPreTraining

    layers, hidden, heads, feed_forward = BERT_SIZES[workload]
    return BertForPreTraining(BertConfig(num_hidden_layers=layers, hidden_size=hidden, num_attention_heads=heads,
                                         intermediate_size=feed_forward))
