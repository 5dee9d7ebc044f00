"""The scripts that `scripts.py` runs, with what they are given: arguments, files, folders."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.human import PAIRS


@dataclass(frozen=True)
class Script:
    """One file that is run.

    Attributes:
        path: in the repository.
        arguments: of its command line.
        cwd: where it starts, in the repository; by default its own folder.
        batches: that each pass over a loader gives.
        gpu: whether it asks for a GPU in a way that nothing replaces.
        setup: code that makes the files which another run would have left.
    """

    path: str
    arguments: Sequence[str] = ()
    cwd: str | None = None
    batches: int = 4
    gpu: bool = False
    setup: str = ""

    @property
    def name(self) -> str:
        """How the table names it."""
        return " ".join((self.path, *self.arguments))


@dataclass(frozen=True)
class Repository:
    """A repository, the commit that is run, and its scripts.

    Attributes:
        prepare: writes the files that the scripts want, into a checkout.
    """

    repository: str
    commit: str
    scripts: Sequence[Script]
    prepare: Callable[[Path], None] = field(default=lambda tree: None)

    @property
    def name(self) -> str:
        """The last part, which names the clone's folder."""
        return self.repository.rpartition("/")[2]


def repositories() -> list[Repository]:
    """All of them."""
    commits = {pair.repository: pair.before for pair in PAIRS}
    own = {"caogang/wgan-gp": "ae47a185ed2e", "kuangliu/pytorch-retinanet": "2d7c663350f3"}
    return [
        Repository(name, {**commits, **own}[name], scripts, prepare)
        for name, (scripts, prepare) in _TABLE.items()
    ]


# Made-up files


def _picture(path: Path, width: int, height: int, *, levels: int = 256, gray: bool = False) -> None:
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    shape = (height, width) if gray else (height, width, 3)
    numbers = np.random.RandomState(width + height).randint(0, levels, shape)
    Image.fromarray(numbers.astype("uint8")).save(path)


def _words(path: Path, lines: int, words: int, *, seed: int = 0, vocabulary: int = 40) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(seed)
    rows = random.randint(0, vocabulary, (lines, words))
    path.write_text("\n".join(" ".join(f"w{word}" for word in row) for row in rows) + "\n")


_BOX = """<object><name>dog</name><difficult>0</difficult><bndbox><xmin>20</xmin><ymin>30</ymin>
<xmax>180</xmax><ymax>160</ymax></bndbox></object>"""


def _voc(root: Path, sets: Sequence[str]) -> None:
    """Pictures and boxes as PASCAL VOC has them."""
    names = [f"{number:06}" for number in range(8)]
    for name in names:
        _picture(root / "JPEGImages" / f"{name}.jpg", 240, 200)
        (root / "Annotations").mkdir(exist_ok=True)
        text = f"<annotation><filename>{name}.jpg</filename>{_BOX}</annotation>"
        (root / "Annotations" / f"{name}.xml").write_text(text)
    (root / "ImageSets" / "Main").mkdir(parents=True)
    for each in sets:
        (root / "ImageSets" / "Main" / f"{each}.txt").write_text("\n".join(names) + "\n")


# Repositories


def _gans(tree: Path) -> None:
    data = tree / "data"
    for name in ("edges2shoes", "facades"):
        for part in ("train", "val", "test"):
            for number in range(12):
                _picture(data / name / part / f"{number}.jpg", 256, 128)
    for part in ("train/A", "train/B", "test/A", "test/B"):
        for number in range(12):
            _picture(data / "apple2orange" / part / f"{number}.jpg", 128, 128)
    for number in range(12):
        _picture(data / "img_align_celeba" / f"{number}.jpg", 64, 64)
    _digits_in_colour(data / "mnistm" / "processed")


def _digits_in_colour(folder: Path) -> None:
    import torch

    folder.mkdir(parents=True)
    for name in ("train", "test"):
        pictures = torch.randint(0, 256, (256, 28, 28, 3), dtype=torch.uint8)
        torch.save((pictures, torch.arange(256) % 10), folder / f"mnist_m_{name}.pt")


_GANS = tuple(
    # Some train their generator once in five batches.
    Script(f"implementations/{name}/{name}.py", arguments.split(), batches=11)
    for name, arguments in {
        **dict.fromkeys(
            "aae acgan bgan dcgan dragan gan infogan lsgan wgan wgan_gp".split(),
            "--batch_size 16 --n_epochs 2",
        ),
        **dict.fromkeys("began ccgan cgan sgan".split(), "--batch_size 16 --n_epochs 2"),
        "pixelda": "--batch_size 8 --n_epochs 2",
        **dict.fromkeys(
            "bicyclegan cyclegan discogan pix2pix".split(), "--n_epochs 2 --decay_epoch 1"
        ),
        "dualgan": "--n_epochs 2",
        "srgan": "--n_epochs 2 --decay_epoch 1 --hr_height 64 --hr_width 64",
    }.items()
)

