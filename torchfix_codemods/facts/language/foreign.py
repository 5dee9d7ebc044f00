"""Libraries whose objects are certainly no tensors and no modules."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names

_OTHERS = frozenset(
    """PIL cv2 scipy pandas matplotlib seaborn sklearn skimage h5py lmdb yaml tqdm visdom
    tensorboardX tensorboard_logger pycocotools nltk spacy gensim gym imageio librosa networkx
    requests six click colorama termcolor progressbar prettytable attr pytest tensorflow
    SimpleITK nibabel pydicom tifffile shapely soundfile jieba sentencepiece editdistance
    Levenshtein tabulate psutil simplejson ujson pymongo redis zmq pygame rdkit moviepy StringIO
    cStringIO ConfigParser urllib2 urlparse""".split()
)
_TORCHVISION = ("torchvision.datasets.", "torchvision.transforms.")

#: Wrappers that yield what they are given.
TRANSPARENT = frozenset(
    {"tqdm.tqdm", "tqdm.tqdm_notebook", "tqdm.trange", "tqdm.auto.tqdm", "tqdm.notebook.tqdm"}
)


def is_foreign(name: str) -> bool:
    """Whether a qualified name belongs to a library that knows nothing of torch.

    A name of the project itself, or of a library that is not listed here, can be anything.
    """
    top = name.partition(".")[0]
    return top in sys.stdlib_module_names or top in _OTHERS or name.startswith(_TORCHVISION)


#: Those of which functions and objects give numbers, arrays or objects of their own, and never
#: what somebody else has put into them.
_OF_ARRAYS = frozenset(
    """PIL cv2 scipy skimage h5py imageio librosa SimpleITK nibabel pydicom tifffile
    soundfile""".split()
)


def calculates_with_arrays(name: str) -> bool:
    """Whether a qualified name belongs to a library of arrays, images or sounds."""
    return name.partition(".")[0] in _OF_ARRAYS


#: What of Python gives back what it was given, which may be a tensor.
_KEEPERS = tuple(
    """contextlib. copy. functools. heapq. importlib. itertools. operator. pickle. queue.
    random.choice random.sample multiprocessing. concurrent. types. weakref. six.moves.
    argparse.Namespace sklearn.utils.shuffle sklearn.utils.resample
    sklearn.model_selection.train_test_split""".split()
)
#: Its classes that hold what they are given, and ``namedtuple``, which makes one.
_HOLDERS = ("collections.",)


def hands_on(name: str) -> bool:
    """Whether a function of a library gives back what it is given: ``random.choice``."""
    return name.startswith(_KEEPERS)


def calculates_without_graph(name: str) -> bool:
    """Whether a library's function records nothing: ``numpy.mean``, ``matplotlib.pyplot.plot``."""
    return name.startswith("numpy.") or (is_foreign(name) and not hands_on(name))


def holds(name: str) -> bool:
    """Whether what a name of a library returns has methods that give back what was given."""
    return name.startswith(_HOLDERS) or hands_on(name)


#: Libraries whose tensors have ``backward()`` and ``numpy()`` as well.
_LOOK_ALIKES = frozenset(
    "mxnet chainer paddle jittor mindspore oneflow tinygrad tensorflow megengine singa".split()
)


def imports_torch_alone(names: Names) -> bool:
    """Whether what looks like a tensor of torch is one: the file knows of no others."""
    imported = {module.partition(".")[0] for module in _imported(names)}
    return "torch" in imported and imported.isdisjoint(_LOOK_ALIKES)


def imports(names: Names, module: str) -> bool:
    """Whether the file imports a module, or one below it, by its full name."""
    return any(f"{one}.".startswith(f"{module}.") for one in _imported(names))


def _imported(names: Names) -> Iterator[str]:
    for node in (*names.nodes.get(ast.Import, ()), *names.nodes.get(ast.ImportFrom, ())):
        if names.imports_own(node):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
