"""What is told of images that SciPy stretched to bytes: only what holds for their numbers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.support.rules import advice

_STRETCHED = (
    "; other types were stretched to 0 to 255, as by"
    " np.uint8((img - img.min()) * (255 / (np.ptp(img) or 1)) + 0.5)"
)
_MOVED = " does the same where channels, if any, are last; np.transpose(y, (1, 2, 0)) moves them there from the front"

_SAVED = """
import numpy as np
import scipy.misc
import torch
def save(path, x, n):
    {}
    scipy.misc.imsave(path, img)
"""

_FLOATS = [
    "img = x.astype(float)",
    "img = x / 255.",
    "img = (x / 255.).transpose(1, 2, 0)",
    "img = x.astype(np.float32)\n    img -= img.min()",
    "img = x.copy()\n    img /= 255.",
    "img = np.zeros(n)\n    for i in range(n):\n        img *= i",
    "img = np.random.rand(n, n)",
    "img = 1 - np.sqrt(x)",
    "img = -np.exp(x)",
    "img = torch.zeros(n, n, dtype=torch.float32).numpy()",
    "img = np.swapaxes(np.transpose((x / 2 + 0.5).numpy(), (1, 2, 0)), 0, 2)[0, :, :]",
    "img = torch.ones(n, n).double().cpu().numpy().transpose(1, 0)",
]


@pytest.mark.parametrize("given", _FLOATS)
def test_of_floats_the_stretching_alone_is_told(given: str) -> None:
    (found,) = advice("TP907", _SAVED.format(given))
    assert found.message.endswith("does the same for floats") and "uint8;" not in found.message
    assert len(found.message) <= 200


@pytest.mark.parametrize(
    "given", ["img = x.astype('uint8')", "img = x.byte().numpy()", "img = np.uint8(x * 255.)"]
)
def test_of_bytes_nothing_is_told_of_others(given: str) -> None:
    (found,) = advice("TP907", _SAVED.format(given))
    assert "does the same" in found.message and "stretched" not in found.message


@pytest.mark.parametrize(
    "given",
    [
        "img = x",
        "img = x.copy()\n    img += x",
        "img = (x, x / 2.)[0]",
        "img = x[0, :, :]",
        "img = x.numpy()",
        "img = np.mean(x, axis=0, dtype=int)",
        "img = np.mean(x, **n)",
        "img = (x > 0).numpy()",
        "img = x * 2",
        "img = np.zeros(n)\n    if n:\n        img = x",
    ],
)
def test_of_what_is_not_known_both_are_told(given: str) -> None:
    (found,) = advice("TP907", _SAVED.format(given))
    assert found.message.endswith(f"does the same for uint8{_STRETCHED}")


_HEAD = "import cv2\nimport matplotlib.pyplot as plt\nimport numpy as np\nimport scipy.misc\nimport torch\nfrom PIL import Image\n"
_RESIZED = """
def cut(path, h, w, flag):
    {}
    return scipy.misc.imresize(img, (h, w))
