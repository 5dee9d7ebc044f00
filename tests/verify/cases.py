"""Rewrites of the programs next to this file, right and wrong, and what is to be said of each.

An old text stands once in its program. Right ones of a program are judged together; a wrong one is
judged alone, and again among right ones.
"""

from __future__ import annotations

from torchfix_codemods.verify.verdicts import Verdict

DIFFERENT, BROKEN = Verdict.DIFFERENT, Verdict.BROKEN
NOT_EXECUTED, NOT_OBSERVED = Verdict.NOT_EXECUTED, Verdict.NOT_OBSERVED

#: By program and name: what stands there, and what it becomes.
RIGHT: dict[str, dict[str, tuple[str, str]]] = {
    "cnn": {
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
    },
    "vae": {
        "torch.sigmoid": ("F.sigmoid(", "torch.sigmoid("),
        "randn_like": (
            "        eps = torch.FloatTensor(std.size()).normal_()\n        eps = Variable(eps)\n",
            "        eps = torch.randn_like(std)\n",
        ),
        "reduction for size_average": ("size_average=False", "reduction='sum'"),
        "addcmul": ("eps.mul(std).add_(mu)", "torch.addcmul(mu, eps, std)"),
        "exp out of place": ("logvar.mul(0.5).exp_()", "(0.5 * logvar).exp()"),
        "no Variable": ("        data = Variable(data)\n", ""),
        "no_grad for volatile": (
            "sample = Variable(torch.randn(2, 3), volatile=True)\nsample = model.decode(sample)",
            "with torch.no_grad():\n    sample = torch.randn(2, 3)\n    sample = model.decode(sample)",
        ),
        "detach for data": ("sample.data.view(2, 3, 4)", "sample.detach().view(2, 3, 4)"),
        "format by f-string": (
            "print('epoch {} average loss {:.4f}'.format(epoch, train_loss / 40))",
            "print(f'epoch {epoch} average loss {train_loss / 40:.4f}')",
        ),
        "lr by position": ("model.parameters(), lr=1e-2", "model.parameters(), 0.01"),
    },
    "lstm": {
        "new_zeros": (
            """        weight = next(self.parameters()).data
        return (Variable(weight.new(1, bsz, self.nhid).zero_()),
                Variable(weight.new(1, bsz, self.nhid).zero_()))""",
            """        weight = next(self.parameters())
        return (weight.new_zeros(1, bsz, self.nhid),
                weight.new_zeros(1, bsz, self.nhid))""",
        ),
        "detach in repackaging": ("return Variable(h.data)", "return h.detach()"),
        "isinstance": ("type(h) == tuple", "isinstance(h, tuple)"),
        "item for data": (
            "criterion(output_flat, targets).data",
            "criterion(output_flat, targets).item()",
        ),
        "no item of a number": ("return total_loss.item() /", "return float(total_loss) /"),
        "no_grad in init": (
            "        self.encoder.weight.data.uniform_(-initrange, initrange)\n",
            "        nn.init.uniform_(self.encoder.weight, -initrange, initrange)\n",
        ),
        "zeros_": ("self.decoder.bias.data.fill_(0)", "nn.init.zeros_(self.decoder.bias)"),
        "no Variable in get_batch": (
            "    data = Variable(source[i:i + seq_len], volatile=evaluation)\n",
            "    data = source[i:i + seq_len]\n",
        ),
        "reshape for view": (
            "source[i + 1:i + 1 + seq_len].view(-1)",
            "source[i + 1:i + 1 + seq_len].reshape(-1)",
        ),
        "no_grad in the update": (
            "            p.data.add_(p.grad.data, alpha=-lr)\n",
            "            with torch.no_grad():\n                p.add_(p.grad, alpha=-lr)\n",
        ),
        "torch.tensor": ("corpus = torch.LongTensor(", "corpus = torch.tensor("),
        "named transpose": (
            ".view(bsz, -1).t().contiguous()",
            ".view(bsz, -1).transpose(0, 1).contiguous()",
        ),
    },
    "gan": {
        "full for fill_": (
            "label = torch.FloatTensor(batch_size).fill_(real_label)",
            "label = torch.full((batch_size,), real_label, dtype=torch.float)",
        ),
        "randn": ("torch.FloatTensor(batch_size, nz).normal_(0, 1)", "torch.randn(batch_size, nz)"),
        "init function": ("m.weight.data.normal_(0.0, 0.2)", "nn.init.normal_(m.weight, 0.0, 0.2)"),
        "in operator": ("if classname.find('Linear') != -1:", "if 'Linear' in classname:"),
        "item for data in a print": ("D_x = output.data.mean()", "D_x = output.mean().item()"),
        "detach for data": ("torch.save(fake.data,", "torch.save(fake.detach(),"),
        "data for detach in the generator's input": ("netD(fake.detach())", "netD(fake.data)"),
        "squeeze for view": (
            "return self.main(input).view(-1)",
            "return self.main(input).squeeze(1)",
        ),
        "no Variable": ("output = netD(Variable(real_cpu))", "output = netD(real_cpu)"),
        "zero_grad of the optimizer": (
            "        netD.zero_grad()",
            "        optimizerD.zero_grad()",
        ),
    },
    "reinforce": {
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
    },
    "seq2seq": {
        "dim of a 2-D softmax": (
            "F.softmax(attn.view(-1, input_size)).view",
            "F.softmax(attn.view(-1, input_size), dim=1).view",
        ),
        "dim 0 of a 3-D softmax": (
            "F.softmax(output * self.gate)",
            "F.softmax(output * self.gate, dim=0)",
        ),
        "dim of a log_softmax": (
            "F.log_softmax(logits.view(-1, logits.size(2)))",
            "F.log_softmax(logits.view(-1, logits.size(2)), dim=-1)",
        ),
        "torch.tanh": ("F.tanh(", "torch.tanh("),
        "reduction for size_average": ("size_average=False", "reduction='sum'"),
        "matmul operator": ("mix = torch.bmm(attn, context)", "mix = attn @ context"),
        "masked_fill out of place": (
            "attn.data.masked_fill_(self.mask, -float('inf'))",
            "attn = attn.masked_fill(self.mask, float('-inf'))",
        ),
        "arange of int64": ("torch.arange(0, 5).long().unsqueeze", "torch.arange(5).unsqueeze"),
        "argmax": (
            "best = log_probs.data.max(1)[1].view(3, 4)",
            "best = log_probs.argmax(1).view(3, 4)",
        ),
        "count of a mask": (
            "best.eq(target).masked_select(target.ne(0)).sum().item()",
            "(best == target)[target != 0].sum().item()",
        ),
        "floor division": ("(lengths // 2)", "torch.div(lengths, 2, rounding_mode='floor')"),
    },
    "accumulate": {
        "item of a running loss": ("total_loss += loss.data", "total_loss += loss.detach()"),
        "retain_graph by keyword True": (
            "retain_graph=True, only_inputs=True",
            "retain_graph=True",
        ),
        "requires_grad_": (
            "x = Variable(xs[i * 3:(i + 1) * 3], requires_grad=True)",
            "x = xs[i * 3:(i + 1) * 3].clone().requires_grad_()",
        ),
        "ones_like": ("torch.ones(out.size())", "torch.ones_like(out)"),
        "detach for data": ("EMA[name] = p.data.clone()", "EMA[name] = p.detach().clone()"),
        "no_grad for data": (
            "    p.data.mul_(0.5)\n",
            "    with torch.no_grad():\n        p.mul_(0.5)\n",
        ),
        "view for squeeze": ("net(xs[:6]).squeeze(1) -", "net(xs[:6]).view(-1) -"),
        "square": ("residual.pow(2).mean()", "(residual * residual).mean()"),
        "norm by keyword": ("gradients.norm(2, dim=1)", "gradients.norm(p=2, dim=1)"),
    },
    "checkpoint": {
        "map_location by name": ("map_location=lambda storage, loc: storage", "map_location='cpu'"),
        "weights_only": (
            "torch.load('best.pth.tar')",
            "torch.load('best.pth.tar', weights_only=True)",
        ),
        "no_grad for volatile": (
            "        output = model(Variable(xs, volatile=True))\n",
            "        with torch.no_grad():\n            output = model(xs)\n",
        ),
        "argmax": ("(output.data.max(1)[1] == ys)", "(output.argmax(1) == ys)"),
        "no Variable": ("output = model(Variable(xs))\n", "output = model(xs)\n"),
        "dim of sum": ("(xs.sum(1) > 0).long()", "(xs.sum(dim=1) > 0).long()"),
        "strict as it is": (
            "extra.load_state_dict(weights)",
            "extra.load_state_dict(weights, strict=True)",
        ),
        "zero_grad first": (
            "        optimizer.zero_grad()\n        loss.backward()\n",
            "        model.zero_grad()\n        loss.backward()\n",
        ),
    },
    "evaluate": {
        "dim 0 of a 3-D softmax": ("F.softmax(scores)", "F.softmax(scores, dim=0)"),
        "no_grad": (
            "    scores = model(Variable(x, volatile=True))\n",
            "    with torch.no_grad():\n        scores = model(x)\n",
        ),
        "reduction for size_average": ("size_average=False)", "reduction='sum')"),
        "argmax": ("probs.data.max(2)[1]", "probs.argmax(dim=2)"),
        "flatten": (
            "correct[:k].reshape(-1).float().sum(0)",
            "correct[:k].flatten().float().sum()",
        ),
        "a mask of comparisons": ("float()[mask].sum()", "float().masked_select(mask).sum()"),
        "zeros of int64": ("torch.zeros(3, 3).long()", "torch.zeros(3, 3, dtype=torch.long)"),
        "no numel": ("100.0 / gold.numel()", "100.0 / gold.nelement()"),
        "detach": ("accuracy(scores.data, gold", "accuracy(scores.detach(), gold"),
    },
    "custom": {
        "reshape": ("rest.contiguous().view(3, -1)", "rest.reshape(3, -1)"),
        "flatten of a slice": ("best = truth.max(2)[1]", "best = truth.argmax(2)"),
        "out of place in the graph": (
            "        scale.mul_(self.anchors)\n",
            "        scale = scale * self.anchors\n",
        ),
        "arange of floats": ("torch.arange(0, 4).float().view", "torch.arange(4.0).view"),
        "operator for gt": ("truth.gt(0.5)", "truth > 0.5"),
        "tensor for IntTensor": (
            "torch.IntTensor([[7, 3], [9, 5]])",
            "torch.tensor([[7, 3], [9, 5]], dtype=torch.int32)",
        ),
        "true division": ("half = boxes / 2", "half = torch.true_divide(boxes, 2)"),
        "no Variable": (
            "(centers - Variable(truth)) * Variable(weight)",
            "(centers - truth) * weight",
        ),
        "argsort": (
            "torch.sort(truth.view(-1), 0, True)[1]",
            "truth.view(-1).argsort(0, descending=True)",
        ),
        "clamp as a method": (
            "torch.clamp(boxes[:, 0] - boxes[:, 1], min=0)",
            "(boxes[:, 0] - boxes[:, 1]).clamp(min=0)",
        ),
        "masked_fill in backward": (
            "        grad_input[input * input > ctx.limit] = 0\n",
            "        grad_input = grad_input.masked_fill(input * input > ctx.limit, 0)\n",
        ),
    },
    "noise": {
        "no Variable": ("model(Variable(data))", "model(data)"),
        "pow": ("(output ** 2).mean()", "output.pow(2).mean()"),
        "set_to_none": ("optimizer.zero_grad()", "optimizer.zero_grad(set_to_none=True)"),
    },
    "processes": {
        "dim in a child": (
            "F.log_softmax(model(Variable(data)))",
            "F.log_softmax(model(data), dim=1)",
        ),
        "tensor in a worker": (
            "torch.Tensor([index, index * index]) / 100",
            "torch.tensor([index, index * index], dtype=torch.float) / 100",
        ),
        "no_grad": (
            "        out = parallel(Variable(x, volatile=True))\n",
            "        with torch.no_grad():\n            out = parallel(x)\n",
        ),
        "reduction for size_average": ("size_average=False", "reduction='sum'"),
    },
    "compiled": {
        "dim": ("F.log_softmax(self.two(x))", "F.log_softmax(self.two(x), dim=1)"),
        "in a scripted function": (
            "torch.sigmoid(x).clamp(0.0, limit)",
            "torch.clamp(torch.sigmoid(x), 0.0, limit)",
        ),
        "no Variable": (
            "F.nll_loss(fast(Variable(data)), Variable(labels))",
            "F.nll_loss(fast(data), labels)",
        ),
        "bfloat16 by to": ("data.bfloat16()", "data.to(torch.bfloat16)"),
        "in a scripted module": ("F.softmax(self.one(x), dim=1)", "torch.softmax(self.one(x), -1)"),
        "half by to": ("model.two.weight.data.half()", "model.two.weight.detach().to(torch.half)"),
        "tensor for LongTensor": ("torch.LongTensor(", "torch.tensor("),
    },
    "suite/measure/losses": {
        "reduction for size_average": ("size_average=False", "reduction='sum'"),
        "no Variable": ("    x = Variable(x)\n", ""),
        "reshape": ("x.view(-1, 2)", "x.reshape(-1, 2)"),
    },
}