_TUTORIAL = tuple(
    Script(f"tutorial-contents/{name}.py", batches=60)
    for name in (
        "201_torch_numpy 202_variable 203_activation 301_regression 302_classification"
        " 303_build_nn_quickly 304_save_reload 305_batch_train 306_optimizer 401_CNN"
        " 402_RNN_classifier 403_RNN_regressor 404_autoencoder 405_DQN_Reinforcement_learning"
        " 406_GAN 406_conditional_GAN 501_why_torch_dynamic_graph 502_GPU 503_dropout"
        " 504_batch_normalization"
    ).split()
)

_MODELS = tuple(
    Script(f"{path}_pytorch.py")
    for path in (
        "GAN/ali_bigan/ali_bigan GAN/auxiliary_classifier_gan/ac_gan"
        " GAN/boundary_equilibrium_gan/began GAN/boundary_seeking_gan/bgan"
        " GAN/conditional_gan/cgan GAN/coupled_gan/cogan GAN/disco_gan/discogan"
        " GAN/dual_gan/dualgan GAN/ebgan/ebgan GAN/f_gan/f_gan"
        " GAN/generative_adversarial_parallelization/gap GAN/gibbsnet/gibbsnet"
        " GAN/infogan/infogan GAN/least_squares_gan/lsgan GAN/magan/magan"
        " GAN/mode_regularized_gan/mode_reg_gan GAN/softmax_gan/softmax_gan"
        " GAN/vanilla_gan/gan GAN/wasserstein_gan/wgan VAE/adversarial_autoencoder/aae"
        " VAE/adversarial_vb/avb VAE/conditional_vae/cvae VAE/denoising_vae/dvae"
        " VAE/vanilla_vae/vae"
    ).split()
)

_BEGINNER = tuple(
    Script(path, batches=310)
    for path in (
        "01-Linear Regression/Linear_Regression.py",
        "02-Logistic Regression/Logistic_Regression.py",
        "03-Neural Network/neural_network.py",
        "04-Convolutional Neural Network/convolution_network.py",
        "05-Recurrent Neural Network/recurrent_network.py",
        "06-Natural Language Process/N-Gram.py",
        "06-Natural Language Process/bag-of-word.py",
        "06-Natural Language Process/seq-lstm.py",
        "07-Language Model/language model.py",
        "08-AutoEncoder/Variational_autoencoder.py",
        "08-AutoEncoder/conv_autoencoder.py",
        "08-AutoEncoder/simple_autoencoder.py",
        "09-Generative Adversarial network/conv_gan.py",
        "09-Generative Adversarial network/simple_Gan.py",
        "10-Deep Q learning/reinforcement learning.py",
        "11-backward/backward.py",
    )
)


def _beginner(tree: Path) -> None:
    for name in ("train", "valid", "test"):
        _words(tree / "07-Language Model" / "data" / f"{name}.txt", 200, 20)
    for folder in ("02-Logistic Regression", "08-AutoEncoder", "09-Generative Adversarial network"):
        for name in ("vae_img", "dc_img", "mlp_img", "img"):
            (tree / folder / name).mkdir(exist_ok=True)


_EXAMPLES = tuple(
    Script(path)
    for path in (
        "autograd/two_layer_net_autograd.py",
        "autograd/two_layer_net_custom_function.py",
        "nn/dynamic_net.py",
        "nn/two_layer_net_module.py",
        "nn/two_layer_net_nn.py",
        "nn/two_layer_net_optim.py",
        "tensor/two_layer_net_tensor.py",
    )
)


def _cora(tree: Path) -> None:
    """A graph as the one of the papers, of which some clones hold no copy."""
    random = np.random.RandomState(0)
    folder = tree / "data" / "cora"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "cora.content", "w") as file:
        for number in range(1500):
            features = " ".join(str(bit) for bit in random.randint(0, 2, 40))
            print(number, features, f"class{number % 7}", file=file)
    with open(folder / "cora.cites", "w") as file:
        for first, second in random.randint(0, 1500, (4000, 2)):
            print(first, second, file=file)


def _to_python_3(tree: Path) -> None:
    """What its authors ran on Python 2."""
    command = [sys.executable, "-W", "ignore", "-m", "lib2to3", "-w", "-n", str(tree)]
    subprocess.run(command, check=True, capture_output=True)


