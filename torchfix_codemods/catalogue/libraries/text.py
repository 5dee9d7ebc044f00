"""Names of torchtext, which is not developed any more."""

from __future__ import annotations

from dataclasses import replace

from torchfix_codemods.catalogue.rows import Form, Given, Gone, all_gone

#: What makes batches of examples.
_ITERATED_BATCHES = "Iterator BucketIterator BPTTIterator Batch( .iters("
_BATCHES = f"{_ITERATED_BATCHES} .pad( .process( .numericalize("
_FIELDS = "Field ReversibleField NestedField SubwordField LabelField"
_ASKED = "as its arguments asked, "
_SPLIT = "it split strings (not lists) into tokens"
_ONLY_SPLIT = f"{_ASKED}{_SPLIT}; a function of your own does so today"
_COLLATED_BY_OWN = "functions of your own do so today, a collate_fn where batches are made"
#: What is said of fields by what else the project speaks of: what makes batches pads them.
_OF_FIELDS = {
    _BATCHES: (
        f"{_ASKED}{_SPLIT}, numbered them (build_vocab) and padded batches; {_COLLATED_BY_OWN}"
    ),
    "build_vocab .vocab": (
        f"{_ASKED}{_SPLIT}, and numbered them (build_vocab); a function of your own does so today"
    ),
}

#: Samples were put together by a key alone, which the datasets of torchtext brought along.
_OF_KEYS = {
    "sort_key CoNLL2000Chunking IMDB IWSLT Multi30k MultiNLI SequenceTaggingDataset SNLI SST"
    " TranslationDataset TREC UDPOS WMT14 XNLI": (
        "it put samples of like length together: a torch.utils.data.DataLoader does so with your"
        " own batch_sampler, and a collate_fn that pads"
    ),
}
_OWN_DATASET = (
    "torch.utils.data.Dataset takes neither: subclasses of it store their own, and have __getitem__"
    " and __len__"
)
_OF_FILTERS = {
    "filter_pred": (
        "it stored the fields it was given, and of the examples those for which"
        f" filter_pred(example) was true; {_OWN_DATASET}"
    )
}
_SPOKEN = {_FIELDS: _OF_FIELDS, "BucketIterator": _OF_KEYS, "Dataset": _OF_FILTERS}

