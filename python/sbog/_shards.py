# SPDX-License-Identifier: Apache-2.0
"""A bank that grows: shards whose energies merge, and rows that are equal.

Equal rows of a batch are one atom that carries their weights, so that a row of
weight 2 is the same as that row twice. A row never supports itself: scored
without one copy, the atom keeps the weight that is left.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core
from ._energy import EnergyModel


class Shard:
    """Atoms, their weights (None: all 1) and the row each was first seen in."""

    def __init__(
        self, points: np.ndarray, weights: Optional[np.ndarray], rows: np.ndarray
    ) -> None:
        self.points = points
        self.weights = weights
        self.rows = rows

    @property
    def masses(self) -> np.ndarray:
        return np.ones(len(self.points)) if self.weights is None else self.weights


def _keys(points: np.ndarray) -> np.ndarray:
    # Adding 0 makes -0 and 0 the same bytes.
    rows = np.ascontiguousarray(points + points.dtype.type(0))
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()


def make_shard(points: np.ndarray, weights: Optional[np.ndarray], offset: int) -> Shard:
    """Rows of weight 0 are left out; `offset` is the number of the first row."""
    kept = np.arange(len(points))
    if weights is not None:
        kept = np.flatnonzero(weights)
        points, weights = points[kept], weights[kept]
        if len(kept) == 0:
            raise ValueError("sample_weight: a weight above 0 is expected")
    _, first, inverse = np.unique(
        _keys(points), return_index=True, return_inverse=True
    )
    if weights is None and len(first) == len(points):
        return Shard(points, None, kept + offset)
    masses = np.bincount(inverse.ravel(), weights=weights, minlength=len(first))
    if (masses == 1.0).all():
        return Shard(points[first], None, kept[first] + offset)
    return Shard(np.ascontiguousarray(points[first]), masses, kept[first] + offset)


class Bank:
    """Shards with one temperature, and the energies of their own atoms."""

    def __init__(self, **energy: Any) -> None:
        self._energy = energy
        self.shards: list[Shard] = []
        self._models: list[EnergyModel] = []
        self._states: Optional[list[_core.EnergyState]] = None  # of the atoms of each shard
        self._places: dict[bytes, tuple[int, int]] = {}
        self.energies = np.empty(0)  # of all atoms, without one copy of each
        self.epsilon = float("nan")  # until the first shard comes

    def __getstate__(self) -> dict[str, Any]:
        # What looks at memory is made again; states when they are asked for.
        return {
            "energy": self._energy,
            "shards": self.shards,
            "energies": self.energies,
            "epsilon": self.epsilon,
        }

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__init__(**kept["energy"])  # type: ignore[misc]
        self.epsilon = kept["epsilon"]
        for shard in kept["shards"]:
            self._take(shard)
        self.energies = kept["energies"]

    @property
    def masses(self) -> np.ndarray:
        return np.concatenate([shard.masses for shard in self.shards])

    @property
    def rows(self) -> np.ndarray:
        return np.concatenate([shard.rows for shard in self.shards])

    def add(self, shard: Shard) -> None:
        """Merges what the new atoms say about the old ones, and the reverse."""
        if not self.shards:
            self._take(shard)
            energies = self._models[0].score_bank()
        else:
            self._begin_states()
            self._take(shard)
            self._merge_newest()
            assert self._states is not None
            energies = np.concatenate(
                [state.energies(self.epsilon) for state in self._states]
            )
        self.energies = self._with_copies(energies, self.masses)

    def score(self, queries: np.ndarray) -> np.ndarray:
        """Energies; a row that equals an atom is scored without one copy."""
        shard_of = np.full(len(queries), -1)
        atom_of = np.full(len(queries), -1)
        for i, key in enumerate(_keys(queries)):
            place = self._places.get(key.tobytes())
            if place is not None:
                shard_of[i], atom_of[i] = place
        energies = self._raw_score(queries, shard_of, atom_of)
        known = np.flatnonzero(shard_of >= 0)
        if len(known):
            masses = np.array(
                [self.shards[shard_of[i]].masses[atom_of[i]] for i in known]
            )
            energies[known] = self._with_copies(energies[known], masses)
        return energies

    def weights_of(self, query: np.ndarray) -> np.ndarray:
        """Shares of all atoms in the support of one query."""
        parts = [model.gibbs_weights(query) for model in self._models]
        return np.concatenate([s * p for s, p in zip(self._shares(query), parts)])

    def gradient(self, query: np.ndarray) -> np.ndarray:
        """The gradient of the energy at one query."""
        slopes = [model.gradient(query[None])[0] for model in self._models]
        shares = self._shares(query)
        return np.asarray(np.sum([s * g for s, g in zip(shares, slopes)], axis=0))

    def _shares(self, query: np.ndarray) -> np.ndarray:
        """Of the shards in the support of one query; they add up to 1."""
        if len(self._models) == 1:
            return np.ones(1)
        energies = np.array([m.score(query[None])[0] for m in self._models])
        masses = np.array([shard.masses.sum() for shard in self.shards])
        logs = np.log(masses) - energies / self.epsilon
        shares = np.exp(logs - logs.max())
        return np.asarray(shares / shares.sum())

    def _take(self, shard: Shard) -> None:
        options = dict(self._energy)
        if not np.isnan(self.epsilon):
            options["epsilon"] = self.epsilon
        model = EnergyModel(**options).fit(shard.points, shard.weights)
        self.epsilon = model.epsilon_
        number = len(self.shards)
        self.shards.append(shard)
        self._models.append(model)
        for atom, key in enumerate(_keys(shard.points)):
            self._places.setdefault(key.tobytes(), (number, atom))

    def _state(self, queries: np.ndarray, rows_in: Any) -> _core.EnergyState:
        """Against all shards; rows_in(number) are the atoms that queries are."""
        state = self._models[0].state(queries, self_rows=rows_in(0))
        for number, model in enumerate(self._models[1:], 1):
            begin = state.end_block
            state.append(
                model.state(queries, first_block=begin, self_rows=rows_in(number))
            )
        return state

    def _own_state(self, own: int) -> _core.EnergyState:
        points = self.shards[own].points
        rows = np.arange(len(points))
        return self._state(points, lambda number: rows if number == own else None)

    def _begin_states(self) -> None:
        if self._states is None:
            self._states = [self._own_state(own) for own in range(len(self.shards))]

    def _merge_newest(self) -> None:
        assert self._states is not None
        newest = self._models[-1]
        for shard, state in zip(self.shards[:-1], self._states):
            state.append(newest.state(shard.points, first_block=state.end_block))
        self._states.append(self._own_state(len(self.shards) - 1))

    def _raw_score(
        self, queries: np.ndarray, shard_of: np.ndarray, atom_of: np.ndarray
    ) -> np.ndarray:
        if len(self._models) == 1:
            return self._models[0].score(queries, self_rows=atom_of)
        state = self._state(
            queries, lambda number: np.where(shard_of == number, atom_of, -1)
        )
        return state.energies(self.epsilon)

    def _with_copies(self, energies: np.ndarray, masses: np.ndarray) -> np.ndarray:
        """Gives back what an atom weighs beyond the one copy that is left out."""
        left = masses - np.minimum(masses, 1.0)
        again = np.flatnonzero(left > 0)
        if len(again) == 0:
            return energies
        total = self.masses.sum()
        others = total - masses[again]
        with np.errstate(divide="ignore"):
            logs = -energies[again] / self.epsilon + np.log(others)
        support = np.logaddexp(logs, np.log(left[again]))
        out = energies.copy()
        out[again] = -self.epsilon * (support - np.log(total - 1.0))
        return out
