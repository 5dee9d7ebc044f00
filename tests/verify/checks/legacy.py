"""What old code means with the shim, in the user's files and outside of them."""

import collections
import io
import math
import os

import numpy as np
import torch
import torch.nn.functional as F
from _torchfix_inside.shims import cuda, legacy
from torch import nn
from torch.autograd import Function, Variable
from torch.utils.data import DataLoader, TensorDataset

STATE = torch.get_rng_state()
cuda.install()
legacy.install(lambda file: file == __file__)
assert torch.equal(torch.get_rng_state(), STATE)


def elsewhere(code, **given):
    """The value of an expression in a file that is not the user's."""
    return eval(compile(code, "/lib/library.py", "eval"), {"torch": torch, "np": np}, given)


def refused(code, error, **given):
    try:
        elsewhere(code, **given)
    except error:
        return True
    return False


def check_element_of_a_loss():
    loss = Variable(torch.ones(3), requires_grad=True).sum()
    assert type(loss.data[0]) is float and loss.data[0] == 3.0
    assert type(torch.arange(3).sum()[0]) is int
    assert loss.data[-1] == 3.0
    assert loss[0].requires_grad and loss[0].dim() == 0
    assert refused("x.data[0]", IndexError, x=loss)
    for index in (1, (0, 0)):
        try:
            loss.data[index]
            raise AssertionError(index)
        except IndexError:
            pass
    vector = torch.arange(3.0)
    assert isinstance(vector[0], torch.Tensor) and vector[:2].tolist() == [0, 1]
    value = torch.zeros(())
    value[0] = 5
    assert value.item() == 5


def check_a_tensor_is_no_sequence_for_torch():
    one = torch.tensor(3)
    assert torch.LongTensor([one, one]).tolist() == [3, 3]
    assert torch.FloatTensor([[one.float()], [nn.Parameter(one.float())]]).tolist() == [[3], [3]]
    assert torch.tensor([one, one]).tolist() == [3, 3] and np.array([one, one]).tolist() == [3, 3]


def check_element_of_an_array():
    array = torch.tensor(2.5).numpy()
    assert array[0] == 2.5 and float(array) == 2.5 and array.shape == () and str(array) == "2.5"
    assert type(array + 1) is np.float32 and array.sum() == 2.5
    assert type(torch.zeros(2).numpy()) is np.ndarray
    assert refused("x.numpy()[0]", IndexError, x=torch.tensor(2.5))


def check_joining_losses():
    a, b = torch.tensor(1.0, requires_grad=True), torch.tensor([2.0, 3.0])
    joined = torch.cat([a, b, a])
    assert joined.tolist() == [1, 2, 3, 1]
    joined.sum().backward()
    assert a.grad.item() == 2
    assert refused("torch.cat([a, a])", RuntimeError, a=a)


def check_view_of_an_elementwise_result():
    correct = torch.tensor([[1, 2], [3, 4], [5, 6]]).t().eq(3)
    assert correct[:2].view(-1).tolist() == [0, 1, 0, 0, 0, 0]
    assert refused("c.view(-1)", RuntimeError, c=correct)
    try:
        correct.view(5)
        raise AssertionError
    except RuntimeError:
        pass


def check_dot_of_matrices():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.dot(x).item() == 30 and torch.dot(x, x).item() == 30
    assert refused("x.dot(x)", RuntimeError, x=x)


def check_a_size_that_is_a_tensor():
    size = torch.tensor([1, 3]).max() + 1
    assert torch.Tensor(size).shape == (4,) and nn.Parameter(torch.Tensor(size)).shape == (4,)
    assert torch.Tensor(2, 3).shape == (2, 3) and torch.Tensor([1, 2]).tolist() == [1, 2]
    assert torch.Tensor(torch.ones(2)).tolist() == [1, 1]
    assert elsewhere("torch.Tensor(n).dim()", n=size) == 0


def check_counting_with_masks():
    x = torch.arange(4)
    low, high = x < 3, x > 0
    both = low + high
    assert both.dtype == torch.uint8 and both.tolist() == [1, 2, 2, 1]
    assert int((both == 2).sum()) == 2
    count = x > 0
    count += x > 1
    assert count.tolist() == [0, 1, 2, 2]
    assert elsewhere("a + b", a=low, b=high).dtype == torch.bool
    assert (torch.ones(4) + high).tolist() == [1, 2, 2, 2]


def check_turning_masks():
    mask = torch.arange(3) > 0
    assert (1 - mask).tolist() == [1, 0, 0] and (1 - mask).dtype == torch.uint8
    assert (mask - mask).tolist() == [0, 0, 0] and (-mask).tolist() == [0, 255, 255]
    assert (mask - 1).tolist() == [255, 0, 0]
    assert (~mask.byte()).tolist() == [1, 0, 0] and (~mask).tolist() == [True, False, False]
    assert elsewhere("~m", m=mask.byte()).tolist() == [255, 254, 254]
    assert (~torch.tensor([7], dtype=torch.uint8)).tolist() == [248]
    assert refused("1 - m", RuntimeError, m=mask)
    assert mask.dtype == torch.bool