_FIELD_TAKES = (
    "Field(sequential=True, use_vocab=True, init_token=None, eos_token=None, fix_length=None, *,"
    " dtype=..., tensor_type=..., preprocessing=None, postprocessing=None, lower=False,"
    " tokenize=..., tokenizer_language=..., include_lengths=False, batch_first=False,"
    " pad_token=..., unk_token=..., pad_first=False, truncate_first=False, stop_words=None,"
    " is_target=False)"
)
#: Whether these are asked for has to be written down where what a field did is said for sure.
_FLAGS = "lower include_lengths batch_first pad_first truncate_first"
_KNOWN = {"sequential": True, **dict.fromkeys(_FLAGS.split(), Given.FLAG)}
_WITHOUT_VOCABULARY = (
    f"{_ASKED}{_SPLIT}, padded the batches that iterators made, and numbered nothing"
    f" (use_vocab=False); {_COLLATED_BY_OWN}"
)
_OF_SEQUENCES = (
    *(
        Form("", when={**_KNOWN, "use_vocab": uses}, advice=said.removeprefix(_ASKED), spoken=words)
        for uses, words, said in (
            (False, "", _WITHOUT_VOCABULARY),
            *((True, words, said) for words, said in (*_OF_FIELDS.items(), ("", _ONLY_SPLIT))),
        )
    ),
    Form("", when={"use_vocab": False}, advice=_WITHOUT_VOCABULARY),
)
#: What single arguments of a field of sequences asked for, some of them of batches alone.
_ALSO_ASKED = tuple(
    Form("", when={"sequential": True, name: wanted}, advice=said, spoken=spoken)
    for name, wanted, said, spoken in (
        ("preprocessing", Given.THERE, "preprocessing was called with each sample", ""),
        ("lower", True, "lower=True made them lower case", ""),
        ("tokenize", Given.THERE, "tokenize said how to split", ""),
        ("stop_words", Given.THERE, "stop_words were left out", ""),
        ("init_token", Given.THERE, "init_token was put before each sample", _BATCHES),
        ("eos_token", Given.THERE, "eos_token was put behind each sample", _BATCHES),
        ("fix_length", Given.THERE, "samples were cut or padded to fix_length", _BATCHES),
        ("pad_token", Given.THERE, "pad_token was what it padded with", _BATCHES),
        ("pad_first", True, "pad_first=True padded in front", _BATCHES),
        ("truncate_first", True, "truncate_first=True cut in front", _BATCHES),
        ("include_lengths", True, "include_lengths=True gave the lengths with a batch", _BATCHES),
        ("batch_first", True, "batch_first=True put the samples of a batch first", _BATCHES),
        ("dtype", Given.THERE, "batches were of its dtype", _BATCHES),
        ("tensor_type", Given.THERE, "batches were of its tensor_type", _BATCHES),
        ("postprocessing", Given.THERE, "postprocessing was called with each batch", _BATCHES),
    )
)
_OF_VALUES = "it took each value whole, and neither split nor padded (sequential=False)"
_NUMBERED = f"{_OF_VALUES}, but numbered them (build_vocab)"
_COLLATED = "; a collate_fn of your own puts those of a batch into a tensor today"
_HELD = ": examples of your own just hold it"
#: Of what is no sequence each sample has one value, which is neither split nor padded: a field of
#: texts beside it may pad a single one for its own, where nothing makes batches.
_OF_ONE_VALUE = (
    Form("", when={"use_vocab": False}, advice=_OF_VALUES + _COLLATED, spoken=_ITERATED_BATCHES),
    Form("", when={"use_vocab": False}, advice=_OF_VALUES + _HELD),
    Form("", when={"use_vocab": True}, advice=_NUMBERED + _COLLATED, spoken=_ITERATED_BATCHES),
    Form(
        "",
        when={"use_vocab": True},
        advice=f"{_NUMBERED}; a function of your own does so today",
        # Models of other libraries have a ``.vocab``, too.
        spoken="build_vocab",
    ),
    Form("", when={"use_vocab": True}, advice=_OF_VALUES + _HELD),
)


def _of_arguments(row: Gone) -> Gone:
    """A row that says of a field without a vocabulary, or of single values, what that one did."""
    if row.old.endswith(".LabelField"):
        _, _, others = _FIELD_TAKES.replace(" *,", "").partition("sequential=True, ")
        return replace(row, takes=f"LabelField(*, {others}", forms=_OF_ONE_VALUE)
    if not row.old.endswith(".Field"):
        return row
    forms = tuple(replace(f, when={"sequential": False, **f.when}) for f in _OF_ONE_VALUE)
    return replace(row, takes=_FIELD_TAKES, forms=(*forms, *_OF_SEQUENCES), beside=_ALSO_ASKED)


#: What is said of the names of the module that held them up to 0.8, and of its successor.
_SAID = {
    _FIELDS: _ONLY_SPLIT,
    "RawField": "it put the values of a batch into a list as they are",
    "Example": (
        "it held the values of a sample as attributes, as a types.SimpleNamespace does; fromlist()"
        " and its kin prepared them by their fields first"
    ),
    "Dataset": f"it stored the examples and fields it was given; {_OWN_DATASET}",
    "TabularDataset": (
        "it read files of CSV, TSV or JSON, for which torch has no class: that is for a"
        " torch.utils.data.Dataset of your own"
    ),
    "Iterator": (
        "a torch.utils.data.DataLoader makes the batches today, and its collate_fn their tensors"
    ),
    "BucketIterator": (
        "a torch.utils.data.DataLoader makes the batches today, and its collate_fn their tensors"
    ),
    "Batch": "it held the tensors of a batch as attributes, which a collate_fn gives today",
    "BPTTIterator": (
        "put the text into one tensor of batch_size columns, and use bptt_len rows at a time of"
        " text[:-1], with those of text[1:] as the target"
    ),
    "Pipeline": (
        "Pipeline(f) gave `[f(token) for token in tokens]` of a list, and f(x) of anything else"
    ),
}

