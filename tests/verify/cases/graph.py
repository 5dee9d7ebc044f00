"""A network on a graph: a sparse matrix, and parts of one batch to train and to test with."""

from __future__ import annotations

from tests.verify.cases.edits import BROKEN, DIFFERENT, Right, Wrong

RIGHT: Right = {
    "sparse_coo_tensor": ("torch.sparse.FloatTensor(", "torch.sparse_coo_tensor("),
    "dim of a 2-D log_softmax": ("F.log_softmax(x)", "F.log_softmax(x, dim=1)"),
    "sparse.mm": ("torch.spmm(adj, support)", "torch.sparse.mm(adj, support)"),
    "no Variable": (
        "features, adj, labels = Variable(features), Variable(adj), Variable(labels)\n",
        "",
    ),
    "no_grad for data": (
        "        self.weight.data.uniform_(-stdv, stdv)\n",
        "        nn.init.uniform_(self.weight, -stdv, stdv)\n",
    ),
    "empty for Tensor": (
        "Parameter(torch.Tensor(in_features, out_features))",
        "Parameter(torch.empty(in_features, out_features))",
    ),
    "argmax": ("output.max(1)[1].type_as(labels)", "output.argmax(1)"),
    "mean for sum": (
        "    correct = preds.eq(labels).double()\n    return correct.sum() / len(labels)\n",
        "    return (preds == labels).double().mean()\n",
    ),
    "no_grad in the evaluation": (
        "output = model(features, adj)\nloss_test",
        "with torch.no_grad():\n    output = model(features, adj)\nloss_test",
    ),
    "a layer of another name": (
        ("class GraphConvolution(Module):", "class GraphConv(nn.Module):"),
        ("super(GraphConvolution, self)", "super(GraphConv, self)"),
        ("self.gc1 = GraphConvolution(nfeat, nhid)", "self.gc1 = GraphConv(nfeat, nhid)"),
        ("self.gc2 = GraphConvolution(nhid, nclass)", "self.gc2 = GraphConv(nhid, nclass)"),
        ("from torch.nn.modules.module import Module\n", ""),
    ),
    "a slice for an index": (
        "for r in (range(12), range(12, 20), range(20, n))",
        "for r in (list(range(12)), list(range(12, 20)), list(range(20, n)))",
    ),
}

WRONG: Wrong = {
    "rows and columns": (
        "np.vstack((rows, cols))",
        "np.vstack((cols, rows))",
        DIFFERENT,
        "forward",
    ),
    "not normalised": (
        "    adjacent = adjacent / adjacent.sum(1, keepdims=True)\n",
        "",
        DIFFERENT,
        "forward",
    ),
    "normalised over columns": (
        "adjacent.sum(1, keepdims=True)",
        "adjacent.sum(0, keepdims=True)",
        DIFFERENT,
        "forward",
    ),
    "values for the wrong places": (
        "adjacent[rows, cols], n)",
        "adjacent[rows, cols][::-1].copy(), n)",
        DIFFERENT,
        "forward",
    ),
    "dim 0": ("F.log_softmax(x)", "F.log_softmax(x, dim=0)", DIFFERENT, "forward"),
    "dropout always": (
        "self.dropout, training=self.training",
        "self.dropout",
        DIFFERENT,
        "forward",
    ),
    "another way to stay": (
        "F.dropout(x, self.dropout,",
        "F.dropout(x, 1 - self.dropout,",
        DIFFERENT,
        "forward",
    ),
    "the other size": (
        "math.sqrt(self.weight.size(1))",
        "math.sqrt(self.weight.size(0))",
        DIFFERENT,
        "forward",
    ),
    "no bias": (
        "            return output + self.bias\n",
        "            return output\n",
        DIFFERENT,
        "forward",
    ),
    "trains on what it is tested with": (
        "loss_train = F.nll_loss(output[idx_train], labels[idx_train])",
        "loss_train = F.nll_loss(output[idx_test], labels[idx_test])",
        DIFFERENT,
        "backward",
    ),
    "trains on everything": (
        "loss_train = F.nll_loss(output[idx_train], labels[idx_train])",
        "loss_train = F.nll_loss(output, labels)",
        DIFFERENT,
        "backward",
    ),
    "no train()": ("    model.train()\n", "", DIFFERENT, "forward"),
    "no eval()": ("    model.eval()\n", "", DIFFERENT, "forward"),
    "no zero_grad": ("    optimizer.zero_grad()\n", "", DIFFERENT, "backward"),
    "no weight_decay": (", weight_decay=5e-4", "", DIFFERENT, "step"),
    "integer division": (
        "correct.sum() / len(labels)",
        "correct.sum() // len(labels)",
        DIFFERENT,
        "print",
    ),
    "off by one": ("range(12), range(12, 20)", "range(11), range(12, 20)", DIFFERENT, "backward"),
    "float64": ("torch.FloatTensor(features),", "torch.from_numpy(features),", BROKEN, None),
    "no relu": ("F.relu(self.gc1(x, adj))", "self.gc1(x, adj)", DIFFERENT, "forward"),
    "twice the neighbours": (
        "self.gc2(x, adj)",
        "self.gc2(torch.spmm(adj, x), adj)",
        DIFFERENT,
        "forward",
    ),
}
