"""Code that speaks of itself: what is known of it may be little, but asking comes to an end."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"

USES = """
def use(x, y):
    loss = F.cross_entropy(made(x), y)
    print(made(x).data[0], made.data[0], made[0].data[0], loss.data[0], made(x)(x).data[0])
    for x, y in made:
        F.softmax(made(x)), x.view(-1), y.cuda(), made.byte(), x[made], F.dropout(made)
    made.cuda(), made.train(), made.forward(x), made.zero_grad(), loss.backward(), made.step()
    torch.save(made, made)
    made.load_state_dict(torch.load(made))
    made.weight.data.fill_(made)
"""


@pytest.mark.parametrize(
    "text",
    [
        "made = nn.Sequential(made, nn.ReLU()).cuda()",
        "made = nn.Sequential(nn.Sequential(made), nn.ReLU())",
        "made = nn.Sequential(*[made])",
        "made = nn.Sequential(*made)",
        "made = nn.DataParallel(made)",
        "made = nn.DataParallel(nn.DataParallel(made).cuda())",
        "a = nn.DataParallel(made)\nmade = nn.DataParallel(a)",
        "while made:\n    made = nn.DataParallel(made)",
        "made = nn.parallel.DistributedDataParallel(made)",
        "made = nn.ModuleList([made])",
        "made = {'a': made}",
        "a = {'a': made}\nmade = {'a': a}",
        "made = [made]",
        "made = (made, made)",
        "made = lambda x: made(x)",
        "made = made[0]",
        "made = made()",
        "made = made(made)",
        "made = torch.stack(made)",
        "made = made + made",
        "made += made",
        "made = next(iter(made))",
        "made = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(made))",
        "made = torch.optim.SGD(made.parameters(), lr=0.1)",
        "made = nn.Linear(made.size(0), made.weight)",
        "for made in made:\n    pass",
        "class made(made):\n    pass",
        "class made(nn.Module):\n    def __init__(self):\n        self.m = self\n"
        "    def forward(self, x):\n        return self.m(x)",
        "class made(nn.Module):\n    def __init__(self):\n        self.m = nn.Sequential(self.m)\n"
        "    def forward(self, x):\n        return self.m(self.forward(x))",
        "class made(A):\n    pass\nclass A(made):\n    def forward(self, x):\n"
        "        return self.forward(x)",
        "def made(x):\n    return made(x)",
        "def made(x):\n    return made",
        "def made(x):\n    return other(x)\ndef other(x):\n    return made(x)",
    ],
)
def test_asking_ends(text: str) -> None:
    # It fails where a rule reports an error.
    migrate(HEAD + text + USES)
