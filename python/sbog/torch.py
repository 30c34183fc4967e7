# SPDX-License-Identifier: Apache-2.0
"""sbog in a training loop of torch; imported only when it is asked for.

The energy and the robust logits are functions with gradients, computed on the
processor whatever the device of a tensor is. The rest is what one needs beside
them: a loss with outliers, and features of a layer.
"""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

try:
    import torch
    from torch import nn
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ImportError("sbog.torch needs torch: pip install torch") from None

from ._energy import EnergyModel
from ._robust import robust_logits as _robust_logits

__all__ = [
    "OutlierExposureLoss",
    "SinkhornEnergy",
    "energy",
    "features",
    "outlier_exposure_loss",
    "robust_logits",
]


def _array(tensor: torch.Tensor) -> np.ndarray:
    array: np.ndarray = tensor.detach().cpu().contiguous().numpy()
    return array


def _like(array: np.ndarray, tensor: torch.Tensor) -> torch.Tensor:
    values: torch.Tensor = torch.from_numpy(np.ascontiguousarray(array)).to(tensor)
    return values


class _Energy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, points: torch.Tensor, model: EnergyModel) -> torch.Tensor:
        ctx.save_for_backward(points)
        ctx.model = model
        return _like(model.score(_array(points)), points)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, slopes: torch.Tensor) -> Any:
        (points,) = ctx.saved_tensors
        gradient = _like(ctx.model.gradient(_array(points)), points)
        return slopes[:, None] * gradient, None


def energy(points: torch.Tensor, model: EnergyModel) -> torch.Tensor:
    """Energies of points against a fitted EnergyModel; differentiable in the
    points. The numbers are in the type of the bank."""
    if points.ndim != 2:
        raise ValueError(
            f"points: a tensor with two axes is expected, got {points.ndim} axes"
        )
    energies: torch.Tensor = _Energy.apply(points, model)
    return energies


class SinkhornEnergy(nn.Module):
    """The energy against a bank as a module: (rows, features) -> (rows,).

    bank : array or tensor, (n, features); it is looked at, not learnt.
    options : of `sbog.EnergyModel`, such as cost and epsilon.
    """

    def __init__(self, bank: Any, weights: Any = None, **options: Any) -> None:
        super().__init__()
        if isinstance(bank, torch.Tensor):
            bank = _array(bank)
        self.model = EnergyModel(**options).fit(bank, weights)

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        return energy(points, self.model)

    def extra_repr(self) -> str:
        return f"{len(self.model.bank)} rows, epsilon={self.model.epsilon_:.4g}"


class _RobustLogits(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, similarities: torch.Tensor, costs: torch.Tensor, options: dict[str, Any]
    ) -> torch.Tensor:
        out = _robust_logits(_array(similarities), _array(costs), **options)
        tilted = _like(out["tilted"], similarities)
        cost_gradients = _like(out["cost_gradients"], costs)
        ctx.save_for_backward(tilted, cost_gradients)
        return _like(out["values"], similarities)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, slopes: torch.Tensor) -> Any:
        tilted, cost_gradients = ctx.saved_tensors
        of_costs = (slopes[:, :, None].to(cost_gradients) * cost_gradients).sum(dim=1)
        return slopes[:, :, None] * tilted, of_costs, None


def robust_logits(
    similarities: torch.Tensor,
    costs: torch.Tensor,
    *,
    labels: Optional[torch.Tensor] = None,
    weights: Any = None,
    epsilon: float = 0.05,
    radius: float = 0.005,
    sign: str = "paper",
) -> torch.Tensor:
    """`sbog.robust_logits` with gradients: (samples, classes, atoms) and (samples,
    atoms) -> (samples, classes)."""
    options = {
        "labels": None if labels is None else _array(labels),
        "weights": weights,
        "epsilon": epsilon,
        "radius": radius,
        "sign": sign,
    }
    values: torch.Tensor = _RobustLogits.apply(similarities, costs, options)
    return values