def check_byte_masks():
    x, mask = torch.arange(3.0), torch.tensor([0, 1, 1], dtype=torch.uint8)
    assert x.masked_fill(mask, 9).tolist() == [0, 9, 9]
    assert x.clone().masked_fill_(mask=mask, value=9).tolist() == [0, 9, 9]
    assert x.masked_select(mask).tolist() == torch.masked_select(x, mask).tolist() == [1, 2]
    assert x[mask].tolist() == [1, 2]
    x[mask] = 7
    assert x.tolist() == [0, 7, 7]
    y = torch.zeros(2, 3)
    y[0, mask] = 1
    y[1] = torch.tensor([1, 2, 3], dtype=torch.uint8)
    assert y.tolist() == [[0, 1, 1], [1, 2, 3]]
    x[1 - mask] = 5
    assert x.tolist() == [5, 7, 7]


def check_type_of_a_variable():
    x = torch.ones(2)
    assert type(x) == Variable and type(Variable(x)) == Variable  # noqa: E721
    assert type(nn.Parameter(x)) != Variable and isinstance(x, Variable)  # noqa: E721
    assert Variable == Variable and Variable != int  # noqa: E721
    assert {Variable: 1}[type(x)] == 1 and not isinstance(3, Variable)

    def repackage_hidden(h):
        if type(h) == Variable:  # noqa: E721
            return Variable(h.data)
        return tuple(repackage_hidden(v) for v in h)

    h = repackage_hidden((x.requires_grad_() * 2, x * 3))
    assert [v.requires_grad for v in h] == [False, False]


def check_volatile():
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Dropout())
    x = torch.ones(3, 2)
    torch.manual_seed(0)
    expected = model(x)
    torch.manual_seed(0)
    out = model(Variable(x, volatile=True))
    assert torch.equal(out, expected) and not out.requires_grad and out.volatile
    assert not model(Variable(x, volatile=False)).volatile and expected.requires_grad
    assert not expected.volatile and type(out) == Variable  # noqa: E721
    assert repr(out) == repr(expected.detach())
    assert type(out.data) is torch.Tensor and out.max(1)[1].volatile
    values, _ = out.max(1)
    assert values.volatile and out.chunk(2, 1)[0].volatile and out.size() == (3, 2)
    assert type(out.sum().data[0]) is float and type(out.numpy()) is np.ndarray
    total = torch.zeros(3, 2)
    total += out
    assert torch.equal(total, out.data)
    hidden = Variable(torch.zeros(1, 3, 4))
    hidden.volatile = True
    outputs, last = nn.GRU(2, 4)(Variable(x.view(1, 3, 2)), hidden)
    assert outputs.volatile and last.volatile
    hidden.volatile = False
    assert type(hidden) is torch.Tensor
    torch.manual_seed(0)
    assert model(x).requires_grad
    file = io.BytesIO()
    torch.save(out, file)
    file.seek(0)
    assert type(torch.load(file)) is torch.Tensor
    try:
        out.sum().backward()
        raise AssertionError
    except RuntimeError:
        pass


def check_backward():
    x = torch.ones(2, requires_grad=True)
    loss = (x * x).sum()
    loss.backward(retain_variables=True)
    loss.backward(torch.FloatTensor([1]), retain_variables=True)
    torch.autograd.backward(variables=[loss], grad_tensors=[torch.tensor(1.0)])
    assert x.grad.tolist() == [6, 6]
    (gradient,) = torch.autograd.grad((x * 3).sum(), x, retain_variables=True)
    assert gradient.tolist() == [3, 3]


class Scale(Function):
    factor = 2

    def __init__(self, by):
        super().__init__()
        self.by = by

    def times(self, x):
        return x * self.by * self.factor

    def forward(self, x, y):
        assert self.needs_input_grad == (True, False)
        self.save_for_backward(x)
        self.seen = x.size()
        return self.times(x), y + 1

    def backward(self, grad_x, grad_y):
        (x,) = self.saved_tensors
        assert self.seen == x.size()
        return self.times(grad_x) * x, None


