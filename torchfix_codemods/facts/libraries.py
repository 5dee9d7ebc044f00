"""Libraries whose objects are certainly no tensors and no modules."""

from __future__ import annotations

import sys

_OTHERS = frozenset(
    """PIL cv2 scipy pandas matplotlib seaborn sklearn skimage h5py lmdb yaml tqdm visdom
    tensorboardX tensorboard_logger pycocotools nltk spacy gensim gym imageio librosa networkx
    requests six click colorama termcolor progressbar prettytable attr pytest""".split()
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
