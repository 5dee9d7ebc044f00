"""A policy that learns from episodes of its own."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "dim of a 2-D softmax": ("F.softmax(action_scores)", "F.softmax(action_scores, dim=-1)"),
    "no Variable": ("model(Variable(state))", "model(state)"),
    "item": ("env.step(action[0, 0])", "env.step(action[0, 0].item())"),
    "item of a value": ("value.data[0, 0]", "value[0, 0].item()"),
    "torch.tensor": (
        "returns = torch.Tensor(returns)",
        "returns = torch.tensor(returns, dtype=torch.float32)",
    ),
    "full": ("Variable(torch.Tensor([[r]]))", "r.view(1, 1)"),
    "detach for Variable": ("Variable(action)", "action.detach()"),
    "eps of torch": ("np.finfo(np.float32).eps", "torch.finfo(torch.float32).eps"),
}

WRONG: Wrong = {
    "dim 0": (
        "F.softmax(action_scores)",
        "F.softmax(action_scores, dim=0)",
        DIFFERENT,
        "forward",
    ),
    "log_softmax": (
        "F.softmax(action_scores)",
        "F.log_softmax(action_scores, dim=1)",
        BROKEN,
        None,
    ),
    "value in the graph": (
        "r - value.data[0, 0]\n        policy_loss -= (log_prob * Variable(reward)).sum()",
        "r - value[0, 0]\n        policy_loss -= (log_prob * reward).sum()",
        DIFFERENT,
        "backward",
    ),
    "best action": (
        "probs.multinomial(1).data",
        "probs.max(1, keepdim=True)[1].data",
        DIFFERENT,
        None,
    ),
    "another discount": ("0.99 * R", "0.9 * R", DIFFERENT, "backward"),
    "appended": ("returns.insert(0, R)", "returns.append(R)", DIFFERENT, "backward"),
    "another std": ("returns.std()", "returns.std(unbiased=False)", DIFFERENT, "backward"),
    "float64": ("torch.from_numpy(state).float()", "torch.from_numpy(state)", BROKEN, None),
    "no backward": ("    loss.backward()\n", "", DIFFERENT, "backward"),
    "wrong index": ("probs.gather(1, Variable(action))", "probs[:, 1:]", DIFFERENT, "backward"),
}
