"""An actor and a critic with a state, over several environments at once."""

from __future__ import annotations

from tests.verify.cases.edits import DIFFERENT, Right, Wrong

RIGHT: Right = {
    "dim of a 2-D softmax": (
        "F.softmax(logits).multinomial(1)",
        "F.softmax(logits, dim=1).multinomial(1)",
    ),
    "dim of a log_softmax": (
        "F.log_softmax(logits).gather",
        "F.log_softmax(logits, dim=-1).gather",
    ),
    "detach for data": ("Variable(advantages.data)", "advantages.detach()"),
    "no_grad for volatile": (
        """        value, action, log_prob, state = policy.act(
            Variable(observations[step], volatile=True), Variable(states[step], volatile=True),
            Variable(masks[step], volatile=True))
""",
        """        with torch.no_grad():
            value, action, log_prob, state = policy.act(
                observations[step], states[step], masks[step])
""",
    ),
    "a view without Variable": ("Variable(returns.view(-1, 1))", "returns.view(-1, 1)"),
    "flatten": ("Variable(observations[:-1].view(-1, 2))", "observations[:-1].flatten(0, 1)"),
    "zeros_": ("m.bias.data.fill_(0)", "nn.init.zeros_(m.bias)"),
    "logical_not": ("(~done).float()", "done.logical_not().float()"),
    "mse_loss": (
        "value_loss = advantages.pow(2).mean()",
        "value_loss = F.mse_loss(new_values, returns.view(-1, 1))",
    ),
    "a Categorical": (
        "entropy = -(log_probs * log_probs.exp()).sum(-1).mean()",
        "entropy = torch.distributions.Categorical(logits=logits).entropy().mean()",
    ),
    "zeros of int64": (
        "torch.zeros(NUM_STEPS, NUM_PROCESSES, 1).long()",
        "torch.zeros(NUM_STEPS, NUM_PROCESSES, 1, dtype=torch.int64)",
    ),
    "a slice that is assigned to": ("rewards[step].copy_(reward)", "rewards[step] = reward"),
}

WRONG: Wrong = {
    "softmax over the batch": (
        "F.softmax(logits).multi",
        "F.softmax(logits, dim=0).multi",
        DIFFERENT,
        "forward",
    ),
    "log_softmax over the batch": (
        "log_probs = F.log_softmax(logits)",
        "log_probs = F.log_softmax(logits, dim=0)",
        DIFFERENT,
        "backward",
    ),
    "advantages with a graph": (
        "Variable(advantages.data) *",
        "advantages *",
        DIFFERENT,
        "backward",
    ),
    "the sign of the entropy": ("- entropy * 0.01", "+ entropy * 0.01", DIFFERENT, "backward"),
    "the mask of this step": (
        "TAU * masks[step + 1] * gae",
        "TAU * masks[step] * gae",
        DIFFERENT,
        None,
    ),
    "forwards": ("reversed(range(NUM_STEPS))", "range(NUM_STEPS)", DIFFERENT, None),
    "the mask the other way": ("(~done).float()", "done.float()", DIFFERENT, "forward"),
    "no reset of the state": (
        "self.base(inputs, states * masks)",
        "self.base(inputs, states)",
        DIFFERENT,
        "forward",
    ),
    "another gain": ("gain=0.5", "gain=1", DIFFERENT, "forward"),
    "the last value is left": (
        "values[-1] = policy(",
        "values[0] = policy(",
        DIFFERENT,
        "backward",
    ),
    "the first is not kept": (
        "(observations, states, masks):",
        "(observations, states):",
        DIFFERENT,
        "forward",
    ),
    "steps and processes swapped": (
        "Variable(observations[:-1].view(-1, 2))",
        "Variable(observations[:-1].transpose(0, 1).reshape(-1, 2))",
        DIFFERENT,
        "forward",
    ),
    "sum for mean": ("advantages.pow(2).mean()", "advantages.pow(2).sum()", DIFFERENT, "backward"),
    "an alias of the state": (
        "self.position = self.position + actions.float() - 1",
        "self.position = self.position - actions.float() + 1",
        DIFFERENT,
        "forward",
    ),
    "another eps": ("eps=1e-5", "eps=1e-1", DIFFERENT, "step"),
    "a reward of one process": ("rewards.mean()", "rewards[:, 0].mean()", DIFFERENT, "print"),
}