#: By program and name: what stands there, what it becomes, what is to be said of it, and the kind
#: of the first event that differs.
WRONG: dict[str, dict[str, tuple[str, str, Verdict, str | None]]] = {
    "cnn": {
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
    },
    "vae": {
        "elementwise mean": ("size_average=False", "reduction='mean'", DIFFERENT, "forward"),
        "uniform noise": (
            "torch.FloatTensor(std.size()).normal_()",
            "torch.rand(std.size())",
            DIFFERENT,
            "forward",
        ),
        "noise of one": (
            "torch.FloatTensor(std.size()).normal_()",
            "torch.randn(1)",
            DIFFERENT,
            "forward",
        ),
        "swapped results": (
            "return self.fc21(h1), self.fc22(h1)",
            "return self.fc22(h1), self.fc21(h1)",
            DIFFERENT,
            "forward",
        ),
        "another factor": ("logvar.mul(0.5).exp_()", "logvar.mul(2).exp_()", DIFFERENT, "forward"),
        "in place on an input": (
            "logvar.mul(0.5).exp_()",
            "logvar.mul_(0.5).exp()",
            DIFFERENT,
            "forward",
        ),
        "another shape is saved": (
            "sample.data.view(2, 3, 4)",
            "sample.data.view(2, 4, 3)",
            DIFFERENT,
            "save",
        ),
        "a transposed view is saved": (
            "sample.data.view(2, 3, 4)",
            "sample.data.view(2, 4, 3).transpose(1, 2)",
            DIFFERENT,
            "save",
        ),
        "another file": ("'sample.pt'", "'samples.pt'", DIFFERENT, "save"),
        "detached": (
            "mu, logvar = self.encode(x.view(-1, 12))",
            "mu, logvar = self.encode(x.view(-1, 12))\n        mu = mu.detach()",
            DIFFERENT,
            "backward",
        ),
        "loss without a part": ("return BCE + KLD", "return BCE", DIFFERENT, "backward"),
        "swapped arguments": (
            "reconstruction_function(recon_x, x)",
            "reconstruction_function(x, recon_x)",
            DIFFERENT,
            "forward",
        ),
        "tensor for number": (
            "train_loss += loss.item()",
            "train_loss += loss.item() / len(data)",
            DIFFERENT,
            "print",
        ),
    },
    "lstm": {
        "no repackaging": ("return Variable(h.data)", "return h", BROKEN, None),
        "zero hidden state": (
            "return Variable(h.data)",
            "return torch.zeros_like(h)",
            DIFFERENT,
            "forward",
        ),
        "random hidden state": (
            "return (Variable(weight.new(1, bsz, self.nhid).zero_()),",
            "return (Variable(weight.new(1, bsz, self.nhid).normal_()),",
            DIFFERENT,
            "forward",
        ),
        "off by one in the target": (
            "source[i + 1:i + 1 + seq_len]",
            "source[i:i + seq_len]",
            DIFFERENT,
            "forward",
        ),
        "no transpose": (
            ".view(bsz, -1).t().contiguous()",
            ".view(-1, bsz).contiguous()",
            DIFFERENT,
            "forward",
        ),
        "swapped sizes": (
            "output.view(output.size(0) * output.size(1), output.size(2))",
            "output.transpose(0, 1).reshape(output.size(0) * output.size(1), output.size(2))",
            DIFFERENT,
            "forward",
        ),
        "another sign": ("alpha=-lr", "alpha=lr", DIFFERENT, "forward"),
        "swapped arguments of add_": (
            "p.data.add_(p.grad.data, alpha=-lr)",
            "p.data.mul_(-lr).add_(p.grad.data)",
            DIFFERENT,
            "forward",
        ),
        "grad without grad": (
            "p.data.add_(p.grad.data, alpha=-lr)",
            "p.add_(p.grad, alpha=-lr)",
            BROKEN,
            None,
        ),
        "lost update": (
            "p.data.add_(p.grad.data, alpha=-lr)",
            "p.data.add(p.grad.data, alpha=-lr)",
            DIFFERENT,
            "forward",
        ),
        "no zero_grad": ("        model.zero_grad()\n", "", DIFFERENT, "backward"),
        "normal for uniform": (
            "self.decoder.weight.data.uniform_(-initrange, initrange)",
            "nn.init.normal_(self.decoder.weight, -initrange, initrange)",
            DIFFERENT,
            "forward",
        ),
        "length of another axis": (
            "len(data) * criterion",
            "data.size(1) * criterion",
            DIFFERENT,
            "print",
        ),
        "mean over the wrong number": (
            "/ len(data_source)",
            "/ data_source.numel()",
            DIFFERENT,
            "print",
        ),
        "lr divided as integers": ("lr /= 4.0", "lr //= 4.0", DIFFERENT, "forward"),
    },
    "gan": {
        "no detach": ("netD(fake.detach())", "netD(fake)", BROKEN, None),
        "detach for both": (
            "output = netD(fake)\n",
            "output = netD(fake.detach())\n",
            DIFFERENT,
            "backward",
        ),
        "swapped labels": (
            "real_label = 1\nfake_label = 0",
            "real_label = 0\nfake_label = 1",
            DIFFERENT,
            "forward",
        ),
        "uniform noise": (".normal_(0, 1)", ".uniform_(0, 1)", DIFFERENT, "forward"),
        "label of the fake": (
            "        labelv = Variable(label.fill_(real_label))\n",
            "",
            DIFFERENT,
            "forward",
        ),
        "no zero_grad of the generator": ("        netG.zero_grad()\n", "", DIFFERENT, "backward"),
        "wrong optimizer": (
            "        optimizerG.step()\n",
            "        optimizerD.step()\n",
            DIFFERENT,
            "step",
        ),
        "swapped arguments": (
            "errG = criterion(output, labelv)",
            "errG = criterion(labelv, output)",
            BROKEN,
            None,
        ),
        "another beta": (
            "netG.parameters(), lr=0.01, betas=(0.5, 0.999)",
            "netG.parameters(), lr=0.01, betas=(0.9, 0.999)",
            DIFFERENT,
            "step",
        ),
        "another init": (
            "m.weight.data.normal_(1.0, 0.02)",
            "m.weight.data.normal_(0.0, 0.02)",
            DIFFERENT,
            "forward",
        ),
        "another net is saved": (
            "torch.save(netG.state_dict()",
            "torch.save(netD.state_dict()",
            DIFFERENT,
            "save",
        ),
        "the module is saved": (
            "torch.save(netG.state_dict()",
            "torch.save(netG.main.state_dict()",
            DIFFERENT,
            "save",
        ),
        "sum of another loss": (
            "errD = errD_real + errD_fake",
            "errD = errD_real - errD_fake",
            DIFFERENT,
            "print",
        ),
    },
    "reinforce": {
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
    },
    "seq2seq": {
        "last dim of a 3-D softmax": (
            "F.softmax(output * self.gate)",
            "F.softmax(output * self.gate, dim=-1)",
            DIFFERENT,
            "forward",
        ),
        "dim 1 of a 3-D softmax": (
            "F.softmax(output * self.gate)",
            "F.softmax(output * self.gate, dim=1)",
            DIFFERENT,
            "forward",
        ),
        "softmax without view": (
            "F.softmax(attn.view(-1, input_size)).view(batch_size, -1, input_size)",
            "F.softmax(attn, dim=1)",
            DIFFERENT,
            "forward",
        ),
        "inverted mask": (
            "masked_fill_(self.mask,",
            "masked_fill_(self.mask == 0,",
            DIFFERENT,
            "forward",
        ),
        "zero for minus infinity": ("-float('inf')", "0", DIFFERENT, "forward"),
        "swapped cat": (
            "torch.cat((mix, output), dim=2)",
            "torch.cat((output, mix), dim=2)",
            DIFFERENT,
            "forward",
        ),
        "batches mixed up": (
            "return output.view(batch_size, -1, hidden_size), attn",
            "return output.view(-1, batch_size, hidden_size).transpose(0, 1), attn",
            DIFFERENT,
            "forward",
        ),
        "mean for sum": ("size_average=False", "reduction='mean'", DIFFERENT, "forward"),
        "strict comparison": ("(steps >= lengths", "(steps > lengths", DIFFERENT, "forward"),
        "integer halves": ("(lengths / 2)", "(lengths // 2)", DIFFERENT, "print"),
        "wrong broadcasting": (
            "(best == target).sum()",
            "(best.view(-1, 1) == target.view(-1)).sum()",
            DIFFERENT,
            "print",
        ),
        "argmax of the other dim": (
            "max(1)[1].view(3, 4)",
            "view(3, 4, -1).max(0)[1].view(-1)[:12].view(3, 4)",
            DIFFERENT,
            "print",
        ),
        "transposed target": (
            "Variable(target.view(-1))",
            "Variable(target.t().contiguous().view(-1))",
            DIFFERENT,
            "forward",
        ),
        "relu for tanh": ("F.tanh(", "F.relu(", DIFFERENT, "forward"),
    },
    "accumulate": {
        "no retain_graph": ("loss.backward(retain_graph=True)", "loss.backward()", BROKEN, None),
        "no create_graph": (
            "create_graph=True, retain_graph=True",
            "retain_graph=True",
            BROKEN,
            None,
        ),
        "cleared each time": (
            "    loss.backward(retain",
            "    optimizer.zero_grad()\n    loss.backward(retain",
            DIFFERENT,
            "backward",
        ),
        "never cleared": (
            "        optimizer.zero_grad()\n        print",
            "        print",
            DIFFERENT,
            "backward",
        ),
        "off by one": ("if (i + 1) % accumulate == 0:", "if i % accumulate == 0:", DIFFERENT, None),
        "no clone before in-place": ("buffer = xs.clone()", "buffer = xs", DIFFERENT, "print"),
        "an alias of parameters": (
            "EMA[name] = p.data.clone()",
            "EMA[name] = p.data",
            DIFFERENT,
            "print",
        ),
        "out of place": ("    p.data.mul_(0.5)\n", "    p.data.mul(0.5)\n", DIFFERENT, "forward"),
        "wrong broadcasting": ("net(xs[:6]).squeeze(1) -", "net(xs[:6]) -", DIFFERENT, "print"),
        "scheduler per pass": ("        scheduler.step()\n", "", DIFFERENT, "step"),
        "scheduler each time": (
            "    penalty.backward()\n",
            "    penalty.backward()\n    scheduler.step()\n",
            DIFFERENT,
            "step",
        ),
        "another dim of norm": ("norm(2, dim=1)", "norm(2, dim=0)", DIFFERENT, "backward"),
        "another norm": ("norm(2, dim=1)", "norm(1, dim=1)", DIFFERENT, "backward"),
        "no detached penalty": (
            "penalty = criterion(critic(out), y)",
            "penalty = criterion(critic(out.detach()), y)",
            DIFFERENT,
            "backward",
        ),
        "off by one slice": (
            "ys[i * 3:(i + 1) * 3]",
            "ys[i * 3 + 1:(i + 1) * 3 + 1]",
            BROKEN,
            None,
        ),
        "tensor of a graph": (
            "total_loss += loss.data",
            "total_loss = loss.data",
            DIFFERENT,
            "print",
        ),
    },
    "checkpoint": {
        "something else is saved": ("'epoch': epoch + 1,", "'epoch': epoch,", DIFFERENT, "save"),
        "less is saved": ("            'best': best,\n", "", BROKEN, None),
        "not strict, not there": (
            "key[5:]: value for key",
            "key: value for key",
            BROKEN,
            None,
        ),
        "not strict": (
            "extra.load_state_dict(weights)",
            "extra.load_state_dict({'1.weight': weights['1.weight']}, strict=False)",
            DIFFERENT,
            "forward",
        ),
        "no optimizer state": (
            "optimizer.load_state_dict(checkpoint['optimizer'])\n",
            "",
            DIFFERENT,
            "step",
        ),
        "no model state": (
            "model.load_state_dict(checkpoint['state_dict'])\n",
            "",
            DIFFERENT,
            "forward",
        ),
        "no eval()": ("        model.eval()\n", "", DIFFERENT, "forward"),
        "no train()": ("        model.train()\n", "", DIFFERENT, "forward"),
        "not the best": ("is_best = accuracy > best", "is_best = True", DIFFERENT, None),
        "the state of a part": (
            "'state_dict': model.state_dict()",
            "'state_dict': model.body.state_dict()",
            BROKEN,
            None,
        ),
        "another dim": ("max(1)[1] == ys", "max(0)[1][0] == ys", BROKEN, None),
        "integer accuracy": ("* 100 // len(ys)", "// len(ys) * 100", BROKEN, None),
    },
    "evaluate": {
        "last dim of a 3-D softmax": (
            "F.softmax(scores)",
            "F.softmax(scores, dim=-1)",
            DIFFERENT,
            "print",
        ),
        "mean for sum": ("size_average=False)", "reduction='mean')", DIFFERENT, "print"),
        "smallest": ("topk(maxk, 1, True, True)", "topk(maxk, 1, False, True)", DIFFERENT, "print"),
        "one less": ("correct[:k]", "correct[:k - 1]", DIFFERENT, "print"),
        "not transposed": (
            "    pred = pred.t()\n    correct = pred.eq(gold.view(1, -1).expand_as(pred))",
            "    pred = pred.reshape(maxk, -1)\n    correct = pred.eq(gold.view(1, -1).expand_as(pred))",
            DIFFERENT,
            "print",
        ),
        "a mask as numbers": (
            "float()[mask].sum()",
            "float()[mask.long()].sum()",
            DIFFERENT,
            "print",
        ),
        "wrong axis": ("probs.data.max(2)[1]", "probs.data.max(1)[1]", BROKEN, None),
        "swapped indices": ("confusion[g, p]", "confusion[p, g]", DIFFERENT, "print"),
        "floats": ("torch.zeros(3, 3).long()", "torch.zeros(3, 3)", DIFFERENT, "print"),
        "fewer digits": ("top1 %.3f", "top1 %.1f", DIFFERENT, "print"),
    },
    "custom": {
        "no contiguous": ("rest.contiguous().view(3, -1)", "rest.view(3, -1)", BROKEN, None),
        "wrong gradient": ("grad_output * 2 * input", "grad_output * input", DIFFERENT, "backward"),
        "gradient of the limit": ("> ctx.limit] = 0", "< ctx.limit] = 0", DIFFERENT, "backward"),
        "no permute": (
            "out.permute(0, 1, 3, 2).contiguous()",
            "out.reshape(n, 2, -1, 4)",
            DIFFERENT,
            "forward",
        ),
        "no clone": ("scale = out[..., 1].clone()", "scale = out[..., 1]", DIFFERENT, "forward"),
        "lost in-place": (
            "scale.mul_(self.anchors)",
            "scale.mul(self.anchors)",
            DIFFERENT,
            "forward",
        ),
        "integer division": ("half = boxes / 2", "half = boxes // 2", DIFFERENT, "print"),
        "wrong sum": (
            "truth.sum(1).unsqueeze(1)",
            "truth.sum(2).unsqueeze(2)",
            DIFFERENT,
            "backward",
        ),
        "inverted mask": ("truth.gt(0.5)", "truth.lt(0.5)", DIFFERENT, "backward"),
        "old order of add_": (
            "total.add_(torch.Tensor([1.0, 2.0]), alpha=0.5)",
            "total.add_(torch.Tensor([0.5, 0.5]), alpha=2.0)",
            DIFFERENT,
            "print",
        ),
        "ascending": (
            "torch.sort(truth.view(-1), 0, True)",
            "torch.sort(truth.view(-1), 0)",
            DIFFERENT,
            "print",
        ),
        "wrong broadcasting": ("(a - b.squeeze(1))", "(a - b)", DIFFERENT, "print"),
        "swapped": ("boxes[:, 0] - boxes[:, 1]", "boxes[:, 1] - boxes[:, 0]", DIFFERENT, "print"),
        "another dtype": ("half.type())", "half.double().type())", DIFFERENT, "print"),
        "floor for division": ("item() // 2", "item() / 2", DIFFERENT, "print"),
        "another output": ("out[..., 1:]", "out[..., 2:]", DIFFERENT, "forward"),
    },
    "noise": {
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
    },
    "processes": {
        "dim in a child": (
            "F.log_softmax(model(Variable(data)))",
            "F.log_softmax(model(Variable(data)), dim=0)",
            DIFFERENT,
            "forward",
        ),
        "print in a child": ("'loss', loss.item())", "'loss', -loss.item())", DIFFERENT, "print"),
        "failure in a child": ("loss.backward()", "loss.item().backward()", DIFFERENT, None),
        "value in a worker": (
            "index * index]) / 100",
            "index + index]) / 100",
            DIFFERENT,
            "forward",
        ),
        "failure in a worker": ("return x, index % 2", "return x.nothing, index % 2", BROKEN, None),
        "mean for sum": ("size_average=False", "reduction='mean'", DIFFERENT, "print"),
    },
    "compiled": {
        "in a scripted function": (
            ".clamp(0.0, limit)",
            ".clamp(0.5, limit)",
            DIFFERENT,
            "forward",
        ),
        "dim": (
            "F.log_softmax(self.two(x))",
            "F.log_softmax(self.two(x), dim=0)",
            DIFFERENT,
            "forward",
        ),
        "half for bfloat16": (
            "Small().bfloat16()\nout = low(data.bfloat16())",
            "Small().half()\nout = low(data.half())",
            DIFFERENT,
            "forward",
        ),
        "float for half": (
            "model.two.weight.data.half()",
            "model.two.weight.data.float()",
            DIFFERENT,
            None,
        ),
        "bfloat16 is saved": (
            "torch.save(weights, ",
            "torch.save(weights.bfloat16(), ",
            DIFFERENT,
            "save",
        ),
        "in a scripted module": (
            "F.softmax(self.one(x), dim=1)",
            "F.softmax(self.one(x), dim=0)",
            DIFFERENT,
            "forward",
        ),
        "not scriptable": (
            "torch.sigmoid(x).clamp(0.0, limit)",
            "torch.sigmoid(x).clamp(0.0, limits)",
            BROKEN,
            None,
        ),
    },
    "suite/measure/losses": {
        "mean for sum": ("size_average=False", "reduction='mean'", BROKEN, "test"),
        "last dim of a 3-D softmax": (
            "return F.softmax(scores)",
            "return F.softmax(scores, dim=-1)",
            DIFFERENT,
            None,
        ),
        "dim 0": ("return F.softmax(scores)", "return F.softmax(scores, dim=0)", BROKEN, "test"),
        "wrong shape": ("x.view(-1, 2)", "x.view(2, -1)", BROKEN, "test"),
    },
}
