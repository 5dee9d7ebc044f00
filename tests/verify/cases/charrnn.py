"""A model of letters that trains on pieces of a text and writes some, drawing from what it expects."""

from __future__ import annotations

from tests.verify.cases.edits import DIFFERENT, Right, Wrong

RIGHT: Right = {
    "super without arguments": ("super(CharRNN, self)", "super()"),
    "unsqueeze for view": ("encoded.view(1, batch_size, -1)", "encoded.unsqueeze(0)"),
    "no Variable": (
        "Variable(torch.stack(inputs)), Variable(torch.stack(targets))",
        "torch.stack(inputs), torch.stack(targets)",
    ),
    "detach for data": ("loss.data / inputs", "loss.detach() / inputs"),
    "a comprehension": (
        "dict((c, i) for i, c in enumerate(chars))",
        "{c: i for i, c in enumerate(chars)}",
    ),
    "zero_grad of the optimizer": ("    model.zero_grad()\n", "    optimizer.zero_grad()\n"),
    "dim of a 1-D softmax": ("F.softmax(output.view(-1))", "F.softmax(output.view(-1), dim=0)"),
    "item of an index": (
        "torch.multinomial(output_dist, 1)[0]",
        "torch.multinomial(output_dist, 1).item()",
    ),
    "division for div": (".div(temperature).exp()", ".exp().pow(1 / temperature)"),
    "no state given": (
        "return Variable(torch.zeros(self.layers, batch_size, self.hidden_size))",
        "return torch.zeros(self.layers, batch_size, self.hidden_size)",
    ),
    "loss of a function": ("criterion = nn.CrossEntropyLoss()", "criterion = F.cross_entropy"),
    "unbind for an index": (
        "    for c in range(inputs.size(1)):\n        output, hidden = model(inputs[:, c], hidden)\n        loss += criterion(output, targets[:, c])\n",
        "    for letter, target in zip(inputs.unbind(1), targets.unbind(1)):\n        output, hidden = model(letter, hidden)\n        loss += criterion(output, target)\n",
    ),
}

WRONG: Wrong = {
    "off by one": (
        "return piece[:-1], piece[1:]",
        "return piece[:-1], piece[:-1]",
        DIFFERENT,
        "forward",
    ),
    "state of the last piece": (
        "output, hidden = model(inputs[:, c], hidden)",
        "output, _ = model(inputs[:, c], hidden)",
        DIFFERENT,
        "forward",
    ),
    "state is detached": (
        "output, hidden = model(inputs[:, c], hidden)",
        "output, hidden = model(inputs[:, c], hidden.detach())",
        DIFFERENT,
        "backward",
    ),
    "no eval()": ("    model.eval()\n", "", DIFFERENT, "forward"),
    "no train()": ("    model.train()\n", "", DIFFERENT, "forward"),
    "another temperature": (".div(temperature)", ".mul(temperature)", DIFFERENT, None),
    "the best letter": (
        "torch.multinomial(output_dist, 1)[0]",
        "output_dist.max(0)[1]",
        DIFFERENT,
        None,
    ),
    "last loss only": (
        "        loss += criterion(",
        "        loss = criterion(",
        DIFFERENT,
        "backward",
    ),
    "another clipping": ("model.parameters(), 5)", "model.parameters(), 0.5)", DIFFERENT, "step"),
    "mean of other numbers": (
        "loss.data / inputs.size(1)",
        "loss.data / inputs.size(0)",
        DIFFERENT,
        "print",
    ),
    "batch and letters": ("inputs.size(1)):", "inputs.size(0)):", DIFFERENT, None),
    "one letter less given": ("range(len(prime) - 1)", "range(len(prime))", DIFFERENT, "forward"),
    "softmax of one dim": (
        "F.softmax(output.view(-1))",
        "F.softmax(output, dim=0)",
        DIFFERENT,
        "print",
    ),
    "random state": ("torch.zeros(self.layers", "torch.randn(self.layers", DIFFERENT, "forward"),
    "no clipping by value": (
        "nn.utils.clip_grad_norm_(model.parameters(), 5)",
        "nn.utils.clip_grad_value_(model.parameters(), 0.05)",
        DIFFERENT,
        "step",
    ),
    "letters are not sorted": (
        "sorted(set(text))",
        "sorted(set(text))[::-1]",
        DIFFERENT,
        "forward",
    ),
}
