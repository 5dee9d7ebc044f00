"""What is part of no graph by all that it is made of, and what may be part of one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.project.files import FilesOf
from torchfix_codemods.project.index import Index
from torchfix_codemods.rules.autograd.questions.graphless.made_of import is_without_graph
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

HEAD = """
import random
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
from torch.utils.data import DataLoader
own = DataLoader(rows, collate_fn=collate)
loader = DataLoader(rows)
net = nn.Linear(2, 2)
def twice(x):
    return x * 2, len(x)
def run(x):
    return net(x)
"""
POOL = """
class Pool:
    def __init__(self, size):
        self.size, self.images = size, []
    def query(self, images):
        found = []
        for image in images{data}:
            image = torch.unsqueeze(image, 0)
            if len(self.images) < self.size:
                self.images.append(image)
                found.append(image)
            else:
                at = random.randint(0, self.size - 1)
                old = self.images[at].clone()
                self.images[at] = image
                found.append(old)
        look(torch.cat(found, 0))
"""
PART = """
kept = []
def part(x, n):
    return {returned}
for x, y in own:
    {more}
    look({asked})
"""
MADE = """
all_made = []
def of_all():
    return all_made
def part(x):
    made = {made}
    {put}
    return made[0]
for x, y in own:
    {more}
    look(part(x))
"""
HELD_NUMBER = """
class Settings:
    kind = None
    def __init__(self):
        self.gamma = {given}
class Agent:
    def __init__(self, settings):
        self.settings = settings
    def run(self):
        for x, y in own:
            look({asked})
settings = Settings()
Agent({made}).run()
{more}
"""
MEMORY = """
from collections import namedtuple
from typing import NamedTuple
Step = namedtuple("Step", {fields})
class Pair(NamedTuple):
    state: torch.Tensor
    reward: float
class Memory:
    def __init__(self):
        self.steps, self.at = [], 0
    def push(self, *args):
        self.steps.append(None)
        self.steps[self.at] = Step(*args)
    def sample(self, n):
        return random.sample(self.steps, n)
memory = Memory()
for x, y in own:
    memory.push(x, {pushed})
steps = memory.sample(3)
{batch}
look({asked})
"""
TOKENS = """
def tokens(scores, seed=None):
    found = []
    if seed is None:
        found.append(scores.multinomial(1))
    else:
        parts = seed.chunk(2)
        found.extend({more})
    return torch.cat(found)
for x, y in own:
    tokens(x, net(x))
    look(tokens(net(x){seed}))
"""
BUFFER = """
class Smoothing(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("one_hot", {made})
    def forward(self, x):
        {put}
        look(self.one_hot)
"""
FLAGGED = """
class Scaled(nn.Module):
    def __init__(self, n, learnt=False):
        super().__init__()
        {before}
        if learnt:
            self.scale = nn.Parameter(torch.ones(n))
        else:
            self.register_buffer("scale", torch.ones(n))
        self.learnt = {kept}
        self.scale.data.fill_(1)
    def forward(self, x):
        if self.learnt:
            scale = self.scale
        {other}:
            look(self.scale)
            self.scale = self.scale * x.data
        {more}
"""
SIZED = """
class Sized(nn.Linear):
    def __init__(self, n, m):
        {init}
        look(torch.Tensor(m))
Sized(net.n, net.m)
"""
BATCH = "batch = Step(*zip(*steps))"
AGENTS = """
class First:
    def act(self, x):
        return x.data * 2
class Second:
    def act(self, x):
        return {given}
    def __call__(self, x):
        return x * 2
if later:
    agent = First()
else:
    agent = {made}
for x, y in own:
    agent.act(net(x))
    look({asked})
"""
STORING = """
class Storing:
    def __init__(self):
        self.kept, self.all = 0, []
    def part(self, x):
        self.kept = x
        self.all.append(x)
        return {returned}
storing = Storing()
for x, y in own:
    storing.part(net(x))
    look(storing.part(x))
"""
LAYER = """
class {cls}:
    def __init__(self):
        super().__init__()
        self.weight, self.layer = nn.Parameter(torch.ones(2)), nn.Linear(2, 2)
    def forward(self, x, n):
        return x[n:], n
{below}
own_layer = Own()
for x, y in own:
    {more}
    z, n = own_layer(x, 2)
    look(z)
"""
SCALER = """
class Scaler:
    def __init__(self, sample):
        self.mean = {mean}
    def norm(self, x):
        return (x - self.mean) / 2
{more}
for x, y in own:
    scaler = Scaler(y)
    look(scaler.norm(y))
"""

KEPT = """
class Kept:
    def __init__(self):
        self.all = {made}
    def put(self, i, x):
        {put}
    def get(self, i):
        look(self.all[i])
"""
SAME_NAME = """
class Same({base}):
    def __init__(self):
        self.all = net.weight
        self.size = self.all.size(0)
    def put(self, x):
        self.all.copy_(net(x))
"""
TURNS = """
class Own:
    def __init__(self, loader):
        self.loader = loader
    {turn}
for {given} in Own(own):
    look(x)
"""
TAKEN = """
def rows(n):
    yield {made}, 1
taken = rows(3)
x, y = taken.__next__()
look(x)
"""
PARTS_OF_LOADERS = """
def go_through(loaders):
    taken = [iter(loaders["test" + str(i)]) for i in range(10)]
    rows = [taken[j].next() for j in range(10)]
    parts = [rows[j][0] for j in range(10)]
    for j in range(10):
        look(parts[j].cuda())
loaders = dict()
for i in range(10):
    loaders["test" + str(i)] = DataLoader(rows)
loaders["other"] = {other}
go_through(loaders)
"""
SPARSE = """
for x, y in own:
    at = torch.LongTensor([[0, 1], [2, 0]])
    look({made}.to_dense())
"""
ITER = "def __iter__(self):\n        for x, y in own:\n            "
MAKER = """
def sample(shape, of=torch.FloatTensor):
    look(of(*shape).uniform_())
sample(torch.ones(2).shape)
sample(torch.ones(2).shape, {given})
"""
LAMBDA = """
def f(n):
    if n:
        cast = lambda x: look(torch.Tensor(x))
    else:
        cast = lambda x: torch.Tensor(x)
    {calls}
"""
PREPARED = """
from torchvision import transforms
class Demo:
    def __init__(self):
        self.prepare = {kept}
    def show(self, image):
        look(self.prepare(image).unsqueeze(0).cuda())
"""
ZEROS = "[torch.zeros(2) for _ in range(3)]"
FRAMES = """
def f(frames):
    kept = []
    for frame in frames:
        kept.append(torch.unsqueeze(torch.Tensor(np.array(frame)), 0))
    for i in range(3):
        y = kept[i]
        {put}
        look(kept[i])
"""
DICT = """
def dict_of():
    d = {{}}
    d['a'] = torch.ones(2)
    return d
def f(i):
    d = {made}
    {put}
    look({asked})
"""
CALLED = """
class Own:
    def __init__(self, size):
        self.size = size
    def __call__(self, x):
        return {given}
{below}
change = Own(3)
for x, y in own:
    look(change(x))
"""
IMAGE = """
from PIL import Image
def detect(image):
    if isinstance(image, Image.Image):
        image = torch.ByteTensor(list(image.tobytes())).float().div(255.0)
    look(image)
detect({given})
"""
LOCAL = """
def f(x, i):
    xs = [torch.zeros(2) for _ in range(3)]
    {put}
    look(xs[i])
"""

ROWS = """
class Rows:
    def __init__(self, n):
        self.n = n
    {decorator}
    def all(self):
        return [torch.zeros(self.n), {made}]
class Runner:
    def run(self, rows, epoch):
        look(rows[1])
        {put}
rows = Rows(3).all
Runner().run(rows, epoch=1)
"""

SAMPLED = """
from torch.utils.data import DataLoader
from home import to_var
to_var(torch.ones(2))
data = make()
sampler = Sampler(data.to_var)
{read}
"""

OWN_NAME = "from home import to_var\nto_var(torch.ones(2))\ndef other():\n    {own}"
LOOKED_UP = """
import argparse
import home
import torchvision.models as models
home.to_var(torch.ones(2))
options = argparse.ArgumentParser().parse_args()
kinds = ["to_var"]
{asked}
"""
GRID = """
class Grid(nn.Module):
    def __init__(self, high):
        self.high = high
        self.grid = np.zeros([high, 2])
        self.grid[:, 0] = np.expand_dims(np.arange(-1, 1, 2.0 / self.high), 0).T
        self.grid = torch.from_numpy(self.grid)
    def forward(self, x):
        self.batch = torch.zeros(torch.Size([x.size(0)]) + self.grid.size())
        for i in range(x.size(0)):
            {put}
        look(self.batch)
"""
FILLED = """
class Filled:
    def __init__(self, high):
        self.grid = torch.from_numpy(np.zeros(high))
        self.grid = self.grid.view(-1)
    def fill(self, x):
        batch = torch.zeros(x.size(0), 2)
        for i in range(x.size(0)):
            {put}
        look(batch)
"""
COMMAND = """
import argparse
def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=float, default=0.1)
    return parser.parse_args()