_ONE_PASS = "a DataLoader has none, and ends after one pass"
#: What iterators have and loaders have not.
_OF_ITERATORS = {
    "epoch": _ONE_PASS,
    "iterations": _ONE_PASS,
    "init_epoch": "a DataLoader has none, and begins anew in each loop",
}

#: The last torchtext was built for torch 2.3, and its library finds no symbols in newer ones.
_ENDED = "torchtext ended with 0.18, which does not load with torch 2.4 or newer"
_SUBCLASS = "subclass torch.utils.data.Dataset and {} yourself"
_OF_FILES = f"it read {{}} and made {{}} by the fields that it was given: {_SUBCLASS}"
#: What was downloaded comes from where the texts are offered; several of the addresses moved.
_DOWNLOADED = (
    "downloaded {} and made examples of its parts by the fields that it was given:"
    f" {_SUBCLASS.format('read its files')}"
)
_OF_ITS_TEXTS = f"splits() {_DOWNLOADED}"
#: What read texts that it was given, and what downloaded its own first, and made examples of them.
_READ_BY_FIELDS = {
    "BABI20 IWSLT MultiNLI WMT14 XNLI": _OF_ITS_TEXTS.format("its texts"),
    "SNLI": _OF_ITS_TEXTS.format("nlp.stanford.edu/projects/snli/snli_1.0.zip"),
    "SST": _OF_ITS_TEXTS.format("nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip"),
    "TREC": _OF_ITS_TEXTS.format("train_5500.label and TREC_10.label of cogcomp.org/Data/QA/QC"),
    "TranslationDataset": _OF_FILES.format(
        "two text files (path + exts)", "an example of each pair of lines", "read them"
    ),
    "LanguageModelingDataset": _OF_FILES.format(
        "a text file (path)", "one example of all its words", "read it"
    ),
    "SequenceTaggingDataset": _OF_FILES.format(
        "a file of columns (path), a word a line,", "an example of each sentence", "read it"
    ),
    "TextClassificationDataset": (
        "it held pairs of a label and a tensor of token numbers, which a list does as well"
    ),
}
#: What had class methods for it, and was a function by that name up to the last torchtext.
_FUNCTIONS = "CoNLL2000Chunking IMDB Multi30k PennTreebank UDPOS WikiText103 WikiText2"
_ITERATED = (
    f"it downloaded its texts and made iterators over batches of them:"
    f" {_SUBCLASS.format('read its files')}, for a torch.utils.data.DataLoader"
)

ROWS = (
    *(
        row
        for names, advice in _READ_BY_FIELDS.items()
        for row in all_gone("torchtext.datasets", names, "0.9", f"{advice}; {_ENDED}")
    ),
    *(
        Gone(f"torchtext.datasets.{name}.{method}", advice, gone="0.9")
        for name in _FUNCTIONS.split()
        for method, advice in (
            ("splits", f"it {_DOWNLOADED.format('its texts')}; {_ENDED}"),
            ("iters", f"{_ITERATED}; {_ENDED}"),
        )
    ),
    *(
        _of_arguments(row)
        for module, gone in (("torchtext.data", "0.9"), ("torchtext.legacy.data", "0.12"))
        for names, advice in _SAID.items()
        for row in all_gone(
            module,
            names,
            gone,
            advice,
            attributes=_OF_ITERATORS if "Iterator" in names else None,
            spoken=_SPOKEN.get(names),
        )
    ),
    Gone(
        "torchtext.legacy",
        "torch.utils.data and a collate_fn of your own take its place",
        gone="0.12",
    ),
)
