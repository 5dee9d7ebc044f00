"""Stand-ins for packages that legacy scripts import and that are gone, or cannot be had.

A few do something (the data of TensorFlow's tutorials, environments of gym as it was, pictures of
`scipy.misc`); any other package that is not installed has every name, and does nothing.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import os
import re
import sys
import types
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import imports


def install(tree: Path) -> None:
    """Put them in place; `tree` is the project, whose own modules come first."""
    define_operators_of_torchvision()
    for name, fill in (("tensorflow", _tensorflow), ("gym", _gym), ("baselines", _baselines)):
        if not (tree / name).is_dir():
            fill()
    _scipy()
    _terminal()
    sys.meta_path.append(imports.Finder(tree))


def _module(name: str, **names: Any) -> Any:
    module: Any = types.ModuleType(name)
    module.__path__ = []
    # torch looks at it where it asks whether a package is installed.
    module.__spec__ = ModuleSpec(name, None, is_package=True)
    module.__dict__.update(names)
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, module)
    return module


# torchvision


def define_operators_of_torchvision() -> None:
    """Let a torchvision be imported whose compiled part is for another build of torch."""
    import torch

    found = importlib.util.find_spec("torchvision")
    if found is None or found.origin is None:
        return
    text = Path(found.origin).with_name("_meta_registrations.py").read_text("utf-8")
    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in {
        first or second
        for first, second in re.findall(r'register_meta\("(\w+)"|torchvision::(\w+)', text)
    }:
        with contextlib.suppress(RuntimeError):
            library.define(f"{name}(Tensor a) -> Tensor")
    sys.modules["benchmarks._torchvision_library"] = library  # type: ignore[assignment]


def mend_torchvision() -> None:
    """Let pretrained models have the weights that they begin with: nothing is downloaded."""
    import torch

    class NoWeights(dict[str, Any]): ...

    with contextlib.suppress(ImportError, AttributeError):
        api: Any = importlib.import_module("torchvision.models._api")
        api.WeightsEnum.get_state_dict = lambda *args, **kwargs: NoWeights()
    torch.hub.load_state_dict_from_url = lambda *args, **kwargs: NoWeights()
    zoo: Any = importlib.import_module("torch.utils.model_zoo")
    zoo.load_url = torch.hub.load_state_dict_from_url
    original: Any = torch.nn.Module.load_state_dict

    def load_state_dict(self: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(state_dict, NoWeights):
            return None
        return original(self, state_dict, *args, **kwargs)

    torch.nn.Module.load_state_dict = load_state_dict  # type: ignore[method-assign]


# scipy.misc, of which nothing is left


def _scipy() -> None:
    with contextlib.suppress(ImportError):
        from PIL import Image

        scipy = importlib.import_module("scipy")

        def imread(name: Any, flatten: bool = False, mode: str | None = None) -> Any:
            picture = Image.open(name)
            return np.asarray(picture.convert(mode) if mode else picture)

        def imresize(arr: Any, size: Any, interp: str = "bilinear", mode: Any = None) -> Any:
            picture = Image.fromarray(np.asarray(arr).astype("uint8"))
            way = Image.Resampling.NEAREST if interp == "nearest" else Image.Resampling.BILINEAR
            if isinstance(size, (int, float)):
                share = size / 100 if isinstance(size, int) else size
                size = tuple(int(each * share) for each in np.asarray(arr).shape[:2])
            return np.asarray(picture.resize((int(size[1]), int(size[0])), way))

        def imsave(name: Any, arr: Any) -> None:
            array = np.asarray(arr)
            if array.dtype != np.uint8:
                array = (255 * (array - array.min()) / max(np.ptp(array), 1e-9)).astype("uint8")
            Image.fromarray(array).save(name)

        misc = _module("scipy.misc", imread=imread, imresize=imresize, imsave=imsave)
        misc.toimage = lambda arr, *args, **kwargs: Image.fromarray(np.asarray(arr).astype("uint8"))
        scipy.misc = misc  # type: ignore[attr-defined]


# The machine


def _terminal() -> None:
    """A terminal whose width can be asked for, and no limit of open files."""
    popen = os.popen

    def answered(command: str, *args: Any, **kwargs: Any) -> Any:
        if command.startswith("stty size"):
            return io.StringIO("24 80")
        return popen(command, *args, **kwargs)

    os.popen = answered  # type: ignore[assignment]
    with contextlib.suppress(ImportError):
        importlib.import_module("resource").setrlimit = lambda *args: None


# The data of TensorFlow's tutorials


class _Digits:
    def __init__(self, count: int, one_hot: bool, seed: int) -> None:
        random = np.random.RandomState(seed)
        self.num_examples = count
        self.images = random.rand(count, 784).astype("float32")
        labels = random.randint(0, 10, count)
        self.labels = np.eye(10)[labels] if one_hot else labels
        self.at = 0

    def next_batch(self, size: int, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        places = np.arange(self.at, self.at + size) % self.num_examples
        self.at += size
        return self.images[places], self.labels[places]


def _tensorflow() -> None:
    def read_data_sets(folder: Any = None, one_hot: bool = False, **kwargs: Any) -> Any:
        sets = [_Digits(512, one_hot, seed) for seed in range(3)]
        return types.SimpleNamespace(train=sets[0], validation=sets[1], test=sets[2])

    for name in ("tensorflow", "tensorflow.examples", "tensorflow.examples.tutorials"):
        _module(name)
    _module("tensorflow.examples.tutorials.mnist")
    _module("tensorflow.examples.tutorials.mnist.input_data", read_data_sets=read_data_sets)
    sys.modules["tensorflow"].__getattr__ = imports.Package("tensorflow").__getattr__  # type: ignore[method-assign]


# gym as it was: `reset()` gives what is seen, `step()` four things


class _Box:
    def __init__(self, low: Any, high: Any, shape: Any = None, dtype: Any = None) -> None:
        self.shape = tuple(shape) if shape is not None else np.shape(low)
        self.low, self.high = np.broadcast_to(low, self.shape), np.broadcast_to(high, self.shape)

    def sample(self) -> Any:
        return np.random.uniform(-1, 1, self.shape).astype("float32")


class _Discrete:
    def __init__(self, n: int) -> None:
        self.n = n
        self.shape = ()

    def sample(self) -> int:
        return int(np.random.randint(self.n))


_Discrete.__name__, _Box.__name__ = "Discrete", "Box"


class _Environment:
    x_threshold, theta_threshold_radians = 2.4, 0.2

    def __init__(self, name: str) -> None:
        self.pictures = "NoFrameskip" in name
        shape = (84, 84, 1) if self.pictures else (4,)
        self.observation_space = _Box(-1.0, 1.0, shape)
        self.action_space = _Discrete(2)
        self.state = np.zeros(4)
        self.steps = 0

    @property
    def unwrapped(self) -> Any:
        return self

    def seed(self, number: Any = None) -> list[Any]:
        return [number]

    def reset(self) -> Any:
        self.steps = 0
        return self._seen()

    def step(self, action: Any) -> tuple[Any, float, bool, dict[str, Any]]:
        # An index, as gym's own environments want it.
        if not 0 <= int(action) < self.action_space.n:
            raise AssertionError(f"{action!r} invalid")
        self.steps += 1
        return self._seen(), 1.0, self.steps >= 12, {}

    def render(self, mode: str = "human", close: bool = False) -> Any:
        return np.zeros((400, 600, 3), "uint8") if mode == "rgb_array" else None

    def close(self) -> None: ...

    def _seen(self) -> Any:
        seen = np.random.uniform(-0.05, 0.05, self.observation_space.shape)
        if not self.pictures:
            self.state = seen
        return seen


class _Wrapper(_Environment):
    def __init__(self, env: Any = None) -> None:
        self.env = env
        self.observation_space, self.action_space = env.observation_space, env.action_space

    def seed(self, number: Any = None) -> list[Any]:
        given: list[Any] = self.env.seed(number)
        return given

    def reset(self) -> Any:
        return self._shown(self.env.reset())

    def step(self, action: Any) -> tuple[Any, float, bool, dict[str, Any]]:
        seen, reward, done, info = self.env.step(action)
        return self._shown(seen), reward, done, info

    def _shown(self, seen: Any) -> Any:
        show = getattr(self, "observation", None) or getattr(self, "_observation", None)
        return seen if show is None else show(seen)


def _gym() -> None:
    names = {"Env": _Environment, "Wrapper": _Wrapper, "ObservationWrapper": _Wrapper}
    _module("gym", make=_Environment, **names)
    _module("gym.spaces", Box=_Box, Discrete=_Discrete)
    _module("gym.spaces.box", Box=_Box)
    _module("gym.envs")


class _Together:
    """Several environments as one, each begun again when it is done."""

    def __init__(self, makers: Any) -> None:
        self.envs = [make() for make in makers]
        self.observation_space = self.envs[0].observation_space
        self.action_space = self.envs[0].action_space

    def reset(self) -> Any:
        return np.stack([env.reset() for env in self.envs])

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any]:
        given = []
        for env, action in zip(self.envs, actions, strict=True):
            seen, reward, done, info = env.step(action)
            given.append((env.reset() if done else seen, reward, done, info))
        seen, rewards, done, infos = zip(*given, strict=True)
        return np.stack(seen), np.asarray(rewards), np.asarray(done), infos

    def close(self) -> None: ...


def _baselines() -> None:
    class Normalized(_Together):
        def __init__(self, venv: Any, ob: bool = True, ret: bool = True) -> None:
            self.venv, self.envs = venv, venv.envs
            self.ob_rms = None
            self.observation_space, self.action_space = venv.observation_space, venv.action_space

    for name in ("baselines", "baselines.common", "baselines.common.vec_env"):
        _module(name)
    _module("baselines.bench", Monitor=lambda env, *args, **kwargs: env)
    _module(
        "baselines.common.atari_wrappers", make_atari=_Environment, wrap_deepmind=lambda env: env
    )
    _module("baselines.common.vec_env.dummy_vec_env", DummyVecEnv=_Together)
    _module("baselines.common.vec_env.subproc_vec_env", SubprocVecEnv=_Together)
    _module("baselines.common.vec_env.vec_normalize", VecNormalize=Normalized)