"""


@pytest.mark.parametrize(
    "given",
    [
        "img = cv2.imread(path)",
        "img = cv2.imread(path, cv2.IMREAD_GRAYSCALE)",
        "img = cv2.imread(path, 0)",
        "img = np.zeros((h, w), dtype='uint8')\n    img[:h] = 1",
        "img = np.array(Image.open(path).convert('RGB'))",
        "img = scipy.misc.imread(path, mode='RGB')\n    if flag:\n        img = cv2.flip(img, 1)",
        "img = cv2.imread(path)[:h, :w]",
        "img = cv2.imread(path)\n    img = np.fliplr(img).copy()",
        "img = scipy.misc.imread(path + '.jpg')",
        "img = plt.imread('%s.jpg' % path)[:, ::-1]",
        "img = plt.imread(path + '.jpg')\n    if flag:\n        img = img.transpose((1, 2, 0))",
        "img = scipy.misc.imresize(path, (3, 4))\n    if flag:\n"
        "        img = np.array([img] * 3).transpose([1, 2, 0])",
    ],
)
def test_a_picture_was_not_stretched(given: str) -> None:
    *_, found = advice("TP907", _HEAD + _RESIZED.format(given))
    assert found.message.endswith(" does the same")


@pytest.mark.parametrize(
    "given",
    [
        "img = cv2.imread(path, -1)",
        "img = cv2.imread(path, cv2.IMREAD_UNCHANGED)",
        "img = cv2.imread(path, flag)",
        "img = np.array(Image.open(path))",
        "img = np.array(Image.open(path).convert('RGB'), flag)",
        "img = np.array(Image.open(path).convert(flag))",
        "img = scipy.misc.imread(path, mode='RGB')\n    if flag:\n        img = flag(img)",
        "img = path.copy()",
        "img = plt.imread(path + '.png')",
        "img = plt.imread(path + '.jpg') / 255",
        "img = plt.imread(path + '.jpg', flag)",
        "img = scipy.misc.imread(path + '.jpg', mode='F')",
        "img = np.array([flag] * 3).transpose([1, 2, 0])",
    ],
)
def test_of_what_may_be_no_picture_of_bytes_both_are_told(given: str) -> None:
    *_, found = advice("TP907", _HEAD + _RESIZED.format(given))
    assert "for uint8" in found.message and found.message.endswith(_STRETCHED)


@pytest.mark.parametrize(
    "given",
    ["cv2.imread(path)[0]", "cv2.imread(path).transpose(2, 0, 1)", "cv2.imread(path)[:, 0]"],
)
def test_of_bytes_that_were_moved_the_channels_are_told(given: str) -> None:
    *_, found = advice("TP907", _HEAD + _RESIZED.format(f"img = {given}"))
    assert "stretched" not in found.message or "[" in given
    assert not found.message.endswith(" does the same")


_RESTORED = """import numpy as np
import scipy.misc
class Saver:
    def save(self, path, x):
        img = self.restore(x)
        scipy.misc.imsave(path, img)
    @staticmethod
    def restore(x):
        x = np.transpose(x.numpy(), (1, 2, 0))
        return {}
"""


def test_what_a_method_of_the_class_gives_is_of_its_numbers() -> None:
    (found,) = advice("TP907", _RESTORED.format("np.clip(x * 255, 0, 255).astype(np.uint8)"))
    assert found.message.endswith("PIL.Image.fromarray(img).save(path) does the same")
    (found,) = advice("TP907", _RESTORED.format("x / 2."))
    assert found.message.endswith("does the same for floats")
    (found,) = advice("TP907", _RESTORED.format("x"))
    assert found.message.endswith(f"does the same for uint8{_STRETCHED}")


_SHOWN = """import numpy as np
import scipy.misc
import torch
from PIL import Image
class Shower:
    def __init__(self, net):
        self.net = net
    def run(self, x):
        self.out = {}
    def save(self, path):
        for i in range(4):
            img = self.out[i].data.cpu().numpy().transpose(1, 2, 0)
            scipy.misc.imsave(path, img)
"""


@pytest.mark.parametrize(
    ("made", "is_told"),
    [
        ("self.net.forward(x)", True),
        ("torch.nn.Conv2d(3, 3, 1)(x)", True),
        ("self.net.forward(x)[0]", True),
        ("self.net.forward(x).max(1)[1]", False),
        ("self.net.forward(x).byte()", False),
        ("x", False),
        ("self.net.forward(x) if i else torch.zeros(3, 4, 4, dtype=torch.uint8)", False),
        ("self.net.forward(x) if i else np.array(Image.open(x).convert('RGB'))", False),
    ],
)
def test_what_a_network_gives_is_of_floats(made: str, is_told: bool) -> None:
    (found,) = advice("TP907", _SHOWN.format(made))
    assert found.message.endswith("does the same for floats") is is_told


_LONG = "picture.shape[0] // self.rate_of_sampling"
_LONGER = "picture.shape[0] // self.rate_of_sampling_in_both_directions_of_it"
_LONG_IMAGE = "self.pictures_by_name[name_of_the_picture][index]"


def test_sizes_that_are_calculated_are_written() -> None:
    call = f"({_LONG}, {_LONG.replace('0', '1')})"
    text = f"import scipy.misc\nx = scipy.misc.imresize(picture, {call}, 'nearest')\n"
    (found,) = advice("TP907", text)
    assert f"resize(({_LONG.replace('0', '1')}, {_LONG}), PIL.Image.NEAREST)" in found.message


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            f"imresize(x, ({_LONGER}, 3))",
            ": for imresize(x, size), np.array(PIL.Image.fromarray(x)",
        ),
        (
            f"imresize({_LONG_IMAGE}, (h, w))",
            ": for imresize(arr, (h, w)), np.array(PIL.Image.fromarray(arr).resize((w, h)",
        ),
        (
            f"imresize({_LONG_IMAGE}, 0.5)",
            ": for imresize(arr, 0.5), np.array(PIL.Image.fromarray(",
        ),
        (
            f"toimage({_LONG_IMAGE}, mode='F')",
            ": for toimage(arr), PIL.Image.fromarray(np.asarray(",
        ),
        (
            f"toimage({_LONG_IMAGE} / 2.0)",
            ": for toimage(arr), PIL.Image.fromarray(np.uint8((arr - ",
        ),
        ("imresize(x, (h, w))", ": np.array(PIL.Image.fromarray(x).resize((w, h)"),
    ],
)
def test_what_is_too_long_to_be_written_twice_is_named_first(call: str, said: str) -> None:
    (found,) = advice("TP907", f"import scipy.misc\nscipy.misc.{call}\n")
    assert said in found.message


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("np.uint8(arr[0])", "for imsave(path, given_arr), PIL.Image.fromarray(given_arr).save("),
        ("np.uint8(x[0])", "for imsave(path, arr), PIL.Image.fromarray(arr).save(path)"),
        ("np.uint8(x)", ": PIL.Image.fromarray(np.uint8(x)).save(path)"),
    ],
)
def test_a_name_of_the_calls_stands_for_nothing_else(first: str, said: str) -> None:
    text = "import numpy as np\nfrom scipy.misc import imsave\ndef save(path, x, arr):\n"
    text += f"    imsave(path, {first})\n    imsave(path, np.uint8(x))\n"
    found, *_ = advice("TP907", text)
    assert said in found.message

    # What is written once has such a name as well.
    (found,) = advice("TP907", "import scipy.misc\nscipy.misc.imsave(path, arr / 255.)\n")
    assert "np.ptp(given_arr)" in found.message
    assert found.message.endswith(", with given_arr = arr / 255.0")


_FLAT = """import numpy as np
import scipy.misc
import torch
def save(x, path, img):
    {}
