"""The losses of torch: where their legacy flags stand."""

from __future__ import annotations

# Where size_average stood among the positional parameters of torch 0.3 (0-based, after self);
# reduce followed the parameter that stood behind it.
_MODULES = {
    "L1Loss": (0, 1),
    "NLLLoss": (1, 3),
    "NLLLoss2d": (1, 3),
    "PoissonNLLLoss": (2, 4),
    "KLDivLoss": (0, 1),
    "MSELoss": (0, 1),
    "BCELoss": (1, 2),
    "BCEWithLogitsLoss": (1, 2),
    "CosineEmbeddingLoss": (1, 2),
    "MarginRankingLoss": (1, 2),
    "HingeEmbeddingLoss": (1, 2),
    "MultiLabelMarginLoss": (0, 1),
    "SoftMarginLoss": (0, 1),
    "SmoothL1Loss": (0, 1),
    "CrossEntropyLoss": (1, 3),
    "MultiLabelSoftMarginLoss": (1, 2),
    "MultiMarginLoss": (3, 4),
    "TripletMarginLoss": (4, 5),
}
_FUNCTIONS = {
    "nll_loss": (3, 5),
    "cross_entropy": (3, 5),
    "binary_cross_entropy": (3, 4),
    "binary_cross_entropy_with_logits": (3, 4),
    "mse_loss": (2, 3),
    "l1_loss": (2, 3),
    "smooth_l1_loss": (2, 3),
    "kl_div": (2, 3),
    "poisson_nll_loss": (4, 6),
    "cosine_embedding_loss": (4, 5),
    "margin_ranking_loss": (4, 5),
    "hinge_embedding_loss": (3, 4),
    "multilabel_margin_loss": (2, 3),
    "soft_margin_loss": (2, 3),
    "multilabel_soft_margin_loss": (3, 4),
    "multi_margin_loss": (5, 6),
    "triplet_margin_loss": (7, 8),
}
#: Where ``size_average`` and ``reduce`` stand among the positional arguments of a loss.
FLAG_POSITIONS = {
    **{f"torch.nn.{name}": at for name, at in _MODULES.items()},
    **{f"torch.nn.functional.{name}": at for name, at in _FUNCTIONS.items()},
}

#: The one parameter that stood between the two flags, where there was one.
BETWEEN_FLAGS = {
    "torch.nn.NLLLoss": "ignore_index",
    "torch.nn.NLLLoss2d": "ignore_index",
    "torch.nn.CrossEntropyLoss": "ignore_index",
    "torch.nn.PoissonNLLLoss": "eps",
    "torch.nn.functional.nll_loss": "ignore_index",
    "torch.nn.functional.cross_entropy": "ignore_index",
    "torch.nn.functional.poisson_nll_loss": "eps",
}

#: The functions whose target holds indices of classes, and nothing else until torch 1.10.
OF_CLASSES = frozenset({"cross_entropy", "nll_loss"})

#: The function that does what the objects of a class do.
FUNCTION_OF = {
    "torch.nn.CrossEntropyLoss": "cross_entropy",
    "torch.nn.NLLLoss": "nll_loss",
    "torch.nn.BCELoss": "binary_cross_entropy",
    "torch.nn.BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "torch.nn.KLDivLoss": "kl_div",
    "torch.nn.MSELoss": "mse_loss",
    "torch.nn.L1Loss": "l1_loss",
    "torch.nn.SmoothL1Loss": "smooth_l1_loss",
    "torch.nn.CosineEmbeddingLoss": "cosine_embedding_loss",
    "torch.nn.MarginRankingLoss": "margin_ranking_loss",
}
