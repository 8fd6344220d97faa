"""The information sets of the two-seat game as records of tables, played there by the engine.

A hand stands for all of its kind: with it, the play of the others, the stakes and the prices come
from stacked cards and legal moves, so that a policy sees what it would see in a game.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.exact.kinds import AFTER, BUST, FIRST_SOFT, HARD_21, MAX_PIPS, NO_CARDS, SOFT_21
from agents.exact.public_tree import (
    FIRST_DECISION,
    MAY_BUY,
    MAY_STICK,
    MAY_TWIST,
    N_DECISIONS,
    START,
    TwoSeatGame,
)
from pontoon_env import batch
from pontoon_env.cards import ACE, N_RANKS, N_SUITS
from pontoon_env.state import Move, Outcome

Ranks = tuple[int, ...]
"""Ranks of cards, in the order they arrive."""
PLAIN: Final = 0
MARKED: Final = 1
"""All that an observation tells apart in hands of a kind: two cards are marked that are a pair
(P16); three or four of the banker's are that hold an ace and are hard all the same."""
N_MARKS: Final = 2

_BLOCK: Final = 64
"""Nodes whose hands of the banker are played at once."""


@dataclass(frozen=True)
class Positions:
    """Records of tables at decisions, and which information set each stands for."""

    games: NDArray[np.void]
    """``GAME``, ``(n,)``."""
    sets: NDArray[np.int64]
    """The player's, ``(n, 3)``: node, kind, `PLAIN` or `MARKED`; at the stake, pips of the first
    card, 0, 0. The banker's, ``(n, 4)``: node, number of cards less two, kind, mark."""