"""


@pytest.mark.parametrize(
    "lines",
    [
        "scipy.misc.toimage(img.reshape(3, 4))",
        "scipy.misc.toimage(img.reshape((3, 4)).copy()[::-1])",
        "for each in x.view(-1, 28, 28)[:10].data.cpu().numpy(): scipy.misc.toimage(each)",
        "a = torch.zeros(3, 4).numpy().transpose(1, 0)\n    scipy.misc.toimage(a)",
        "a = scipy.misc.imread(path, mode='F')\n    scipy.misc.imresize(a, (3, 4))",
        # Channels that are last are where Pillow takes them.
        "a = scipy.misc.imread(path)\n    scipy.misc.imresize(a, (3, 4))",
        "scipy.misc.toimage(img.transpose(1, 2, 0) / 255.)",
        "scipy.misc.toimage(np.transpose(img.numpy(), (1, 2, 0)).astype(np.float32))",
        "scipy.misc.toimage(img.permute(1, 2, 0).numpy())",
        "scipy.misc.toimage(np.clip(img.transpose((1, 2, 0)) * 255, 0, 255))",
        "scipy.misc.toimage(np.zeros((32, 32, 3)))",
        "scipy.misc.toimage(img.reshape([64, 64, 3]))",
        "a = img.transpose(1, 2, 0)\n    if x:\n        a = img.reshape(3, 4)\n"
        "    scipy.misc.toimage(a)",
        "scipy.misc.toimage(img[:, :, x].astype(float))",
        "a = img[:, :, x]\n    if x:\n        a = np.zeros(img.shape[:2], dtype=bool)\n"
        "    scipy.misc.toimage(a[1:x, 2:x].astype(float))",
        "a = (np.zeros((3, 4)) > 0.5).astype(float)\n    scipy.misc.toimage(a)",
    ],
)
def test_of_two_dimensions_none_are_channels(lines: str) -> None:
    *_, found = advice("TP907", _FLAT.format(lines))
    assert "channels" not in found.message and "does the same for " in found.message


@pytest.mark.parametrize(
    "lines",
    [
        "scipy.misc.toimage(img.reshape(3, 4, 5))",
        "scipy.misc.toimage(img.reshape(*x))",
        "scipy.misc.toimage(img.reshape(x))",
        "for each in img.reshape(3, 4): scipy.misc.toimage(each)",
        "for each in x.view(-1, 3, 28, 28).numpy(): scipy.misc.toimage(each)",
        "a = torch.zeros(3, 4, 5).numpy()\n    scipy.misc.toimage(a)",
        "a = img.reshape(3, 4)\n    if x:\n        a = img\n    scipy.misc.toimage(a)",
        "a = scipy.misc.imread(path)[0]\n    scipy.misc.imresize(a, (3, 4))",
        "scipy.misc.toimage(np.zeros((3, 4, 5)))",
        "scipy.misc.toimage(np.zeros((3, 4, 3)))",
        "scipy.misc.toimage(img.transpose(2, 0, 1))",
        "scipy.misc.toimage(img.transpose(1, 2, 0).transpose(2, 0, 1) / 2.)",
        "scipy.misc.toimage(img.transpose(1, 2, 0) * img)",
        "scipy.misc.toimage(img.transpose(1, 2, 0) * -img)",
        "scipy.misc.toimage(img.transpose(1, 2, 0)[0])",
        "scipy.misc.toimage(np.transpose(img, x))",
        "scipy.misc.toimage(img.reshape(4, 4, *x))",
        "scipy.misc.toimage(img[x, :, :].astype(float))",
        "scipy.misc.toimage(img[:, :, None].astype(float))",
        "scipy.misc.toimage(img[:, :, ...].astype(float))",
        "scipy.misc.toimage(torch.zeros(1, 3, 4, 5)[:, :, 2].numpy())",
        "scipy.misc.toimage(np.zeros(img.shape[:3]))",
        "scipy.misc.toimage((img > 0.5).astype(float))",
        "for each in img.transpose(1, 2, 0): scipy.misc.toimage(each)",
        "a = img.transpose(1, 2, 0)\n    if x:\n        a = img\n    scipy.misc.toimage(a)",
    ],
)
def test_of_other_dimensions_the_channels_are_told(lines: str) -> None:
    *_, found = advice("TP907", _FLAT.format(lines))
    assert "channels" in found.message


@pytest.mark.parametrize(
    ("lines", "is_known"),
    [
        ("a = scipy.misc.imresize(img, (3, 4))", True),
        ("a = scipy.misc.imrotate(img, 3)[1:, :, ::-1]", True),
        ("a = scipy.misc.imresize(img, (3, 4), mode='RGB')[:5]", True),
        ("a = scipy.misc.imresize(img, (3, 4), mode='F')", False),
        ("a = scipy.misc.imresize(img, (3, 4), mode=x)", False),
        ("a = scipy.misc.imresize(img, (3, 4))[:, :, 1:]", False),
        ("a = scipy.misc.imresize(img, (3, 4)) * x", False),
    ],
)
def test_what_scipy_made_is_a_picture_of_bytes(lines: str, is_known: bool) -> None:
    *_, found = advice("TP907", _FLAT.format(f"{lines}\n    scipy.misc.toimage(a)"))
    assert found.message.endswith("fromarray(a) does the same") is is_known


_GREY = """import numpy as np
import scipy.misc
def prepro(o, w):
    y = {}
    y = y.astype(np.uint8)
    return scipy.misc.imresize(y, (80, 80))
