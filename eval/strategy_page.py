"""The pictures and tables of docs/strategy.md: ``python -m eval.strategy_page``.

Solves what the page shows, draws it into docs/strategy/, and puts the tables in their places on the
page; the text between them is written by hand.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from tqdm import tqdm

from agents.baselines import BASELINES
from agents.exact.equilibrium import Equilibrium, solve_equilibrium
from agents.exact.kinds import FIRST_SOFT, MAX_PIPS, N_KINDS, SOFT_21, TOTAL, kind_name
from agents.exact.player_response import Response
from agents.exact.players import best_response
from agents.exact.policy_strategy import strategies_of
from agents.exact.public_tree import FIRST_DECISION, FIRST_PRICE, build_game
from agents.exact.responses import exploitability_of, follow
from agents.registry import make_agent
from agents.saved_policy import write_text
from eval.command import check_writable, exit_status
from pontoon_env.opponents.by_table import Choice
from pontoon_env.opponents.tables import NO_HAND
from pontoon_env.rules import Rules

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAGE: Final = Path(__file__).parents[1] / "docs" / "strategy.md"
PICTURES: Final = PAGE.with_suffix("")
TABLES: Final = ("best responses", "first cards", "equilibria", "stakes", "lines", "policies")
TARGET: Final = 1e-4
"""Exploitability of what is shown, in least stakes."""
LARGEST_STAKES: Final = (1, 2, 3, 4, 6, 8, 10)
EXACT_AGENTS: Final = ("exact", "equilibrium")
BANKERS: Final = tuple(f"stick{n}" for n in range(15, 20))

_GREY, _BLUE, _YELLOW, _RED = "#d9d9d9", "#6baed6", "#fdd17a", "#d94801"
_HANDS: Final = [*range(4, 21), *range(FIRST_SOFT + 2, N_KINDS)]
"""Kinds of hands, in the order of the pictures."""
_FIRST_CARDS: Final = ("A", *map(str, range(2, MAX_PIPS + 1)))
_COLUMNS: Final = {
    "2 cards": (2, 1, 2),
    "3, third at 2E": (3, 3, 2),
    "3, third at E": (3, 2, 1),
    "3, twisted": (3, 1, 0),
    "4, last at 2E": (4, 5, 2),
    "4, last at E": (4, 3, 1),
    "4, twisted": (4, 1, 0),
}
"""Columns of the best response: number of cards, stake in E, the most that a card may cost in E."""


def solve_all() -> dict[int, Equilibrium]:
    """Return the equilibrium for each of `LARGEST_STAKES`; show a progress bar."""
    return {
        largest: solve_equilibrium(build_game(Rules.two_seat_exact(max_stake=largest)), TARGET)
        for largest in tqdm(LARGEST_STAKES, unit="equilibrium", disable=None)
    }


def responses() -> dict[tuple[str, str], Response]:
    """Return the best responses by banker and kind of game."""
    games: dict[str, dict[str, Any]] = {
        "infinite": {"split": "none"},
        "infinite, soft 21 closed": {"split": "none", "soft21_draws": False},
        "infinite, splits": {"split": "any"},
        "fresh pack of 52": {"split": "none", "packs": 1},
    }
    return {
        (banker, name): best_response(Rules.two_seat_exact(banker_rule=banker, **fields))
        for banker in BANKERS
        for name, fields in games.items()
    }


def response_table(found: dict[tuple[str, str], Response]) -> str:
    """Return what the best responses are worth, as Markdown."""
    games = list(dict.fromkeys(game for _, game in found))
    lines = [
        f"| banker | {' | '.join(games)} |",
        f"|---|{'---|' * len(games)}",
    ]
    for banker in BANKERS:
        cells = [
            f"{found[banker, game].ev_flat:+.4f} ({found[banker, game].ev_best_stake():+.4f})"
            for game in games
        ]
        lines.append(f"| `{banker}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def first_card_table(found: dict[tuple[str, str], Response]) -> str:
    """Return what the deal against ``stick17`` is worth by the first card, as Markdown."""
    games = [game for banker, game in found if banker == "stick17"]
    lines = [f"| | {' | '.join(_FIRST_CARDS)} |", f"|---|{'---|' * MAX_PIPS}"]
    for game in games:
        values = found["stick17", game].ev_by_first_card[1:]
        lines.append(f"| {game} | {' | '.join(f'{value:+.3f}' for value in values)} |")
    return "\n".join(lines)


def equilibrium_table(found: dict[int, Equilibrium]) -> str:
    """Return the values of the game by the largest stake, as Markdown."""
    lines = [
        "| stakes | value to the player | best responses leave | iterations | seconds |",
        "|---|---|---|---|---|",
    ]
    for largest, each in found.items():
        at = each.exploitability
        lines.append(
            f"| 1 to {largest} | {each.value:+.4f} | "
            f"{at.player_at_worst:+.4f} to {at.player_at_best:+.4f} | "
            f"{each.course[-1][0]} | {each.seconds:.1f} |"
        )
    return "\n".join(lines)


def stake_table(found: Equilibrium) -> str:
    """Return the chances of the stakes by the first card, as Markdown."""
    stakes = found.game.stakes
    lines = [
        f"| first card | {' | '.join(map(str, stakes.tolist()))} |",
        f"|---|{'---|' * stakes.size}",
    ]
    for name, chances in zip(_FIRST_CARDS, found.player.stakes[1:], strict=True):
        cells = (f"{chance:.1%}" if chance >= 0.0005 else "" for chance in chances)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def policy_table(found: Equilibrium) -> str:
    """Return how exploitable the agents are, as Markdown; show a progress bar."""
    lines = [
        "| policy | as player, at worst | as banker, at worst | exploitability |",
        "|---|---|---|---|",
    ]
    for name in tqdm((*BASELINES, *EXACT_AGENTS), unit="policy", disable=None):
        player, banker = strategies_of(make_agent(name), found.game)
        at = exploitability_of(found.game, player, banker)
        lines.append(
            f"| `{name}` | {at.player_at_worst:+.4f} | {-at.player_at_best:+.4f} | "
            f"{at.exploitability:.4f} |"
        )
    return "\n".join(lines)


def line_table(found: Equilibrium) -> str:
    """Return what the lines of play that come up most tell of the total, as Markdown."""
    _, showdowns, _ = follow(found.game, found.player)
    sizes = showdowns[: found.game.n_open].sum(axis=1)
    lines = [
        "| line | how often | 15 | 16 | 17 | 18 | 19 | 20 | 21 | banker stays on |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for place in np.argsort(-sizes)[:14].tolist():
        totals = showdowns[place, 15:22] / sizes[place]
        cells = " | ".join(f"{part:.0%}" for part in totals)
        lines.append(
            f"| {line_name(found, place)} | {sizes[place]:.2%} | {cells} | "
            f"{_stays_on(found, place)} |"
        )
    return "\n".join(lines)


def line_name(found: Equilibrium, place: int) -> str:
    """Return a line of play in words, such as ``E 10, bought for 20, twisted a 5``."""
    nodes = found.game.nodes
    words: list[str] = []
    while nodes[place]["n_cards"] > FIRST_DECISION:
        parent = nodes[place]["parent"]
        price = nodes[place]["total_stake"] - nodes[parent]["total_stake"]
        shown = _FIRST_CARDS[int(nodes[place]["shown_pips"]) - 1]
        words.insert(0, f"bought for {price}" if price else f"twisted {shown}")
        place = parent
    return ", ".join([f"E {nodes[place]['stake']}", *words])


def _stays_on(found: Equilibrium, place: int) -> str:
    """Return from which hard and soft totals of two cards on the banker stays at a node."""
    draws = found.banker.draws[place, 0]
    names = []
    for kinds, name in ((range(4, 21), "hard"), (range(FIRST_SOFT + 2, SOFT_21), "soft")):
        staying = [int(TOTAL[kind]) for kind in kinds if draws[kind] < 0.5]
        names.append(f"{name} {min(staying)}" if staying else f"no {name}")
    return ", ".join(names)


def draw_response(found: Response) -> Figure:
    """Return a picture of a best response: what to do with every hand."""
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    cells = np.full((len(_HANDS), len(_COLUMNS)), np.nan)
    numbers = {
        (int(n), int(kind)): number
        for number, (n, kind) in enumerate(zip(found.hands.n_cards, found.hands.kinds, strict=True))
        if not found.hands.is_split[number]
    }
    for column, (n_cards, stake, most) in enumerate(_COLUMNS.values()):
        for row, kind in enumerate(_HANDS):
            number = numbers.get((n_cards, kind))
            if number is not None and found.choices[number, stake, most] != NO_HAND:
                cells[row, column] = found.choices[number, stake, most]
    figure = Figure(figsize=(7.5, 8.5), layout="constrained")
    axes = figure.subplots()
    colours = [_GREY, _BLUE, _YELLOW, _RED]
    axes.imshow(cells, cmap=ListedColormap(colours), vmin=-0.5, vmax=3.5, aspect="auto")
    _label_hands(axes)
    axes.set_xticks(range(len(_COLUMNS)), list(_COLUMNS), rotation=25, ha="right")
    names = {Choice.STICK: "stick", Choice.TWIST: "twist"}
    names |= {Choice.BUY_LEAST: "buy for E", Choice.BUY_MOST: "buy for 2E"}
    patches = [Patch(color=colours[choice], label=name) for choice, name in names.items()]
    figure.legend(handles=patches, loc="outside upper center", ncols=4, frameon=False)
    return figure


def draw_player(found: Equilibrium) -> Figure:
    """Return a picture of how the equilibrium plays two cards, at the least and largest stake."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    figure = Figure(figsize=(9, 8), layout="constrained")
    prices = colormaps["YlOrBr"]
    kinds = [kind for kind in _HANDS if kind != SOFT_21]
    for place, axes in zip((0, found.game.stakes.size - 1), figure.subplots(1, 2), strict=True):
        stake = int(found.game.stakes[place])
        chances = found.player.play[place, kinds][:, : FIRST_PRICE + stake + 1]
        colours = [_GREY, _BLUE, *(prices(0.25 + 0.6 * i / stake) for i in range(stake + 1))]
        left = np.zeros(len(kinds))
        for action, colour in enumerate(colours):
            if chances[:, action].max() < 0.001:
                continue
            axes.barh(range(len(kinds)), chances[:, action], left=left, color=colour, height=0.9)
            left += chances[:, action]
        axes.set_title(f"stake {stake}: how often")
        axes.set_yticks(range(len(kinds)), [kind_name(kind) for kind in kinds])
        axes.set_ylim(len(kinds) - 0.5, -0.5)
        axes.set_xlim(0, 1)
        axes.spines[:].set_visible(False)
    patches = [
        Patch(color=_GREY, label="stick"),
        Patch(color=_BLUE, label="twist"),
        Patch(color=prices(0.25), label="buy for E"),
        Patch(color=prices(0.85), label="buy for 2E"),
    ]
    figure.legend(handles=patches, loc="outside upper center", ncols=4, frameon=False)
    return figure


