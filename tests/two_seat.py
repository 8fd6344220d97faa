"""The two-seat game for tests: small packs, strategies, and a search of every history by itself.

The search is written from docs/rules.md, by lists of cards; of the solver it knows the names of its
nodes and kinds alone, to read strategies.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from agents.exact.kinds import MAX_PIPS, N_KINDS, kind_of
from agents.exact.public_tree import (
    FIRST_PRICE,
    MAY_BUY,
    MAY_STICK,
    MAY_TWIST,
    N_ACTIONS,
    N_DECISIONS,
    START,
    STICK,
    TWIST,
    TwoSeatGame,
    build_game,
)
from agents.exact.responses import BankerStrategy, PlayerStrategy
from pontoon_env.rules import Rules

Cards = tuple[int, ...]
"""Cards by their pips, in the order they arrive."""
Step = tuple[str, int]
"""What everybody sees: a stake, a price or the pips of a twisted card."""
Path = tuple[Step, ...]


def small_game(chances: dict[int, float], **fields: object) -> TwoSeatGame:
    """The two-seat game from a pack of few cards, given by pips with their chances."""
    pack = np.zeros(MAX_PIPS + 1)
    pack[list(chances)] = list(chances.values())
    return build_game(Rules.two_seat_exact(**fields), pack)


def paths_of(game: TwoSeatGame) -> list[Path]:
    """What everybody has seen at each node."""
    paths: list[Path] = []
    for node in game.nodes:
        parent = int(node["parent"])
        if parent == START:
            paths.append((("stake", int(node["stake"])),))
            continue
        price = int(node["total_stake"] - game.nodes[parent]["total_stake"])
        step = ("buy", price) if price else ("twist", int(node["shown_pips"]))
        paths.append((*paths[parent], step))
    return paths


def places_of(game: TwoSeatGame) -> dict[Path, int]:
    """The node of each path."""
    return {path: place for place, path in enumerate(paths_of(game))}


def kind_of_cards(cards: Cards) -> int:
    """The solver's kind of a hand."""
    return kind_of(sum(cards), 1 in cards)


def legal_actions(game: TwoSeatGame) -> np.ndarray:
    """Whether each action is legal by node and kind, ``(n_open, 34, 13)``."""
    legal = np.zeros((game.n_open, N_KINDS, N_ACTIONS), bool)
    rights = game.rights[game.nodes["n_cards"][: game.n_open]]
    legal[..., STICK] = rights & MAY_STICK != 0
    legal[..., TWIST] = rights & MAY_TWIST != 0
    for place, node in enumerate(game.nodes[: game.n_open]):
        n_prices = max(0, node["highest_price"] - node["stake"] + 1)
        can_buy = rights[place] & MAY_BUY != 0
        legal[place, can_buy, FIRST_PRICE : FIRST_PRICE + n_prices] = True
    return legal


def random_pair(
    game: TwoSeatGame, seed: int, spread: float = 1.0
) -> tuple[PlayerStrategy, BankerStrategy]:
    """Strategies drawn at random; the smaller ``spread``, the nearer to pure ones."""
    generator = np.random.default_rng(seed)
    shape = (MAX_PIPS + 1, game.stakes.size)
    stakes = generator.gamma(spread, size=shape) + 1e-9
    play = legal_actions(game) * (
        generator.gamma(spread, size=(game.n_open, N_KINDS, N_ACTIONS)) + 1e-9
    )
    draws = generator.beta(spread, spread, size=(game.nodes.size, N_DECISIONS, N_KINDS))
    return _pair(stakes, play, draws)


def even_pair(game: TwoSeatGame) -> tuple[PlayerStrategy, BankerStrategy]:
    """Strategies that choose whatever is legal alike."""
    draws = np.full((game.nodes.size, N_DECISIONS, N_KINDS), 0.5)
    return _pair(np.ones((MAX_PIPS + 1, game.stakes.size)), legal_actions(game) * 1.0, draws)


def _pair(
    stakes: np.ndarray, play: np.ndarray, draws: np.ndarray
) -> tuple[PlayerStrategy, BankerStrategy]:
    """Strategies by weights."""
    sums = play.sum(axis=-1, keepdims=True)
    stakes = stakes / stakes.sum(axis=-1, keepdims=True)
    return PlayerStrategy(stakes, play / np.where(sums > 0, sums, 1)), BankerStrategy(draws)


