"""A variational autoencoder, which draws noise and saves a sample."""

from __future__ import annotations

from tests.verify.cases.edits import DIFFERENT, Right, Wrong

RIGHT: Right = {
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
}

WRONG: Wrong = {
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
}