"""


@pytest.mark.parametrize(
    ("made", "is_known"),
    [
        ("0.21 * o[:, :, 0] + 0.72 * o[:, :, 1] + 0.07 * o[:, :, 2]", True),
        ("o[:, :, 2] / 3. + o[:, :, 1] * 0.3 + 0.3 * o[:, :, 0]", True),
        ("o.reshape(3, 4) * 1", True),
        ("o.reshape(3, 4) * w", False),
        ("o.reshape(3, 4)", True),
        ("0.21 * o[:, :, 0]", True),
        ("0.2 * o[:, :, 0] + 0.7 * w[:, :, 1] + 0.1 * o[:, :, 2]", False),
        ("0.2 * o[:, :, 0] + 0.7 * o[:, :, 0] + 0.1 * o[:, :, 2]", False),
        ("w * o[:, :, 0] + 0.7 * o[:, :, 1] + 0.1 * o[:, :, 2]", False),
        ("0.2 * o[:, 0] + 0.7 * o[:, 1] + 0.1 * o[:, 2]", False),
        ("o[:, :, 0] - o[:, :, 1] + o[:, :, 2]", False),
        ("o", False),
    ],
)
def test_the_grey_of_three_colours_has_no_channels(made: str, is_known: bool) -> None:
    (found,) = advice("TP907", _GREY.format(made))
    end = " does the same" if is_known else _MOVED
    assert found.message.endswith(end)


@pytest.mark.parametrize(
    ("named", "is_known"),
    [
        ("r, g, b = o[:, :, 0], o[:, :, 1], o[:, :, 2]", True),
        ("b = o[:, :, 2]\n    r, g = o[:, :, 0], o[:, :, 1]", True),
        ("b = o[:, :, 2]\n    o = w\n    r, g = o[:, :, 0], o[:, :, 1]", False),
        ("r, g, b = o[0], o[1], o[2]", False),
        ("r, g, b = o", False),
        ("r, g, b = o[:, :, 0], o[:, :, 1], o[:, :, 1:]", False),
    ],
)
def test_the_three_colours_may_have_names(named: str, is_known: bool) -> None:
    made = "0.299 * r + 0.587 * g + 0.114 * b"
    text = _GREY.format(made).replace("    y = ", f"    {named}\n    y = ", 1)
    (found,) = advice("TP907", text)
    assert found.message.endswith(" does the same" if is_known else _MOVED)


_SIZED = """import scipy.misc
def cut(x, {}, a=None):
{}
    return scipy.misc.imresize(x, size)
