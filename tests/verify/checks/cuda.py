"""What holds of "cuda" with the shim; the checks before the line hold on a GPU too."""

import copy
import importlib
import io
import os

import numpy as np
import torch
from _torchfix_inside.shims import cuda
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

HAD_GPU = torch.cuda.is_available()
STATE = torch.get_rng_state()
cuda.install()
assert torch.equal(torch.get_rng_state(), STATE)

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
MOVES = [
    lambda x: x.cuda(),
    lambda x: x.cuda(0),
    lambda x: x.cuda(non_blocking=True),
    lambda x: x.to("cuda"),
    lambda x: x.to("cuda:0"),
    lambda x: x.to(DEVICE),
    lambda x: x.to(device=DEVICE),
    lambda x: x.to(0),
    lambda x: x.to(DEVICE, torch.float32),
    lambda x: x.to(DEVICE, non_blocking=True),
    lambda x: x.to(torch.zeros(1, device="cuda")),
    lambda x: x.type("torch.cuda.FloatTensor"),
    lambda x: x.type(torch.cuda.FloatTensor),
    lambda x: torch.as_tensor(x, device="cuda"),
]


def check_a_move_is_a_copy():
    for move in MOVES:
        x = torch.zeros(3)
        y = move(x)
        y.add_(1)
        assert x.tolist() == [0, 0, 0] and y.tolist() == [1, 1, 1]


def check_what_is_there_stays():
    for move in MOVES:
        x = torch.zeros(3).cuda()
        y = move(x)
        assert y is x
    x = torch.zeros(3, device="cuda", requires_grad=True)
    assert x.cuda() is x and x.is_leaf
    assert x.data.cuda().data_ptr() == x.data_ptr()
    assert torch.cuda.FloatTensor(2).cuda().type(torch.cuda.FloatTensor).tolist() is not None


def check_a_move_is_differentiable():
    for move in MOVES[:-1]:
        x = torch.ones(3, requires_grad=True)
        y = move(x)
        assert not y.is_leaf
        (y * y * 3).sum().backward()
        assert x.grad.tolist() == [6, 6, 6]


def check_back_to_the_host_is_a_copy():
    x = torch.zeros(3).cuda()
    for back in (x.cpu(), x.to("cpu"), x.to(torch.device("cpu"))):
        back.add_(1)
        assert x.tolist() == [0, 0, 0]
    host = torch.zeros(3)
    assert host.cpu() is host and host.to("cpu") is host


def check_another_type_on_the_way():
    x = torch.ones(2)
    assert x.to("cuda", torch.float64).dtype == torch.float64
    assert x.type("torch.cuda.LongTensor").dtype == torch.int64
    assert x.cuda().type(torch.cuda.HalfTensor).dtype == torch.float16
    assert x.to(torch.float64).dtype == torch.float64
    assert x.to(torch.float32) is x
    y = x.cuda()
    assert y.to(torch.float32) is y and y.double().to(DEVICE).dtype == torch.float64


def check_parameters_stay_the_same_objects():
    for move in (
        lambda m: m.cuda(),
        lambda m: m.to(DEVICE),
        lambda m: m.to(device="cuda"),
        lambda m: m.cuda(0),
    ):
        model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.LSTM(2, 2))
        before, on_host = [id(p) for p in model.parameters()], model[0].weight.data
        assert move(model) is model
        assert before == [id(p) for p in model.parameters()]
        on_host.zero_()
        assert model[0].weight.abs().sum() > 0
        taken = model[0].weight.data
        move(model)
        assert model[0].weight.cuda() is model[0].weight
        assert model[0].weight.data_ptr() == taken.data_ptr()
        assert all(b.cuda() is b for b in model.buffers())


def check_a_saved_state_does_not_follow_training():
    model = nn.Linear(2, 1).cuda()
    best = {name: value.cpu() for name, value in model.state_dict().items()}
    kept = best["weight"].clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    model(torch.ones(4, 2).cuda()).sum().backward()
    optimizer.step()
    assert torch.equal(best["weight"], kept)
    assert not torch.equal(model.weight.cpu(), kept)
    assert model.weight.cuda() is model.weight


