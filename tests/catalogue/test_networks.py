"""What the rows about `torch.nn` say beside names, against the installed torch."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")


@pytest.fixture(autouse=True)
def _seeded() -> None:
    # Of some random weights nothing passes the ReLU, whichever they are.
    torch.manual_seed(0)


def _net(normed: Callable[[nn.Module], nn.Module]) -> nn.Module:
    return nn.Sequential(normed(nn.Conv1d(3, 4, 3)), nn.ReLU())


def _old() -> nn.Module:
    return _net(nn.utils.weight_norm)


def _new() -> nn.Module:
    return _net(parametrizations.weight_norm)


def test_parametrized_weights_load_old_checkpoints() -> None:
    old, new, x = _old(), _new(), torch.ones(1, 3, 5)
    new.load_state_dict(old.state_dict())
    assert torch.equal(new(x), old(x))


def test_code_that_picks_keys_by_name_loses_the_weights() -> None:
    old, new, x = _old(), _new(), torch.ones(1, 3, 5)
    picked = {k: v for k, v in old.state_dict().items() if k in new.state_dict()}
    assert set(picked) == {"0.bias"}
    new.load_state_dict(picked, strict=False)
    assert not torch.equal(new(x), old(x))
    kept = _old()
    kept.load_state_dict({k: v for k, v in old.state_dict().items() if k in kept.state_dict()})
    assert torch.equal(kept(x), old(x))


def test_modules_that_were_pickled_whole_keep_the_old_form() -> None:
    file, old, x = io.BytesIO(), _old(), torch.ones(1, 3, 5)
    torch.save(old, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    assert torch.equal(loaded(x), old(x))
    with pytest.raises(ValueError, match="does not have a parametrization"):
        parametrize.remove_parametrizations(loaded[0], "weight")
    nn.utils.remove_weight_norm(loaded[0])
    assert torch.allclose(loaded(x), old(x))


def test_old_code_does_not_load_new_checkpoints() -> None:
    with pytest.raises(RuntimeError, match="original0"):
        _old().load_state_dict(_new().state_dict())


def test_names_of_parametrized_weights() -> None:
    old, new = _old(), _new()
    new.load_state_dict(old.state_dict())
    assert not hasattr(new[0], "weight_g")
    parts = new[0].parametrizations.weight
    assert torch.equal(parts.original0, old[0].weight_g)
    assert torch.equal(parts.original1, old[0].weight_v)


def test_parametrized_modules_are_saved_by_their_state_dict_only() -> None:
    new = _new()
    with pytest.raises(RuntimeError, match="only supported through state_dict"):
        torch.save(new, io.BytesIO())
    torch.save(new.state_dict(), io.BytesIO())


def test_the_norm_is_taken_off() -> None:
    new, x = _new(), torch.ones(1, 3, 5)
    before = new(x)
    with pytest.raises(ValueError, match="not found"):
        nn.utils.remove_weight_norm(new[0])
    parametrize.remove_parametrizations(new[0], "weight")
    assert torch.equal(new(x), before)
    assert set(new.state_dict()) == {"0.weight", "0.bias"}


def test_names_of_parameters_of_other_names() -> None:
    torch.manual_seed(1)
    name = "weight_hh_l0"
    old = nn.utils.weight_norm(nn.LSTM(2, 3), name)
    new = parametrizations.weight_norm(nn.LSTM(2, 3), name)
    new.load_state_dict(old.state_dict())
    keys = {f"parametrizations.{name}.original{n}" for n in (0, 1)}
    assert set(new.state_dict()) - set(old.state_dict()) == keys
    assert set(old.state_dict()) - set(new.state_dict()) == {f"{name}_g", f"{name}_v"}
    x = torch.ones(4, 1, 2)
    assert torch.equal(new(x)[0], old(x)[0])