"""


@pytest.mark.parametrize(
    ("parameter", "lines", "is_known"),
    [
        ("size=[80, 80]", "    pass", True),
        ("size", "    h = size[0] / 2.", True),
        ("size", "    for i in range(3):\n        h = size[1]", True),
        ("size", "    size = [a, a]", True),
        ("size", "    pass", False),
        ("size=None", "    if size is None:\n        size = (3, 4)", False),
        ("size", "    if size is None:\n        size = (3, 4)", False),
        ("size=0.5", "    pass", False),
        ("size", "    if a:\n        h = size[0]", False),
        ("size", "    h = size[0] if a else 3", False),
        ("size", "    try:\n        h = size[0]\n    except TypeError:\n        h = size", False),
        ("size", "    h = size[0]\n    size = a", False),
        ("size", "    h = size[a]", False),
        ("size", "    size = [*a]", False),
        ("size", "    size = [4, 4] if a else 0.5", False),
    ],
)
def test_of_several_sizes_no_other_is_told(parameter: str, lines: str, is_known: bool) -> None:
    (found,) = advice("TP907", _SIZED.format(parameter, lines))
    assert ("that size is for a pair" not in found.message) is is_known


@pytest.mark.parametrize(
    ("given", "is_known"), [("[3, 4]", True), ("(h, w)", True), ("0.5", False)]
)
def test_the_sizes_are_those_of_the_calls(given: str, is_known: bool) -> None:
    text = _SIZED.format("size=[80, 80]", "    pass") + f"cut(0, {given})\ncut(0)\n"
    (found,) = advice("TP907", text)
    assert ("that size is for a pair" not in found.message) is is_known


_LOGGED = """import scipy.misc
from torchvision.utils import make_grid
def to_np(x):
    return x.cpu().numpy()
class Logger:
    def show(self, images):
        for i, img in enumerate(images):
            scipy.misc.toimage(img)
def run(logger, batches, net):
    for x, y in batches:
        {}
        for tag, images in info.items():
            logger.show(images)
"""


@pytest.mark.parametrize(
    ("lines", "is_known"),
    [
        ("info = {'x': to_np(x.float().view(-1, 3, 4)[:10])}", True),
        ("info = {'x': to_np(x.double().cuda())}", True),
        ("x = x.float().cuda(); info = {'x': to_np(x), 'out': to_np(net(x))}", True),
        ("info = {'x': to_np(make_grid(x, normalize=True).unsqueeze(0))}", True),
        ("info = {'x': to_np(make_grid(x).unsqueeze(0))}", False),
        ("info = {'x': to_np(make_grid(x, normalize=y).unsqueeze(0))}", False),
        ("info = {'x': to_np(x)}", False),
        ("info = {'x': to_np(x.float().byte())}", False),
        ("info = {'x': to_np(x.float().mul(255).byte())}", False),
        ("info = {'x': to_np(x.long())}", False),
        ("info = {'x': to_np(x.type_as(y))}", False),
        ("info = {'x': to_np(x.float()), 'y': to_np(y.byte())}", False),
        ("info = {'x': to_np(x.float()), 'y': y.numpy().astype('uint8')}", False),
        ("x.float(); info = {'x': to_np(x)}", False),
    ],
)
def test_what_is_cast_to_floats_is_of_floats_wherever_it_is_shown(
    lines: str, is_known: bool
) -> None:
    (found,) = advice("TP907", _LOGGED.format(lines))
    assert ("does the same for floats" in found.message) is is_known


_LOADED = """import numpy as np
import scipy.misc
import torch
from PIL import Image
from torch.utils.data import DataLoader
from torchvision import transforms
class Pictures(torch.utils.data.Dataset):
    def __init__(self, paths, transform=None):
        self.paths = paths
        self.transform = transform
    def __getitem__(self, index):
        img = Image.open(self.paths[index]).convert("RGB")
        if self.transform is not None:
            img = self.transform(img)
        return img, index
