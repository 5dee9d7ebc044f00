def install(is_users):
    import torch

    original = torch.Tensor.__getitem__

    def getitem(self, index):
        if self.dim() == 0 and isinstance(index, int):
            return self.item()
        return original(self, index)

    torch.Tensor.__getitem__ = getitem
