"""Learning from a memory of moves, with a second network that follows the first."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "a mask of bools": (
        "torch.ByteTensor(tuple(map(lambda s: s is not None, batch.next_state))).bool()",
        "torch.tensor([s is not None for s in batch.next_state])",
    ),
    "no_grad for detach": (
        "    next_state_values[non_final_mask] = target(non_final_next_states).max(1)[0].detach()\n",
        "    with torch.no_grad():\n        next_state_values[non_final_mask] = target(non_final_next_states).max(1)[0]\n",
    ),
    "no_grad for volatile": (
        "        return policy(Variable(state, volatile=True)).data.max(1)[1].view(1, 1)\n",
        "        with torch.no_grad():\n            return policy(state).max(1)[1].view(1, 1)\n",
    ),
    "no Variable": (
        "state_batch = Variable(torch.cat(batch.state))",
        "state_batch = torch.cat(batch.state)",
    ),
    "clamp of a gradient": (
        "param.grad.data.clamp_(-0.05, 0.05)",
        "param.grad.clamp_(-0.05, 0.05)",
    ),
    "an index for gather": (
        "policy(state_batch).gather(1, action_batch)",
        "policy(state_batch)[torch.arange(BATCH_SIZE), action_batch[:, 0]].unsqueeze(1)",
    ),
    "the loss as a module": ("F.smooth_l1_loss(state", "nn.SmoothL1Loss()(state"),
    "item for a comparison": ("action[0, 0] == 1", "action[0, 0].item() == 1"),
    "detach for data": ("    return loss.data\n", "    return loss.detach()\n"),
    "tensor for LongTensor": (
        "torch.LongTensor([[random.randrange(2)]])",
        "torch.tensor([[random.randrange(2)]], dtype=torch.long)",
    ),
    "another name for the class": (
        ("class DQN(nn.Module):", "class QNetwork(nn.Module):"),
        ("super(DQN, self)", "super(QNetwork, self)"),
        ("policy, target = DQN(), DQN()", "policy, target = QNetwork(), QNetwork()"),
    ),
}

WRONG: Wrong = {
    "the mask the other way": ("s is not None, batch.next", "s is None, batch.next", BROKEN, None),
    "a gradient through the target": ("max(1)[0].detach()", "max(1)[0]", DIFFERENT, "backward"),
    "the policy for the target": (
        "target(non_final_next_states)",
        "policy(non_final_next_states)",
        DIFFERENT,
        "forward",
    ),
    "indices for values": (
        "max(1)[0].detach()",
        "max(1)[1].float().detach()",
        DIFFERENT,
        "backward",
    ),
    "values of the other dim": (
        "(non_final_next_states).max(1)[0]",
        "(non_final_next_states).max(0)[0]",
        BROKEN,
        None,
    ),
    "no unsqueeze": ("expected.unsqueeze(1)", "expected", DIFFERENT, "backward"),
    "another discount": (
        "(next_state_values * GAMMA)",
        "(next_state_values)",
        DIFFERENT,
        "backward",
    ),
    "squares for the loss": ("F.smooth_l1_loss(", "F.mse_loss(", DIFFERENT, "backward"),
    "no clamping": (
        "param.grad.data.clamp_(-0.05, 0.05)",
        "param.grad.data.clamp(-0.05, 0.05)",
        DIFFERENT,
        "step",
    ),
    "no zero_grad": ("    optimizer.zero_grad()\n", "", DIFFERENT, "backward"),
    "an old target": ("steps_done % UPDATE == 0", "steps_done % UPDATE == 1", DIFFERENT, "forward"),
    "an alias of the policy": (
        "target.load_state_dict(policy.state_dict())\ntarget.eval()",
        "target = policy\ntarget.eval()",
        DIFFERENT,
        "forward",
    ),
    "the worst action": (
        ".data.max(1)[1].view(1, 1)",
        ".data.min(1)[1].view(1, 1)",
        DIFFERENT,
        "forward",
    ),
    "explores less": ("random.random() > eps", "random.random() < eps", DIFFERENT, "forward"),
    "the memory ends early": ("ReplayMemory(30)", "ReplayMemory(20)", DIFFERENT, "forward"),
    "an action of the last move": (
        "memory.push(state, action, next_state,",
        "memory.push(state, 1 - action, next_state,",
        DIFFERENT,
        None,
    ),
    "the next state twice": (
        "memory.push(state, action,",
        "memory.push(next_state, action,",
        DIFFERENT,
        None,
    ),
}