class Histories:
    """The two-seat game played out history by history, each with its cards in their order."""

    def __init__(self, game: TwoSeatGame) -> None:
        """Take the rules, the pack and the names of the nodes from ``game``."""
        self.rules = game.rules
        self.pack = {
            pips: float(game.chances[pips]) for pips in np.flatnonzero(game.chances).tolist()
        }
        self.places = places_of(game)
        self.stakes = range(game.rules.min_stake, game.rules.max_stake + 1)

    # The rules.

    @staticmethod
    def best(cards: Cards) -> int:
        """Best total (P2, P22)."""
        count = sum(cards)
        return count + 10 if 1 in cards and count <= 11 else count

    def rank(self, cards: Cards) -> int:
        """P6: bust 0, totals, five-card trick 22, pontoon 23."""
        if sum(cards) > 21:
            return 0
        if len(cards) == 2 and self.best(cards) == 21:
            return 23
        return 22 if len(cards) == 5 else self.best(cards)

    def won(self, mine: int, bankers: int, total: int) -> int:
        """P14, P30: chips that a live hand wins; the fields of section 3."""
        rules = self.rules
        collected = rules.banker_pontoon_collects
        if bankers == 23 and mine == 23:
            return (-collected if rules.both_pontoon is None else rules.both_pontoon) * total
        if bankers == 23:
            return -collected * total
        if mine == bankers and rules.ties == "push":
            return 0
        if mine <= bankers:
            return -total * (rules.banker_trick_collects if bankers == 22 else 1)
        pays = {22: rules.trick_pays, 23: rules.pontoon_pays}.get(mine, 1)
        return int(pays * total)

    def is_closed(self, cards: Cards) -> bool:
        """P23, P24."""
        is_soft_21 = sum(cards) == 11 and 1 in cards
        closes = is_soft_21 and not self.rules.soft21_draws
        return len(cards) == 5 or sum(cards) == 21 or closes

    def choices(self, cards: Cards, stake: int, most: int) -> Iterator[tuple[int, int]]:
        """P20 to P22: the solver's number of each legal action, with its price."""
        if self.best(cards) >= self.rules.stick_min:
            yield STICK, 0
        yield TWIST, 0
        is_certain = len(cards) == 4 and sum(cards) <= 11
        if not (is_certain and self.rules.no_certain_fifth):
            for price in range(stake, most + 1):
                yield FIRST_PRICE + price - stake, price

    # The player, who meets every end of the banker with its chance.

    def player_wins(self, player: PlayerStrategy | None, banker: BankerStrategy) -> float:
        """Chips a deal that the player wins against the banker; as many as possible where None."""
        self.ends_of = functools.cache(lambda path: self._ends_at(banker, path))
        natural = sum(
            self.pack[one] * self.pack[two]
            for one in self.pack
            for two in self.pack
            if self.rank((one, two)) == 23
        )
        whole = 0.0
        for first, chance in self.pack.items():
            worths = []
            for stake in self.stakes:
                worth = 0.0
                for second, likely in self.pack.items():
                    cards, path = (first, second), (("stake", stake),)
                    mine = self.rank(cards)
                    lost = self.won(mine, 23, stake)
                    on = (
                        self.won(23, 0, stake)
                        if mine == 23
                        else self._play(player, cards, path, stake, stake, 2 * stake)
                    )
                    worth += likely * (natural * lost + (1 - natural) * on)
                worths.append(worth)
            whole += chance * (max(worths) if player is None else player.stakes[first] @ worths)
        return whole

    def _play(
        self,
        player: PlayerStrategy | None,
        cards: Cards,
        path: Path,
        stake: int,
        total: int,
        most: int,
    ) -> float:
        """What a hand may expect that is in play (P20 to P25)."""
        if sum(cards) > 21:
            return -float(total)
        shown = sum(
            chance * self.won(self.rank(cards), rank, total)
            for rank, chance in self.ends_of(path).items()
        )
        if self.is_closed(cards):
            return shown
        worths = {}
        for action, price in self.choices(cards, stake, most):
            worths[action] = shown if action == STICK else 0.0
            for card, chance in self.pack.items() if action != STICK else ():
                step = ("buy", price) if price else ("twist", card)
                then = self._play(
                    player, (*cards, card), (*path, step), stake, total + price, price
                )
                worths[action] += chance * then
        if player is None:
            return max(worths.values())
        play = player.play[self.places[path], kind_of_cards(cards)]
        assert set(np.flatnonzero(play)) <= set(worths), "the solver holds more for legal"
        return float(sum(play[action] * worth for action, worth in worths.items()))

    def _ends_at(self, banker: BankerStrategy, path: Path) -> dict[int, float]:
        """How likely the banker ends with each rank, where there is no natural (P28, P29)."""
        ends: dict[int, float] = defaultdict(float)

        def draw_on(cards: Cards, chance: float) -> None:
            if len(cards) == 5 or sum(cards) >= 21:
                ends[self.rank(cards)] += chance
                return
            draws = banker.draws[self.places[path], len(cards) - 2, kind_of_cards(cards)]
            ends[self.rank(cards)] += chance * (1 - draws)
            for card, likely in self.pack.items():
                draw_on((*cards, card), chance * draws * likely)

        pairs = [(one, two) for one in self.pack for two in self.pack]
        starts = {
            cards: self.pack[cards[0]] * self.pack[cards[1]]
            for cards in pairs
            if self.rank(cards) != 23
        }
        for cards, chance in starts.items():
            draw_on(cards, chance / sum(starts.values()))
        return ends

    # The banker, who meets every hand of the player with its chance.

    def player_keeps(self, player: PlayerStrategy) -> float:
        """Chips a deal that the player is left with, where the banker plays as well as possible."""
        self.closed: dict[Path, dict[tuple[int, int], float]] = defaultdict(
            lambda: defaultdict(float)
        )
        self.kept = 0.0
        pairs = [(one, two) for one in self.pack for two in self.pack]
        chance_of = {cards: self.pack[cards[0]] * self.pack[cards[1]] for cards in pairs}
        natural = sum(chance for cards, chance in chance_of.items() if self.rank(cards) == 23)
        for cards, chance in chance_of.items():
            for number, stake in enumerate(self.stakes):
                staked = chance * float(player.stakes[cards[0], number])
                mine = self.rank(cards)
                self.kept += staked * natural * self.won(mine, 23, stake)
                if mine == 23:
                    self.kept += staked * (1 - natural) * self.won(23, 0, stake)
                else:
                    path = (("stake", stake),)
                    on = staked * (1 - natural)
                    self._follow(player, on, cards, path, stake, stake, 2 * stake)
        for hands in self.closed.values():
            for cards, chance in chance_of.items():
                if self.rank(cards) != 23:
                    self.kept -= chance / (1 - natural) * self._best_for_banker(hands, cards)
        return self.kept

    def _follow(
        self,
        player: PlayerStrategy,
        chance: float,
        cards: Cards,
        path: Path,
        stake: int,
        total: int,
        most: int,
    ) -> None:
        """Note how likely each hand is closed on each path, and what busts cost."""
        if sum(cards) > 21:
            self.kept -= chance * total
            return
        if self.is_closed(cards):
            self.closed[path][self.rank(cards), total] += chance
            return
        play = player.play[self.places[path], kind_of_cards(cards)]
        for action, price in self.choices(cards, stake, most):
            if action == STICK:
                self.closed[path][self.rank(cards), total] += chance * play[STICK]
                continue
            for card, likely in self.pack.items():
                step = ("buy", price) if price else ("twist", card)
                then = chance * float(play[action]) * likely
                self._follow(
                    player, then, (*cards, card), (*path, step), stake, total + price, price
                )

    def _best_for_banker(self, hands: dict[tuple[int, int], float], cards: Cards) -> float:
        """What the banker wins at most with a hand against those that may be on the table."""
        mine = self.rank(cards)
        stay = -sum(chance * self.won(rank, mine, total) for (rank, total), chance in hands.items())
        if len(cards) == 5 or sum(cards) >= 21:
            return stay
        draw = sum(
            chance * self._best_for_banker(hands, (*cards, card))
            for card, chance in self.pack.items()
        )
        return max(stay, draw)
