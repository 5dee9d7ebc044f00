from __future__ import annotations

import pickle
import struct
from pathlib import Path

import numpy
import pytest
import torch

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

test_rewrites = rewrites(
    "TP502",
    {
        "used as a module": (
            """
            import torch
            model = torch.load(args.model)
            model.eval()
            """,
            """
            import torch
            model = torch.load(args.model, weights_only=False)
            model.eval()
            """,
        ),
        "a checkpoint of this file that holds an object": (
            """
            import torch
            class Trainer:
                def __init__(self, model, config):
                    self.model = model
                    self.config = config
                    self.folder = config.save_dir
                def save(self, epoch):
                    state = {"epoch": epoch, "model": self.model.state_dict(), "config": self.config}
                    torch.save(state, self.folder / f"{epoch}.pth")
                def resume(self, path):
                    checkpoint = torch.load(path)
                    self.start = checkpoint["epoch"] + 1
                    self.model.load_state_dict(checkpoint["model"])
            """,
            """
            import torch
            class Trainer:
                def __init__(self, model, config):
                    self.model = model
                    self.config = config
                    self.folder = config.save_dir
                def save(self, epoch):
                    state = {"epoch": epoch, "model": self.model.state_dict(), "config": self.config}
                    torch.save(state, self.folder / f"{epoch}.pth")
                def resume(self, path):
                    checkpoint = torch.load(path, weights_only=False)
                    self.start = checkpoint["epoch"] + 1
                    self.model.load_state_dict(checkpoint["model"])
            """,
        ),
        "options that a model is built by": (
            """
            import torch
            import torch.nn as nn
            class Base(nn.Module):
                def __init__(self, size, opt):
                    super().__init__()
                    self.fc = nn.Linear(opt.hidden_size, size)
            class Net(Base):
                pass
            saved = torch.load(path)
            net = Net(3, opt=saved["opt"])
            net.load_state_dict(saved["model"])
            """,
            """
            import torch
            import torch.nn as nn
            class Base(nn.Module):
                def __init__(self, size, opt):
                    super().__init__()
                    self.fc = nn.Linear(opt.hidden_size, size)
            class Net(Base):
                pass
            saved = torch.load(path, weights_only=False)
            net = Net(3, opt=saved["opt"])
            net.load_state_dict(saved["model"])
            """,
        ),
        "one of several that are unpacked": (
            """
            import torch
            saved = torch.load(path)
            opt, state = saved["opt"], saved["state_dict"]
            print(opt.hidden_size)
            """,
            """
            import torch
            saved = torch.load(path, weights_only=False)
            opt, state = saved["opt"], saved["state_dict"]
            print(opt.hidden_size)
            """,
        ),
        "moved on every way to where it is called": (
            """
            import torch
            model = torch.load(path)["model"]
            if cuda:
                model = model.cuda()
            else:
                model = model.cpu()
            print(model(x))
            """,
            """
            import torch
            model = torch.load(path, weights_only=False)["model"]
            if cuda:
                model = model.cuda()
            else:
                model = model.cpu()
            print(model(x))
            """,
        ),
        "saved before by a function that gets a model": (
            """
            import torch
            def check(model, name):
                model.load_state_dict(torch.load(name + "_weights"))
                torch.save(model, name + ".h5")
                model = torch.load(name + ".h5")
            """,
            """
            import torch
            def check(model, name):
                model.load_state_dict(torch.load(name + "_weights"))
                torch.save(model, name + ".h5")
                model = torch.load(name + ".h5", weights_only=False)
            """,
        ),
        "moved in a loop, where there is a GPU": (
            """
            import torch
            model = torch.load(path)
            for x in images:
                if cuda:
                    model = model.cuda()
                print(model(x))
            """,
            """
            import torch
            model = torch.load(path, weights_only=False)
            for x in images:
                if cuda:
                    model = model.cuda()
                print(model(x))
            """,
        ),
        "moved where it is loaded": (
            """
            import torch
            model = torch.load("model").cuda()
            model.train()
            """,
            """
            import torch
            model = torch.load("model", weights_only=False).cuda()
            model.train()
            """,
        ),
        "loaded or built": (
            """
            import torch
            if resume:
                model = torch.load(path)
            else:
                model = build()
            print(sum(p.numel() for p in model.parameters()))
            """,
            """
            import torch
            if resume:
                model = torch.load(path, weights_only=False)
            else:
                model = build()
            print(sum(p.numel() for p in model.parameters()))
            """,
        ),
        "one file, loaded in two ways": (
            """
            import torch
            if gpu:
                model = torch.load(options.path)
            else:
                model = torch.load(options.path, "cpu")
            def test():
                model.eval()
            """,
            """
            import torch
            if gpu:
                model = torch.load(options.path, weights_only=False)
            else:
                model = torch.load(options.path, "cpu", weights_only=False)
            def test():
                model.eval()
            """,
        ),
        "loaded in the place of one that was built": (
            """
            import torch
            model = torch.nn.Linear(2, 1)
            if path:
                model = torch.load(path)
            if cuda:
                model.train()
            """,
            """
            import torch
            model = torch.nn.Linear(2, 1)
            if path:
                model = torch.load(path, weights_only=False)
            if cuda:
                model.train()
            """,
        ),
        "one of several": (
            """
            import torch
            policy, ob_rms = torch.load(path)
            print(policy.state_size)
            """,
            """
            import torch
            policy, ob_rms = torch.load(path, weights_only=False)
            print(policy.state_size)
            """,
        ),
        "kept with the options": (
            """
            import torch
            if __name__ == "__main__":
                options.infersent = torch.load(path)
                options.infersent.encoder.set_words(words)
            """,
            """
            import torch
            if __name__ == "__main__":
                options.infersent = torch.load(path, weights_only=False)
                options.infersent.encoder.set_words(words)
            """,
        ),
        "an array of numpy": (
            """
            import torch
            mapping.copy_(torch.from_numpy(torch.load(path)))
            saved = torch.load(other)
            vectors = torch.from_numpy(saved["vectors"])
            """,
            """
            import torch
            mapping.copy_(torch.from_numpy(torch.load(path, weights_only=False)))
            saved = torch.load(other, weights_only=False)
            vectors = torch.from_numpy(saved["vectors"])
            """,
        ),
        "what a list holds": (
            """
            import torch
            model = torch.nn.Linear(2, 3)
            torch.save([3, (model,)], "m.pt")
            epoch, (model,) = torch.load("m.pt")
            """,
            """
            import torch
            model = torch.nn.Linear(2, 3)
            torch.save([3, (model,)], "m.pt")
            epoch, (model,) = torch.load("m.pt", weights_only=False)
            """,
        ),
        "a whole optimizer": (
            """
            import torch
            optimizer = torch.optim.SGD(params, lr=1)
            torch.save({"optimizer": optimizer}, "o.pt")
            saved = torch.load("o.pt")
            """,
            """
            import torch
            optimizer = torch.optim.SGD(params, lr=1)
            torch.save({"optimizer": optimizer}, "o.pt")
            saved = torch.load("o.pt", weights_only=False)
            """,
        ),
        "map_location by its place": (
            """
            import torch
            model = torch.load("m.pt", "cpu")
            model.eval()
            """,
            """
            import torch
            model = torch.load("m.pt", "cpu", weights_only=False)
            model.eval()
            """,
        ),
        "map_location stays": (
            """
            from torch import load
            with open("m.pt", "rb") as f:
                model = load(f, map_location=lambda storage, loc: storage)
            print(sum(p.numel() for p in model.parameters()))
            """,
            """
            from torch import load
            with open("m.pt", "rb") as f:
                model = load(f, map_location=lambda storage, loc: storage, weights_only=False)
            print(sum(p.numel() for p in model.parameters()))
            """,
        ),
        "arguments on lines of their own": (
            """
            import torch
            model = torch.load("m.pt",
                               map_location="cpu")
            model.eval()
            """,
            """
            import torch
            model = torch.load("m.pt",
                               map_location="cpu",
                               weights_only=False)
            model.eval()
            """,
        ),
        "namespace in a dict": (
            """
            import torch
            checkpoint = torch.load(path)
            opt = checkpoint['opt']
            print(opt.rnn_size)
            """,
            """
            import torch
            checkpoint = torch.load(path, weights_only=False)
            opt = checkpoint['opt']
            print(opt.rnn_size)
            """,
        ),
        "attribute of an object": (
            """
            import torch
            class Trainer:
                def resume(self, path):
                    self.model = torch.load(path)
                def run(self, x):
                    return self.model(x)
            """,
            """
            import torch
            class Trainer:
                def resume(self, path):
                    self.model = torch.load(path, weights_only=False)
                def run(self, x):
                    return self.model(x)
            """,
        ),
        "written through another open file": (
            """
            import torch, torch.nn as nn
            with open("m.pt", "wb") as f:
                torch.save(nn.Linear(2, 1), f)
            with open("m.pt", "rb") as f:
                x = torch.load(f)
            """,
            """
            import torch, torch.nn as nn
            with open("m.pt", "wb") as f:
                torch.save(nn.Linear(2, 1), f)
            with open("m.pt", "rb") as f:
                x = torch.load(f, weights_only=False)
            """,
        ),
        "saved by a function that gets the path, used by another": (
            """
            import torch
            def predict(model, x):
                return model.forward(x)
            net = torch.load("m.pt")
            predict(net, x)
            """,
            """
            import torch
            def predict(model, x):
                return model.forward(x)
            net = torch.load("m.pt", weights_only=False)
            predict(net, x)
            """,
        ),
        "saved with its arguments in the same file": (
            """
            import argparse
            import torch
            PATH = "last.pt"
            args = argparse.ArgumentParser().parse_args()
            torch.save({"args": args}, PATH)
            old = torch.load(PATH)
            """,
            """
            import argparse
            import torch
            PATH = "last.pt"
            args = argparse.ArgumentParser().parse_args()
            torch.save({"args": args}, PATH)
            old = torch.load(PATH, weights_only=False)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP502",
    {
        "saved before by a function that may get a dict": """
            import torch
            def check(model, name):
                model.update(step=model.state_dict)
                torch.save(model, name + ".h5")
                model = torch.load(name + ".h5")
                model = build(model)
                model.eval()
            """,
        "one of two that are saved": """
            import torch
            def check(model, weights, name):
                if weights is not None:
                    model = weights
                model.eval()
                torch.save(model, name + ".h5")
                model = torch.load(name + ".h5")
            """,
        "options in a dict that a model is built by": """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self, size, opt, **more):
                    super().__init__()
                    self.fc = nn.Linear(opt["hidden_size"], size.hidden_size)
            saved = torch.load(path)
            net = Net(3, saved["opt"])
            other = Net(3, 3, opts=saved["opt"])
            net.load_state_dict(saved["model"])
            """,
        "another one of several that are unpacked": """
            import torch
            saved = torch.load(path)
            opt, state = make(), saved["state_dict"]
            a, *b = saved["opt"], 1, 2
            both = saved["opt"], opt
            print(opt.hidden_size, b.hidden_size, both.hidden_size)
            """,
        "a tensor that is moved": """
            import torch
            x = torch.load(path).cuda()
            y = torch.load(path).float().to(device)
            print(x.shape, y.size(0), x.data)
            """,
        "two files, of which one may hold a dict": """
            import torch
            if whole:
                model = torch.load(path)
            else:
                model = torch.load(other)
            if whole:
                model.eval()
            """,
        "two files of one name": """
            import torch
            if whole:
                path = "whole.pt"
                model = torch.load(path)
            else:
                path = "state.pt"
                model = torch.load(path)
            if whole:
                model.eval()
            """,
        "one file, loaded in two ways, and asked which": """
            import torch
            if gpu:
                model = torch.load(path)
            else:
                model = torch.load(path, "cpu")
            if isinstance(model, torch.nn.Module):
                model.eval()
            """,
        "loaded or built, and asked which": """
            import torch
            if resume:
                model = torch.load(path)
            else:
                model = build()
            if isinstance(model, torch.nn.Module):
                model.eval()
            """,
        "loaded in the place of something, or of a model that is asked for": """
            import torch
            state = build()
            if path:
                state = torch.load(path)
            if cuda:
                state.eval()
            model = torch.nn.Linear(2, 1)
            if path:
                model = torch.load(path)
            if isinstance(model, torch.nn.Module):
                model.train()
            """,
        "several tensors": """
            import torch
            mean, std = torch.load(path)
            first, *rest = torch.load(path)
            print(mean.shape, std.size(), rest.encoder)
            """,
        "an attribute of options that is set elsewhere, too": """
            import torch
            options.model = torch.load(path)
            other.model = build()
            print(options.model.encoder)
            """,
        "an attribute of what a function returns": """
            import torch
            get().model = torch.load(path)
            print(get().model.encoder)
            """,
        "an array of something else": """
            import torch
            torch.from_numpy(array).copy_(torch.load(path))
            from_numpy(torch.load(path))
            """,
        "pickle_module by its place": """
            import torch
            model = torch.load("m.pt", "cpu", pickle)
            model.eval()
            """,
        "a list of numbers and state dicts": """
            import torch
            model = torch.nn.Linear(2, 3)
            optimizer = torch.optim.SGD(model.parameters(), lr=1)
            torch.save([3, model.state_dict(), (optimizer.state_dict(),)], "m.pt")
            epoch, model, optimizer = torch.load("m.pt")
            """,
        "state dict": """
            import torch
            model.load_state_dict(torch.load("m.pt"))
            """,
        "state dict in an attribute, beside a module in another": """
            import torch
            class Trainer:
                def __init__(self, net, path):
                    self.net = net
                    self.state = torch.load(path)
                def restore(self):
                    self.net.load_state_dict(self.state)
                    self.net.eval()
            """,
        "checkpoint of tensors": """
            import torch
            checkpoint = torch.load("m.pt")
            model.load_state_dict(checkpoint["state_dict"])
            best = checkpoint["best"]
            print(best.item(), checkpoint.keys(), checkpoint["lr"].shape)
            """,
        "unknown content": """
            import torch
            data = torch.load("data.pt")
            train(data)
            """,
        "weights_only given": """
            import torch
            model = torch.load("m.pt", weights_only=True)
            model.eval()
            """,
        "file that knows the argument": """
            import torch
            weights = torch.load("w.pt", weights_only=True)
            model = torch.load("m.pt")
            model.eval()
            """,
        "pickle module": """
            import dill
            import torch
            model = torch.load("m.pt", pickle_module=dill)
            model.eval()
            """,
        "keyword arguments of unknown content": """
            import torch
            model = torch.load("m.pt", **options)
            model.eval()
            """,
        "load of another library": """
            import joblib, torch
            model = joblib.load("m.pt")
            model.eval()
            """,
        "own function": """
            import torch
            def load(path):
                return path
            model = load("m.pt")
            model.eval()
            """,
        "saved under another name": """
            import torch, torch.nn as nn
            torch.save(nn.Linear(2, 1), "a.pt")
            weights = torch.load("b.pt")
            """,
        "path that is bound again": """
            import torch, torch.nn as nn
            path = "a.pt"
            torch.save(nn.Linear(2, 1), path)
            path = "b.pt"
            weights = torch.load(path)
            """,
        "the name may hold another model": """
            import torch, torch.nn as nn
            if resume:
                model = torch.load("m.pt")
            else:
                model = nn.Linear(2, 1)
            if not resume:
                model.eval()
            print(resume or model.training)
            def run(x):
                return model(x)
            """,
        "suppressed": """
            import torch
            model = torch.load("m.pt")  # noqa: TP502
            model.eval()
            """,
    },
)


@pytest.mark.parametrize(
    "load",
    [
        "torch.load(open(path))",
        "torch.load(open(path, 'r'), map_location='cpu')",
        "pickle.load(open(path, mode='r'))",
        "f = open(path)\n    torch.load(f)",
        "with open(path) as f:\n        pickle.load(f)",
        "with open(path) as f:\n        np.load(f)",
        "np.load(open(path, 'r'), allow_pickle=True)",
        "from scipy.io import loadmat\n    loadmat(open(path, 'r'))",
    ],
)
def test_a_file_that_python_2_read_as_bytes_is_reported(load: str) -> None:
    text = f"import pickle\nimport numpy as np\nimport torch\ndef f(path):\n    {load}\n"
    (finding,) = advice("TP502", text)
    assert "reads text since Python 3" in finding.message
    assert "needs bytes: open it with 'rb'" in finding.message
    longer = text.replace("open(path", "open(os.path.join(folder, 'infos_' + name + '.pkl')")
    (finding,) = advice("TP502", longer)
    assert finding.message.startswith("open(...) reads text")


_TRIED = """import pickle
import torch
def f(path, x):
    try:
        with open(path{mode}) as f:
            {does}
    except{caught}:
        with {again} as f:
            return {does}
"""


@pytest.mark.parametrize("caught", ["", " Exception", " (TypeError, UnicodeDecodeError)"])
def test_a_file_that_is_opened_again_for_bytes_is_not(caught: str) -> None:
    def said(**other: str) -> int:
        parts = {"mode": "", "does": "pickle.load(f)", "again": "open(path, 'rb')"}
        parts = {"caught": caught, **parts, **other}
        return len(advice("TP502", _TRIED.format(**parts)))

    assert not said()
    assert not said(does="torch.load(f)")
    assert not said(mode=", 'w'", does="pickle.dump(x, f)", again="open(path, 'wb')")
    assert said(caught=" TypeError") and said(caught=" IOError")
    assert said(again="open(path + '.old', 'rb')") and said(again="open(path)") == 2
    assert said(again="gzip.open(path)") and said(again="open(*path)")


@pytest.mark.parametrize(
    "load",
    [
        "torch.load(open(path, 'rb'))",
        "torch.load(open(path, mode=mode))",
        "torch.load(open(*path))",
        "torch.load(gzip.open(path))",
        "torch.load(path)",
        "torch.load()",
        "json.load(open(path))",
        "np.load(path)",
        "np.load(open(path, 'rb'))",
        "np.loadtxt(open(path))",
        "open = path.open\n    torch.load(open(path))",
        "f = open(path) if path else open(path, 'rb')\n    torch.load(f)",
        "f = open(path)\n    if mode:\n        f = open(path, 'rb')\n    torch.load(f)",
        "f, g = open(path)\n    torch.load(f)",
        "for f in open(path):\n        torch.load(f)",
    ],
)
def test_a_file_that_may_be_read_as_bytes_is_not(load: str) -> None:
    text = f"import gzip, json\nimport numpy as np\nimport torch\ndef f(path, mode):\n    {load}\n"
    assert not advice("TP502", text)


@pytest.mark.parametrize(
    ("save", "mode"),
    [
        ("pickle.dump(x, open(path, 'w'))", "wb"),
        ("pickle.dump(x, open(path, mode='wt'), protocol=2)", "wb"),
        ("pickle.dump(x, file=open(path, 'a+'))", "ab+"),
        ("torch.save(x, open(path, 'w'))", "wb"),
        ("f = open(path, 'w')\n    pickle.dump(x, f)", "wb"),
        ("with open(path, 'w') as f:\n        torch.save(x, f)", "wb"),
        ("with open(path, 'w') as f:\n        np.save(f, x)", "wb"),
    ],
)
def test_bytes_that_are_written_as_text_are_reported(save: str, mode: str) -> None:
    head = "import pickle\nimport numpy as np\nimport torch\n"
    (finding,) = advice("TP502", f"{head}def f(path, x):\n    {save}\n")
    assert "writes text since Python 3" in finding.message
    assert finding.message.endswith(f"writes bytes: open it with '{mode}'")


@pytest.mark.parametrize(
    "save",
    [
        "pickle.dump(x, open(path, 'wb'))",
        "pickle.dump(x, open(path, mode))",
        "pickle.dump(x, open(path))",
        "pickle.dump(x, open(path, 'r'))",
        "pickle.dump(x, open(path, *mode))",
        "pickle.dump(x, gzip.open(path, 'w'))",
        "pickle.dump(open(path, 'w'), path)",
        "json.dump(x, open(path, 'w'))",
        "torch.save(x, path)",
        "np.save(path, x)",
        "np.save(open(path, 'wb'), x)",
        "np.savetxt(open(path, 'w'), x)",
        "f = open(path, 'w')\n    if mode:\n        f = open(path, 'wb')\n    pickle.dump(x, f)",
        "f = open(path, 'w')\n    json.dump(x, f)\n    pickle.dump(x, path)",
    ],
)
def test_what_may_be_written_as_bytes_is_not(save: str) -> None:
    head = "import gzip, json, pickle\nimport numpy as np\nimport torch\n"
    assert not advice("TP502", f"{head}def f(path, mode, x):\n    {save}\n")


_PACKED = "import struct\ndef f(path, xs, log, mode):\n    f = open(path, 'w')\n    for x in xs:\n"


@pytest.mark.parametrize(
    "written",
    [
        "f.write(struct.pack('<Q', x))",
        "f.write(struct.pack('<Q', x))\n        f.write(struct.pack('I', f.tell())); f.flush()",
        "log.write('a'); f.write(struct.pack('<Q', x))\n    f.close()",
    ],
)
def test_packed_numbers_that_are_written_as_text_are_reported(written: str) -> None:
    text = f"{_PACKED}        {written}\n"
    (finding,) = advice("TP502", text)
    assert finding.message == (
        "open(path, 'w') writes text since Python 3, and struct.pack gives bytes: open it with 'wb'"
    )
    assert not advice("TP502", text.replace("'w'", "'wb'"))


def test_packed_numbers_need_a_file_of_bytes(tmp_path: Path) -> None:
    with open(tmp_path / "a", "w") as file, pytest.raises(TypeError):
        file.write(struct.pack("<Q", 1))  # type: ignore[arg-type]
    with open(tmp_path / "a", "wb") as file:
        file.write(struct.pack("<Q", 1))


@pytest.mark.parametrize(
    "written",
    [
        "f.write(str(struct.pack('<Q', x)))",
        "f.write(struct.pack('<Q', x)); f.write('text')",
        "f.write(struct.pack('<Q', x)); print(x, file=f)",
        "f.write(struct.pack('<Q', x)); log(f)",
        "f.write(x.pack('<Q', x))",
        "log.write(struct.pack('<Q', x))",
        "f = open(path, mode); f.write(struct.pack('<Q', x))",
        "log.write(struct.pack('<Q', x)); f.write('text')",
        "try:\n            f.write(struct.pack('<Q', x))\n        except TypeError: pass",
        "f.buffer.write(struct.pack('<Q', x))",
    ],
)
def test_packed_numbers_that_may_be_written_are_not(written: str) -> None:
    assert not advice("TP502", f"{_PACKED}        {written}\n")


@pytest.mark.parametrize("save", ["torch.save", "pickle.dump"])
def test_the_text_that_is_reported_raises(save: str, tmp_path: Path) -> None:
    write = {"torch.save": torch.save, "pickle.dump": pickle.dump}[save]
    with open(tmp_path / "a", "w") as file, pytest.raises(TypeError):
        write({"a": 1}, file)
    with open(tmp_path / "a", "wb") as file:
        write({"a": 1}, file)


def test_nothing_is_said_of_who_wrote_a_pickle() -> None:
    text = "import pickle\nimport numpy as np\nx = np.array(pickle.load(open('a')))\n"
    (finding,) = advice("TP502", text)
    assert finding.message.endswith("open it with 'rb'")


def test_a_load_goes_by_the_name_that_the_file_has() -> None:
    (finding,) = advice("TP502", "import cPickle as pickle\nx = pickle.load(open('a'))\n")
    assert "pickle.load needs bytes" in finding.message and "cPickle" not in finding.message


def test_a_pickle_is_read_as_before() -> None:
    text = "import pickle\nmodel = pickle.load(open('m', 'rb'))\nmodel.eval()\n"
    assert migrate(text, "TP502").text == text


_TRAINER = """
import torch
class Trainer:
    def __init__(self, model, config):
        self.model = model
        self.config = config
        self.folder = {read}
    def save(self, epoch):
        state = {{"epoch": epoch, "model": self.model.state_dict(), {held}}}
        torch.save(state, {path})
        {also}
    def resume(self, path):
        checkpoint = torch.load({loaded})
        {use}
"""
_ITEMS = 'self.start, weights = checkpoint["epoch"], checkpoint["model"]'


@pytest.mark.parametrize(
    ("changed", "is_rewritten"),
    [
        ({}, True),
        ({"path": "'a.pth'"}, True),
        ({"read": "config['folder']"}, False),
        ({"read": "config.get('folder')"}, False),
        ({"read": "config.shape"}, False),
        ({"held": '"config": self.config["sizes"]'}, False),
        ({"held": '"config": self.other'}, False),
        ({"held": '"config": self.model.config'}, False),
        ({"use": 'weights = checkpoint["model"]'}, True),
        ({"use": 'weights = checkpoint["model"]', "also": "torch.save(best, path)"}, False),
        ({"use": 'weights = checkpoint["model"]', "also": "make()\ndef load(path):"}, False),
        ({"use": 'weights = checkpoint["model"]', "held": '"config": 3'}, False),
        ({"use": 'weights = checkpoint["best"]'}, False),
        ({"read": "make()", "also": "print(self.config.name)"}, True),
        ({"read": "make()", "also": "print(self.config.keys())"}, False),
        ({"read": "make()", "also": "print(max(self.config, key=self.config.get))"}, False),
        ({"read": "make()", "also": "print(self.other.name)"}, False),
        ({"use": 'weights, best = checkpoint["model"], checkpoint["best"]'}, False),
        ({"use": "self.model.load_state_dict(checkpoint)"}, False),
        ({"path": "'a.pth'", "loaded": "'b.pth'"}, False),
        ({"loaded": "path, weights_only=True"}, False),
    ],
)
def test_a_checkpoint_is_known_by_its_keys(changed: dict[str, str], is_rewritten: bool) -> None:
    parts = {"read": "config.folder", "held": '"config": self.config', "path": "self.path(epoch)"}
    parts |= {"also": "pass", "loaded": "path", "use": _ITEMS}
    text = _TRAINER.format(**{**parts, **changed})
    after = migrate(text, "TP502").text
    assert ("weights_only=False" in after) == is_rewritten
    assert is_rewritten or after == text


_SCORED = """
import numpy as np
import torch
class Trainer:
    def __init__(self):
        self.best = {first}
    def score(self, hits):
        return np.mean(np.array(hits))
    def save(self, model, path, hits, n):
        score = {score}
        if score > self.best:
            self.best = score
        torch.save({{"model": model.state_dict(), "epoch": n, "best": self.best}}, path)
def resume(model, path):
    checkpoint = torch.load(path)
    model.load_state_dict(checkpoint["model"])
    return checkpoint["epoch"]
"""


@pytest.mark.parametrize(
    ("first", "score", "is_rewritten"),
    [
        ("0", "np.mean([0.5, 1])", True),
        ("-1.0", "self.score(hits)", True),
        ("None", "np.zeros(3).max()", True),
        ("0", "float(self.score(hits))", False),
        ("0", "self.score(hits).item()", False),
        ("0", "n", False),
        ("0", "1", False),
        ("float('inf')", "self.score(hits)", False),
    ],
)
def test_a_number_of_numpy_that_an_object_keeps_is_one(
    first: str, score: str, is_rewritten: bool
) -> None:
    text = _SCORED.format(first=first, score=score)
    after = migrate(text, "TP502").text
    assert ("weights_only=False" in after) == is_rewritten
    assert is_rewritten or after == text


_STORED = """
import argparse
import torch
def save(model, scores, path):
    state = {{"model": model.state_dict()}}
    {store}
    torch.save({saved}, path)
def load(path):
    state = torch.load(path + ".pt")
    return state["model"], state["scores"]
args = argparse.ArgumentParser().parse_args()
"""


@pytest.mark.parametrize(
    ("store", "saved", "is_rewritten"),
    [
        ("state['scores'], state['args'] = scores, args", "state", False),
        ("state['scores'] = scores\n    state['args'] = args", "state", True),
        ("if scores:\n        state['scores'] = args", "state", True),
        ("state['scores'] = scores\n    state['size'] = 3", "state", False),
        ("state['best'] = args", "state", False),
        ("state['scores'] = args", "{'model': model}", False),
        ("state['scores']['all'] = args", "state", False),
    ],
)
def test_what_is_stored_in_a_dict_later_is_saved_as_well(
    store: str, saved: str, is_rewritten: bool
) -> None:
    text = _STORED.format(store=store, saved=saved)
    assert ("weights_only=False" in migrate(text, "TP502").text) == is_rewritten


_HANDED_OVER = """
import argparse
import torch
from saving import Logger, Saver
saver = Saver()
args = argparse.ArgumentParser().parse_args()
def resume(path):
    state = torch.load(path)
    return {read}
logger = None
if args.log:
    logger = Logger()
state = {{"epoch": 3, "best": 0.5, {held}}}
saver.write({given}, "a.pt")
"""
#: What stands in a dict later.
_PUT_IN = "'log': 'a.log'}\nstate['args'] = args\nother = {'a': 1"
_SAVING = """
import torch
class Logger:
    pass
class Saver:
    def write(self, state, path):
        {does}
"""


@pytest.mark.parametrize(
    ("changed", "is_rewritten"),
    [
        ({}, True),
        ({"held": "'log': logger"}, True),
        ({"held": "'log': 'a.log'"}, False),
        ({"held": _PUT_IN, "read": "state['epoch'], state['args']"}, True),
        (
            {"held": _PUT_IN.replace("= args", "= 1"), "read": "state['epoch'], state['args']"},
            False,
        ),
        ({"read": "state['epoch']"}, False),
        ({"read": "state['epoch'], state['state_dict']"}, False),
        ({"given": "{'epoch': 3}"}, False),
        ({"does": "print(state)"}, False),
        ({"does": "torch.save(path, state)"}, False),
    ],
)
def test_a_dict_is_saved_by_what_another_file_defines(
    tmp_path: Path, changed: dict[str, str], is_rewritten: bool
) -> None:
    parts = {"read": "state['epoch'], state['best']", "held": "'args': args", "given": "state"}
    parts |= {"does": "torch.save(state, path)", **changed}
    (tmp_path / "saving.py").write_text(_SAVING.format(**parts))
    _assert_read_as_object(tmp_path / "main.py", _HANDED_OVER.format(**parts), is_rewritten)


@pytest.mark.parametrize(
    ("changed", "is_rewritten"),
    [
        ({}, True),
        ({"held": "'log': logger"}, True),
        ({"held": "'log': 'a.log'"}, False),
        ({"read": "state['epoch']"}, False),
        ({"given": "{'epoch': 3}"}, False),
        ({"does": "torch.save({'a': state}, path)"}, False),
    ],
)
def test_a_dict_is_saved_by_a_function_of_the_same_file(
    tmp_path: Path, changed: dict[str, str], is_rewritten: bool
) -> None:
    parts = {"read": "state['epoch'], state['best']", "held": "'args': args", "given": "state"}
    parts |= {"does": "torch.save(state, path)", **changed}
    text = (_SAVING + _HANDED_OVER).format(**parts).replace("from saving import", "# ")
    _assert_read_as_object(tmp_path / "main.py", text, is_rewritten)


_NAMED = """
import os
import torch
def names(folder, tag):
    return os.path.join(folder, tag + "model"), os.path.join(folder, tag + "log")
def other(folder, tag):
    return folder + tag, folder
def save(model, folder, tag=""):
    {saved} = names(folder, tag)
    torch.save(model, path)
def load(folder, tag=""):
    {loaded}
    model = torch.load(path)
    {use}
save(torch.nn.Linear(2, 1), "here")
"""


@pytest.mark.parametrize(
    ("changed", "is_rewritten"),
    [
        ({}, True),
        ({"saved": "log, path"}, False),
        ({"loaded": "path, log = other(folder, tag)"}, False),
        ({"loaded": "path, log = names(folder, 'old')"}, False),
        ({"loaded": "path, log = names(tag=tag, folder=folder)"}, False),
        ({"loaded": "path, log = make(folder, tag)"}, False),
        ({"use": "other.load_state_dict(model)"}, False),
    ],
)
def test_a_function_gives_the_path_that_two_places_name(
    tmp_path: Path, changed: dict[str, str], is_rewritten: bool
) -> None:
    parts = {"saved": "path, log", "loaded": "path, log = names(folder, tag)"}
    text = _NAMED.format(**{**parts, "use": "return model", **changed})
    _assert_read_as_object(tmp_path / "io.py", text, is_rewritten)


@pytest.mark.parametrize(
    ("held", "is_rewritten"),
    [
        ("pathlib.Path('x')", True),
        ("[Path('x'), 1]", True),
        ("collections.deque([1])", True),
        ("defaultdict(list)", True),
        ("datetime.datetime(2020, 1, 1)", True),
        ("{1, 2}", False),
        ("collections.Counter('aab')", False),
        ("collections.OrderedDict()", False),
        ("str(pathlib.Path('x'))", False),
        ("other(1)", False),
    ],
)
def test_what_torch_refuses_of_pythons_classes(held: str, is_rewritten: bool) -> None:
    text = (
        "import collections\nimport datetime\nimport pathlib\nimport torch\n"
        "from collections import defaultdict\nfrom pathlib import Path\n"
        f"torch.save({{'held': {held}}}, 'a.pt')\nstate = torch.load('a.pt')\n"
    )
    after = migrate(text, "TP502").text
    assert ("weights_only=False" in after) == is_rewritten
    assert is_rewritten or after == text


_OPTIONS = """
import os
import torch
from options import Options
FILE = "options.pt"
class Base:
    @classmethod
    def create(cls, task, options, **more):
        folder = folder_of(task, cls)
        {save}
        return cls(options, **more)
    @classmethod
    def load(cls, task):
        folder = folder_of(task, cls)
        path = os.path.join(folder, FILE)
        {load}
        return cls(options)
"""
_SAVE = "torch.save(options, os.path.join(folder, FILE))"
_LOAD = "options = torch.load(path)"
_CALL = "net = Net.create('tagging', Options(size=3))\n"


@pytest.mark.parametrize(
    ("save", "load", "call", "is_rewritten"),
    [
        (_SAVE, _LOAD, _CALL, True),
        (_SAVE, _LOAD, "net = Net.create('tagging', {'size': 3})\n", False),
        (_SAVE, _LOAD, "net = Net.create(Options(), {})\n", False),
        (_SAVE, _LOAD, "net = Other.create('tagging', Options(size=3))\n", False),
        (_SAVE.replace("FILE", "'other.pt'"), _LOAD, _CALL, False),
        (_SAVE.replace("folder", "place"), _LOAD, _CALL, False),
        (_SAVE, "net.load_state_dict(torch.load(path))", _CALL, False),
        (_SAVE, "state = torch.load(path)\n        net.load_state_dict(state)", _CALL, False),
        ("pass", _LOAD, _CALL, False),
    ],
)
def test_a_file_holds_what_the_calls_of_another_file_have_saved(
    tmp_path: Path, save: str, load: str, call: str, is_rewritten: bool
) -> None:
    text = _OPTIONS.format(save=save, load=load)
    (tmp_path / "options.py").write_text("class Options(object):\n    pass\n")
    (tmp_path / "net.py").write_text(
        "from base import Base\nfrom options import Options\nclass Net(Base):\n    pass\n"
        "class Other:\n    @classmethod\n    def create(cls, task, options):\n        pass\n" + call
    )
    _assert_read_as_object(tmp_path / "base.py", text, is_rewritten)


_KEEPER = """
import pathlib
import torch
class Keeper:
    def __init__(self, folder):
        self.path = folder + "/options"
        {more}
    def save(self, options):
        torch.save(options, {saved})
    def load(self):
        return torch.load(self.path)
keeper = Keeper("here")
{call}
"""


@pytest.mark.parametrize(
    ("changed", "is_rewritten"),
    [
        ({}, True),
        ({"more": "self.path = folder + '/weights'"}, False),
        ({"saved": "self.other"}, False),
        ({"saved": "keeper.path"}, False),
        ({"call": "keeper.save({'size': 3})"}, False),
        ({"call": "Keeper.save(pathlib.Path('a'), {})"}, False),
    ],
)
def test_a_path_that_an_object_keeps_is_one(
    tmp_path: Path, changed: dict[str, str], is_rewritten: bool
) -> None:
    call = "keeper.save(pathlib.Path('a'))"
    text = _KEEPER.format(**{"more": "pass", "saved": "self.path", "call": call, **changed})
    _assert_read_as_object(tmp_path / "keeper.py", text, is_rewritten)


def _assert_read_as_object(path: Path, text: str, is_rewritten: bool) -> None:
    (path.parent / ".git").mkdir()
    path.write_text(text)
    found = migrate_file(path, Settings(select=("TP502",)), write=False)
    assert not found.errors
    after = found.after or text
    assert ("weights_only=False" in after) == is_rewritten
    assert is_rewritten or after == text


_RELOADED = """
import tempfile
import torch
import torch.nn as nn
from project import make

class Model:
    def fit(self, data):
        self.weight = data

def reload(model, path):
    torch.save({saved}, path)
    {back}

def test(data, path):
    {call}
"""


def reloaded(
    back: str = "return torch.load(path)", call: str = "reload(make(), path)", saved: str = "model"
) -> str:
    return _RELOADED.format(back=back, call=call, saved=saved)


@pytest.mark.parametrize(
    "call",
    [
        "reload(nn.Linear(2, 1), path)",
        "m = Model()\n    m.fit(data)\n    reload(m, path)",
        "reload({'model': nn.Linear(2, 1)}, path)",
        "reload(make(), path)\n    reload(model=Model(), path=path)",
    ],
)
def test_what_a_function_is_given_it_reads_back(call: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(reloaded(call=call))
    migrate_file(tmp_path / "a.py", Settings(select=("TP502",)), write=True)
    assert "return torch.load(path, weights_only=False)" in (tmp_path / "a.py").read_text()


@pytest.mark.parametrize(
    "text",
    [
        reloaded(),
        reloaded("model = torch.load(path)\n    return model"),
        reloaded("return torch.load(path, map_location='cpu')"),
        reloaded(call="pass"),
    ],
)
def test_what_a_function_may_be_given_is_told(text: str) -> None:
    (finding,) = advice("TP502", text)
    assert finding.message == (
        "torch.load reads only tensors since 2.6, and raises where model is more than containers "
        "of them, as a model is: write weights_only=False"
    )
    assert migrate(text, "TP502").text == text


@pytest.mark.parametrize(
    "text",
    [
        reloaded("return torch.load(path)['epoch']"),
        reloaded("make().load_state_dict(torch.load(path))"),
        reloaded("state = torch.load(path)\n    make().load_state_dict(state)"),
        reloaded("state = torch.load(path)\n    return state['epoch']"),
        reloaded("return torch.load(path), model['epoch']"),
        reloaded("return torch.load(path), model.keys()"),
        reloaded("return torch.load(path), [k for k in model]"),
        reloaded("return torch.load(path), torch.equal(model, make())"),
        reloaded("return torch.load(path + '.bak')"),
        reloaded("return torch.load(path, weights_only=True)"),
        reloaded(saved="model.state_dict()"),
        reloaded(saved="{'state': model}"),
        reloaded("model = {}\n    torch.save(model, path)").replace(
            "def test", "torch.load(path)\ndef test"
        ),
    ],
)
def test_what_is_read_as_tensors_is_not_told(text: str) -> None:
    assert not advice("TP502", text)
    assert migrate(text, "TP502").text == text


@pytest.mark.parametrize("call", ["reload(torch.ones(2), path)", "reload({'epoch': 3}, path)"])
def test_what_all_calls_give_is_known(call: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(reloaded(call=call))
    assert not migrate_file(tmp_path / "a.py", Settings(select=("TP502",)), write=False).findings


EITHER = """import torch
from torch import nn
def main(args, resume):
    if {}:
        net = torch.load(args.path)
    else:
        net = {}
    if {}:
        {}
    return net
"""


@pytest.mark.parametrize(
    ("test", "other", "asked", "use", "is_rewritten"),
    [
        ("resume", "nn.Linear(2, 3)", "args.cuda", "net = nn.DataParallel(net)", True),
        ("args.test", "nn.Linear(2, 3)", "args.cuda", "net = net.cuda().eval()", True),
        # The use may be meant for what is not loaded.
        ("resume", "nn.Linear(2, 3)", "not resume", "net = nn.DataParallel(net)", False),
        ("args.test", "nn.Linear(2, 3)", "not args.test", "net.eval()", False),
        ("resume", "make(args)", "args.cuda", "net.eval()", False),
        ("resume", "nn.Linear(2, 3)", "isinstance(net, nn.Module)", "net.eval()", False),
        ("resume", "nn.Linear(2, 3)", "args.cuda", "print(net)", False),
    ],
)
def test_what_stands_for_a_module_is_one(
    test: str, other: str, asked: str, use: str, is_rewritten: bool
) -> None:
    before = EITHER.format(test, other, asked, use)
    after = before.replace("args.path)", "args.path, weights_only=False)")
    assert migrate(before, "TP502").text == (after if is_rewritten else before)


KEPT = """import torch
from torch import nn
class Trainer:
    def __init__(self, path, cuda):
        if path:
            self.net = torch.load(path)
        else:
            self.net = {made}
        {first}
    def train(self):
        {later}
    def change(self, other):
        {changed}
"""


@pytest.mark.parametrize(
    ("parts", "is_rewritten"),
    [
        ({"first": "self.parameters = list(self.net.parameters())"}, True),
        ({"first": "if cuda: self.net.cuda()", "later": "self.net.train()"}, True),
        ({"later": "self.net.train()", "changed": "self.net = torch.load('b.pt')"}, True),
        # What is used may be another one.
        ({"first": "if not path: self.net.train()"}, False),
        ({"later": "if self.fresh: self.net.train()"}, False),
        ({"later": "self.net.train()", "made": "make(cuda)"}, False),
        ({"later": "self.net.train()", "changed": "self.net = nn.Linear(2, 2)"}, False),
        ({"first": "state = self.net; self.net = nn.Linear(2, 3); self.net.train()"}, False),
        ({"later": "self.net.train()", "changed": "other.net = make(other)"}, False),
        ({"first": "self.net.cuda()", "later": "print(self.net)"}, False),
    ],
)
def test_what_an_object_keeps_beside_a_module_is_one(
    parts: dict[str, str], is_rewritten: bool
) -> None:
    given = {"made": "nn.Linear(2, 3)", "first": "pass", "later": "pass", "changed": "pass"}
    before = KEPT.format(**{**given, **parts})
    after = before.replace("torch.load(path)", "torch.load(path, weights_only=False)")
    assert (migrate(before, "TP502").text.replace("'b.pt', weights_only=False", "'b.pt'")) == (
        after if is_rewritten else before
    )


TRIED = """import torch
from torch import nn
def main(args, resume):
    done = False
    if resume:
        net = nn.Linear(2, 3)
    else:
        try:
            net = torch.load(args.path)
            {0}
        except:
            {1}
    if {2}:
        net.eval()
    return net
"""


@pytest.mark.parametrize(
    ("loaded", "failed", "asked", "is_rewritten"),
    [
        ("print(net)", "exit()", "args.cuda", True),
        ("print(net)", "raise ValueError(args)", "args.cuda", True),
        ("print(net)", "net = nn.Linear(3, 4)", "args.cuda", True),
        # The use may be meant for what is not loaded.
        ("done = True", "exit()", "not done", False),
        ("print(net)", "done = True", "done", False),
        ("print(net)", "net = make(args)", "args.cuda", False),
        ("print(net)", "exit()", "resume", False),
    ],
)
def test_what_is_tried_stands_for_a_module_as_well(
    loaded: str, failed: str, asked: str, is_rewritten: bool
) -> None:
    before = TRIED.format(loaded, failed, asked)
    after = before.replace("args.path)", "args.path, weights_only=False)")
    assert migrate(before, "TP502").text == (after if is_rewritten else before)


_SET = """import torch
import numpy as np
class Words(torch.utils.data.Dataset):
    def __init__(self, x):
        self.x = x
def main(x, net, folder):
    words, state, array = Words(x), net.state_dict(), np.asarray(x)
    {save}
"""
_LOAD = "import torch\nfrom os.path import join\ndef read(folder, net):\n    {load}\n"
_LOADED = "x = torch.load(join(folder, 'train.pt'))"


def _read_beside(folder: Path, save: str, load: str) -> str:
    (folder / "prepare.py").write_text("from os.path import join\n" + _SET.format(save=save))
    (folder / "read.py").write_text(_LOAD.format(load=load))
    settings = Settings(select=("TP502",))
    return migrate_file(folder / "read.py", settings, write=False).after or ""


@pytest.mark.parametrize(
    "save",
    [
        "torch.save(words, 'train.pt')",
        "torch.save(words, join(folder, 'train.pt'))",
        "torch.save(words, open(join(folder, 'train.pt'), 'wb'))",
        "torch.save([words, x], 'data/train.pt')",
        "torch.save({'net': state, 'losses': array}, 'train.pt')",
        "torch.save(words, 'train.pt')\n    torch.save(state, 'net.pt')",
    ],
)
def test_what_another_file_saves_by_that_name_is_read_whole(tmp_path: Path, save: str) -> None:
    assert "'train.pt'), weights_only=False)" in _read_beside(tmp_path, save, _LOADED)


@pytest.mark.parametrize(
    ("save", "load"),
    [
        ("torch.save(state, 'train.pt')", _LOADED),
        ("torch.save({'net': state}, 'train.pt')", _LOADED),
        ("torch.save(words, 'valid.pt')", _LOADED),
        ("torch.save(words, folder)", _LOADED),
        ("torch.save(words, 'train.pt')\n    torch.save(state, 'train.pt')", _LOADED),
        ("torch.save(words, 'train.pt')\n    torch.save(x, 'train.pt')", _LOADED),
        ("torch.save(words, 'train.pt')", "x = torch.load(folder)"),
        ("torch.save(words, 'train.pt')", "net.load_state_dict(torch.load('train.pt'))"),
        ("np.save('train.pt', array)", _LOADED),
    ],
    ids=[
        "a state dict",
        "in a dict",
        "another name",
        "any name",
        "two kinds",
        "who knows what",
        "any file",
        "loaded as a state dict",
        "of numpy",
    ],
)
def test_what_may_be_another_file_is_left(tmp_path: Path, save: str, load: str) -> None:
    assert not _read_beside(tmp_path, save, load)


@pytest.mark.parametrize(
    ("opened", "line", "mode"),
    [
        ("open(path, encoding='utf8')", "torch.load(f)", "'rb', without encoding="),
        (
            "open(path, 'w', encoding='utf8', newline='')",
            "torch.save(1, f)",
            "'wb', without encoding= and newline=",
        ),
        ("open(path, buffering=1)", "torch.load(f)", "'rb'"),
    ],
)
def test_bytes_have_no_encoding(opened: str, line: str, mode: str) -> None:
    text = f"import torch\ndef f(path):\n    f = {opened}\n    {line}\n"
    (finding,) = advice("TP502", text)
    assert finding.message.endswith(f"bytes: open it with {mode}")


def test_arrays_need_a_file_of_bytes(tmp_path: Path) -> None:
    numpy.save(tmp_path / "a.npy", [1.0])
    with open(tmp_path / "a.npy") as file, pytest.raises((UnicodeDecodeError, TypeError)):
        numpy.load(file)  # type: ignore[arg-type]
    with open(tmp_path / "b.npy", "w") as file, pytest.raises(TypeError):
        numpy.save(file, [1.0])  # type: ignore[call-overload]
    with open(tmp_path / "a.npy", "rb") as file:
        assert numpy.load(file).tolist() == [1.0]


_RESUMED = """import torch
if resume:
    optimizer = torch.load(folder + "optimizer.pt")
else:
    optimizer = {made}
for epoch in range(3):
    torch.save(optimizer, folder + "{name}")
    if epoch % 2:
        optimizer = {later}
"""
_ADAM = "torch.optim.Adam(net.parameters())"


@pytest.mark.parametrize(
    ("changed", "is_rewritten"),
    [
        ({}, True),
        ({"later": "torch.load('other.pt')"}, True),
        ({"made": f"{_ADAM}.state_dict()"}, False),
        ({"later": f"{_ADAM}.state_dict()"}, False),
        ({"later": "make(net)"}, False),
        ({"name": "optimizer_2.pt"}, False),
        ({"made": "torch.load('first.pt')", "later": "torch.load('other.pt')"}, False),
    ],
    ids=[
        "made anew",
        "read from elsewhere",
        "a state dict at first",
        "a state dict later",
        "who knows what",
        "another file",
        "always loaded",
    ],
)
def test_what_is_loaded_and_saved_again_is_what_was_made_at_first(
    tmp_path: Path, changed: dict[str, str], is_rewritten: bool
) -> None:
    parts = {"made": _ADAM, "later": _ADAM, "name": "optimizer.pt", **changed}
    (tmp_path / "train.py").write_text(_RESUMED.format(**parts))
    result = migrate_file(tmp_path / "train.py", Settings(select=("TP502",)), write=False)
    assert ('"optimizer.pt", weights_only=False)' in (result.after or "")) is is_rewritten


_DECLARED = """import argparse
def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vocab_file", default="../data/vocab.pt")
    return parser.parse_args()
"""
_WRITTEN = """import torch
class Words:
    pass
torch.save((Words(), Words()), "vocab.pt")
"""
_OPENED = """import torch
from options import get_args
args = get_args()
words = torch.load(args.vocab_file)
print(len(words))
"""


def _read_by_option(folder: Path, files: dict[str, str]) -> bool:
    written = {"options": _DECLARED, "words": _WRITTEN, "predict": _OPENED, **files}
    for name, text in written.items():
        (folder / f"{name}.py").write_text(text)
    settings = Settings(select=("TP502",))
    after = migrate_file(folder / "predict.py", settings, write=False).after
    return "torch.load(args.vocab_file, weights_only=False)" in (after or "")


@pytest.mark.parametrize("more", [{}, {"more": _DECLARED}], ids=["one file", "two, alike"])
def test_an_option_of_another_file_names_the_file(tmp_path: Path, more: dict[str, str]) -> None:
    assert _read_by_option(tmp_path, more)


@pytest.mark.parametrize(
    "files",
    [
        {"words": _WRITTEN.replace("(Words(), Words())", "[torch.ones(1)]")},
        {"words": _WRITTEN.replace("vocab.pt", "words.pt")},
        {"options": _DECLARED.replace("default=", "help=")},
        {"more": _DECLARED.replace("vocab.pt", "more.pt")},
        {"more": "def fill(args):\n    args.vocab_file = args.folder + 'v.pt'\n"},
    ],
    ids=["tensors", "another file", "no default", "two defaults", "set elsewhere"],
)
def test_an_option_that_may_name_another_file_does_not(
    tmp_path: Path, files: dict[str, str]
) -> None:
    assert not _read_by_option(tmp_path, files)


_HAVING = """class Options:
    VOCAB = "out/vocab.pt"
    @classmethod
    def read(cls):
        import torch
        return torch.load(cls.VOCAB)
"""


@pytest.mark.parametrize("named", ["Options.VOCAB", "Options().VOCAB", "cls.VOCAB"])
def test_a_class_names_the_file(tmp_path: Path, named: str) -> None:
    (tmp_path / "words.py").write_text(_WRITTEN)
    (tmp_path / "options.py").write_text(_HAVING)
    path = tmp_path / ("options.py" if "cls" in named else "predict.py")
    if "cls" not in named:
        path.write_text(f"import torch\nfrom options import Options\nw = torch.load({named})\n")
    after = migrate_file(path, Settings(select=("TP502",)), write=False).after
    assert f"torch.load({named}, weights_only=False)" in (after or "")


@pytest.mark.parametrize(
    "options",
    [
        _HAVING.replace("out/vocab.pt", "words.pt"),
        _HAVING.replace('"out/vocab.pt"', "name()"),
        _HAVING.replace("VOCAB =", "OTHER ="),
        _HAVING + "    VOCAB = 'more.pt'\n",
        _HAVING + "Options.VOCAB = 'more.pt'\n",
        _HAVING + "class Mine(Options):\n    VOCAB = 'more.pt'\n",
        _HAVING.replace("@classmethod", "@staticmethod"),
    ],
    ids=["another", "a call", "none", "two", "set elsewhere", "another below", "no class method"],
)
def test_a_class_that_may_name_another_file_does_not(tmp_path: Path, options: str) -> None:
    (tmp_path / "words.py").write_text(_WRITTEN)
    (tmp_path / "options.py").write_text(options)
    settings = Settings(select=("TP502",))
    assert migrate_file(tmp_path / "options.py", settings, write=False).after is None


_IN_TURN = """import torch
def load(names):
    def read(name):
        data = torch.load(name)
        return data
    for name in names:
        {yields} read(name)
{uses}
"""


@pytest.mark.parametrize(
    ("yields", "uses", "is_rewritten"),
    [
        ("yield", "first = next(load(['a.pt']))\nkind = first.kind", True),
        ("yield", "for data in load(['a.pt']):\n    data.fields.sort()", True),
        ("yield", "kinds = [data['kind'] for data in load(['a.pt'])]", False),
        ("yield", "data = load(['a.pt'])\nkind = data.gi_frame", False),
        ("yield", "first = next(load(['a.pt']))\nsizes = first.shape", False),
        ("yield", "for data in load(['a.pt']):\n    data.items()", False),
        ("yield", "first = next(other)\nkind = first.kind", False),
        ("yield None,", "first = next(load(['a.pt']))\nkind = first.kind", False),
        ("yield from", "first = next(load(['a.pt']))\nkind = first.kind", False),
    ],
)
def test_what_a_generator_yields_is_read_where_it_is_asked_for(
    tmp_path: Path, yields: str, uses: str, is_rewritten: bool
) -> None:
    text = _IN_TURN.format(yields=yields, uses=uses)
    _assert_read_as_object(tmp_path / "main.py", text, is_rewritten)


_HELD = """import torch
def fill(words, more):
    {copied}
    for name, {value} in {items}:
        {does}
fill(torch.load("words.pt"), 2)
"""


@pytest.mark.parametrize(
    ("changed", "is_rewritten"),
    [
        ({}, True),
        ({"copied": "pass"}, True),
        ({"copied": "words = more"}, False),
        ({"copied": "words = filled(words)"}, False),
        ({"copied": "words = words if more else {}"}, False),
        ({"items": "more.items()"}, False),
        ({"items": "enumerate(words)"}, False),
        ({"does": "print(known.shape, known.is_sparse)"}, False),
        ({"does": "if isinstance(known, Vocab): print(known.index)"}, False),
        ({"does": "known.index = 3"}, False),
        ({"value": "other"}, False),
    ],
)
def test_what_lies_in_a_dict_is_read_where_it_is_gone_through(
    tmp_path: Path, changed: dict[str, str], is_rewritten: bool
) -> None:
    parts = {"copied": "words = dict(words)", "value": "known", "items": "words.items()"}
    text = _HELD.format(**{**parts, "does": "print(known.index)", **changed})
    _assert_read_as_object(tmp_path / "main.py", text, is_rewritten)


_AVERAGED = """import torch
def average(paths):
    for path in paths:
        state = torch.load({loaded})
        weights, epoch = state["model"], {read}
"""
_KEPT = """import torch
def keep(model, options, epoch):
    state = {{"model": model.state_dict(), "epoch": epoch, {held}}}
    torch.save(state, options.folder + {name})
"""


@pytest.mark.parametrize(
    ("changed", "more", "is_rewritten"),
    [
        ({}, "", True),
        ({"read": "state['options']"}, "", True),
        ({"read": "state['best']"}, "", False),
        ({"read": "0"}, "", False),
        ({"held": "'best': 3"}, "", False),
        ({"held": "'options': options.folder"}, "", False),
        ({}, "torch.save({'model': 1, 'epoch': 2}, 'state.pt')", False),
        ({}, "torch.save({'model': 1, 'step': 2}, 'state.pt')", True),
        ({"loaded": "'a.pt'", "name": "'a.pt'"}, "", True),
        ({"loaded": "'a.pt'"}, "torch.save({'model': 1, 'epoch': 2}, 'b.pt')", True),
    ],
)
def test_a_checkpoint_of_another_file_is_known_by_its_keys(
    tmp_path: Path, changed: dict[str, str], more: str, is_rewritten: bool
) -> None:
    parts = {"loaded": "path", "read": "state['epoch']", "held": "'options': options"}
    parts |= {"name": "str(epoch)", **changed}
    (tmp_path / "keep.py").write_text(_KEPT.format(**parts) + more + "\n")
    _assert_read_as_object(tmp_path / "average.py", _AVERAGED.format(**parts), is_rewritten)


_KEPT_FOR_OTHERS = """import torch
def keep(state, path):
    torch.save(state, path)
"""
_KEEPS = """import numpy as np
from keep import keep
def train(model, path):
    sizes = {sizes}
    state = {{"model": model.state_dict(), "epoch": 1}}
    state["sizes"] = sizes
    keep(state, path)
"""
_ARRAY = "np.asarray([1, 2])"


@pytest.mark.parametrize(
    ("held", "read", "is_rewritten"),
    [
        ([_ARRAY], "state['epoch']", True),
        ([_ARRAY, _ARRAY], "state['sizes']", True),
        (["[1, 2]"], "state['epoch']", False),
        ([_ARRAY, "[1, 2]"], "state['epoch']", False),
        ([_ARRAY], "state['best']", False),
        ([_ARRAY], "0", False),
    ],
)
def test_a_checkpoint_is_known_that_one_file_gives_and_another_one_saves(
    tmp_path: Path, held: list[str], read: str, is_rewritten: bool
) -> None:
    (tmp_path / "keep.py").write_text(_KEPT_FOR_OTHERS)
    for place, sizes in enumerate(held):
        (tmp_path / f"train{place}.py").write_text(_KEEPS.format(sizes=sizes))
    text = _AVERAGED.format(loaded="path", read=read)
    _assert_read_as_object(tmp_path / "average.py", text, is_rewritten)


_ASKED = """
import torch

class Words(torch.nn.Module):
    def get_vector(self, index): return self.vectors[index]
    def copy(self): return Words()
    def addmm(self, other): return other
    def split(self, sep): return sep

def load(path):
    return torch.load(path)

def similar(model, word):
    return model.{asked}

similar(load("a.pt"), "word")
"""


@pytest.mark.parametrize(
    ("asked", "is_rewritten"),
    [
        ("get_vector(word)", True),
        ("copy()", False),
        ("addmm(word)", False),
        ("split(word)", False),
        ("unheard_of(word)", False),
    ],
    ids=["of its class", "of a dict, too", "of a tensor, too", "of a str, too", "of no class here"],
)
def test_a_method_of_a_class_of_the_project_is_one_of_an_object(
    tmp_path: Path, asked: str, is_rewritten: bool
) -> None:
    (tmp_path / "words.py").write_text(_ASKED.format(asked=asked))
    result = migrate_file(tmp_path / "words.py", Settings(select=("TP502",)), write=False)
    assert ("weights_only=False" in (result.after or "")) is is_rewritten


@pytest.mark.parametrize(("mode", "is_told"), [(", 'r'", True), ("", True), (", 'rb'", False)])
def test_matrices_are_no_text_in_a_file_without_torch(
    tmp_path: Path, mode: str, is_told: bool
) -> None:
    code = f"from scipy.io import loadmat\nx = loadmat(open('x.mat'{mode}))\n"
    (tmp_path / "train.py").write_text("import torch\n")
    (tmp_path / "data.py").write_text(code)
    found = migrate_file(tmp_path / "data.py", Settings(), write=False).findings
    assert bool([each for each in found if each.code == "TP502"]) is is_told
