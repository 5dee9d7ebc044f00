import torch
from torch.utils.data import DataLoader, Dataset


class Patches(Dataset):
    def __init__(self, count, seed):
        generator = torch.Generator()
        generator.manual_seed(seed)
        self.targets = torch.LongTensor([i % 4 for i in range(count)])
        self.images = torch.rand(count, 3, 8, 8, generator=generator)
        for i, target in enumerate(self.targets):
            self.images[i, :, target:target + 3] += 0.5
        self.mean = torch.Tensor([0.5, 0.6, 0.7]).view(3, 1, 1)

    def __getitem__(self, index):
        image = self.images[index].sub(self.mean).div(0.25)
        if index % 2:
            image = image[:, :, torch.arange(7, -1, -1).long()]
        return image, self.targets[index]

    def __len__(self):
        return len(self.targets)


def get_loaders(batch_size):
    train = DataLoader(Patches(20, 1), batch_size=batch_size, shuffle=True, drop_last=True)
    val = DataLoader(Patches(10, 2), batch_size=batch_size, shuffle=False)
    return train, val
