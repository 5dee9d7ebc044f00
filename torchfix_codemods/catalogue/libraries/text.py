"""Names of torchtext, which is not developed any more."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Gone, all_gone

#: What to use for the names of the module that held them up to 0.8, and of its successor.
_USE = {
    "Field NestedField ReversibleField SubwordField": (
        "use a collate_fn that looks words up in a dict (unless use_vocab=False) and pads with"
        " torch.nn.utils.rnn.pad_sequence (unless sequential=False)"
    ),
    "LabelField": "use a dict from labels to numbers, and a collate_fn",
    "RawField": "use the values as they are, and a collate_fn that puts them into a list",
    "Example Dataset TabularDataset": "use a torch.utils.data.Dataset of your own",
    "Iterator BucketIterator Batch": (
        "use a torch.utils.data.DataLoader with a collate_fn for each split; for batches of texts"
        " of like length, give it a batch_sampler of your own"
    ),
    "BPTTIterator": (
        "put the text into one tensor of batch_size columns, and use bptt_len rows at a time of"
        " text[:-1], with those of text[1:] as the target"
    ),
    "Pipeline": "call the functions one after the other",
}
_LEGACY = "; from 0.9 to 0.11, torchtext.legacy.data has the old names"

ROWS = (
    *(
        row
        for names, advice in _USE.items()
        for row in (
            *all_gone("torchtext.data", names, "0.9", advice + _LEGACY),
            *all_gone("torchtext.legacy.data", names, "0.12", advice),
        )
    ),
    Gone("torchtext.legacy", "use torch.utils.data and a collate_fn of your own", gone="0.12"),
)