args = options()
"""

OTHER = """
class Other(nn.Module):
    def __init__(self):
        self.mean = net.weight
"""


@pytest.mark.parametrize(
    "text",
    [
        "for x, y in own:\n    look(x[0].cuda(non_blocking=True))",
        "for x, y in own:\n    look(y.view(-1).long() * 2)",
        "for i, (x, y) in enumerate(loader):\n    z = (x[0].cuda(), y)\n    look(z[0])",
        "for x, y in own:\n    a, n = twice(x)\n    look(a)",
        "for x, y in own:\n    x = F.pad(x, (1, 1))\n    x += y\n    look(x)",
        "for x, y in own:\n    look(torch.cat([x, y.unsqueeze(1)], 1))",
        "for x, y in own:\n    look(x if gpu else y)",
        "for x, y in own:\n    look(torch.stack([row.exp() for row in x]))",
        "for x, y in own:\n    xs = []\n    xs.append(x)\n    look(torch.cat(xs))",
        "for x, y in own:\n    look(list(x)[0])",
        "def f(a, b):\n    for i, (p, q) in enumerate(zip(a, b), 1):\n        x, y = q\n"
        "        look(x[0:i])\nf(outputs, own)",
        "from tqdm import tqdm\ndef f(a):\n    for i, (x, y) in tqdm(enumerate(a), total=3):\n"
        "        look(y[0])\nf(own)",
        "def f(model):\n    out = model(torch.ones(2))\n    look((out > 2).type_as(out).sum(1))",
        "def f(model):\n    out = model(torch.ones(2)).data\n    look(out.mean(1))",
        "def f(model):\n    out = Variable(model(torch.ones(2)))\n    look(out.mean(1))",
        "def f(x):\n    look(x)\nf(torch.ones(2))\nf(x=torch.zeros(2))",
        "def f(x, y=None):\n    look(y)\nf(1)\nf(2, torch.zeros(2))",
        "def f(x):\n    g(x.cuda())\ndef g(x):\n    look(x)\nfor x, y in own:\n    f(x)",
        POOL.format(data=".data"),
        SCALER.format(mean="torch.mean(sample.data)", more=""),
        SCALER.format(mean="torch.mean(sample.data)", more=OTHER),
        SCALER.format(mean="torch.mean(sample.data)", more=OTHER).replace(
            "Scaler:", "Scaler(object):"
        ),
        KEPT.format(made=ZEROS, put="self.all[i][0] = 1.0"),
        KEPT.format(made="[]", put="self.all.append(torch.ones(2) * 2)"),
        KEPT.format(made="torch.zeros(2, 2)", put="y = net(self.all[i])"),
        KEPT.format(made="[]", put="self.all.append(torch.ones(2))")
        + SAME_NAME.format(base="object"),
        LOCAL.format(put="y = xs[i]; y.zero_()"),
        "for x, y in own:\n    xs = []\n    xs.append(x)\n    look(torch.cat(xs))\n    torch.cat((y, xs), 1)",
        LOCAL.format(put="xs[i].copy_(torch.ones(2))"),
        "for x, y in own:\n    look(torch.FloatTensor(x))",
        "for x, y in own:\n    look(torch.Tensor(np.flip(np.sum(x))).unsqueeze(0))",
        TURNS.format(turn=ITER + "yield y, x * 2", given="y, x"),
        TURNS.format(turn=ITER + "yield {'x': x}, y", given="y, x"),
        TURNS.format(turn="def __iter__(self):\n        return iter(own)", given="x, y"),
        TURNS.format(
            turn="def __getitem__(self, i):\n        return torch.ones(i), i", given="x, y"
        ),
        TURNS.format(
            turn="def __iter__(self):\n        return self\n"
            "    def __next__(self):\n        return torch.ones(2), 1",
            given="x, y",
        ),
        "def rows(n):\n    for i in range(n):\n        yield torch.ones(i), 1\n"
        "for x, y in rows(3):\n    look(x)",
        "def rows(n):\n    yield from own\nx, y = next(rows(3))\nlook(x)",
        "x, y = next(iter(own))\nlook(x)",
        TAKEN.format(made="torch.ones(n)"),
        TAKEN.format(made="torch.ones(n)").replace("__next__", "next"),
        PARTS_OF_LOADERS.format(other="DataLoader(rows)"),
        "class Taking:\n    def __next__(self):\n        return torch.ones(2)\n"
        "look(Taking().__next__())",
        SPARSE.format(made="torch.sparse.FloatTensor(at, x, torch.Size([2, 3]))"),
        SPARSE.format(made="torch.cuda.sparse.LongTensor(at, x)"),
        SPARSE.format(made="torch.sparse_coo_tensor(at, x, (2, 3), requires_grad=False)"),
        "from itertools import islice\nfor i, (x, y) in enumerate(islice(own, 3)):\n    look(x)",
        MAKER.format(given="torch.cuda.FloatTensor"),
        MAKER.format(given="of=type(torch.ones(2))"),
        MAKER.format(given="torch.ones(2).new"),
        "def f(x):\n    make = type(x.data)\n    look(make(x.data.size()))",
        "def f(x):\n    y = type(x.data)(x.data.size(0), 2)\n    y[:, 0] = 3.5\n    look(y)",
        "def f(xs):\n    n = np.sort(xs)[::-1]\n    look(torch.FloatTensor(n))",
        "def f(x):\n    look(x)\nf(torch.ones(2))\nfor pair in own:\n    f(*pair)",
        "def f(n, x=None):\n    look(x.cuda())\nfor pair in own:\n    f(3, *pair)",
        "class N:\n    def train(self, x, y):\n        look(x.cuda())\n"
        "for pair in loader:\n    N().train(*pair)",
        "def f(of, n):\n    make = torch.ones(2).new\n    look(make(n, 2))",
        "def f(n, m):\n    make = torch.ones(2).new\n    look(make(n, m))",
        "def f(n, m):\n    make = torch.Tensor if n else torch.FloatTensor\n"
        "    look(make(n.a, m.b, n.c).normal_(0, 1))",
        "def f(size):\n    look(torch.cuda.FloatTensor(size).normal_())\nf(torch.Size([2, 3]))",
        "import scipy.special\ndef f(x, n):\n    make = type(x.data)\n"
        "    look(make(scipy.special.gammaln(n), x.data.size()))",
        "z = np.load('z.npy')\nlook(torch.Tensor(z))",
        "z = np.load('z.npy')\nz = (z - np.min(z)) / np.max(z)\nlook(torch.Tensor(z))",
        "import h5py\nf = h5py.File('x')\na = f['data'][0:3]\nlook(torch.FloatTensor(a))",
        "import cv2\ndef f(x):\n    for a in cv2.split(x):\n        look(torch.FloatTensor(a))",
        "def f(x):\n    x = np.expand_dims(x, 0)\n    look(torch.Tensor(x))",
        "def f(x):\n    x = x.astype(np.float32)\n    look(torch.Tensor(x))",
        FRAMES.format(put="y[:, 0] = y[:, 0] / y.size(1) * 2"),
        DICT.format(made="{}", put="d[3] = torch.ones(2)", asked="d[i]"),
        DICT.format(made="{'a': torch.ones(2)}", put="n = 'a' in d, d.keys()", asked="d['a'] * 2"),
        DICT.format(made="{}", put="d['a'] = DataLoader(rows)", asked="next(iter(d[i]))[0]"),
        DICT.format(made="{k: torch.ones(2) for k in range(3)}", put="pass", asked="d[i]"),
        DICT.format(made="dict_of()", put="d['b'] = torch.zeros(2)", asked="d['a']"),
        IMAGE.format(given="Image.open('x').convert('RGB').resize((2, 3))"),
        "from torchvision.transforms import functional\ndef f(x):\n"
        "    look(functional.to_tensor(x).cuda())",
        FRAMES.format(put="y += y * 2"),
        FRAMES.format(put="z = y[0:2]; z += 1; z[0] = z[1]"),
        "class N:\n    def __init__(self, make=torch.FloatTensor):\n        self.make = make\n"
        "    def f(self):\n        look(self.make([1.0]))\nN()\nN(torch.cuda.FloatTensor)",
        "def f(y):\n    look(torch.zeros(y.shape) * len(y.shape))",
        "def f(n):\n    for x, y in own:\n        look(torch.add(x, -n, y))",
        HELD_NUMBER.format(given="0.99", asked="self.settings.gamma * x", made="settings", more=""),
        HELD_NUMBER.format(
            given="0.99",
            asked="self.settings.gamma * x",
            made="Settings()",
            more="",
        ),
        "def f(n):\n    for x, y in own:\n        look(x.addcmul(n, y, y))",
        "def f(n, m):\n    for x, y in own:\n        look(torch.addmm(n, x, m, y, y))",
        LAMBDA.format(calls="return cast(np.ones(n)), cast(x=np.zeros(2))"),
        PREPARED.format(
            kept="transforms.Compose([Crop(2), transforms.ToTensor(), transforms.Normalize(m, s)])"
        ),
        PREPARED.format(kept="transforms.ToTensor()"),
        PREPARED.format(kept="transforms.Normalize(m, s)").replace("(image)", "(image.data)"),
        PREPARED.format(
            kept="transforms.Compose([transforms.Resize(2), transforms.Pad(1)])"
        ).replace("(image)", "(image.data)"),
        CALLED.format(given="torch.from_numpy(x)", below=""),
        CALLED.format(given="x.float()", below=""),
        GRID.format(put="self.batch[i] = self.grid"),
        GRID.format(put="self.batch[i, 0] = 1"),
        FILLED.format(put="batch[i] = self.grid"),
        FILLED.format(put="batch[i] = self.grid * 2 + 1"),
        FILLED.format(put="batch[i] = x.data[i]"),
        FILLED.format(put="x[batch] = x[i]"),
        ROWS.format(decorator="@property", made="torch.ones(2)", put="pass"),
        ROWS.format(
            decorator="@property", made="torch.ones(2)", put="n = len(rows) + rows[0].size(0)"
        ),
        ROWS.format(decorator="@property", made="torch.ones(2)", put="rows[0] = torch.ones(2)"),
        PART.format(returned="x[:, n:-n]", more="part(net(x), 2)", asked="part(x, 2)"),
        PART.format(returned="x[n:]", more="part(net(x), 2)", asked="part(n=2, x=x.float())"),
        PART.format(returned="twice(x)[0]", more="twice(net(x))", asked="part(x, 2)"),
        MADE.format(made="[]", put="made.append(x)", more="part(net(x))"),
        MADE.format(made="torch.zeros(2).fill_(1)", put="made[0] = x[0]", more="part(net(x))"),
        MADE.format(made="x.clone()", put="made[0] = x[0]", more="part(net(x))"),
        MADE.format(made="x.new(2, 3).type_as(x)", put="made[0] = x[0]", more="part(net(x))"),
        MADE.format(made="torch.Tensor(2, 3)", put="made[0] = x[0]", more="part(net(x))"),
        MADE.format(made="[y for y in x]", put="made[0] = x", more="part(net(x))"),
        LAYER.format(cls="Own(nn.Module)", more="own_layer((net(x), 2), 2)", below="")
        .replace("x[n:]", "x[0]")
        .replace("z, n = own_layer(x, 2)", "z, n = own_layer((x, net(x)), 2)"),
        LAYER.format(cls="Own(nn.Module)", more="own_layer(net(x), 2)", below=""),
        LAYER.format(cls="Own(nn.Module)", more="", below="class Other(nn.Module): pass"),
        MEMORY.format(
            fields="'state, reward'", pushed="net(x)", batch=BATCH, asked="torch.cat(batch.state)"
        ),
        MEMORY.format(
            fields="('state', 'reward')", pushed="3", batch=BATCH, asked="batch.reward[0]"
        ),
        MEMORY.format(
            fields="'a b'", pushed="net(x)", batch="xs, ys = zip(*steps)", asked="torch.stack(xs)"
        ),
        MEMORY.format(
            fields="'a b'", pushed="1", batch="batch = Pair._make((x, net(y)))", asked="batch.state"
        ),
        MEMORY.format(
            fields="'a b'",
            pushed="1",
            batch="batch = Pair(reward=net(x), state=x)",
            asked="batch.state.cpu()",
        ),
        MEMORY.format(
            fields="'a b'", pushed="y", batch="one = random.choice(steps)", asked="one[1]"
        ),
        TOKENS.format(more="parts", seed=""),
        TOKENS.format(more="parts", seed=", seed=x"),
        TOKENS.format(more="x for x in parts", seed=", x"),
        BUFFER.format(made="torch.zeros(n).unsqueeze(0)", put="pass"),
        SIZED.format(init="super(Sized, self).__init__(n, m, bias=True)"),
        SIZED.format(init="self.layer = nn.Conv2d(n, m, 3)"),
        BUFFER.format(made="torch.zeros(n)", put="self.one_hot[0] = 3"),
        "def f(xs):\n    make = torch.FloatTensor\n    look(make([x.item for x in xs]))",
        FLAGGED.format(before="pass", kept="learnt", other="else", more="pass"),
        FLAGGED.format(before="pass", kept="learnt", other="elif self.n", more="pass"),
        AGENTS.format(given="x.data", made="Second()", asked="agent.act(x)"),
        AGENTS.format(given="x", made="Second()", asked="agent.act(x)"),
        AGENTS.format(given="x.data", made="Second()", asked="agent(x)").replace(
            "First()", "Second()"
        ),
        "for x, y in own:\n    look(F.smooth_l1_loss(x, y))",
        "for x, y in own:\n    look(F.linear(x, y, torch.ones(2)))",
        "for x, y in own:\n    loss = x.sum()\n    loss.size()\n    look(loss)",
        "for x, y in own:\n    loss = x.sum()\n    look(loss)\n    loss = net(x)\n    loss.backward()",
    ],
)
def test_outside_of_all_graphs(text: str, tmp_path: Path) -> None:
    assert _is_without(text, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "for x, y in own:\n    look(net(x))",
        "def f(a, b):\n    for p, q in zip(a, b):\n        look(p[0])\nf(outputs, own)",
        "def f(a, b):\n    for p, q in zip(*a):\n        look(q[0])\nf([own, outputs], own)",
        "def f(a):\n    for i, x in enumerate(a):\n        look(x)\nf([net(torch.ones(2))])",
        "for x, y in own:\n    look(run(x))",
        "for x, y in own:\n    x = unknown(x)\n    look(x)",
        "for x, y in own:\n    x = x.cuda()\n    x.requires_grad_()\n    look(x * 2)",
        "for x, y in own:\n    x = x.cuda()\n    x.requires_grad = True\n    look(x)",
        "for x, y in own:\n    look(x.requires_grad_())",
        "for x, y in own:\n    look(torch.mul(random, 2, out=z))",
        "def f(n):\n    for x, y in own:\n        look(torch.add(x, n))",
        HELD_NUMBER.format(
            given="net.weight", asked="self.settings.gamma * x", made="settings", more=""
        ),
        HELD_NUMBER.format(
            given="0.99",
            asked="self.settings.gamma * x",
            made="settings",
            more="settings.gamma = net(x)",
        ),
        HELD_NUMBER.format(
            given="0.99",
            asked="self.settings.gamma * x",
            made="settings",
            more="settings.gamma *= net(x)",
        ),
        HELD_NUMBER.format(
            given="0.99", asked="self.settings.gamma * x", made="unknown()", more=""
        ),
        HELD_NUMBER.format(
            given="0.99", asked="self.settings.gamma * x", made="settings", more="Agent(unknown())"
        ),
        HELD_NUMBER.format(given="0.99", asked="self.settings.kind * x", made="settings", more=""),
        HELD_NUMBER.format(given="0.99", asked="self.settings.other * x", made="settings", more=""),
        HELD_NUMBER.format(
            given="0.99",
            asked="self.settings.gamma * x",
            made="settings",
            more="setattr(settings, name, net(x))",
        ),
        HELD_NUMBER.format(
            given="0.99", asked="self.settings.gamma * net(x)", made="settings", more=""
        ),
        "def f(n):\n    for x, y in own:\n        look(torch.add(x, y, n))",
        "def f(n):\n    for x, y in own:\n        look(torch.add(n, 2, y))",
        "def f(n):\n    for x, y in own:\n        look(torch.add(x, *n))",
        "def f(n):\n    for x, y in own:\n        look(torch.mul(x, n, y))",
        "def f(n):\n    for x, y in own:\n        look(x.addcmul(y, n))",
        "def f(n):\n    for x, y in own:\n        look(torch.addmm(x, y, n))",
        "for x, y in own:\n    look(torch.ones_like(x, requires_grad=True))",
        "for x, y in own:\n    x = x.cuda()\n    x += net(y)\n    look(x)",
        "for x, y in own:\n    x = x.cuda()\n    x[0] = net(y)\n    look(x)",
        "for x, y in own:\n    x = z = x.cuda()\n    z += net(y)\n    look(x)",
        "for x, y in own:\n    look(x * net.weight)",
        "for x, y in own:\n    look(torch.cat([x, net(y)], 1))",
        "for x, y in own:\n    look(torch.stack([net(row) for row in x]))",
        "for x, y in own:\n    xs = [x]\n    xs.append(net(x))\n    look(torch.cat(xs))",
        "for x, y in own:\n    xs = [x]\n    xs[0] = net(x)\n    look(torch.cat(xs))",
        "for x, y in own:\n    xs = [x]\n    fill(xs)\n    look(torch.cat(xs))",
        "for x, y in own:\n    xs = [x]\n    xs += [net(x)]\n    look(torch.cat(xs))",
        KEPT.format(made="[]", put="self.all.append(torch.ones(2))")
        + SAME_NAME.format(base="Kept"),
        KEPT.format(made="[]", put="self.all.append(net(x))") + SAME_NAME.format(base="object"),
        KEPT.format(made=ZEROS, put="self.all[i][0] = net(x)"),
        KEPT.format(made=ZEROS, put="self.all[i].copy_(net(x))"),
        KEPT.format(made=ZEROS, put="self.all[i][0] += net(x)"),
        KEPT.format(made=ZEROS, put="self.all[i].requires_grad = True"),
        KEPT.format(made=ZEROS, put="torch.add(x, 1, out=self.all[i])"),
        KEPT.format(made=ZEROS, put="for y in self.all: y.copy_(net(x))"),
        KEPT.format(made=ZEROS, put="y = self.all[i]; y[0] = net(x)"),
        KEPT.format(made="[]", put="self.all[i].copy_(net(x))"),
        KEPT.format(made="torch.zeros(2, 2)", put="y = self.all; y[0] = net(x)"),
        LOCAL.format(put="xs[0] = net(x)"),
        LOCAL.format(put="y = xs[i]; y += net(x)"),
        LOCAL.format(put="xs[i].copy_(net(x))"),
        LOCAL.format(put="fill(xs)"),
        "def f(model):\n    look(Variable(model(y), requires_grad=True))",
        "def f(model):\n    look(Variable(model(y), True))",
        "def f(model):\n    look(Variable(model(y), requires_grad=flag))",
        TURNS.format(turn=ITER + "yield y, net(x)", given="y, x"),
        TURNS.format(turn=ITER + "yield x, x\n        yield from later()", given="y, x"),
        TURNS.format(turn=ITER + "z = yield\n            yield x, y", given="y, x"),
        TURNS.format(turn=ITER + "yield x, x", given="y, x")
        + "class Below(Own):\n    def __iter__(self):\n        yield 1, net(torch.ones(2))\n",
        TURNS.format(turn="def __iter__(self):\n        return iter(outputs)", given="x, y"),
        TURNS.format(turn="def __getitem__(self, i):\n        return net(i), i", given="x, y"),
        TURNS.format(
            turn="def __iter__(self):\n        return self\n"
            "    def __next__(self):\n        return net(torch.ones(2)), 1",
            given="x, y",
        ),
        TURNS.format(
            turn=ITER + "yield x, x\n    def __getitem__(self, i):\n        return net(i)",
            given="x, y",
        ),
        TURNS.format(
            turn="def __getitem__(self, i):\n        return torch.ones(i), i", given="x, y"
        ).replace("Own:", "Own(list):"),
        TURNS.format(turn="@jit\n    " + ITER + "yield x, x", given="x, y"),
        "def rows(n):\n    yield torch.ones(2), net(torch.ones(2))\n"
        "for y, x in rows(3):\n    look(x)",
        "x, y = next(iter(outputs))\nlook(x)",
        "from itertools import islice\nx, y = islice([net(z), z], 1, 3)\nlook(y)",
        "from itertools import islice\nfor x in islice([net(torch.ones(2))], 3):\n    look(x)",
        "x, y = next(later, own)\nlook(x)",
        TAKEN.format(made="net(torch.ones(n))"),
        TAKEN.format(made="net(torch.ones(n))").replace("__next__", "next"),
        TAKEN.format(made="torch.ones(n)").replace("__next__()", "next(2)"),
        "def next(x):\n    return x\n"
        + TAKEN.format(made="torch.ones(n)").replace("__next__", "next"),
        "link.next = net\n" + TAKEN.format(made="torch.ones(n)").replace("__next__", "next"),
        PARTS_OF_LOADERS.format(other="net"),
        TAKEN.format(made="torch.ones(n)").replace("__next__()", "__next__(2)"),
        TAKEN.format(made="torch.ones(n)").replace("rows(3)", "later(3)"),
        TAKEN.format(made="torch.ones(n)").replace("__next__", "send_next"),
        "class Taking:\n    def __iter__(self):\n        yield torch.ones(2)\n"
        "    def __next__(self):\n        return net(torch.ones(2))\nlook(Taking().__next__())",
        SPARSE.format(made="torch.sparse.FloatTensor(at, net(x), torch.Size([2, 3]))"),
        SPARSE.format(made="torch.sparse.mm(at, net(x))"),
        SPARSE.format(made="torch.sparse_coo_tensor(at, net(x), (2, 3))"),
        SPARSE.format(made="torch.sparse_coo_tensor(at, x, (2, 3), requires_grad=True)"),
        SPARSE.format(made="torch.sparse_coo_tensor(at, x, (2, 3), requires_grad=later)"),
        MAKER.format(given="net"),
        MAKER.format(given="later.new"),
        MAKER.format(given="type(later)"),
        "def f(y):\n    make = torch.ones(2).new\n    look(make(y))\nf(net(torch.ones(2)))",
        "class N:\n    def __init__(self, make=torch.FloatTensor):\n        self.make = make\n"
        "    def f(self):\n        look(self.make([1.0]))\nN()\nN(net)",
        "class N:\n    def __init__(self, make=torch.FloatTensor):\n        self.make = make\n"
        "    def f(self):\n        look(self.make([1.0]))\nN()\nlater(N)",
        "class N:\n    def __init__(self, make=torch.FloatTensor):\n        self.make = make\n"
        "    def f(self):\n        look(self.make([1.0]))\n"
        "    def g(self):\n        return self.__class__(net)\nN()",
        LAMBDA.format(calls="return cast(np.ones(n)), cast(net(torch.ones(2)))"),
        LAMBDA.format(calls="return cast(np.ones(n)), cast"),
        PREPARED.format(kept="transforms.Compose([transforms.Normalize(m, s)])"),
        PREPARED.format(kept="transforms.Compose([transforms.ToTensor(), net])"),
        PREPARED.format(kept="transforms.Compose([transforms.ToTensor(), transforms.Lambda(net)])"),
        PREPARED.format(kept="transforms.Compose(later)"),
        PREPARED.format(kept="transforms.Normalize(m, s)"),
        PREPARED.format(kept="transforms.Lambda(net)").replace("(image)", "(image.data)"),
        PREPARED.format(kept="transforms.functional.pad").replace("(image)", "(image.data)"),
        CALLED.format(given="net(x)", below=""),
        CALLED.format(given="x.data", below="class B(Own):\n    def __call__(self, x): return x"),
        LAMBDA.format(calls="return cast(np.ones(n)), cast(*n)"),
        "def f(x):\n    look(x)",
        "def f(x):\n    look(x)\nf(torch.ones(2))\nf(net(torch.ones(2)))",
        "def f(x):\n    look(x)\nf(torch.ones(2))\nf(*pair)",
        "def f(x):\n    look(x)\nf(*(torch.ones(2), net(torch.ones(2))))",
        "def f(x):\n    look(x)\nfor pair in own:\n    f(*pair, **options)",
        "def f(x, y=net.weight):\n    look(y)\nfor pair in own:\n    f(*pair)",
        "def f(x):\n    look(x)\nfor pair in own:\n    f(*map(net, pair))",
        "def f(x):\n    make = type(x.data)\n    look(make(x))",
        "def f(x):\n    make = type(x)\n    look(make(x.size()))",
        "def f(x, y):\n    make = type(x.data)\n    look(make(y.data.size()))",
        "def f(xs):\n    n = np.squeeze(xs)\n    look(torch.FloatTensor(n))",
        "def f(x):\n    look(x)\nf(torch.ones(2))\nlater(f)",
        "def f(x, y=net.weight):\n    look(y)\nf(1)\nf(2, torch.zeros(2))",
        "@jit\ndef f(x):\n    look(x)\nf(torch.ones(2))",
        "class N(nn.Module):\n    def forward(self, x):\n        look(x)\nN()(net(torch.ones(2)))",
        POOL.format(data=""),
        POOL.format(data=".data") + "    def put(self, x):\n        self.images.append(x)\n",
        POOL.format(data=".data") + "    def put(self, x):\n        self.images = x\n",
        SCALER.format(mean="nn.Parameter(torch.ones(2))", more=""),
        SCALER.format(mean="torch.mean(net(sample))", more=""),
        SCALER.format(mean="torch.mean(sample)", more="    def f(self, m): self.mean = m"),
        SCALER.format(mean="torch.mean(sample)", more="scaler.mean = net.weight"),
        SCALER.format(
            mean="torch.mean(sample.data)", more=f"{OTHER}class Both(Other, Scaler): pass"
        ),
        SCALER.format(
            mean="torch.mean(sample.data)", more=OTHER.replace("(nn.Module)", "(Scaler)")
        ),
        OTHER
        + SCALER.format(mean="torch.mean(sample.data)", more="").replace(
            "Scaler:", "Scaler(Other):"
        ),
        OTHER
        + SCALER.format(mean="torch.mean(sample.data)", more="").replace(
            "Scaler:", "Scaler(Other, object):"
        ),
        "object = Unknown\n"
        + SCALER.format(mean="torch.mean(sample.data)", more=OTHER).replace(
            "Scaler:", "Scaler(object):"
        ),
        SCALER.format(
            mean="torch.mean(sample.data)", more=OTHER.replace("(nn.Module)", "(Scaler)")
        ).replace("Scaler:", "Scaler(object):"),
        "for x, y in own:\n    look(torch.FloatTensor(net(x)))",
        "for x, y in own:\n    z = np.sum(net(x))\n    look(torch.Tensor(z))",
        "z = np.load('z.npy', allow_pickle=True)\nlook(torch.Tensor(z))",
        "z = np.load('z.npy', None, True)\nlook(torch.Tensor(z))",
        "z = np.load(*paths)\nlook(torch.Tensor(z))",
        FRAMES.format(put="y[0] = net(frames)"),
        DICT.format(made="{}", put="d[3] = net(i)", asked="d[i]"),
        DICT.format(made="{}", put="d[3] = i; d[i][0] = net(i)", asked="d[i]"),
        DICT.format(made="{}", put="d.update(later)", asked="d[i]"),
        DICT.format(made="{3: torch.ones(2)}", put="d.get(3)[0] = net(i)", asked="d[i]"),
        DICT.format(
            made="{3: torch.ones(2)}", put="for k, v in d.items(): v[0] = net(k)", asked="d[i]"
        ),
        DICT.format(made="{3: torch.ones(2)}", put="setattr(d, 'a', i)", asked="d[i]"),
        DICT.format(made="{'a': torch.ones(2), **later}", put="pass", asked="d['a']"),
        DICT.format(made="{net(later): 3}", put="pass", asked="list(d)[0]"),
        DICT.format(made="{}", put="d[net(i)] = 3", asked="list(d)[0]"),
        DICT.format(made="{k: net(k) for k in later}", put="pass", asked="d[i]"),
        DICT.format(made="dict_of()", put="d['b'] = net(i)", asked="d['a']"),
        IMAGE.format(given="net(Image.open('x'))"),
        IMAGE.format(given="later(Image.open('x'))"),
        "import networkx\ndef f(x):\n    x = networkx.get_node_attributes(x)\n    look(x['a'])",
        "from torchvision.transforms import functional\ndef f(x):\n"
        "    look(functional.normalize(net(x), 0, 1))",
        FRAMES.format(put="y += net(frames)"),
        FRAMES.format(put="z = y[0:2]; z += 1; z[0] = net(frames)"),
        FRAMES.format(put="for y[0] in net(frames): pass"),
        FRAMES.format(put="y[0], z = y[1], net(frames)"),
        "from sklearn.utils import shuffle\ndef f(x):\n    x = shuffle(x)\n"
        "    look(torch.Tensor(x))",
        "def f(x):\n    x = astype(x)\n    look(torch.Tensor(x))",
        "class Own:\n    def astype(self, kind):\n        return self.x\n"
        "def f(x):\n    x = x.astype(3)\n    look(torch.Tensor(x))",
        "def f(x):\n    y = Variable(type(x)(x * 2))\n    make = type(x)\n    look(make(x))",
        "def f(x, y):\n    make = type(x.data)\n    look(torch.cat([make(x * 2)]))",
        "def f(sizes):\n    make = torch.ones(2).new\n    look(make(*sizes))",
        GRID.format(put="self.batch[i] = x[i]"),
        GRID.format(put="self.batch[i] += x[i]"),
        GRID.format(put="self.batch[i][0] = x[i]"),
        GRID.format(put="self.batch[i], y = x"),
        GRID.format(put="self.batch[i]: Value = x[i]"),
        GRID.format(put="for self.batch[i] in x: pass"),
        GRID.format(put="part = self.batch[i]; part[0] = x[i]"),
        GRID.format(put="self.grid = net.weight; self.batch[i] = self.grid"),
        GRID.format(put="self.grid[0] = net.weight[0]; self.batch[i] = self.grid"),
        FILLED.format(put="batch[i] = x[i]"),
        FILLED.format(put="batch[i] += x[i]"),
        FILLED.format(put="batch[i][0] = x[i]"),
        FILLED.format(put="batch[i], y = x"),
        ROWS.format(decorator="@property", made="net(torch.ones(2))", put="pass"),
        ROWS.format(decorator="@property", made="torch.ones(2)", put="rows[0] = net(rows[0])"),
        ROWS.format(decorator="@property", made="torch.ones(2)", put="rows.append(net(rows[0]))"),
        ROWS.format(decorator="@property", made="torch.ones(2)", put="rows += [net(rows[0])]"),
        ROWS.format(decorator="@property", made="torch.ones(2)", put="unheard(rows)"),
        ROWS.format(decorator="@property", made="torch.ones(2)", put="self.rows = rows"),
        ROWS.format(decorator="@of_mine", made="torch.ones(2)", put="pass"),
        ROWS.format(decorator="@property", made="torch.ones(2)", put="pass")
        + "class Others(Rows):\n    @property\n    def all(self):\n        return outputs\n",
        FILLED.format(put="batch[i]: Value = x[i]"),
        FILLED.format(put="for batch[i] in x: pass"),
        FILLED.format(put="part = batch[i]; part[0] = x[i]"),
        FILLED.format(put="other = batch; other[0] = x[i]"),
        FILLED.format(put="self.grid = net.weight; batch[i] = self.grid"),
        FILLED.format(put="batch[i] = x[i]; batch = batch.view(-1)"),
        SCALER.format(
            mean="0", more="class Other(Scaler):\n    def norm(self, x):\n        return net(x)"
        ),
        PART.format(returned="x[:, n:-n]", more="part(x, 2)", asked="part(net(x), 2)"),
        PART.format(returned="x[:, n:-n]", more="part(net(x), 2)", asked="part(*pair)"),
        PART.format(
            returned="x if n else part(net(x), n - 1)", more="part(x, 2)", asked="part(x, 2)"
        ),
        PART.format(returned="x if n else part(n, x)", more="part(x, 2)", asked="part(x, net(x))"),
        PART.format(
            returned="(kept.append(x), kept[0])[1]", more="part(net(x), 2)", asked="part(x, 2)"
        ),
        MADE.format(made="all_made", put="made.append(x)", more="part(net(x))"),
        MADE.format(made="x.new(all_made)", put="made[0] = x[0]", more="part(net(x))").replace(
            "all_made = []", "all_made = torch.ones(2)"
        ),
        MADE.format(made="own_of(x).clone()", put="made[0] = x[0]", more="part(net(x))")
        + "class Own:\n    def clone(self):\n        return all_made\n",
        LAYER.format(cls="Own(nn.Module)", more="own_layer((x, 2), 2)", below="")
        .replace("x[n:]", "x[0]")
        .replace("z, n = own_layer(x, 2)", "z, n = own_layer((net(x), x), 2)"),
        MADE.format(made="of_all()", put="made.append(x)", more="part(net(x))"),
        MADE.format(made="[]", put="all_made.append(x); made = all_made", more="part(net(x))"),
        MADE.format(made="[]", put="made.append(x)", more="part(net(x))").replace(
            "(x):\n    made = []", "(x, made=[]):\n    pass"
        ),
        MADE.format(made="[]", put="made.append(x)", more="part(net(x))").replace(
            "look(part(x))", "look(part(net(x)))"
        ),
        MEMORY.format(
            fields="'state, reward'", pushed="net(x)", batch=BATCH, asked="torch.cat(batch.reward)"
        ),
        MEMORY.format(
            fields="'state, reward'",
            pushed="x",
            batch=f"{BATCH}\nmemory.push(net(x), 1)",
            asked="torch.cat(batch.state)",
        ),
        MEMORY.format(
            fields="'state, reward'",
            pushed="x",
            batch=f"{BATCH}\nmemory.push(*later)",
            asked="torch.cat(batch.state)",
        ),
        MEMORY.format(fields="'state, reward'", pushed="x", batch=BATCH, asked="batch.other"),
        MEMORY.format(fields="later", pushed="x", batch=BATCH, asked="torch.cat(batch.state)"),
        MEMORY.format(
            fields="'state, reward'", pushed="x", batch="batch = later(steps)", asked="batch.state"
        ),
        MEMORY.format(
            fields="'a b'", pushed="1", batch="batch = Pair(x, net(y))", asked="batch.reward"
        ),
        MEMORY.format(
            fields="'a b'", pushed="1", batch="batch = Pair._make(later)", asked="batch.state"
        ),
        MEMORY.format(
            fields="'a b'", pushed="net(x)", batch="xs, ys = zip(*steps)", asked="torch.stack(ys)"
        ),
        MEMORY.format(
            fields="'a b'", pushed="net(x)", batch="one = random.choice(steps)", asked="one[1]"
        ),
        TOKENS.format(more="parts", seed=", net(x)"),
        TOKENS.format(more="parts, *later", seed=", x"),
        TOKENS.format(more="later(parts)", seed=", x"),
        BUFFER.format(made="torch.zeros(n)", put="self.one_hot = net(x)"),
        BUFFER.format(made="torch.zeros(n)", put="self.one_hot += net(x)"),
        BUFFER.format(made="net(n)", put="pass"),
        SIZED.format(init="super(Sized, self).__init__(*n, m)"),
        SIZED.format(init="super().__init__(n, 2, m)"),
        SIZED.format(init="super().__init__(n, m)").replace("nn.Linear", "Unknown"),
        SIZED.format(init="super().__init__(n, m); m = net(n)"),
        SIZED.format(init="self.norm = nn.LayerNorm(m)"),
        SIZED.format(init="self.put(n, m)"),
        BUFFER.format(made="None", put="pass"),
        AGENTS.format(given="net(x)", made="Second()", asked="agent.act(x)"),
        AGENTS.format(given="x", made="Second()", asked="agent.act(net(x))"),
        AGENTS.format(given="x", made="later()", asked="agent.act(x)"),
        AGENTS.format(given="x", made="Second()", asked="agent(x)"),
        FLAGGED.format(before="learnt = n", kept="learnt", other="else", more="pass"),
        FLAGGED.format(
            before="later(self)\n        learnt = n", kept="learnt", other="else", more="pass"
        ),
        FLAGGED.format(before="pass", kept="not learnt", other="else", more="pass"),
        FLAGGED.format(before="pass", kept="learnt", other="if self.learnt", more="pass"),
        FLAGGED.format(before="pass", kept="learnt", other="if x", more="pass"),
        FLAGGED.format(before="pass", kept="learnt", other="else", more="self.learnt = x"),
        FLAGGED.format(before="pass", kept="learnt", other="else", more="self.scale = net(x)"),
        FLAGGED.format(before="self.scale = net.weight", kept="learnt", other="else", more="pass"),
        FLAGGED.format(before="pass", kept="learnt", other="else", more="pass")
        + "layer = Scaled(2)\nlayer.learnt = True\n",
        FLAGGED.format(before="pass", kept="learnt", other="else", more="pass")
        + "class Other(Scaled):\n    def __init__(self):\n        self.learnt = False\n",
        STORING.format(returned="self.kept"),
        STORING.format(returned="self.all[0]"),
        LAYER.format(cls="Own(nn.Module)", more="", below="").replace("(x, 2)", "(net(x), 2)"),
        LAYER.format(
            cls="Own(nn.Module)",
            more="",
            below="class Other(Own):\n    def forward(self, x, n):\n        return net(x), 2\n",
        ),
        LAYER.format(cls="Own(nn.Module)", more="own_layer.register_forward_hook(later)", below=""),
        LAYER.format(cls="Own(nn.Module)", more="", below="").replace("x[n:]", "self.weight[n:]"),
        LAYER.format(cls="Own(nn.Module)", more="", below="").replace("x[n:]", "self.layer(x)"),
        "for x, y in own:\n    look(F.smooth_l1_loss(x, net(x)))",
        "for x, y in own:\n    look(F.linear(x, y, net.bias))",
        "for x, y in own:\n    look(F.linear(x, y, bias=net.bias))",
        "for x, y in own:\n    loss = x.sum()\n    loss.backward()\n    look(loss)",
    ],
)
def test_perhaps_inside_of_one(text: str, tmp_path: Path) -> None:
    assert not _is_without(text, tmp_path)


@pytest.mark.parametrize(
    ("other", "is_known"),
    [
        ("from home import to_var\nto_var(torch.ones(2))", True),
        ("import torch.nn as nn\nfrom home import to_var\nto_var(nn.Linear(1, 2)(x))", False),
        ("from home import to_var\nmap(to_var, xs)", False),
        ("from home import *\nto_var(*xs)", False),
        ("import home\nhome.to_var(torch.ones(2))\nprint('to_var', getattr(a, 'b'))", True),
        ("import home\nhome.to_var(torch.ones(2))\nnet.eval('to_var')", True),
        ("import home\nhome.to_var(torch.ones(2))\nfind(home, 'to_var')\nfind = getattr", False),
        ("import home\nhome.to_var(torch.ones(2))\nname = 'to_var'\ngetattr(home, name)", False),
        ("import home\nhome.to_var(torch.ones(2))\ngetattr(home, 'to_var')(x)", False),
        ("import home\nhome.to_var(torch.ones(2))\nname = 'to_var'\nhome.__dict__[name]", False),
        ("import home, sys\nhome.to_var(torch.ones(2))\nn = 'to_var'\nsys.modules['home']", False),
        ("import home\nhome.to_var(torch.ones(2))\nname = 'to_var'\neval(name)(x)", False),
        (OWN_NAME.format(own="to_var = load()\n    return to_var"), True),
        (OWN_NAME.format(own="for to_var in rows:\n        keep(to_var)"), True),
        (OWN_NAME.format(own="from home import to_var\n    return to_var"), False),
        (OWN_NAME.format(own="global to_var\n    to_var = wrap(to_var)"), False),
        ("import home\nhome.to_var(torch.ones(2))\nto_var = load()\nkeep(to_var)", True),
        ("import home\nhome.to_var(torch.ones(2))\nto_var = home.to_var\nto_var(*xs)", False),
        ("from home import *\nto_var(torch.ones(2))\nto_var = wrap(to_var)", False),
        (
            "from home import *\nto_var(torch.ones(2))\nfor to_var in all_of(to_var): to_var()",
            False,
        ),
        (LOOKED_UP.format(asked="getattr(torch.optim, kind)"), True),
        (LOOKED_UP.format(asked="getattr(torch, kind)"), True),
        (LOOKED_UP.format(asked="getattr(models, kind)()"), True),
        (LOOKED_UP.format(asked="getattr(options, kind)"), True),
        (LOOKED_UP.format(asked="getattr(home, kind)"), False),
        (LOOKED_UP.format(asked="getattr(model, kind)"), False),
        (LOOKED_UP.format(asked="getattr(*kind)"), False),
        (LOOKED_UP.format(asked="eval(torch.optim)"), False),
        (LOOKED_UP.format(asked="models = load()\ngetattr(models, kind)"), False),
        (SAMPLED.format(read="DataLoader(data.to_var)"), True),
        (SAMPLED.format(read="data.to_var[0]"), True),
        (SAMPLED.format(read="print(data.to_var)"), False),
        (SAMPLED.format(read="print(len(rows.to_var))"), False),
        (SAMPLED.format(read="data = make()\nDataLoader(data.to_var)"), False),
        (SAMPLED.format(read="data.to_var = 1\nDataLoader(data.to_var)"), False),
    ],
)
def test_the_calls_of_other_files_count(other: str, is_known: bool, tmp_path: Path) -> None:
    text = "from torch.autograd import Variable\ndef to_var(x):\n    return Variable(x).cuda()\n"
    (tmp_path / ".git").mkdir()
    (tmp_path / "home.py").write_text(text)
    (tmp_path / "main.py").write_text(f"import torch\n{other}\n")
    settings = Settings(select=("TP101",))
    after = migrate_file(tmp_path / "home.py", settings, write=False).after
    assert after is not None
    assert ("return x.cuda()" in after) is is_known


APPLIED = """
import torch
import torch.nn as nn
from home import Head
net = nn.Linear(2, 2)
class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = Head(){moved}
    def forward(self, x):
        {run}
{more}
"""


@pytest.mark.parametrize(
    ("moved", "run", "more", "is_known"),
    [
        ("", "return self.head(x, torch.ones(2))", "", True),
        ("", "return self.head.forward(x, y=torch.ones(2))", "", True),
        (".cuda()", "return self.head(net(x), x.data)", "", True),
        ("", "head = self.head\n        return head(x, torch.ones(2))", "", True),
        ("", "return self.head(x, torch.ones(2))", "whole = Whole()\nwhole.eval()", True),
        ("", "return self.head(x, 1)", "def f(a):\n    a(1, 2)\nf(Head())", True),
        ("", "return self.head(x, 1)", "def f():\n    return Head()\nf()(1, 2)", True),
        ("", "return self.head(x, 1)", "h = nn.DataParallel(Head())\nh(1, 2)", True),
        ("", "return self.head(x, 1)", "h = [Head()]\nfor one in h:\n    one(1, 2)", True),
        ("", "return self.head(x, net(x))", "", False),
        ("", "return self.head(x, torch.ones(2))", "whole = Whole()\nwhole.head(1, net(2))", False),
        ("", "return self.head(x, torch.ones(2))", "for h in net.children():\n    h(x, y)", False),
        ("", "return self.head(x, torch.ones(2))", "class B(Head):\n    pass", False),
        ("", "return self.head(x, torch.ones(2))", "run(Head())", False),
        ("", "return self.head(x, torch.ones(2))", "getattr(Whole(), 'head')(1, net(2))", False),
        ("", "return self.head(x, 1)", "def f(a):\n    a(1, net(2))\nf(Head())", False),
        ("", "return self.head(x, 1)", "def f():\n    return Head()\nf()(1, net(2))", False),
        ("", "return self.head(x, 1)", "h = nn.DataParallel(Head())\nh.module(1, net(2))", False),
        ("", "return self.head(x, 1)", "h = nn.Sequential(Head())\nh(1)", False),
        ("", "return self.head(x, 1)", "torch.save(Head(), 'head.pt')", False),
        ("", "f = self.head.forward\n        return f(x, net(x))", "", False),
        ("", "return self.head(*x)", "", False),
    ],
)
def test_what_all_calls_of_a_module_give(
    moved: str, run: str, more: str, is_known: bool, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(APPLIED.format(moved=moved, run=run, more=more))
    text = "class Head(nn.Module):\n    def forward(self, x, y):\n        look(y)\n"
    assert _is_without(text, tmp_path) is is_known


@pytest.mark.parametrize(
    ("kept", "more", "is_known"),
    [
        ("torch.cuda.FloatTensor if options.gpu else torch.Tensor", "", True),
        ("torch.FloatTensor", "Base.other = net", True),
        ("torch.Tensor if options.gpu else net", "", False),
        ("make", "", False),
        ("torch.FloatTensor", "Base().kind = net", False),
    ],
)
def test_a_class_of_tensors_that_a_class_above_keeps(
    kept: str, more: str, is_known: bool, tmp_path: Path
) -> None:
    base = "class Base:\n    def start(self, options):\n"
    base = f"import torch\nfrom home import net\n{base}        self.kind = {kept}\n{more}\n"
    (tmp_path / "base.py").write_text(base)
    main = "from base import Base\nfrom home import Loss\nclass Main(Base):\n    def more(self):\n"
    (tmp_path / "main.py").write_text(f"{main}        self.loss = Loss(make=self.kind)\n")
    text = "class Loss(nn.Module):\n    def __init__(self, make=torch.FloatTensor):\n"
    text += "        self.make = make\n    def target(self, x):\n"
    assert _is_without(f"{text}        look(self.make(x.size()).fill_(1))", tmp_path) is is_known


@pytest.mark.parametrize(
    ("more", "is_known"),
    [
        ("def more(self):\n        return self(net(1), 2)", True),
        ("def more(self):\n        return self(1, net(2))", False),
        ("def more(self):\n        return run(self)", False),
        ("def more(self):\n        return self.forward", False),
    ],
)
def test_what_a_module_gives_itself(more: str, is_known: bool, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("from home import Head\nHead()(1, 2)\n")
    text = "class Head(nn.Module):\n    def forward(self, x, y):\n        look(y)\n"
    assert _is_without(f"{text}    {more}\n", tmp_path) is is_known


STACK = """
class Stack(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.weight, self.blocks = {own}, nn.ModuleList()
        for block in blocks:
            self.blocks.append(nn.Linear(block, 2) if block else Same())
    def forward(self, x):
        made = dict()
        for i in range(2):
            x = {run}
            made[i] = x
            if i > 2:
                x = torch.cat((made[i - 1], x), 1)
            elif i > 1:
                x = F.leaky_relu(made[i - 1] + x, 0.1, inplace=True)
        return {returned}
stack = Stack(blocks)
for x, y in own:
    with torch.{mode}():
        look(stack({given}))
"""


@pytest.mark.parametrize(
    ("change", "is_known"),
    [
        ({}, True),
        ({"given": "x * 2"}, True),
        ({"returned": "x.view(-1)"}, True),
        ({"mode": "enable_grad"}, False),
        ({"given": "later"}, False),
        ({"own": "nn.Parameter(torch.ones(2))", "returned": "self.weight"}, False),
        ({"own": "nn.Linear(2, 2)", "returned": "self.weight.weight"}, False),
        ({"run": "later(x)"}, False),
        ({"run": "self.blocks[i](net.weight)"}, False),
    ],
)
def test_what_a_module_hands_on_under_no_grad(
    change: dict[str, str], is_known: bool, tmp_path: Path
) -> None:
    parts = {
        "own": "1",
        "run": "self.blocks[i](x)",
        "returned": "x",
        "mode": "no_grad",
        "given": "x",
    }
    assert _is_without(STACK.format(**{**parts, **change}), tmp_path) is is_known


@pytest.mark.parametrize(
    ("wrapping", "is_known"),
    [
        ("stack = nn.DataParallel(stack)", True),
        ("if several: stack = nn.DataParallel(stack).cuda()", True),
        ("stack = nn.DataParallel(nn.DataParallel(stack))", True),
        ("stack = nn.DataParallel(other)", False),
        ("if several: stack = nn.DataParallel(other)", False),
        ("if several: stack = Wrapper(stack)", False),
        ("class Other(Stack):\n    def forward(self, x): return net.weight", False),
    ],
)
def test_what_a_wrapped_module_hands_on_under_no_grad(
    wrapping: str, is_known: bool, tmp_path: Path
) -> None:
    parts = {"own": "1", "run": "self.blocks[i](x)", "returned": "x", "mode": "no_grad"}
    made = "stack = Stack(blocks)\n"
    text = STACK.format(given="x", **parts).replace(made, f"{made}{wrapping}\n")
    assert _is_without(text, tmp_path) is is_known


def test_what_other_files_set_is_out_of_sight(tmp_path: Path) -> None:
    text = SCALER.format(mean="torch.mean(sample.data)", more="")
    (tmp_path / "main.py").write_text("from home import scaler\nscaler.mean = net.weight\n")
    assert not _is_without(text, tmp_path)


@pytest.mark.parametrize(("given", "is_known"), [("x.data", True), ("net(x)", False)])
def test_an_object_of_another_file_that_is_called(
    given: str, is_known: bool, tmp_path: Path
) -> None:
    other = f"class Own:\n    def __call__(self, x):\n        return {given}\n"
    (tmp_path / "other.py").write_text(other)
    text = "from other import Own\nchange = Own()\ndef f(x):\n    look(change(x))\n"
    assert _is_without(text, tmp_path) is is_known


@pytest.mark.parametrize(
    ("below", "is_known"),
    [
        ("class Below(Targets):\n    def __init__(self): super().__init__()", True),
        ("class Below(Targets):\n    def more(self): pass\nclass Last(Below): pass", True),
        ("class Below(nn.Module, Targets):\n    pass", True),
        ("class B(TargetsHead):\n    def made(self, x): return net(x)", True),
        ("class Below(Targets):\n    def made(self, x): return net(x)", False),
        ("class Below(Targets):\n    made = net", False),
        ("class Below(Targets):\n    def __init__(self, net): self.made = net", False),
        ("class B(Targets): pass\nclass Last(B):\n    def made(self, x): return net(x)", False),
        ("class Other:\n    def made(self, x): return x\nclass B(Other, Targets): pass", False),
    ],
)
@pytest.mark.parametrize("is_apart", [False, True])
def test_a_method_that_no_class_below_replaces(
    below: str, is_known: bool, is_apart: bool, tmp_path: Path
) -> None:
    text = "class Targets:\n    def made(self, x):\n        return x.data * 2\n"
    text += "    def run(self, x):\n        look(self.made(x))\n"
    below = f"class TargetsHead: pass\n{below}"
    if is_apart:
        text_below = f"import torch.nn as nn\nfrom home import Targets\n{below}\n"
        (tmp_path / "main.py").write_text(text_below)
    else:
        text += f"{below}\n"
    assert _is_without(text, tmp_path) is is_known


@pytest.mark.parametrize(
    ("asked", "is_known"),
    [
        ("args.rate", True),
        ("args.other", True),
        ("args.rate\nargs.rate = net.weight", False),
        ("args.rate\nsetattr(args, 'rate', net.weight)", False),
        ("net.rate", False),
        ("options.rate", False),
    ],
)
def test_the_command_line_gives_no_graph(asked: str, is_known: bool, tmp_path: Path) -> None:
    (tmp_path / "command.py").write_text(COMMAND)
    read, _, more = asked.partition("\n")
    text = f"from command import *\n{more}\nlook({read})"
    assert _is_without(text, tmp_path) is is_known


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        ("from tqdm import *\nfor x in tqdm(loader):\n    look(x['image'])", True),
        ("from tqdm import *\nfor x in tqdm(results):\n    look(x['image'])", False),
        ("from tqdm import *\nfrom bars import *\nfor x in tqdm(loader): look(x['image'])", False),
        ("from tqdm import *\nfrom rows import *\nfor x in tqdm(loader): look(x['image'])", True),
        ("from bars import *\nfor x in tqdm(loader):\n    look(x['image'])", False),
        ("from tqdm import *\ntqdm = run\nfor x in tqdm(loader):\n    look(x['image'])", False),
    ],
)
def test_a_bar_of_a_star_import_gives_the_batches(
    text: str, is_known: bool, tmp_path: Path
) -> None:
    (tmp_path / "rows.py").write_text("from tqdm import *\nkept = 1\n")
    assert _is_without(text, tmp_path) is is_known


LABELS = """
class Labels:
    def __init__(self, kind={default}):
        self.kind = kind
    def made(self, x):
        look(self.kind(x.size()).fill_(1))
{more}
"""


@pytest.mark.parametrize(
    ("default", "more", "is_known"),
    [
        ("torch.FloatTensor", "", True),
        ("torch.FloatTensor", "Labels(torch.cuda.FloatTensor)", True),
        ("torch.FloatTensor", "Labels(net)", False),
        ("torch.FloatTensor", "make(Labels)", False),
        ("torch.FloatTensor", "class Below(Labels):\n    pass\nBelow(net)", False),
        ("net", "", False),
        ("made", "", False),
    ],
)
def test_a_class_that_is_made_nowhere_has_its_defaults(
    default: str, more: str, is_known: bool, tmp_path: Path
) -> None:
    assert _is_without(LABELS.format(default=default, more=more), tmp_path) is is_known


def test_a_class_of_a_library_is_made_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "setup.py").touch()
    (tmp_path / "__init__.py").touch()
    assert not _is_without(LABELS.format(default="torch.FloatTensor", more=""), tmp_path)


SPLIT = """
class Rows(DataLoader):
    def __init__(self, rows, **options):
        super().__init__(rows, **options)
    def split(self):
        return Rows(self.dataset), Rows(self.dataset)
    {method}
class Below(Rows):
    pass
class Other(Pairs):
    pass
for x, y in {gone}:
    look(x)
"""


@pytest.mark.parametrize(
    ("gone", "method", "is_known"),
    [
        ("Rows(rows)", "", True),
        ("Below(rows)", "", True),
        ("Rows(rows).split()[1]", "", True),
        ("next(iter([Rows(rows)]))", "", True),
        ("Rows(rows)", "def __iter__(self):\n        yield net(rows), 1", False),
        ("Below(rows)", "def __iter__(self):\n        return made(self)", False),
        ("Rows(rows)", "def watch(self):\n        self.__iter__ = made", False),
        ("Other(rows)", "", False),
        ("Rows(rows).rows", "", False),
    ],
)
def test_a_class_below_the_loader_gives_batches(
    gone: str, method: str, is_known: bool, tmp_path: Path
) -> None:
    assert _is_without(SPLIT.format(gone=gone, method=method), tmp_path) is is_known


def test_what_other_files_set_is_no_option(tmp_path: Path) -> None:
    (tmp_path / "command.py").write_text(COMMAND)
    (tmp_path / "main.py").write_text("import home\nhome.args.rate = home.net.weight\n")
    assert not _is_without("from command import args\nlook(args.rate)", tmp_path)


@pytest.mark.parametrize(
    ("sized", "going", "is_known"),
    [
        ("len(batches.dataset)", "(x, y) in batches", True),
        ("len(batches.dataset)", "step, (x, y) in enumerate(batches)", True),
        ("len(batches.dataset)", "step, (x, y) in zip(range(3), batches)", True),
        ("len(batches.dataset)", "x, y in zip(batches, others)", False),
        ("len(batches)", "(x, y) in batches", False),
        ("batches.dataset", "(x, y) in batches", False),
        ("count(batches.dataset)", "(x, y) in batches", False),
        ("len(others.dataset)", "(x, y) in batches", False),
    ],
)
def test_what_has_a_data_set_of_some_size_makes_batches(
    sized: str, going: str, is_known: bool, tmp_path: Path
) -> None:
    text = f"""
def fit(batches, others):
    n = {sized}
    for {going}:
        look(y)
"""
    assert _is_without(text, tmp_path) is is_known


def _is_without(text: str, folder: Path) -> bool:
    """What the question says of the argument of ``look(…)``."""
    text = HEAD + text
    (folder / ".git").mkdir()
    (folder / "home.py").write_text(text)
    files = FilesOf(folder / "home.py", Index())
    tree = ast.parse(text)
    facts = WholeFacts(tree, text, files=files)
    (call,) = [n for n in ast.walk(tree) if getattr(getattr(n, "func", None), "id", "") == "look"]
    assert isinstance(call, ast.Call)
    return is_without_graph(call.args[0], facts)
