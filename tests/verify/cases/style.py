"""An image that takes the style of another one, by LBFGS and a closure."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "requires_grad_": (
        "input_param = nn.Parameter(content_img.data.clone())",
        "input_param = content_img.clone().requires_grad_()",
    ),
    "no Variable": (
        "style_img = Variable(torch.rand(1, 3, 9, 10))",
        "style_img = torch.rand(1, 3, 9, 10)",
    ),
    "no_grad for data": (
        "        input_param.data.clamp_(0, 1)\n        optimizer",
        "        with torch.no_grad():\n            input_param.clamp_(0, 1)\n        optimizer",
    ),
    "losses are added up before backward": (
        """        for sl in style_losses:
            style_score += sl.backward()
        for cl in content_losses:
            content_score += cl.backward()
""",
        """        for sl in style_losses:
            style_score += sl.loss
        for cl in content_losses:
            content_score += cl.loss
        (style_score + content_score).backward()
""",
    ),
    "item for data": (
        "run, style_score.data, content_score.data",
        "run, style_score.item(), content_score.item()",
    ),
    "matmul operator": ("torch.mm(features, features.t())", "features @ features.t()"),
    "out of place": (
        "        self.G.mul_(self.weight)\n",
        "        self.G = self.G * self.weight\n",
    ),
    "requires_grad_ of the module": (
        "for param in cnn.parameters():\n    param.requires_grad = False\n",
        "cnn.requires_grad_(False)\n",
    ),
    "detach before it is saved": (
        "torch.save(input_param.data,",
        "torch.save(input_param.detach(),",
    ),
    "a number for a list": (
        ("run = [0]\n", "run = 0\n"),
        (
            "while run[0] <= 10:\n    def closure():\n",
            "while run <= 10:\n    def closure():\n        global run\n",
        ),
        (
            "        run[0] += 1\n        if run[0] % 3 == 0:\n",
            "        run += 1\n        if run % 3 == 0:\n",
        ),
        ("                run, style_score.data,", "                [run], style_score.data,"),
    ),
    "a gram matrix by einsum": (
        "        features = input.view(a * b, c * d)\n",
        "        features = input.reshape(a * b, -1)\n",
    ),
}

WRONG: Wrong = {
    "not divided": ("return G.div(a * b * c * d)", "return G", DIFFERENT, "forward"),
    "divided by less": ("G.div(a * b * c * d)", "G.div(a * b)", DIFFERENT, "forward"),
    "the other features": (
        "torch.mm(features, features.t())",
        "torch.mm(features.t(), features)",
        DIFFERENT,
        "forward",
    ),
    "the weight twice": (
        "self.G.mul_(self.weight)",
        "self.G.mul_(self.weight).mul_(self.weight)",
        DIFFERENT,
        "backward",
    ),
    "the weight is lost": (
        "self.G.mul_(self.weight)",
        "self.G.mul(self.weight)",
        DIFFERENT,
        "backward",
    ),
    "no zero_grad": ("        optimizer.zero_grad()\n", "", DIFFERENT, "backward"),
    "zero_grad behind": (
        "        return style_score + content_score\n",
        "        optimizer.zero_grad()\n        return style_score + content_score\n",
        DIFFERENT,
        None,
    ),
    "no clamping": (
        "        input_param.data.clamp_(0, 1)\n        optimizer",
        "        optimizer",
        DIFFERENT,
        None,
    ),
    "clamped to another range": (
        "input_param.data.clamp_(0, 1)\ntorch.save",
        "input_param.data.clamp_(0, 0.5)\ntorch.save",
        DIFFERENT,
        "save",
    ),
    "the sum of squares": (
        "        self.criterion = nn.MSELoss()\n\n    def forward(self, input):\n        self.loss",
        "        self.criterion = nn.MSELoss(size_average=False)\n\n    def forward(self, input):\n        self.loss",
        DIFFERENT,
        "forward",
    ),
    "content for style": (
        "gram(model(style_img).clone())",
        "gram(model(content_img).clone())",
        DIFFERENT,
        "forward",
    ),
    "begins with the style": (
        "content_img.data.clone())\nopt",
        "style_img.data.clone())\nopt",
        DIFFERENT,
        "forward",
    ),
    "an alias of the content": (
        "nn.Parameter(content_img.data.clone())",
        "nn.Parameter(content_img.data * 0.99)",
        DIFFERENT,
        "forward",
    ),
    "another optimizer": (
        "optim.LBFGS([input_param], max_iter=4)",
        "optim.Adam([input_param])",
        DIFFERENT,
        None,
    ),
    "the network learns": (
        "    param.requires_grad = False\n",
        "    param.requires_grad = True\n",
        DIFFERENT,
        "backward",
    ),
    "the graph is freed": (
        "style_score += sl.backward()",
        "style_score += sl.backward(retain_graph=False)",
        BROKEN,
        None,
    ),
}