def outlier_exposure_loss(
    logits: torch.Tensor,
    labels: torch.Tensor,
    outlier_logits: torch.Tensor,
    *,
    weight: float = 0.5,
) -> torch.Tensor:
    """Cross-entropy of the rows plus `weight` times that of the outliers to the
    uniform law: outliers are to be of no class (outlier exposure, Hendrycks et
    al. 2019, equation 1 for classifiers)."""
    loss: torch.Tensor = nn.functional.cross_entropy(logits, labels)
    if len(outlier_logits):
        loss = loss - weight * nn.functional.log_softmax(outlier_logits, dim=1).mean()
    return loss


class OutlierExposureLoss(nn.Module):
    """The loss of the head that `sbog detect train` trains with outliers:
    cross-entropy + mean softplus(-e) of the rows + mean softplus(e) of the
    outliers, with e = softplus(slope) logsumexp(logits) + offset.

    slope and offset are learnt: give them to the optimizer. `score` is -e, large
    for what looks like an outlier.
    """

    def __init__(self) -> None:
        super().__init__()
        self.slope = nn.Parameter(torch.zeros(()))
        self.offset = nn.Parameter(torch.zeros(()))

    def score(self, logits: torch.Tensor) -> torch.Tensor:
        e = nn.functional.softplus(self.slope) * torch.logsumexp(logits, dim=1)
        score: torch.Tensor = -(e + self.offset)
        return score

    def forward(
        self, logits: torch.Tensor, labels: torch.Tensor, outlier_logits: torch.Tensor
    ) -> torch.Tensor:
        loss: torch.Tensor = nn.functional.cross_entropy(logits, labels)
        if len(outlier_logits):
            softplus = nn.functional.softplus
            known = softplus(self.score(logits)).mean()
            loss = loss + known + softplus(-self.score(outlier_logits)).mean()
        return loss


def _layer_of(model: nn.Module, layer: Union[str, nn.Module]) -> nn.Module:
    if isinstance(layer, nn.Module):
        return layer
    known = dict(model.named_modules())
    if layer not in known or not layer:
        names = ", ".join(name for name in known if name)
        raise ValueError(f"layer: {layer!r} is none of {names}")
    return known[layer]


def _split(batch: Any) -> tuple[Any, Any]:
    if isinstance(batch, (list, tuple)):
        return batch[0], batch[1] if len(batch) > 1 else None
    return batch, None


def features(
    model: nn.Module,
    loader: Any,
    *,
    layer: Union[str, nn.Module, None] = None,
    device: Any = None,
) -> tuple[np.ndarray, Optional[np.ndarray]]:
    """What a layer gives for every row of a loader, and the labels, if it has any.

    layer : name or module; None: what the model gives. Further axes are made one.
    device : where batches go; None: that of the first parameter.

    The model is in evaluation mode meanwhile, and as it was afterwards.
    """
    if device is None:
        first = next(model.parameters(), None)
        device = torch.device("cpu") if first is None else first.device
    caught: list[torch.Tensor] = []
    hook = None
    if layer is not None:
        hook = _layer_of(model, layer).register_forward_hook(
            lambda _module, _given, output: caught.append(output)
        )
    rows, labels = [], []
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            for batch in loader:
                points, marks = _split(batch)
                caught.clear()
                output = model(points.to(device))
                if layer is not None:
                    if len(caught) != 1:
                        raise ValueError(
                            f"layer: it is run {len(caught)} times for a batch, once is "
                            "expected"
                        )
                    output = caught[0]
                rows.append(_array(output.reshape(len(output), -1).float()))
                if marks is not None:
                    labels.append(_array(torch.as_tensor(marks)))
    finally:
        model.train(was_training)
        if hook is not None:
            hook.remove()
    if not rows:
        raise ValueError("loader: a batch is expected, got none")
    return np.concatenate(rows), np.concatenate(labels) if labels else None