def draw_banker(found: Equilibrium) -> Figure:
    """Return a picture of how often the banker draws on two cards, by the player's line."""
    from matplotlib.figure import Figure

    places = _banker_lines(found)
    kinds = [kind for kind in _HANDS if kind != SOFT_21]
    chances = found.banker.draws[places, 0][:, kinds].T
    figure = Figure(figsize=(9.5, 8), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(chances, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.set_yticks(range(len(kinds)), [kind_name(kind) for kind in kinds])
    names = [line_name(found, place) for place in places]
    axes.set_xticks(range(len(places)), names, rotation=60, ha="right", fontsize=8)
    figure.colorbar(image, ax=axes, label="how often the banker draws", fraction=0.04)
    return figure


def _banker_lines(found: Equilibrium) -> list[int]:
    """Return the nodes that come up most, by stake and line, where the banker has a choice."""
    _, showdowns, _ = follow(found.game, found.player)
    often = np.argsort(-showdowns[: found.game.n_open].sum(axis=1))[:18]
    return sorted(often.tolist(), key=lambda place: line_name(found, place))


def draw_course(found: dict[int, Equilibrium]) -> Figure:
    """Return a picture of the exploitability against the iterations."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.5, 4), layout="constrained")
    axes = figure.subplots()
    for largest in (1, 2, 10):
        iterations, left = np.array(found[largest].course).T
        axes.loglog(iterations, left, label=f"stakes 1 to {largest}")
    axes.axhline(1e-3, color="grey", linewidth=0.8, linestyle=":")
    axes.set_xlabel("iterations of CFR+")
    axes.set_ylabel("exploitability, least stakes a deal")
    axes.legend(frameon=False)
    return figure


def _label_hands(axes: Axes) -> None:
    """Write the names of the hands beside a picture."""
    axes.set_yticks(range(len(_HANDS)), [kind_name(kind) for kind in _HANDS])


def fill(page: str, tables: dict[str, str]) -> str:
    """Return a page with the tables in their places, between ``<!-- NAME -->`` and ``<!-- / -->``.

    Raises:
        ValueError: A table has no place.
    """
    for name, table in tables.items():
        place = re.compile(rf"<!-- {name} -->\n.*?<!-- / -->", re.DOTALL)
        filled = f"<!-- {name} -->\n{table}\n<!-- / -->"
        page, n_filled = place.subn(filled.replace("\\", r"\\"), page)
        if n_filled != 1:
            raise ValueError(f"the page has {n_filled} places for the table {name!r}, not one")
    return page


def _save(figure: Figure, path: Path) -> None:
    """Write a picture that is the same for the same content."""
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "pontoon", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})


@exit_status
def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    argparse.ArgumentParser(prog="python -m eval.strategy_page", description=__doc__).parse_args(
        arguments
    )
    importlib.import_module("matplotlib")  # fails before the work, not after it
    page = PAGE.read_text(encoding="utf-8")
    fill(page, dict.fromkeys(TABLES, ""))
    check_writable(PAGE)
    best, equilibria = responses(), solve_all()
    whole = equilibria[LARGEST_STAKES[-1]]
    texts = (
        response_table(best),
        first_card_table(best),
        equilibrium_table(equilibria),
        stake_table(whole),
        line_table(whole),
        policy_table(whole),
    )
    filled = fill(page, dict(zip(TABLES, texts, strict=True)))
    PICTURES.mkdir(exist_ok=True)
    _save(draw_response(best["stick17", "infinite"]), PICTURES / "best-response.svg")
    _save(draw_player(whole), PICTURES / "equilibrium-player.svg")
    _save(draw_banker(whole), PICTURES / "equilibrium-banker.svg")
    _save(draw_course(equilibria), PICTURES / "exploitability.svg")
    write_text(PAGE, filled)
    print(f"{PAGE} and {PICTURES}/ are made")


if __name__ == "__main__":
    sys.exit(main())
