"""A training of a convolutional network with dropout, and its evaluation."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "super without arguments": ("super(Net, self).__init__()", "super().__init__()"),
    "dim of a 2-D log_softmax": ("log_softmax(self.fc2(x))", "log_softmax(self.fc2(x), dim=1)"),
    "reshape for view": ("x = x.view(-1, 4 * 3 * 3)", "x = x.reshape(-1, 4 * 3 * 3)"),
    "dropout as a positional": (
        "F.dropout(x, training=self.training)",
        "F.dropout(x, 0.5, self.training)",
    ),
    "no Variable in training": (
        "        data, target = Variable(data), Variable(target)\n        optimizer",
        "        optimizer",
    ),
    "reduction for size_average": ("size_average=False", "reduction='sum'"),
    "no_grad around the evaluation": (
        """        output = model(data)
        test_loss += F.nll_loss(output, target, size_average=False).item()
        pred = output.data.max(1, keepdim=True)[1]
        correct += pred.eq(target.data.view_as(pred)).sum().item()
""",
        """        with torch.no_grad():
            output = model(data)
            test_loss += F.nll_loss(output, target, size_average=False).item()
            pred = output.data.max(1, keepdim=True)[1]
            correct += pred.eq(target.data.view_as(pred)).sum().item()
""",
    ),
    "argmax": ("output.data.max(1, keepdim=True)[1]", "output.argmax(dim=1, keepdim=True)"),
    "in-place ReLU of a fresh tensor": ("x = F.relu(self.fc1(x))", "x = self.fc1(x).relu_()"),
    "default of a scheduler by name": (
        "StepLR(optimizer, step_size=1,",
        "StepLR(optimizer, 1,",
    ),
    "zero_grad of the model": (
        "        optimizer.zero_grad()\n",
        "        model.zero_grad()\n",
    ),
    "an f-string": ("print('test loss', test_loss)", "print(f'test loss {test_loss}')"),
}

WRONG: Wrong = {
    "mean for sum": ("size_average=False", "reduction='mean'", DIFFERENT, "print"),
    "no reduction": (", size_average=False", "", DIFFERENT, "print"),
    "dim 0": (
        "log_softmax(self.fc2(x))",
        "log_softmax(self.fc2(x), dim=0)",
        DIFFERENT,
        "forward",
    ),
    "softmax for log_softmax": (
        "F.log_softmax(self.fc2(x))",
        "F.softmax(self.fc2(x), dim=1)",
        DIFFERENT,
        "forward",
    ),
    "a wrong shape": ("x.view(-1, 4 * 3 * 3)", "x.reshape(4 * 3 * 3, -1)", BROKEN, None),
    "a transposed view": (
        "x.view(-1, 4 * 3 * 3)",
        "x.transpose(1, 3).reshape(-1, 4 * 3 * 3)",
        DIFFERENT,
        "forward",
    ),
    "dropout always": (
        "F.dropout(x, training=self.training)",
        "F.dropout(x)",
        DIFFERENT,
        "forward",
    ),
    "dropout never": ("F.dropout(x, training=self.training)", "x", DIFFERENT, "forward"),
    "another probability": (
        "F.dropout(x, training=self.training)",
        "F.dropout(x, 0.4, self.training)",
        DIFFERENT,
        "forward",
    ),
    "no zero_grad": ("        optimizer.zero_grad()\n", "", DIFFERENT, "backward"),
    "zero_grad behind backward": (
        "        optimizer.zero_grad()\n        output = model(data)\n        loss = F.nll_loss(output, target)\n        loss.backward()\n",
        "        output = model(data)\n        loss = F.nll_loss(output, target)\n        loss.backward()\n        optimizer.zero_grad()\n",
        DIFFERENT,
        None,
    ),
    "no_grad around a training step": (
        "        output = model(data)\n        loss =",
        "        with torch.no_grad():\n            output = model(data)\n        loss =",
        BROKEN,
        None,
    ),
    "eval while training": ("    model.train()\n", "    model.eval()\n", DIFFERENT, "forward"),
    "no train() after eval()": ("    model.train()\n", "", DIFFERENT, "forward"),
    "no eval()": ("    model.eval()\n", "", DIFFERENT, "forward"),
    "item of a loss": (
        "loss = F.nll_loss(output, target)\n",
        "loss = F.nll_loss(output, target).item()\n",
        BROKEN,
        None,
    ),
    "data of an output": (
        "loss = F.nll_loss(output, target)\n",
        "loss = F.nll_loss(output.data, target)\n",
        BROKEN,
        None,
    ),
    "max of the wrong dim": (
        "max(1, keepdim=True)[1]",
        "max(0, keepdim=True)[1].t()",
        BROKEN,
        None,
    ),
    "values for indices": (
        "max(1, keepdim=True)[1]",
        "max(1, keepdim=True)[0]",
        DIFFERENT,
        "print",
    ),
    "no keepdim": (
        "        pred = output.data.max(1, keepdim=True)[1]\n        correct += pred.eq(target.data.view_as(pred))",
        "        pred = output.data.max(1)[1]\n        correct += pred.eq(target.data.view(-1, 1))",
        DIFFERENT,
        "print",
    ),
    "normal_ for uniform_": (
        "init.xavier_uniform_(",
        "init.xavier_normal_(",
        DIFFERENT,
        "forward",
    ),
    "another constant": (
        "constant_(self.fc2.bias, 0)",
        "constant_(self.fc2.bias, 1)",
        DIFFERENT,
        "step",
    ),
    "another lr": ("lr=0.1", "lr=0.01", DIFFERENT, "step"),
    "no momentum": (", momentum=0.9", "", DIFFERENT, "step"),
    "another gamma": ("gamma=0.5", "gamma=0.1", DIFFERENT, "step"),
    "scheduler per batch": (
        "        optimizer.step()\n",
        "        optimizer.step()\n        scheduler.step()\n",
        DIFFERENT,
        "step",
    ),
    "scheduler first": (
        "    train(epoch)\n    test()\n    scheduler.step()\n",
        "    scheduler.step()\n    train(epoch)\n    test()\n",
        DIFFERENT,
        "step",
    ),
    "another norm": ("model.parameters(), 1.0)", "model.parameters(), 0.1)", DIFFERENT, "step"),
    "no clipping": (
        "        nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n",
        "",
        DIFFERENT,
        "step",
    ),
    "another seed": ("manual_seed(1)", "manual_seed(2)", DIFFERENT, "forward"),
    "no shuffle": (", shuffle=True", "", DIFFERENT, "forward"),
    "off by one": (
        "images[:32], labels[:32]",
        "images[:31], labels[:31]",
        DIFFERENT,
        "forward",
    ),
    "another test set": (
        "images[32:], labels[32:]",
        "images[31:], labels[31:]",
        DIFFERENT,
        "forward",
    ),
    "integer division": ("test_loss /= len", "test_loss //= len", DIFFERENT, "print"),
    "prints something else": (
        "'loss', loss.item())",
        "'loss', output.mean().item())",
        DIFFERENT,
        "print",
    ),
    "prints less often": ("if i % 2 == 0:", "if i % 3 == 0:", DIFFERENT, "print"),
    "an undefined name": (
        "x = F.relu(self.fc1(x))",
        "x = functional.relu(self.fc1(x))",
        BROKEN,
        None,
    ),
    "a misspelled keyword": (
        "max_pool2d(self.bn(self.conv(x)), 2)",
        "max_pool2d(self.bn(self.conv(x)), kernel=2)",
        BROKEN,
        None,
    ),
}