def _wgan_gp(tree: Path) -> None:
    import gzip
    import pickle

    _to_python_3(tree)
    # It downloads a model of TensorFlow when it is imported.
    stand_in = "def get_inception_score(images, splits=10):\n    return 1.0, 0.0\n"
    (tree / "tflib" / "inception_score.py").write_text(stand_in)

    random = np.random.RandomState(0)
    sets = [(random.rand(200, 784).astype("float32"), random.randint(0, 10, 200)) for _ in range(3)]
    # The script reads it from there whatever its folder is.
    with gzip.open("/tmp/mnist.pkl.gz", "wb") as packed:
        pickle.dump(sets, packed)
    folder = tree / "cifar-10-batches-py"
    folder.mkdir()
    for name in (
        "data_batch_1 data_batch_2 data_batch_3 data_batch_4 data_batch_5 test_batch"
    ).split():
        batch = {
            "data": random.randint(0, 256, (64, 3072)).astype("uint8"),
            "labels": random.randint(0, 10, 64).tolist(),
        }
        (folder / name).write_bytes(pickle.dumps(batch, protocol=2))
    for number in range(1, 100):
        name = f"news.en-{number:05}-of-00100"
        _words(
            tree / "data_language/training-monolingual.tokenized.shuffled" / name,
            2,
            12,
            seed=number,
        )
    for name in ("tmp", "tmp/mnist", "tmp/cifar10", "tmp/lang", "tmp/8gaussians"):
        (tree / name).mkdir(exist_ok=True)


def _retinanet(tree: Path) -> None:
    import torch
    import torchvision

    names = set()
    for name in ("voc12_train", "voc12_val", "test"):
        path = tree / "data" / f"{name}.txt"
        lines = path.read_text().splitlines()[:8]
        path.write_text("\n".join(lines) + "\n")
        names |= {line.split()[0] for line in lines}
    for name in names:
        _picture(tree / "images" / name, 500, 375)
    (tree / "image").mkdir(exist_ok=True)
    _picture(tree / "image" / "000001.jpg", 353, 500)
    for name in ("train.py", "test.py", "datagen.py"):
        text = (tree / name).read_text()
        text = text.replace("/search/odin/liukuang/data/voc_all_images", str(tree / "images"))
        text = text.replace("input_size=600", "input_size=128").replace(
            "batch_size=16", "batch_size=2"
        )
        (tree / name).write_text(text)
    (tree / "model").mkdir(exist_ok=True)
    (tree / "checkpoint").mkdir(exist_ok=True)
    torch.save(torchvision.models.resnet50().state_dict(), tree / "model" / "resnet50.pth")


_RETINANET = "import torch, retinanet; torch.save(retinanet.RetinaNet().state_dict(), {0!r})"


def _camvid(tree: Path) -> None:
    _to_python_3(tree)
    root = tree / "camvid"
    # Smaller pictures, because there is no GPU.
    loader = tree / "ptsemseg" / "loader" / "camvid_loader.py"
    loader.write_text(loader.read_text().replace("[360, 480]", "[188, 188]"))
    for part in ("train", "val", "test"):
        for number in range(4):
            _picture(root / part / f"{number}.png", 188, 188)
            _picture(root / f"{part}annot" / f"{number}.png", 188, 188, levels=12, gray=True)
    settings = json.loads((tree / "config.json").read_text())
    settings["camvid"]["data_path"] = str(root)
    (tree / "config.json").write_text(json.dumps(settings))


_UNET = """
import torch
from ptsemseg.models import get_model
model = torch.nn.DataParallel(get_model("unet", 12))
torch.save({"model_state": model.state_dict()}, "unet_camvid.pkl")
"""


def _ssd(tree: Path) -> None:
    (tree / "weights").mkdir(exist_ok=True)
    (tree / "data" / "coco").mkdir()
    shutil.copy(tree / "data" / "coco_labels.txt", tree / "data" / "coco" / "coco_labels.txt")
    for year in ("2007", "2012"):
        _voc(tree / "VOCdevkit" / f"VOC{year}", ("trainval", "test"))


_VGG = """
import torch, ssd
layers = torch.nn.ModuleList(ssd.vgg(ssd.base["300"], 3))
torch.save(layers.state_dict(), "weights/vgg16_reducedfc.pth")
"""
_SSD = "import torch, ssd; torch.save(ssd.build_ssd('test', 300, 21).state_dict(), 'weights/{0}')"


def _faster_rcnn(tree: Path) -> None:
    _voc(tree / "VOC2007", ("trainval", "test"))