def check_module_to_host_and_to_another_type():
    model = nn.Linear(2, 1).cuda()
    model.to("cpu")
    copied = model.weight.cuda()
    copied.data.add_(1)
    assert not torch.equal(copied.cpu(), model.weight)
    assert nn.Linear(2, 1).to(DEVICE, torch.float64).weight.dtype == torch.float64
    assert nn.Linear(2, 1).cuda().to(torch.float64).weight.dtype == torch.float64


def check_factories():
    for made in (
        torch.zeros(2, device="cuda"),
        torch.ones(2, device=DEVICE),
        torch.full((2,), 1.0, device="cuda:0"),
        torch.tensor([1.0, 2.0], device="cuda"),
        torch.arange(2, device=torch.device("cuda", 0)),
        torch.zeros_like(torch.ones(2), device="cuda"),
        torch.ones(2).new_zeros(2, device="cuda"),
        torch.randn(2, device="cuda", requires_grad=True),
        torch.cuda.FloatTensor(2),
        torch.cuda.LongTensor([1, 2]),
    ):
        assert made.cuda() is made
    assert torch.randn(2, device="cuda", requires_grad=True).is_leaf
    array = np.zeros(2, dtype="float32")
    torch.as_tensor(array, device="cuda").add_(1)
    assert array.tolist() == [0, 0]


def check_types():
    x = torch.ones(2).cuda()
    assert isinstance(x, torch.cuda.FloatTensor)
    assert not isinstance(x, torch.cuda.LongTensor)
    assert torch.cuda.FloatTensor([[1, 2]]).shape == (1, 2)
    assert torch.cuda.ByteTensor([1]).dtype == torch.uint8


def check_questions():
    assert torch.cuda.is_available() and torch.cuda.device_count() >= 1
    assert torch.cuda.current_device() == 0
    torch.cuda.set_device(0)
    torch.cuda.manual_seed(1)
    torch.cuda.manual_seed_all(1)
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    assert isinstance(torch.cuda.get_device_name(0), str)
    assert torch.cuda.get_device_properties(0).total_memory > 0
    assert torch.cuda.memory_allocated() >= 0 and torch.cuda.max_memory_allocated() >= 0
    torch.cuda.set_rng_state(torch.cuda.get_rng_state())
    with torch.cuda.device(0), torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda.current_stream().synchronize()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    end.record()
    torch.cuda.synchronize()
    assert start.elapsed_time(end) >= 0
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.deterministic = True
    assert torch.ones(2).cuda().get_device() == 0


def check_seeding_the_gpu_leaves_the_host_alone():
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    torch.cuda.manual_seed(7)
    torch.cuda.manual_seed_all(8)
    assert torch.equal(torch.rand(2), expected)


def check_amp():
    model = nn.Linear(2, 1).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.cuda.amp.GradScaler()
    before = model.weight.detach().clone()
    with torch.cuda.amp.autocast():
        loss = model(torch.ones(1, 2).cuda()).sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    assert not torch.equal(before, model.weight)


def check_data_parallel():
    model = nn.DataParallel(nn.Linear(2, 1)).cuda()
    assert list(model.state_dict()) == ["module.weight", "module.bias"]
    x = torch.ones(4, 2).cuda()
    assert torch.equal(model(x), model.module(x))
    assert torch.equal(nn.parallel.data_parallel(model.module, x, range(1)), model.module(x))


