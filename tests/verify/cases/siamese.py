"""Two branches with the same weights, pairs that are drawn, and triplets that are chosen."""

from __future__ import annotations

from tests.verify.cases.edits import DIFFERENT, Right, Wrong

RIGHT: Right = {
    "no Variable": ("net(Variable(first)), net(Variable(second))", "net(first), net(second)"),
    "both branches at once in evaluation": (
        "embedded = net(Variable(data, volatile=True)).data\n",
        "with torch.no_grad():\n    embedded = torch.cat([net(data[:12]), net(data[12:])])\n",
    ),
    "detach for data": ("losses.append(loss.data)", "losses.append(loss.detach())"),
    "norm for a root": (
        "x.pow(2).sum(dim=1, keepdim=True).sqrt() + 1e-10",
        "x.norm(2, dim=1, keepdim=True) + 1e-10",
    ),
    "clamp as a method": (
        "torch.clamp(self.margin - distance, min=0.0)",
        "(self.margin - distance).clamp(min=0)",
    ),
    "relu for clamp": (
        "distances = (embeddings.unsqueeze(0) - embeddings.unsqueeze(1)).pow(2).sum(2)",
        "distances = torch.cdist(embeddings, embeddings, compute_mode='donot_use_mm_for_euclid_dist').pow(2)",
    ),
    "tensor for LongTensor": ("torch.LongTensor(triplets)", "torch.tensor(triplets)"),
    "argsort": ("torch.sort(labels, stable=True)[1]", "torch.argsort(labels, stable=True)"),
    "bool for byte": ("torch.eye(24).byte().bool()", "torch.eye(24, dtype=torch.bool)"),
    "argmin": ("distances.min(1)[1]", "distances.argmin(1)"),
    "the loss as a module": (
        "F.triplet_margin_loss(anchor, positive, negative, margin=0.5)",
        "nn.TripletMarginLoss(margin=0.5)(anchor, positive, negative)",
    ),
    "a tensor by new": (
        "torch.FloatTensor([1 - should_match])",
        "torch.tensor([1 - should_match], dtype=torch.float32)",
    ),
    "no import that is not used": ("import Function, Variable", "import Variable"),
    "a function for a class": (
        (
            "class TripletSelector(object):\n    def __init__(self, margin):\n        self.margin = margin\n\n    def __call__(self, embeddings, labels):\n",
            "class TripletSelector:\n    def select(self, embeddings, labels):\n",
        ),
        (
            "select = ContrastiveLoss(), TripletSelector(0.5)",
            "select = ContrastiveLoss(), TripletSelector().select",
        ),
    ),
}

WRONG: Wrong = {
    "labels the other way": (
        "torch.FloatTensor([1 - should_match])",
        "torch.FloatTensor([should_match])",
        DIFFERENT,
        "forward",
    ),
    "columns against rows": ("        label = label.squeeze(1)\n", "", DIFFERENT, "forward"),
    "another margin": ("margin=2.0", "margin=1.0", DIFFERENT, "forward"),
    "clamped above": (
        "self.margin - distance, min=0.0",
        "self.margin - distance, max=0.0",
        DIFFERENT,
        "forward",
    ),
    "norm over the batch": (
        "sum(dim=1, keepdim=True).sqrt()",
        "sum(dim=0, keepdim=True).sqrt()",
        DIFFERENT,
        "forward",
    ),
    "no root": ("keepdim=True).sqrt() + 1e-10", "keepdim=True) + 1e-10", DIFFERENT, "forward"),
    "one branch twice": (
        "net(Variable(first)), net(Variable(second))",
        "net(Variable(first)), net(Variable(first))",
        DIFFERENT,
        "forward",
    ),
    "one branch is detached": (
        "net(Variable(first)), net(Variable(second))",
        "net(Variable(first)), net(Variable(second)).detach()",
        DIFFERENT,
        "backward",
    ),
    "branches in one batch": (
        "output1, output2 = net(Variable(first)), net(Variable(second))",
        "output1, output2 = net(torch.cat([first, second])).chunk(2)",
        DIFFERENT,
        "forward",
    ),
    "hardest swapped": ("hard = min(negative", "hard = max(negative", DIFFERENT, "backward"),
    "the nearest positive": ("far = max(positive", "far = min(positive", DIFFERENT, "backward"),
    "swapped arguments": (
        "(anchor, positive, negative, margin",
        "(anchor, negative, positive, margin",
        DIFFERENT,
        "backward",
    ),
    "anchor swapped": (
        "(anchor, positive, negative, margin",
        "(positive, anchor, negative, margin",
        DIFFERENT,
        "backward",
    ),
    "self is nearest": ("distances[torch.eye(24).byte().bool()] = 1e3\n", "", DIFFERENT, "print"),
    "an index of bytes": (
        "torch.eye(24).byte().bool()",
        "torch.eye(24).long()",
        DIFFERENT,
        "print",
    ),
    "the farthest": ("distances.min(1)[1]", "distances.max(1)[1]", DIFFERENT, "print"),
    "another decay": ("0.5 ** epoch", "0.9 ** epoch", DIFFERENT, "step"),
    "a scheduler for each batch": (
        "        losses.append(loss.data)\n",
        "        losses.append(loss.data)\n        scheduler.step()\n",
        DIFFERENT,
        "step",
    ),
    "no eval()": ("net.eval()\n", "", DIFFERENT, "forward"),
    "other pairs": ("random.randint(0, 1)", "random.randint(1, 1)", DIFFERENT, "forward"),
    "another order": (
        "self.order[half:].tolist())",
        "self.order[half:].tolist()[::-1])",
        DIFFERENT,
        "forward",
    ),
}
