"""The legacy packages that are measured, and how they get onto this machine.

pip cannot be asked for a source archive without running its `setup.py`, and the
ones of 2017 import what is not there. So pip only says where its index is; the
archive is looked up there, checked against the hash below, and unpacked.
"""

from __future__ import annotations

import hashlib
import html.parser
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
CACHE_VARIABLE = "TORCHFIX_CORPUS"
WHEEL = "-py3-none-any.whl"
TIMEOUT_S = 120


class FetchError(Exception):
    """A package could not be had: no index, no such archive, or other bytes than expected."""


@dataclass(frozen=True)
class Package:
    """One archive on the Python Package Index."""

    name: str
    version: str
    sha256: str
    suffix: str = ".tar.gz"

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def folder_name(self) -> str:
        """The name of its folder in the cache and in everything the benchmarks write."""
        return f"{self.name}-{self.version}"


LEGACY = (
    Package("pytoune", "0.2", "1cae6331f3790c05ee3c92afd737985b6ee6de21829fdd72be3f94296fe51c90"),
    Package("poutyne", "0.5", "158ab6d2e1ed6e16f25d920d25e8d4f0d2a41edcdfdcf0daa20fab24548628ca"),
    Package(
        "torchbearer", "0.1.3", "dea26cdb359c3403604df6fbda136a042b9a33c34cfc2464f88499e213465e6f"
    ),
    Package(
        "pyro-ppl", "0.1.2", "8fd95ccc49f45ed622dde4812e19e1a9e1fec6ccb4597342678157065daeedfb"
    ),
    Package(
        "torchfusion", "0.2.3", "ec44a89f47ab770d360469fddb69e2c3ef53e5560e7e9f5ebd560b3d93ccb8dd"
    ),
    Package("fastnlp", "0.3.2", "e7173121cf895a23260ff8088542d333d678e6395b5b2ec23073ff6051604160"),
    Package(
        "inferno-pytorch",
        "0.1.7",
        "4ff7667e90be50b19d3c215c6f40666d9d527299d8f3d1cc739d99434894cc31",
    ),
    Package(
        "torch-encoding",
        "0.3.1",
        "b6a6e7c35111f7d43f48f1b3da7f3f5f45e7afb1e3f2c1a7ddb5485822039937",
    ),
    # Written for torch 1.x: nearly nothing should change in these two.
    Package("captum", "0.1.0", "15d1bd8adaa05edcf7ea31569bb21f625b1859cd326e910178a000b7aeb623b3"),
    Package("kornia", "0.1.4", "adef1af92165bb15055beaca27182da6ec745aacbaf57fd78e265e85a2dbc92e"),
)

#: What `speed` looks at besides: today's code, and code that has nothing to do with torch.
MODERN = (
    Package(
        "transformers",
        "5.23.0",
        "018e82fd07490ad5bb58414f65e31576033dc7f36bed10c574843f69b90991bf",
        WHEEL,
    ),
    Package(
        "django", "5.2", "91ceed4e3a6db5aedced65e3c8f963118ea9ba753fc620831c77074e620e7d83", WHEEL
    ),
)


def package_named(name: str) -> Package:
    """Look a package of the table up by its name."""
    for package in LEGACY:
        if package.name == name:
            return package
    known = ", ".join(package.name for package in LEGACY)
    raise FetchError(f"{name} is not one of the measured packages ({known})")


def cache_folder() -> Path:
    """Where downloads and virtual environments are kept between runs."""
    chosen = os.environ.get(CACHE_VARIABLE)
    folder = Path(chosen).expanduser().resolve() if chosen else REPOSITORY / ".corpus"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def fetch(package: Package) -> Path:
    """Return the folder of the unpacked archive, downloading it when it is not there yet."""
    unpacked = cache_folder() / "sources" / package.folder_name
    if not unpacked.is_dir():
        unpacked.parent.mkdir(parents=True, exist_ok=True)
        # Unpacked beside its place and then renamed: an interrupted run leaves no half package.
        with tempfile.TemporaryDirectory(dir=unpacked.parent) as work:
            archive = Path(work) / f"archive{package.suffix}"
            _download(package, archive)
            _unpack(archive, Path(work) / "unpacked").rename(unpacked)
    return unpacked


def _download(package: Package, archive: Path) -> None:
    """Download the source archive of `package` and check its bytes."""
    url = _archive_url(package)
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT_S) as response, archive.open("wb") as file:
            shutil.copyfileobj(response, file)
    except OSError as error:
        raise FetchError(f"{package}: {url}: {error}") from error
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != package.sha256:
        raise FetchError(f"{package}: {url} has SHA-256 {found}, expected {package.sha256}")


def _unpack(archive: Path, folder: Path) -> Path:
    """Unpack `archive` into `folder` and return the folder with the sources."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(folder)
        return folder
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    (top,) = folder.iterdir()
    return top


def _archive_url(package: Package) -> str:
    """Find the address of the package's source archive on its page of the index."""
    page = f"{_index_url().rstrip('/')}/{package.name}/"
    wanted = _normalised(package.folder_name)
    for link in _links(page):
        file_name = urllib.parse.unquote(urllib.parse.urlsplit(link).path.rpartition("/")[2])
        if (
            file_name.endswith(package.suffix)
            and _normalised(file_name.removesuffix(package.suffix)) == wanted
        ):
            return link
    raise FetchError(f"{package}: no archive of it on {page}")


def _normalised(name: str) -> str:
    """Spell a project or file name the way the index compares them."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _links(page: str) -> list[str]:
    """Return the absolute addresses a page of the index links to."""
    try:
        with urllib.request.urlopen(page, timeout=TIMEOUT_S) as response:
            text = response.read().decode()
            base = response.url
    except OSError as error:
        raise FetchError(f"{page}: {error}") from error
    parser = _LinkParser()
    parser.feed(text)
    return [urllib.parse.urljoin(base, link) for link in parser.links]


class _LinkParser(html.parser.HTMLParser):
    """Collects the targets of the links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember where a link leads."""
        if tag == "a":
            self.links += [value for name, value in attrs if name == "href" and value]


def _index_url() -> str:
    """Return the index that pip is configured with, or else pip's own default."""
    configured = os.environ.get("PIP_INDEX_URL") or _pip_says("config", "get", "global.index-url")
    if configured:
        return configured
    default = re.search(
        r"--index-url <url>.*?\(default\s+(\S+?)\)", _pip_says("download", "--help"), re.DOTALL
    )
    if default is None:
        raise FetchError("pip names no package index; set PIP_INDEX_URL")
    return default[1]


def _pip_says(*arguments: str) -> str:
    """Return what pip prints; nothing when it fails, as `config get` does for what is not set."""
    command = [sys.executable, "-m", "pip", *arguments]
    # At pip's usual width an address of the help text could be broken over two lines.
    answer = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "COLUMNS": "200"}
    )
    return answer.stdout.strip() if answer.returncode == 0 else ""