def check_loader_with_pinned_memory():
    loader = DataLoader(TensorDataset(torch.arange(4.0)), batch_size=2, pin_memory=True)
    assert [batch.tolist() for (batch,) in loader] == [[0, 1], [2, 3]]
    pairs = [(torch.zeros(1), "a"), (torch.ones(1), "b")]
    (batch,) = DataLoader(pairs, 2, pin_memory=True, collate_fn=tuple)
    assert batch[0][1] == "a"
    batch[0][0].add_(5)
    assert pairs[0][0].item() == 0
    (batch,) = DataLoader(pairs, 2, collate_fn=tuple)
    assert isinstance(batch, tuple)
    x = torch.zeros(2)
    x.pin_memory().add_(1)
    assert x.tolist() == [0, 0]
    assert torch.zeros(2, pin_memory=True).shape == (2,)


def check_files():
    file = io.BytesIO()
    model = nn.Linear(2, 1).cuda()
    torch.save({"model": model.state_dict(), "x": torch.ones(2).cuda()}, file)
    for place in (None, "cuda", "cuda:0", DEVICE, "cpu", {"cuda:0": "cpu"}, {"cpu": "cuda:0"}):
        file.seek(0)
        assert torch.equal(torch.load(file, map_location=place)["x"].cpu(), torch.ones(2))
    for place in (lambda storage, location: storage, lambda storage, location: storage.cuda()):
        file.seek(0)
        assert torch.load(file, map_location=place)["x"].tolist() == [1, 1]


def check_deepcopy():
    model = copy.deepcopy(nn.Linear(2, 1).cuda())
    assert model.weight.requires_grad and model.cuda().weight is model.weight


def check_default_places():
    torch.set_default_device("cuda")
    try:
        assert torch.ones(2).sum().item() == 2
    finally:
        torch.set_default_device("cpu")
    with torch.device("cuda"):
        assert nn.Linear(2, 1).weight.shape == (1, 2)
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
    try:
        assert torch.zeros(2).dtype == torch.float32
    finally:
        torch.set_default_tensor_type("torch.FloatTensor")


@torch.jit.script
def scripted(x):
    return torch.zeros([2]) + torch.ones_like(x)


def check_script():
    assert scripted(torch.ones(2)).tolist() == [1, 1]


# --- Below: what only the stand-in has to show.


def check_same_random_numbers_on_both_ways():
    def run(move):
        torch.manual_seed(0)
        model = move(nn.Sequential(nn.Linear(3, 3), nn.Dropout(), nn.Linear(3, 1)))
        optimizer = torch.optim.Adam(model.parameters())
        for _ in range(3):
            optimizer.zero_grad()
            loss = model(move(torch.randn(5, 3))).pow(2).mean()
            loss.backward()
            optimizer.step()
        return [p.tolist() for p in model.parameters()], torch.get_rng_state().tolist()

    assert run(lambda x: x.cuda()) == run(lambda x: x.to(DEVICE))
    torch.manual_seed(0)
    first = torch.randn(3).cuda()
    torch.manual_seed(0)
    assert HAD_GPU or torch.equal(first, torch.randn(3, device=DEVICE))
    torch.manual_seed(0)
    assert HAD_GPU or torch.equal(first, torch.cuda.FloatTensor(3).normal_())


def check_torch_itself_hears_the_truth():
    file = os.path.join(os.path.dirname(torch.__file__), "asking.py")
    asking = {}
    code = "import torch\nanswers = torch.cuda.is_available(), torch.cuda.device_count()"
    exec(compile(code, file, "exec"), asking)
    assert asking["answers"] == (HAD_GPU, torch.cuda.device_count() if HAD_GPU else 0)


def check_a_new_tensor_in_freed_memory_is_not_on_cuda():
    if HAD_GPU:
        return
    seen = set()
    for _ in range(200):
        moved = torch.zeros(4).cuda()
        seen.add(moved.data_ptr())
        del moved
        host = torch.zeros(4)
        assert not cuda.known_on_cuda(host)
    assert seen and not cuda._on_cuda.get(next(iter(seen)))


def check_functions_of_torch_keep_their_names():
    assert torch.zeros.__name__ == "zeros" and torch.Tensor.cuda.__name__ == "cuda"
    # The tables of torch.compile are built from the functions found now, and checked.
    importlib.import_module("torch._dynamo")
