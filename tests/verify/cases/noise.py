"""A training whose lines are partly other ones each time."""

from __future__ import annotations

from tests.verify.cases.edits import DIFFERENT, Right, Wrong

RIGHT: Right = {
    "no Variable": ("model(Variable(data))", "model(data)"),
    "pow": ("(output ** 2).mean()", "output.pow(2).mean()"),
    "set_to_none": ("optimizer.zero_grad()", "optimizer.zero_grad(set_to_none=True)"),
}

WRONG: Wrong = {
    "another loss": ("(output ** 2).mean()", "(output ** 2).sum()", DIFFERENT, "backward"),
    "another number in a noisy line": (
        "losses[-1], time.time()",
        "losses[0], time.time()",
        DIFFERENT,
        "print",
    ),
    "another word in a noisy line": (
        "'step %d loss %.6f",
        "'step %d lose %.6f",
        DIFFERENT,
        "print",
    ),
    "nothing seen": ("print('seen', random.random(), len(losses))", "pass", DIFFERENT, "print"),
}
