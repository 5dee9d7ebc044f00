import torch
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, index):
        x = torch.Tensor([index, index * index]) / 100
        return x, index % 2


def train(rank, model):
    torch.manual_seed(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        data = torch.randn(4, 2)
        loss = F.nll_loss(F.log_softmax(model(Variable(data))), Variable(torch.zeros(4).long()))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print('rank', rank, 'loss', loss.item())


if __name__ == '__main__':
    torch.manual_seed(37)
    model = nn.Linear(2, 2)
    model.share_memory()
    for rank in range(2):
        process = mp.Process(target=train, args=(rank, model))
        process.start()
        process.join()
    parallel = nn.DataParallel(model)
    loader = DataLoader(Squares(), batch_size=4, num_workers=2)
    total = 0
    for x, y in loader:
        out = parallel(Variable(x, volatile=True))
        total += F.cross_entropy(out, Variable(y), size_average=False).item()
    print('total', total)