class InformationSets:
    """All information sets of a game, with a hand for each that is picked at random."""

    def __init__(self, game: TwoSeatGame, seed: int) -> None:
        """Prepare the information sets of ``game``; ``seed`` picks the hands and keys the games."""
        self.game = game
        self.seed = seed
        self._record = game.rules.to_record()
        self._generator = np.random.default_rng(seed)
        self._hands: dict[Ranks, dict[tuple[int, int], Ranks]] = {}
        self._closing: dict[Ranks, tuple[list[Ranks], bool]] = {}

    def stakes(self) -> Positions:
        """Return the player's decisions on the stake, one for each count of a first card."""
        first = [(self._rank_of(pips), self._any_rank()) for pips in range(1, MAX_PIPS + 1)]
        sets = [(pips, 0, 0) for pips in range(1, MAX_PIPS + 1)]
        return self._play(first, [[] for _ in first], sets)

    def player(self) -> Positions:
        """Return all decisions of the player with a hand."""
        hands: list[Ranks] = []
        paths = []
        sets = []
        for place in range(self.game.n_open):
            n_cards = int(self.game.nodes[place]["n_cards"])
            for (kind, mark), hand in self._hands_of(place).items():
                if self.game.rights[n_cards, kind] != 0:
                    hands.append(hand)
                    paths.append(self._paths[place])
                    sets.append((place, kind, mark))
        return self._play(hands, paths, sets)

    def banker(self) -> Iterator[Positions]:
        """Yield all decisions of the banker, in blocks of nodes."""
        for first in range(0, self.game.nodes.size, _BLOCK):
            block = range(first, min(first + _BLOCK, self.game.nodes.size))
            closing = {place: hand for place in block if (hand := self._closing_hand(place))}
            if closing:
                paths = [
                    [*self._paths[place], *[(Move.STICK, 0)] * sticks]
                    for place, (_, sticks) in closing.items()
                ]
                hands = [hand for hand, _ in closing.values()]
                places = [(place, 0, 0) for place in closing]
                yield self._deal_to_banker(self._play(hands, paths, places))

    def _deal_to_banker(self, closed: Positions) -> Positions:
        """Return tables where the player's hand is closed, with each hand of the banker in turn.

        The banker's first two cards are put in the place of those that were dealt: nobody has seen
        them, and they come from an infinite pack.
        """
        own = self._hands_of_banker
        cards = np.tile(self._cards_of([*own.values()]), (closed.games.size, 1))
        keys = np.tile(np.array(list(own)), (closed.games.size, 1))
        games = closed.games.repeat(len(own))
        rows = np.arange(games.size)
        games["seats"]["hands"]["cards"][rows, games["banker"], 0, :FIRST_DECISION] = cards[
            :, :FIRST_DECISION
        ]
        drawn = cards.shape[1] - FIRST_DECISION
        games["pack"][:, :drawn] = cards[:, FIRST_DECISION:]
        games["top"], games["n_pack"] = 0, drawn
        for step in range(1, N_DECISIONS):
            moves = np.where(keys[:, 0] >= step, Move.TWIST, batch.NO_MOVE)
            self._step(games, moves, np.zeros_like(moves))
        games["n_pack"] = 0
        return Positions(games, np.column_stack([closed.sets[:, 0].repeat(len(own)), keys]))

    def _rank_of(self, pips: int) -> int:
        """Return a rank of so many pips, any of those that count ten."""
        if pips < MAX_PIPS:
            return pips - 1
        return int(self._generator.integers(MAX_PIPS - 1, N_RANKS))

    def _any_rank(self) -> int:
        """Return any rank."""
        return int(self._generator.integers(N_RANKS))

    def _cards_of(self, hands: Sequence[Ranks]) -> NDArray[np.int64]:
        """Return cards of such ranks, of any suits, ``(n, most)``: after a hand come any aces."""
        lengths = np.array([len(hand) for hand in hands])
        ranks = np.zeros((lengths.size, lengths.max()), np.int64)
        ranks[np.arange(ranks.shape[1]) < lengths[:, None]] = [*chain.from_iterable(hands)]
        return ranks * N_SUITS + self._generator.integers(N_SUITS, size=ranks.shape)

    def _pick(self, candidates: Sequence[Ranks]) -> Ranks:
        """Return one of some hands."""
        return candidates[int(self._generator.integers(len(candidates)))]

    @cached_property
    def _two_cards(self) -> dict[tuple[int, int], Ranks]:
        """A hand of two cards for each kind, pairs apart."""
        candidates: dict[tuple[int, int], list[Ranks]] = {}
        for first in range(N_RANKS):
            for second in range(N_RANKS):
                kind = int(AFTER[AFTER[NO_CARDS, _pips(first)], _pips(second)])
                if kind != SOFT_21:
                    key = (kind, MARKED if first == second else PLAIN)
                    candidates.setdefault(key, []).append((first, second))
        return {key: self._pick(hands) for key, hands in sorted(candidates.items())}

    @cached_property
    def _hands_of_banker(self) -> dict[tuple[int, int, int], Ranks]:
        """A hand of the banker for each number of cards less two, kind and mark that is asked."""
        hands = {(0, kind, mark): hand for (kind, mark), hand in self._two_cards.items()}
        for step in range(1, N_DECISIONS):
            before = [(kind, hand) for (at, kind, _), hand in hands.items() if at == step - 1]
            for kind, candidates in self._with_a_card(before, range(1, MAX_PIPS + 1)).items():
                for mark in (PLAIN, MARKED):
                    alike = [hand for hand in candidates if _has_hard_ace(kind, hand) == mark]
                    if alike:
                        hands[step, kind, mark] = self._pick(alike)
        return {key: hand for key, hand in hands.items() if key[1] != HARD_21}

    def _hands_of(self, place: int) -> dict[tuple[int, int], Ranks]:
        """Return a player's hand for each kind that can be held at a node, pairs of two apart."""
        shape = self._shapes[place]
        if shape not in self._hands:
            if not shape:
                self._hands[shape] = self._two_cards
            else:
                parent = int(self.game.nodes[place]["parent"])
                n_cards = int(self.game.nodes[parent]["n_cards"])
                shown = shape[-1]
                drawn_by = MAY_TWIST if shown else MAY_BUY
                before = [
                    (kind, hand)
                    for (kind, _), hand in self._hands_of(parent).items()
                    if self.game.rights[n_cards, kind] & drawn_by != 0
                ]
                pips = range(shown, shown + 1) if shown else range(1, MAX_PIPS + 1)
                found = self._with_a_card(before, pips)
                self._hands[shape] = {
                    (kind, PLAIN): self._pick(hands) for kind, hands in sorted(found.items())
                }
        return self._hands[shape]

    def _with_a_card(
        self, hands: Sequence[tuple[int, Ranks]], pips: range
    ) -> dict[int, list[Ranks]]:
        """Return hands by kind that come of others, given with their kinds, by one more card."""
        found: dict[int, list[Ranks]] = {}
        for kind, hand in hands:
            for card in pips:
                after = int(AFTER[kind, card])
                if after != BUST:
                    found.setdefault(after, []).append((*hand, self._rank_of(card)))
        return found

    def _closing_hand(self, place: int) -> tuple[Ranks, bool] | None:
        """Return a hand that ends at a node, and whether it sticks there; None where none can."""
        shape = self._shapes[place]
        if shape not in self._closing:
            n_cards = int(self.game.nodes[place]["n_cards"])
            rights = self.game.rights[n_cards].tolist()
            hands = [(rights[kind], hand) for (kind, _), hand in self._hands_of(place).items()]
            sticking = [hand for right, hand in hands if right & MAY_STICK]
            closed = [hand for right, hand in hands if not right]
            self._closing[shape] = (sticking, True) if sticking else (closed, False)
        candidates, sticks = self._closing[shape]
        return (self._pick(candidates), sticks) if candidates else None

    @cached_property
    def _shapes(self) -> list[Ranks]:
        """The pips of the cards drawn on the way to each node, 0 for one that was bought."""
        shapes: list[Ranks] = []
        parents, shown = (self.game.nodes[field].tolist() for field in ("parent", "shown_pips"))
        for parent, pips in zip(parents, shown, strict=True):
            shapes.append(() if parent == START else (*shapes[parent], pips))
        return shapes

    @cached_property
    def _paths(self) -> list[list[tuple[int, int]]]:
        """The player's moves that lead to each node, with their chips."""
        paths: list[list[tuple[int, int]]] = []
        totals, stakes = (self.game.nodes[field].tolist() for field in ("total_stake", "stake"))
        for place, parent in enumerate(self.game.nodes["parent"].tolist()):
            if parent == START:
                paths.append([(Move.STAKE, stakes[place])])
            else:
                price = totals[place] - totals[parent]
                paths.append([*paths[parent], (Move.BUY, price) if price else (Move.TWIST, 0)])
        return paths

    def _play(
        self,
        hands: Sequence[Ranks],
        paths: Sequence[Sequence[tuple[int, int]]],
        sets: Sequence[tuple[int, int, int]],
    ) -> Positions:
        """Return tables at which the player holds the hands and has made the moves."""
        n = len(hands)
        games = batch.new_games(n)
        seeds = np.full(n, self.seed, np.uint64)
        batch.begin_batch(self._record, games, seeds, np.arange(n, dtype=np.uint64))
        unseen = list(self._two_cards.values())
        hidden = [unseen[i] for i in self._generator.integers(len(unseen), size=n)]
        cards = self._cards_of(
            [
                (first, other[0], second, other[1], *more)
                for (first, second, *more), other in zip(hands, hidden, strict=True)
            ]
        )
        games["pack"][:, : cards.shape[1]] = cards
        games["n_pack"] = [len(hand) + FIRST_DECISION for hand in hands]
        games["top"] = 0
        longest = max(map(len, paths))
        moves = np.full((longest + 1, n), batch.NO_MOVE)
        chips = np.zeros((longest + 1, n), np.int64)
        for i, path in enumerate(paths):
            for step, (move, amount) in enumerate(path):
                moves[step + 1, i], chips[step + 1, i] = move, amount
        for step in range(longest + 1):
            self._step(games, moves[step], chips[step])
        return Positions(games, np.array(sets))

    def _step(
        self, games: NDArray[np.void], moves: NDArray[np.int64], chips: NDArray[np.int64]
    ) -> None:
        """Make moves that the tree holds for legal."""
        outcomes = np.zeros(games.size, np.int64)
        batch.step_batch(self._record, games, moves, chips, outcomes, True)
        if (outcomes != Outcome.OK).any():
            raise RuntimeError("the engine refuses a move that the tree holds for legal")


def _has_hard_ace(kind: int, hand: Ranks) -> bool:
    """Tell whether a hand of a kind holds an ace that can only count 1."""
    return kind < FIRST_SOFT and ACE in hand


def _pips(rank: int) -> int:
    """Return what a card of a rank counts, an ace 1."""
    return min(rank + 1, MAX_PIPS)
