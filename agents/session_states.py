"""What recurrent policies remember of each seat's session."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

import numpy as np
from numpy.typing import NDArray

MOST_SESSIONS: Final = 65_536
"""Seats whose sessions are remembered at once; the one that was not asked for longest goes."""
_DECISIONS: Final = 2**32
"""More than a deal has decisions."""
_NEVER: Final = -1


class SessionStates:
    """The hidden and cell states of an LSTM, by seed, episode and seat.

    A course of play begins with zeros, and begins afresh where a seat is asked for a decision that
    is not after the last one it was asked for: the same session is played again. Where it is first
    asked for a later one then, only `forget` tells. Of two courses of one session that run at a
    time, neither is remembered well.
    """

    def __init__(self, n_hidden: int, most: int = MOST_SESSIONS) -> None:
        """Remember nothing yet.

        Args:
            n_hidden: Length of a state.
            most: How many sessions are remembered.
        """
        self._rows: OrderedDict[tuple[int, int, int], int] = OrderedDict()
        self._hidden = np.zeros((most, n_hidden), np.float32)
        self._cell = np.zeros((most, n_hidden), np.float32)
        self._last = np.full(most, _NEVER, np.int64)

    def forget(self) -> None:
        """Have every course of play begin with zeros."""
        self._rows.clear()

    def recall(
        self, games: NDArray[np.void]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
        """Return where the seats to act are remembered, and their states.

        Args:
            games: ``(n,)``, not changed.

        Returns:
            Rows for `keep` ``(n,)``; hidden and cell states ``(n, n_hidden)`` each.
        """
        keys = zip(*(games[name].tolist() for name in ("seed", "episode", "seat")), strict=True)
        rows = np.fromiter((self._row(key) for key in keys), np.int64, games.size)
        begins = _moments(games) <= self._last[rows]
        begins |= self._last[rows] == _NEVER
        is_kept = ~begins[:, None]
        return rows, self._hidden[rows] * is_kept, self._cell[rows] * is_kept

    def keep(
        self,
        games: NDArray[np.void],
        rows: NDArray[np.int64],
        hidden: NDArray[np.float32],
        cell: NDArray[np.float32],
    ) -> None:
        """Keep the states after a decision; arguments as `recall` takes and returns them."""
        self._hidden[rows], self._cell[rows] = hidden, cell
        self._last[rows] = _moments(games)

    def _row(self, key: tuple[int, int, int]) -> int:
        """Return where a session is remembered, in the place of another where all are taken."""
        row = self._rows.get(key)
        if row is None:
            row = len(self._rows)
            if row == len(self._last):
                _, row = self._rows.popitem(last=False)
            self._rows[key] = row
            self._last[row] = _NEVER
        else:
            self._rows.move_to_end(key)
        return row


def _moments(games: NDArray[np.void]) -> NDArray[np.int64]:
    """Return numbers that rise with the decisions of a session, ``(n,)``."""
    moments: NDArray[np.int64] = games["deal"] * _DECISIONS + games["decision"]
    return moments