def _captions(tree: Path) -> None:
    import h5py

    _to_python_3(tree)
    data = tree / "data"
    images = [
        {"id": number, "file_path": "", "split": ("train", "val", "test")[number % 3]}
        for number in range(48)
    ]
    words = {str(number): f"w{number}" for number in range(1, 30)}
    data.mkdir(exist_ok=True)
    (data / "coco.json").write_text(json.dumps({"images": images, "ix_to_word": words}))
    random = np.random.RandomState(0)
    with h5py.File(data / "coco_label.h5", "w") as file:
        labels = random.randint(1, 30, (48 * 5, 16)).astype("uint32")
        labels[:, 10:] = 0
        file["labels"] = labels
        file["label_start_ix"] = np.arange(48) * 5 + 1
        file["label_end_ix"] = np.arange(48) * 5 + 5
        file["label_length"] = np.full(48 * 5, 10)
    for name in ("cocotalk_fc", "cocotalk_att"):
        (data / name).mkdir(exist_ok=True)
    for number in range(48):
        np.save(data / "cocotalk_fc" / f"{number}.npy", random.rand(2048).astype("float32"))
        att = random.rand(9, 2048).astype("float32")
        np.savez(data / "cocotalk_att" / f"{number}.npz", feat=att)
    (tree / "save").mkdir(exist_ok=True)


def _sequences(tree: Path) -> None:
    for name in ("train", "dev"):
        path = tree / f"{name}.tsv"
        _words(path, 200, 6)
        lines = path.read_text().splitlines()
        path.write_text("\n".join(f"{line}\t{' '.join(line.split()[::-1])}" for line in lines))


def _flow(tree: Path) -> None:
    root = tree / "MPI-Sintel" / "flow" / "training"
    for number in range(6):
        for kind in ("final", "clean"):
            _picture(root / kind / "alley" / f"frame_{number:04}.png", 256, 192)
        path = root / "flow" / "alley" / f"frame_{number:04}.flo"
        path.parent.mkdir(parents=True, exist_ok=True)
        flow = np.random.RandomState(number).rand(192, 256, 2).astype("float32")
        head = np.array([202021.25], "float32").tobytes() + np.array([256, 192], "int32").tobytes()
        path.write_bytes(head + flow.tobytes())


def _translation(tree: Path) -> None:
    for name in ("train", "val", "test"):
        for side in ("src", "tgt"):
            _words(tree / "made" / f"{side}-{name}.txt", 60, 8)


_ACTORS = tuple(
    Script("main.py", f"--num-processes 2 --no-vis --log-dir logs {more}".split())
    for more in (
        "--algo a2c --env-name CartPole-v1",
        "--algo ppo --num-mini-batch 2 --env-name CartPole-v1",
        "--algo acktr --env-name CartPole-v1",
        "--algo a2c --recurrent-policy --env-name PongNoFrameskip-v4",
        "--algo ppo --num-mini-batch 1 --recurrent-policy --env-name PongNoFrameskip-v4",
    )
)

_SEGMENTERS = tuple(
    Script("train.py", f"--arch {arch} --dataset camvid --n_epoch 2 --batch_size 2".split())
    for arch in "fcn32s fcn8s unet segnet linknet".split()
)

_DETECTOR = "--num_workers 0 --batch_size 2 --dataset_root VOCdevkit/".split()

