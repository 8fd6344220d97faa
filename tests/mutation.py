"""Faults planted in a copy of the engine: does the naive referee notice?

``python -m tests.mutation [NUMBER …]`` plants each fault of `FAULTS` alone in a copy of the package, plays
the referee's games on it uncompiled, and prints after how many decisions the fault was caught.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

N_SESSIONS: Final = 600
"""Sessions that a fault may survive."""

ROOT: Final = Path(__file__).parent.parent


@dataclass(frozen=True)
class Fault:
    """One line of a module, changed."""

    what: str
    module: str
    old: str
    new: str


FAULTS: Final = (
    Fault("a doubled bust pays once", "engine/deal.py", "-(1 + game[\"is_doubled\"]) * held", "-held"),
    Fault("a bust gives its shoot bets back", "engine/deal.py", "owner, held, -1)", "owner, held, 0)"),
    Fault("a hard 21 is asked", "engine/deal.py", "        or count == TARGET\n", ""),
    Fault("a trick is asked for a sixth card", "engine/deal.py", "if (\n        held[\"n_cards\"] ==", "if (\n        held[\"n_cards\"] >"),
    Fault("a soft 21 closes always", "engine/deal.py", "is_soft_21 and rules[\"soft21_draws\"] == 0", "is_soft_21"),
    Fault("the minimum to stick is one higher", "engine/deal.py", "total < rules[\"stick_min\"]", "total <= rules[\"stick_min\"]"),
    Fault("the price ladder starts anew", "engine/deal.py", "held[\"last_price\"] = chips", "held[\"last_price\"] = 0"),
    Fault("buying after a twist", "engine/deal.py", "held[\"is_twisted\"] = 1", "held[\"is_twisted\"] = 0"),
    Fault("a pontoon shows its ten", "engine/deal.py", "== ACE else 2", "!= ACE else 2"),
    Fault("a split card lies face down", "engine/deal.py", "    hand[\"up\"] = 1\n", "    hand[\"up\"] = 0\n"),
    Fault("shoot bets go with the right half", "engine/deal.py", "    left[\"bet\"] = bet", "    right[\"bet\"] = bet"),
    Fault("the right half gets its card first", "engine/deal.py", "    give(rules, game, game[\"seat\"], game[\"hand\"], False)\n    give(rules, game, game[\"seat\"], game[\"hand\"] + 1, False)", "    give(rules, game, game[\"seat\"], game[\"hand\"] + 1, False)\n    give(rules, game, game[\"seat\"], game[\"hand\"], False)"),
    Fault("the banker is not asked though a trick could win", "engine/deal.py", "Strength.ROYAL if rules[\"trick_beats_pontoon\"] != 0 else Strength.PONTOON", "Strength.PONTOON"),
    Fault("a fixed banker stays on a soft total", "engine/deal.py", "return total != lowest_count(hand)", "return False"),
    Fault("the banker's soft 21 closes", "engine/deal.py", "is_full or lowest_count(hand) >= TARGET", "is_full or best_total(hand) >= TARGET"),
    Fault("having shot, the hand need not draw", "engine/deal.py", "game[\"must_draw\"] = 1", "game[\"must_draw\"] = 0"),
    Fault("a bust hand stays out of the pack", "engine/deal.py", "held, -1)\n    put_under(rules, game, held)", "held, -1)"),
    Fault("the deal goes the other way", "engine/deal.py", "return seat + 1 if seat + 1 < rules[\"seats\"] else 0", "return seat - 1 if seat > 0 else rules[\"seats\"] - 1"),
    Fault("the price may be above the one before", "engine/legality.py", "last_price if last_price > 0 else 2 * low", "2 * low"),
    Fault("a price may be under the initial stake", "engine/legality.py", "low = seat_of(game, game[\"seat\"])[\"initial_stake\"]", "low = 1"),
    Fault("a shoot bet before a fifth card", "engine/legality.py", "hand[\"n_cards\"] == 3 and room", "hand[\"n_cards\"] >= 3 and room"),
    Fault("one hand more than allowed", "engine/legality.py", "seat[\"n_hands\"] >= rules", "seat[\"n_hands\"] > rules"),
    Fault("one burn fewer", "engine/legality.py", "hand[\"n_burns\"] <= rules", "hand[\"n_burns\"] < rules"),
    Fault("a soft total is burnt", "engine/legality.py", "lowest_count(hand) == rules", "best_total(hand) == rules"),
    Fault("a top-up has a minimum", "engine/legality.py", "if game[\"phase\"] != Phase.TOP_UP", "if game[\"phase\"] != Phase.OVER"),
    Fault("a certain fifth is bought", "engine/legality.py", "return not (is_certain and rules[\"no_certain_fifth\"] != 0)", "return True"),
    Fault("twists alone are offered", "engine/legality.py", "        if can_buy(rules, hand):\n", "        if False:\n"),
    Fault("a king and a jack are split", "engine/hands.py", "hand[\"cards\"][0] >> _SUIT_BITS == hand[\"cards\"][1] >> _SUIT_BITS", "points(hand[\"cards\"][0]) == points(hand[\"cards\"][1])"),
    Fault("a split pontoon wins the bank", "engine/hands.py", "return seat[\"n_hands\"] == 1 and seat", "return seat"),
    Fault("a plain split pontoon beats a 21", "engine/hands.py", "if rank == Strength.PONTOON and not", "if False and not"),
    Fault("a trick ranks by its total", "engine/hands.py", "if hand[\"n_cards\"] == MAX_HAND_CARDS", "if hand[\"n_cards\"] > MAX_HAND_CARDS"),
    Fault("three sevens are no royal", "engine/hands.py", "if rules[\"royal\"] != 0 and", "if False and"),
    Fault("a split pontoon is paid as one always", "engine/settlement.py", "is_split and rules[\"split_pontoon\"] == SplitPontoon.ONCE", "False"),
    Fault("a banker's trick collects once", "engine/settlement.py", "-rules[\"banker_trick_collects\"] if", "-1 if"),
    Fault("ties never push", "engine/settlement.py", "return rules[\"push\"] == 0", "return True"),
    Fault("purchases are not at stake", "engine/settlement.py", "halves * hand[\"stake\"]", "halves * seat[\"initial_stake\"]"),
    Fault("one and a half times is rounded up", "engine/settlement.py", "hand[\"stake\"] // HALVES", "hand[\"stake\"] // -HALVES * -1 if halves < 0 else -(-halves * hand[\"stake\"] // HALVES)"),
    Fault("a split pontoon forces no shuffle", "engine/settlement.py", "has_pontoon |= is_pontoon", "has_pontoon |= seat[\"n_hands\"] == 1 and is_pontoon"),
    Fault("a bust hand goes under twice", "engine/settlement.py", "            if hand[\"status\"] != HandStatus.BUST:\n                put_under", "            if True:\n                put_under"),
    Fault("doubling makes three times two", "engine/settlement.py", "-2 * HALVES < halves < 2 * HALVES and halves != 0", "halves != 0"),
    Fault("a banker's pontoon gives pushed bets back", "engine/settlement.py", "if banker_rank == Strength.PONTOON or _banker", "if _banker"),
    Fault("both pontoons push", "engine/settlement.py", "rules[\"both_pontoon\"]", "0"),
    Fault("the banker's hand goes under first", "engine/settlement.py", "    for _ in range(rules[\"seats\"]):\n        place = left_of(rules, place)\n", "    for _ in range(rules[\"seats\"]):\n        place = left_of(rules, place) if _ > 0 else place\n"),
    Fault("a natural wins the bank from a pontoon", "engine/hands.py", "seat[\"hands\"][0][\"status\"] == HandStatus.DECLARED", "is_ace_and_ten(seat[\"hands\"][0])"),
    Fault("the last of equal bids wins", "engine/bank.py", "[\"bid\"] > seat_of", "[\"bid\"] >= seat_of"),
    Fault("the kitty stays with the bank", "engine/bank.py", "    _take_kitty(game)\n    game[\"banker\"] = seat", "    game[\"banker\"] = seat"),
    Fault("a dry kitty is topped up", "engine/bank.py", "elif game[\"kitty\"] > 0", "elif game[\"kitty\"] >= 0"),
    Fault("a refused bank is not sold", "engine/bank.py", "    elif not _next_natural(rules, game):\n        _offer_or_go_on(rules, game)", "    elif not _next_natural(rules, game):\n        game[\"phase\"] = Phase.SHUFFLE"),
    Fault("the banker answers the own offer", "engine/bank.py", "        game[\"phase\"] = Phase.SALE\n        game[\"seat\"] = left_of(rules, game[\"banker\"])", "        game[\"phase\"] = Phase.SALE"),
    Fault("a card is drawn from an empty pack", "engine/pack.py", "    return game[\"n_pack\"]", "    return 52"),
    Fault("the banker looks at the first card", "observation.py", "seat != game[\"banker\"] or game[\"phase\"] > Phase.SHOOT", "seat != game[\"banker\"] or game[\"phase\"] > Phase.FORM_KITTY"),
    Fault("a finished hand shows no end", "observation.py", "= status != HandStatus.OPEN", "= status == HandStatus.BUST"),
)  # fmt: skip


def plant(fault: Fault, folder: Path) -> None:
    """Copy the project's package and tests into a folder, with a fault in them.

    Raises:
        ValueError: The fault's line is not there exactly once.
    """
    for name in ("pontoon_env", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    path = folder / "pontoon_env" / fault.module
    text = path.read_text()
    if text.count(fault.old) != 1:
        raise ValueError(f"{fault.what}: {text.count(fault.old)} places for {fault.old!r}")
    path.write_text(text.replace(fault.old, fault.new))


def survives(fault: Fault | None) -> tuple[bool, str]:
    """Play on an engine with a fault, or on the sound one; tell whether nobody noticed, and more."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        plant(
            fault or Fault("none", "cards.py", "TEN_POINTS: Final = 10", "TEN_POINTS: Final = 10"),
            folder,
        )
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(folder)}
        run = subprocess.run(
            [sys.executable, "-m", "tests.mutation", "--play"],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    return run.returncode == 0, (run.stdout or run.stderr).strip().splitlines()[-1]


def play() -> int:
    """Play the referee's games; return 0 where nothing was noticed, else 1."""
    from tests.lockstep import play_lockstep, play_rules

    n_decisions = 0
    for seed in range(N_SESSIONS):
        rules, pack = play_rules(seed)
        try:
            n_decisions += play_lockstep(rules, seed, np.random.default_rng(seed), pack)
        except Exception as error:
            reason = f"{type(error).__name__}, after {n_decisions} decisions of sessions before"
            print(f"caught in session {seed + 1}: {reason}")
            return 1
    print(f"survived {N_SESSIONS} sessions, {n_decisions} decisions")
    return 0


def main(arguments: Sequence[str]) -> int:
    """Print the table of faults; return how many survived."""
    if arguments == ["--play"]:
        return play()
    chosen = [int(number) for number in arguments] or range(len(FAULTS))
    n_survived = 0
    for number in chosen:
        start = time.perf_counter()
        survived, what = survives(FAULTS[number])
        n_survived += survived
        seconds = time.perf_counter() - start
        print(f"{number:3}  {FAULTS[number].what:<52} {what}  {seconds:.1f} s", flush=True)
    print(f"{len(chosen)} faults, {len(chosen) - n_survived} caught, {n_survived} survived")
    return n_survived


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