def show(paths, other):
    pictures = Pictures(paths, transform={})
    for data, target in DataLoader(pictures, batch_size=1):
        img = data[0, :, :, :]
        img = img.numpy().squeeze()
        img = np.transpose(img, (1, 2, 0))
        scipy.misc.imresize(img, (3, 4))
"""


@pytest.mark.parametrize(
    ("transform", "is_known"),
    [
        ("transforms.ToTensor()", True),
        ("transforms.Compose([transforms.ToTensor()])", True),
        ("other", False),
        ("np.array", False),
        ("transforms.Compose([transforms.ToTensor(), other])", False),
        ("None", False),
    ],
)
def test_pictures_that_to_tensor_made_are_of_floats(transform: str, is_known: bool) -> None:
    (found,) = advice("TP907", _LOADED.replace("{}", transform))
    assert ("does the same for floats" in found.message) is is_known


@pytest.mark.parametrize(
    ("shape", "stored", "is_last"),
    [
        ("(n, n, x.shape[0])", "img[:, :, i] = x[i]", True),
        ("[n, n, len(x)]", "img[:, :, 0] = x[i]", True),
        ("(n, n, len(x))", "img[:, i, :] = x[i]", False),
        ("(n, n, len(x))", "img[0, :, i] = x[i]", False),
        ("(n, n, len(x))", "img[:, :, :i] = x[i]", False),
        ("(n, n, len(x))", "y = img[:, :, i]", False),
        ("n", "img[:, :, i] = x[i]", False),
    ],
)
def test_an_array_that_gets_its_channels_one_by_one(shape: str, stored: str, is_last: bool) -> None:
    given = f"img = np.zeros({shape})\n    for i in range(3):\n        {stored}"
    text = _SAVED.format(given).replace("imsave(path, img)", "imresize(img, (3, 4))")
    (found,) = advice("TP907", text)
    assert ("where channels, if any, are last" not in found.message) == is_last


@pytest.mark.parametrize(
    ("change", "is_told"), [("* 255", False), ("* 256", True), ("/ 255", True), ("* h", True)]
)
def test_bytes_times_a_byte_are_bytes(change: str, is_told: bool) -> None:
    given = f"img = (path == 1).astype('uint8').reshape([h, w]) {change}"
    *_, found = advice("TP907", _HEAD + _RESIZED.format(given))
    assert ("other types were stretched" in found.message) is is_told


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            "toimage(x, high=255 * x.max(), channel_axis=0)",
            "PIL.Image.fromarray(np.uint8((x - x.min()) * (float(255 * x.max()) / (np.ptp(x) or 1))"
            " + 0.5).transpose(1, 2, 0)) does the same for floats of three dimensions",
        ),
        (
            "toimage(x.numpy(), high=255 * x.max(), channel_axis=0)",
            "fromarray(np.uint8((arr - arr.min()) * (float(255 * x.max()) / (np.ptp(arr) or 1))"
            " + 0.5).transpose(1, 2, 0)) does the same for floats of three dimensions, with"
            " arr = x.numpy()",
        ),
    ],
)
def test_what_was_stretched_to_another_number_is_written_out(call: str, said: str) -> None:
    (found,) = advice("TP907", f"import scipy.misc\nscipy.misc.{call}\n")
    assert found.message.endswith(said)


def test_of_channels_elsewhere_no_expression_is_given() -> None:
    text = "import scipy.misc\nscipy.misc.toimage(x, high=255 * x.max(), channel_axis=1)\n"
    (found,) = advice("TP907", text)
    assert "np.uint8(" not in found.message


@pytest.mark.parametrize("high", [200.0, torch.tensor(200.0)])
def test_the_expression_gives_pictures(high: object) -> None:
    x = np.arange(3 * 4 * 5, dtype=np.float32).reshape(3, 4, 5) / 60
    given = np.uint8((x - x.min()) * (float(high) / (np.ptp(x) or 1)) + 0.5).transpose(1, 2, 0)
    assert given.shape == (4, 5, 3) and (given.min(), given.max()) == (0, 200)