class Modern(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 5


def check_functions():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    function = Scale(3)
    a, b = function(x, torch.ones(2))
    a.sum().backward()
    assert a.tolist() == [6, 12] and b.tolist() == [2, 2] and x.grad.tolist() == [6, 12]
    assert function.seen == (2,)
    first, second = Scale(1), Scale(10)
    x.grad = None
    (first(x, x.data)[0] + second(x, x.data)[0]).sum().backward()
    assert x.grad.tolist() == [22, 44]
    x.grad = None
    Modern.apply(x).sum().backward()
    assert x.grad.tolist() == [5, 5]
    try:
        Modern()(x)
        raise AssertionError
    except RuntimeError:
        pass


def check_step_between_two_backwards():
    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    h = w * 2
    first, second = (h * w).sum(), (h * w * w).sum()
    first.backward(retain_graph=True)
    optimizer.step()
    optimizer.zero_grad()
    # torch 1.0.0 printed 2: h and h * w are those of before the step, w is that of after it.
    second.backward()
    assert w.item() == -1.0 and w.grad.item() == 2.0


def check_losses_of_the_same_number_of_elements():
    x = torch.tensor([[0.2], [0.9]], requires_grad=True)
    loss = nn.BCELoss()(x, torch.tensor([1.0, 0.0]))
    loss.backward()
    assert abs(loss.item() - 1.9560) < 1e-4
    assert torch.allclose(x.grad, torch.tensor([[-2.5], [5.0]]))
    try:
        F.binary_cross_entropy(x, torch.ones(3))
        raise AssertionError
    except ValueError:
        pass


def check_distributions():
    distribution = torch.distributions.Bernoulli(torch.tensor(0.5))
    assert distribution.log_prob(torch.tensor(0.3)).item() < 0
    try:
        torch.distributions.Normal(0.0, -1.0, validate_args=True)
        raise AssertionError
    except ValueError:
        pass


def check_data():
    data = TensorDataset(data_tensor=torch.ones(4, 1), target_tensor=torch.arange(4))
    assert data.data_tensor.shape == (4, 1) and data.target_tensor.tolist() == [0, 1, 2, 3]
    assert len(TensorDataset(torch.ones(3), torch.ones(3), torch.ones(3)).tensors) == 3
    (batch,) = DataLoader([(torch.zeros(1), "a")], 1, pin_memory=True, collate_fn=tuple)
    assert batch == [[torch.zeros(1), "a"]]
    (batch,) = DataLoader([(torch.zeros(1), "a")], 1, collate_fn=tuple)
    assert batch == ((torch.zeros(1), "a"),)
    loader = iter(DataLoader(data, 2))
    assert loader.next()[1].tolist() == [0, 1] and next(loader)[1].tolist() == [2, 3]


def check_files_that_hold_more_than_weights():
    file = io.BytesIO()
    torch.save({"model": nn.Linear(1, 1), "n": np.float64(1)}, file)
    file.seek(0)
    assert isinstance(torch.load(file)["model"], nn.Linear)
    file.seek(0)
    assert refused("torch.load(f)", Exception, f=file)
    file.seek(0)
    try:
        torch.load(file, weights_only=True)
        raise AssertionError
    except Exception as error:
        assert "weights" in str(error).lower(), error


def check_names():
    from torch._six import container_abcs, inf, int_classes, string_classes
    from torch._utils import _accumulate
    from torch.autograd.gradcheck import zero_gradients

    assert container_abcs.Iterable is collections.Iterable and inf == math.inf
    assert isinstance(3, int_classes) and isinstance("a", string_classes)
    assert list(_accumulate([1, 2, 3])) == [1, 3, 6]
    x = torch.ones(1, requires_grad=True)
    (x * 2).sum().backward()
    zero_gradients(x)
    assert x.grad.item() == 0
    assert np.float is float and np.int is int and np.asscalar(np.array([3])) == 3
    assert np.Inf == math.inf and np.float_ is np.float64
    w = torch.zeros(2, 2)
    nn.init.constant(w, 3)
    assert w.tolist() == [[3, 3], [3, 3]]
    assert nn.utils.clip_grad_norm([x], 1.0) is not None
    assert F.sigmoid(torch.zeros(1)).item() == 0.5 and F.tanh(torch.zeros(1)).item() == 0
    assert F.upsample(torch.ones(1, 1, 2, 2), scale_factor=2).shape == (1, 1, 4, 4)


A = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
B = torch.tensor([[1.0, 2.0], [0.0, 1.0], [3.0, 1.0]])


def near(found, expected):
    return torch.allclose(found, torch.tensor(expected), atol=2e-4)


def check_linear_algebra():
    """The expected values were printed by torch 1.0.0."""
    solution = [[0.0968, 0.4096], [-0.1315, 0.1714], [1.4890, 0.3805]]
    values, vectors = torch.symeig(A, eigenvectors=True)
    assert near(values, [1.8801, 2.3983, 4.7216])
    assert near(vectors[0].abs(), [0.2530, 0.4819, 0.8389])
    lower = torch.tril(A) + torch.triu(torch.ones(3, 3), 1)
    assert near(lower.symeig(upper=False)[0], [1.8801, 2.3983, 4.7216])
    assert torch.symeig(A)[1].tolist() == torch.zeros(3, 3).tolist()
    turning = torch.tensor([[1.0, 2.0], [-3.0, 1.0]])
    values, vectors = torch.eig(turning, True)
    assert near(values, [[1.0, 2.4495], [1.0, -2.4495]])
    assert near(vectors, [[0.0, -0.6325], [0.7746, 0.0]])
    assert torch.eig(turning)[1].numel() == 0
    assert near(torch.gesv(B, A)[0], solution) and near(torch.solve(B, A)[0], solution)
    assert near(B.gesv(A)[1][1], [0.25, 2.75, 0.075])
    upper = torch.potrf(A)
    assert near(upper, [[2.0, 0.5, 0.25], [0.0, 1.6583, 0.0452], [0.0, 0.0, 1.3912]])
    assert near(A.potrf(False), upper.t().tolist())
    assert near(torch.potri(upper)[0], [0.2799, -0.0892, -0.0611])
    assert near(torch.potrs(B, upper), solution)
    vector = B[:, 0]
    column = [row[:1] for row in solution]
    assert near(torch.gesv(vector, A)[0], column) and near(torch.potrs(vector, upper), column)
    assert near(torch.trtrs(vector, upper)[0], [[0.2452], [-0.0588], [2.1564]])
    assert near(torch.potrs(B, upper.t(), upper=False), solution)
    assert near(torch.trtrs(B, upper)[0], [[0.2452, 0.7643], [-0.0588, 0.5834], [2.1564, 0.7188]])
    assert near(torch.trtrs(B, upper, transpose=True)[0][0], [0.5, 1.0])
    tall = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    found, factors = torch.gels(torch.tensor([[1.0], [2.0], [4.0]]), tall)
    assert near(found, [[0.0714], [0.5], [0.2673]]) and near(factors[0], [-5.9161, -8.2825])
    assert near(torch.lstsq(torch.tensor([[1.0], [2.0], [4.0]]), tall)[0], found.tolist())
    batch = A.unsqueeze(0)
    assert near(torch.btrisolve(B.unsqueeze(0), *torch.btrifact(batch))[0], solution)
    assert torch.matrix_rank(A).item() == 3
    assert near(torch.qr(A)[1][0], [-4.1533, -1.7095, -0.7705])
    assert near(torch.cholesky(A, upper=True), upper.tolist())


def check_spectra():
    """The expected values were printed by torch 1.0.0."""
    assert torch.rfft(B, 1).tolist() == [[[3, 0], [-1, 0]], [[1, 0], [-1, 0]], [[4, 0], [2, 0]]]
    whole = torch.rfft(B, 2, onesided=False)
    assert near(whole[1], [[0.5, 2.5981], [-1.5, 2.5981]])
    assert near(B.rfft(1, True)[0], [[2.1213, 0.0], [-0.7071, 0.0]])
    assert near(torch.irfft(torch.rfft(A, 2), 2, signal_sizes=(3, 3)), A.tolist())
    assert near(torch.irfft(torch.rfft(A, 2, onesided=False), 2, onesided=False), A.tolist())
    assert near(torch.fft(B, 1), [[4.0, 4.0], [-0.5, 3.5981], [-0.5, -1.5981]])
    assert near(torch.ifft(B, 1, True), [[2.3094, 2.3094], [-0.2887, -0.9226], [-0.2887, 2.0774]])
    assert torch.fft.fft(torch.ones(2)).is_complex()
    found = torch.stft(torch.arange(12.0), 4, hop_length=2)
    assert found.shape == (3, 7, 2) and near(found[0, :, 0], [4.0, 6, 14, 22, 30, 38, 40])
    assert near(torch.istft(found, 4, hop_length=2), torch.arange(12.0).tolist())
    assert torch.stft(torch.arange(12.0), 4, return_complex=True).is_complex()


def check_division_is_left_alone_unless_asked():
    assert (torch.tensor([3]) / 2).tolist() == [1.5]
    x = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([x], lr=0.1)
    x.sum().backward()
    optimizer.zero_grad()
    assert x.grad is None


@torch.jit.script
def scripted(x, mask):
    joined = torch.cat([x, x]).masked_fill(mask, 0.0)
    return F.binary_cross_entropy(joined.view(-1), torch.zeros([4])) + torch.dot(x, x)


def check_script():
    mask = torch.tensor([1, 0, 1, 0]) > 0
    assert abs(scripted(torch.full((2,), 0.5), mask).item() - 0.8466) < 1e-3


def check_the_files_of_torch_are_not_the_users():
    assert not refused("torch.load.__name__", Exception)
    file = os.path.join(os.path.dirname(torch.__file__), "asking.py")
    code = compile("(torch.ones(1) > 0) + (torch.ones(1) > 0)", file, "eval")
    assert eval(code).dtype == torch.bool
