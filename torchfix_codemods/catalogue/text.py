"""Names of torchtext, which is not developed any more."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Gone, all_gone

_WRITE = (
    "a torch.utils.data.Dataset and a collate_fn of your own take its place; torchtext.legacy had"
    " it from 0.9 to 0.11"
)
_NAMES = (
    "Field RawField NestedField ReversibleField SubwordField LabelField Example Dataset"
    " TabularDataset Batch Iterator BucketIterator BPTTIterator Pipeline"
)

ROWS = (
    *all_gone("torchtext.data", _NAMES, "0.9", _WRITE),
    Gone("torchtext.legacy", _WRITE, gone="0.12"),
)