_TABLE: dict[str, tuple[Sequence[Script], Callable[[Path], None]]] = {
    "jcjohnson/pytorch-examples": (_EXAMPLES, lambda tree: None),
    "MorvanZhou/PyTorch-Tutorial": (_TUTORIAL, lambda tree: None),
    "L1aoXingyu/pytorch-beginner": (_BEGINNER, _beginner),
    "wiseodd/generative-models": (_MODELS, lambda tree: None),
    "eriklindernoren/PyTorch-GAN": (_GANS, _gans),
    "Diego999/pyGAT": (
        (Script("train.py", ("--epochs", "3")), Script("visualize_graph.py")),
        _cora,
    ),
    "tkipf/pygcn": ((Script("pygcn/train.py", ("--epochs", "5"), "pygcn"),), _cora),
    "kuangliu/pytorch-cifar": (
        (Script("main.py"), Script("main.py", ("--resume",))),
        lambda tree: None,
    ),
    "meliketoy/wide-resnet.pytorch": (
        (
            Script("main.py", "--net_type wide-resnet --depth 10 --widen_factor 1".split()),
            Script("main.py", "--net_type vggnet --depth 11 --dataset cifar100".split()),
            Script(
                "main.py", "--net_type wide-resnet --depth 10 --widen_factor 1 --testOnly".split()
            ),
            Script("networks/wide_resnet.py"),
            Script("networks/resnet.py"),
            Script("networks/vggnet.py"),
        ),
        lambda tree: None,
    ),
    "caogang/wgan-gp": (
        tuple(Script(f"gan_{name}.py") for name in ("toy", "mnist", "cifar10", "language")),
        _wgan_gp,
    ),
    "kuangliu/pytorch-retinanet": (
        (
            Script("scripts/get_state_dict.py", cwd="."),
            Script("train.py", setup=_RETINANET.format("model/net.pth")),
            Script("test.py", setup=_RETINANET.format("checkpoint/params.pth")),
        ),
        _retinanet,
    ),
    "ikostrikov/pytorch-a2c-ppo-acktr-gail": (
        (
            *_ACTORS,
            Script("enjoy.py", "--load-dir trained_models/a2c --env-name CartPole-v1".split()),
        ),
        lambda tree: None,
    ),
    "meetps/pytorch-semseg": (
        (
            *_SEGMENTERS,
            Script(
                "validate.py", "--dataset camvid --model_path unet_camvid.pkl".split(), setup=_UNET
            ),
            Script(
                "test.py",
                "--dataset camvid --model_path unet_camvid.pkl --img_path camvid/test/0.png"
                " --out_path out.png".split(),
                setup=_UNET,
            ),
        ),
        _camvid,
    ),
    "amdegroot/ssd.pytorch": (
        (
            Script("train.py", _DETECTOR, setup=_VGG),
            Script(
                "test.py", ("--voc_root", "VOCdevkit/"), setup=_SSD.format("ssd_300_VOC0712.pth")
            ),
            Script(
                "eval.py",
                ("--voc_root", "VOCdevkit/"),
                setup=_SSD.format("ssd300_mAP_77.43_v2.pth"),
            ),
        ),
        _ssd,
    ),
    "chenyuntc/simple-faster-rcnn-pytorch": (
        (
            Script("train.py", ("train", "--voc_data_dir=VOC2007", "--epoch=1")),
            Script("misc/train_fast.py", ("train", "--voc_data_dir=VOC2007", "--epoch=1"), "."),
        ),
        _faster_rcnn,
    ),
    "ruotianluo/self-critical.pytorch": (
        tuple(
            Script(
                "train.py",
                f"--id {model} --caption_model {model} --batch_size 4 --rnn_size 64"
                " --input_encoding_size 64 --att_hid_size 64 --losses_log_every 1"
                " --val_images_use 8 --checkpoint_path save".split(),
                # Its loader is never begun anew within an epoch.
                batches=1000,
                # Lists come out of the loader because pinning makes them of tuples.
                gpu=True,
            )
            for model in "fc att2in att2in2 adaatt topdown stackatt".split()
        ),
        _captions,
    ),
    "IBM/pytorch-seq2seq": (
        (
            Script(
                "examples/sample.py",
                "--train_path train.tsv --dev_path dev.tsv --expt_dir made".split(),
                ".",
            ),
        ),
        _sequences,
    ),
    "NVIDIA/flownet2-pytorch": (
        (
            Script(
                "main.py",
                "--model FlowNet2S --batch_size 1 --crop_size 128 192 --total_epochs 2".split(),
            ),
        ),
        _flow,
    ),
    "OpenNMT/OpenNMT-py": (
        (
            Script(
                "preprocess.py",
                "-train_src made/src-train.txt -train_tgt made/tgt-train.txt -valid_src"
                " made/src-val.txt -valid_tgt made/tgt-val.txt -save_data made/demo".split(),
            ),
            Script(
                "train.py",
                "-data made/demo -save_model made/model -rnn_size 32 -word_vec_size 32"
                " -layers 1 -epochs 2 -batch_size 8".split(),
            ),
        ),
        _translation,
    ),
    "pyro-ppl/pyro": (
        tuple(
            Script(path, arguments.split(), ".")
            for path, arguments in {
                "examples/vae.py": "-n 1",
                "examples/vae_comparison.py": "-n 1",
                "examples/bayesian_regression.py": "-n 2",
                "examples/inclined_plane.py": "-n 1",
                "examples/ss_vae_M2.py": "-n 1",
                "examples/schelling.py": "-n 2",
                "examples/schelling_false.py": "-n 2",
                "examples/contrib/named/mixture.py": "-n 2",
                "examples/contrib/named/tree_data.py": "-n 2",
            }.items()
        ),
        lambda tree: None,
    ),
}
