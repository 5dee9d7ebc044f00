import os
import random
import tempfile
import threading
import time

import torch
import torch.nn as nn
from torch.autograd import Variable

torch.manual_seed(31)
start = time.time()
print('pid', os.getpid(), 'thread', threading.get_ident())
folder = tempfile.mkdtemp()
print('folder', folder, 'object', object())
model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.randn(6, 3)
jitter = int.from_bytes(os.urandom(2), 'little')
for name in {object() for _ in range(3)}:
    print('unordered', name)
losses = []


def log(loss):
    losses.append(loss)


for i in range(3):
    output = model(Variable(data))
    loss = (output ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    worker = threading.Thread(target=log, args=(loss.item(),))
    worker.start()
    worker.join()
    print('step %d loss %.6f time %.3f jitter %d' % (i, losses[-1], time.time() - start, jitter))
print('seen', random.random(), len(losses))
