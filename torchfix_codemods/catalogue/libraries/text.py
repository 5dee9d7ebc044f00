"""Names of torchtext, which is not developed any more."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Form, Given, Gone, all_gone

_FIELD = (
    "(sequential=True, use_vocab=True, *, init_token=..., eos_token=..., fix_length=...,"
    " tensor_type=..., dtype=..., preprocessing=..., postprocessing=..., lower=..., tokenize=...,"
    " tokenizer_language=..., include_lengths=False, batch_first=False, pad_token=...,"
    " unk_token=..., pad_first=..., truncate_first=..., stop_words=..., is_target=...)"
)
_LOOKS_UP = "use a collate_fn that looks words up in a dict"
_PAD = "pads with torch.nn.utils.rnn.pad_sequence"
#: How it is padded, by what the field was given as batch_first, whose default both have.
_PADDED: dict[object, str] = {
    False: _PAD,
    Given.YES: f"{_PAD}(..., batch_first={{batch_first}})",
}
#: What the collate_fn has to do that takes the place of a field, by what the field was made with.
_FORMS = (
    *(
        Form(
            "",
            {"sequential": True, "use_vocab": has_vocab, "batch_first": is_first},
            advice=advice,
        )
        for is_first, padded in _PADDED.items()
        for has_vocab, advice in (
            (
                True,
                f"{_LOOKS_UP} and {padded}, the padding_value the number of the pad token",
            ),
            (False, f"use a collate_fn that {padded}, the padding_value the pad token"),
        )
    ),
    *(
        Form("", {"sequential": False, "use_vocab": has_vocab}, advice=advice)
        for has_vocab, advice in (
            (True, "use a collate_fn that looks each value up in a dict"),
            (False, "use a collate_fn that makes one tensor of the values"),
        )
    ),
)
_BESIDE = (
    Form(
        "",
        {"preprocessing": Given.YES},
        advice="the data set applies its preprocessing to each sample, behind tokenize and lower",
    ),
    Form(
        "",
        {"postprocessing": Given.YES},
        advice="the collate_fn applies its postprocessing to the list of a batch before it makes"
        " the tensor",
    ),
    *(
        Form(
            "",
            {
                "sequential": True,
                "include_lengths": True,
                "init_token": has_first,
                "eos_token": has_last,
            },
            advice=f"the collate_fn gives the lengths beside the tensor{counted}",
        )
        for has_first, has_last, counted in (
            (Given.NO, Given.NO, ""),
            (Given.YES, Given.NO, ", with init_token counted"),
            (Given.NO, Given.YES, ", with eos_token counted"),
            (Given.YES, Given.YES, ", with init_token and eos_token counted"),
        )
    ),
)

#: What to use for the names of the module that held them up to 0.8, and of its successor.
_USE = {
    "NestedField SubwordField": (
        f"{_LOOKS_UP} (unless use_vocab=False) and {_PAD} (unless sequential=False)"
    ),
    "LabelField": "use a dict from labels to numbers, and a collate_fn",
    "RawField": "use the values as they are, and a collate_fn that puts them into a list",
    "Example": (
        "keep a sample as a tuple or a dict of its values, each treated as its field did (tokenize,"
        " lower, preprocessing)"
    ),
    "Dataset TabularDataset": "use a torch.utils.data.Dataset of your own",
    "Iterator BucketIterator Batch": (
        "use a torch.utils.data.DataLoader with a collate_fn for each split; for batches of texts"
        " of like length, give it a batch_sampler of your own"
    ),
    "BPTTIterator": (
        "put the text into one tensor of batch_size columns, and use bptt_len rows at a time of"
        " text[:-1], with those of text[1:] as the target"
    ),
    "Pipeline": (
        "Pipeline(f) applied f to each token of a list: write [f(token) for token in tokens]"
    ),
}

_ONE_PASS = "a DataLoader has none, and ends after one pass"
#: What iterators have and loaders have not.
_OF_ITERATORS = {
    "epoch": _ONE_PASS,
    "iterations": _ONE_PASS,
    "init_epoch": "a DataLoader has none, and begins anew in each loop",
}

ROWS = (
    *(
        row
        for module, gone in (("torchtext.data", "0.9"), ("torchtext.legacy.data", "0.12"))
        for row in (
            *(
                Gone(
                    f"{module}.{name}",
                    _USE["NestedField SubwordField"],
                    takes=f"{name}{_FIELD}",
                    forms=_FORMS,
                    beside=_BESIDE,
                    gone=gone,
                )
                for name in ("Field", "ReversibleField")
            ),
            *(
                row
                for names, advice in _USE.items()
                for row in all_gone(
                    module,
                    names,
                    gone,
                    advice,
                    attributes=_OF_ITERATORS if "BucketIterator" in names else None,
                )
            ),
        )
    ),
    Gone("torchtext.legacy", "use torch.utils.data and a collate_fn of your own", gone="0.12"),
)
