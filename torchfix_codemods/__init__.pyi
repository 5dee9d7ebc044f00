from torchfix_codemods.api import ConfigError as ConfigError
from torchfix_codemods.api import FileError as FileError
from torchfix_codemods.api import FileResult as FileResult
from torchfix_codemods.api import Finding as Finding
from torchfix_codemods.api import Numerics as Numerics
from torchfix_codemods.api import Place as Place
from torchfix_codemods.api import Settings as Settings
from torchfix_codemods.api import check_text as check_text
from torchfix_codemods.api import migrate_paths as migrate_paths
from torchfix_codemods.api import migrate_text as migrate_text
from torchfix_codemods.api import read_settings as read_settings

__version__: str
__all__: list[str]
