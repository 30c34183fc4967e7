# SPDX-License-Identifier: Apache-2.0
"""Functions of torch: gradients by finite differences, losses by their formulas."""

import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

import sbog
import sbog.torch


@pytest.fixture
def bank():
    return np.random.default_rng(0).normal(size=(60, 4))


def points(rows=6):
    torch.manual_seed(1)
    return torch.randn(rows, 4, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("cost", ["cosine", "squared-euclidean"])
def test_the_energy_has_its_gradient(bank, cost):
    module = sbog.torch.SinkhornEnergy(bank, cost=cost, epsilon=0.5)
    x = points()
    assert torch.autograd.gradcheck(module, (x,))
    expected = sbog.EnergyModel(cost=cost, epsilon=0.5).fit(bank).score(x.detach().numpy())
    assert np.array_equal(module(x).detach().numpy(), expected)


def test_a_bank_may_be_a_tensor_and_float32_stays_so(bank):
    module = sbog.torch.SinkhornEnergy(torch.from_numpy(bank).float(), epsilon=0.5)
    x = points().detach().float().requires_grad_()
    module(x).sum().backward()
    assert module(x).dtype == x.grad.dtype == torch.float32
    assert module.model.bank.dtype == np.float32


def test_gradients_reach_the_weights_of_a_network(bank):
    network = torch.nn.Linear(3, 4)
    module = sbog.torch.SinkhornEnergy(bank, cost="squared-euclidean", epsilon=1.0)
    inputs = torch.randn(40, 3) * 3
    optimizer = torch.optim.SGD(network.parameters(), lr=0.02)
    energies = []
    for _ in range(20):
        optimizer.zero_grad()
        energy = module(network(inputs)).mean()
        energy.backward()
        optimizer.step()
        energies.append(float(energy.detach()))
    assert energies[-1] < energies[0]


@pytest.mark.parametrize("sign", ["paper", "adversarial", "upper"])
def test_robust_logits_have_their_gradients(sign):
    torch.manual_seed(2)
    similarities = torch.randn(3, 2, 7, dtype=torch.float64, requires_grad=True)
    costs = torch.rand(3, 7, dtype=torch.float64, requires_grad=True)
    labels = torch.tensor([0, 1, 0]) if sign == "adversarial" else None

    def logits(s, c):
        return sbog.torch.robust_logits(
            s, c, labels=labels, epsilon=0.3, radius=0.05, sign=sign
        )

    assert torch.autograd.gradcheck(logits, (similarities, costs), atol=1e-5)


def test_outlier_exposure_is_its_formula():
    torch.manual_seed(3)
    logits, outliers = torch.randn(5, 3), torch.randn(4, 3)
    labels = torch.tensor([0, 1, 2, 1, 0])
    rows = np.log(np.exp(logits.numpy()).sum(axis=1)) - logits.numpy()[range(5), labels]
    log_sums = np.log(np.exp(outliers.numpy()).sum(axis=1))
    uniform = (log_sums[:, None] - outliers.numpy()).mean()
    loss = sbog.torch.outlier_exposure_loss(logits, labels, outliers, weight=0.7)
    assert float(loss) == pytest.approx(rows.mean() + 0.7 * uniform, rel=1e-5)
    alone = sbog.torch.outlier_exposure_loss(logits, labels, outliers[:0])
    assert float(alone) == pytest.approx(rows.mean(), rel=1e-5)

    module = sbog.torch.OutlierExposureLoss()
    slope = np.log(2.0)  # softplus(0)
    e_rows = slope * np.log(np.exp(logits.numpy()).sum(axis=1))
    expected = (
        rows.mean()
        + np.log1p(np.exp(-e_rows)).mean()
        + np.log1p(np.exp(slope * log_sums)).mean()
    )
    found = module(logits, labels, outliers)
    assert float(found) == pytest.approx(expected, rel=1e-5)
    found.backward()
    assert module.slope.grad is not None and module.offset.grad is not None


def test_features_are_what_the_layer_gives():
    torch.manual_seed(4)
    network = torch.nn.Sequential(
        torch.nn.Linear(5, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 2)
    )
    network.train()
    rows, labels = torch.randn(23, 5), torch.arange(23)
    data = torch.utils.data.TensorDataset(rows, labels)
    loader = torch.utils.data.DataLoader(data, batch_size=10)
    found, marks = sbog.torch.features(network, loader, layer="0")
    with torch.no_grad():
        assert np.allclose(found, network[0](rows).numpy(), atol=1e-6)
    assert np.array_equal(marks, np.arange(23)) and found.dtype == np.float32
    assert network.training
    same, _ = sbog.torch.features(network, loader, layer=network[0])
    assert np.array_equal(found, same)
    last, none = sbog.torch.features(network, [rows])
    assert last.shape == (23, 2) and none is None
    with pytest.raises(ValueError, match="layer: 'head' is none of 0, 1, 2"):
        sbog.torch.features(network, loader, layer="head")
    with pytest.raises(ValueError, match="a batch is expected"):
        sbog.torch.features(network, [])


def test_a_model_of_torch_is_stressed():
    rng = np.random.default_rng(5)
    bank = rng.normal(size=(300, 4)).astype(np.float32)
    made = sbog.sample_outliers(bank, count=30)
    network = torch.nn.Linear(4, 1)
    result = sbog.stress(lambda x: network(torch.from_numpy(x)), made)
    assert result.task == "detector" and result.cases == 30


def test_a_tensor_with_one_axis_is_refused(bank):
    module = sbog.torch.SinkhornEnergy(bank, epsilon=0.5)
    with pytest.raises(ValueError, match="two axes is expected, got 1"):
        module(torch.zeros(4))
    with pytest.raises(ValueError, match="4 coordinates are expected"):
        module(torch.zeros(2, 3))


def test_torch_is_imported_only_on_request():
    program = "import sbog, sys; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
