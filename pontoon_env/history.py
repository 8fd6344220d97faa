"""Hand histories: written as docs/history.md says, read, and verified by replay.

``python -m pontoon_env.history verify FILE …`` replays sessions card by card and checks every
line.
"""

from __future__ import annotations

import json
import os
import reprlib
import sys
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from pontoon_env import batch
from pontoon_env.cards import N_CARDS, card_names, parse_card, parse_cards
from pontoon_env.rules import Rules
from pontoon_env.state import (
    MAX_PACK_CARDS,
    N_AMOUNT_MOVES,
    BankReason,
    Event,
    HandStatus,
    Move,
    Outcome,
    Phase,
)

FORMAT: Final = 1
"""Version of the format."""
GAME_NAME: Final = "pontoon_v0"
"""Environment version whose games the histories hold."""

Line = dict[str, Any]

_HANDLESS_PHASES: Final = (
    Phase.FORM_KITTY,
    Phase.ACCEPT_BANK,
    Phase.OFFER,
    Phase.SALE,
    Phase.TOP_UP,
    Phase.DRY_KITTY,
    Phase.BID,
)
"""Phases whose decisions are about no hand."""

_LOOKAHEAD: Final = 128
"""Lines to look ahead for the cards of an infinite pack: more than one decision can bring."""


_SHOWN: Final = reprlib.Repr()
"""How values are shown in errors: whole packs, but nothing endless."""
_SHOWN.maxlevel, _SHOWN.maxlist, _SHOWN.maxdict, _SHOWN.maxstring = 5, 104, 40, 200


class HistoryError(ValueError):
    """A history that is not what it should be: which line, and why."""

    def __init__(self, line_number: int, reason: str) -> None:
        """Name the line, counted from 1, and the reason."""
        super().__init__(f"line {line_number}: {reason}")
        self.line_number = line_number
        self.reason = reason


class Recorder:
    """Plays one game step by step and hands over the lines of its history as they come about."""

    def __init__(
        self, rules: Rules, games: NDArray[np.void], write: Callable[[Line], None]
    ) -> None:
        """Record the game in ``games``: one record, fresh from `batch.begin_batch`."""
        self._rules = rules
        self._record = rules.to_record()
        self._games = games
        self._write = write
        self._moves = np.zeros(1, np.int64)
        self._chips = np.zeros(1, np.int64)
        self._outcomes = np.zeros(1, np.int64)

    def begin(self, seed: int | None) -> None:
        """Write the session's first line and run on to the first decision."""
        self.begin_only(seed)
        self.run_on()

    def begin_only(self, seed: int | None) -> None:
        """Write the session's first line."""
        game = self._games[0]
        self._write(
            {
                "line": "session",
                "format": FORMAT,
                "game": GAME_NAME,
                "rules": self._rules.to_dict(),
                "seats": self._rules.seats,
                "deals": self._rules.deals,
                "seed": seed,
                "banker": int(game["banker"]),
                "pack": self._pack(),
            }
        )

    def decide(self, move: int, chips: int) -> Outcome:
        """Make a decision and run on to the next; a refused one changes and writes nothing.

        Args:
            move: A `Move`.
            chips: Its amount in chips; not read where the move takes none.
        """
        outcome = self.decide_only(move, chips)
        if outcome == Outcome.OK:
            self.run_on()
        return outcome

    def decide_only(self, move: int, chips: int) -> Outcome:
        """Make a decision without running on; arguments and result as `decide`."""
        game = self._games[0]
        is_about_hand = game["phase"] not in _HANDLESS_PHASES
        seat, hand, kitty = int(game["seat"]), int(game["hand"]), int(game["kitty"])
        outcome = self._step(move, chips)
        if outcome == Outcome.OK:
            self._write(
                {
                    "line": "decision",
                    "seat": seat,
                    "hand": hand if is_about_hand else None,
                    "move": Move(move).name.lower(),
                    "chips": int(chips) if move < N_AMOUNT_MOVES else None,
                }
            )
            self._write_events(0, kitty)
        return outcome

    def run_on(self) -> None:
        """Play the phases in which nobody is asked."""
        while self.run_phase():
            pass

    def run_phase(self) -> bool:
        """Play one phase in which nobody is asked; tell whether there was one."""
        game = self._games[0]
        phase, n_events, kitty = game["phase"], int(game["n_events"]), int(game["kitty"])
        self._step(batch.NO_MOVE, 0)
        self._write_events(n_events, kitty)
        return bool(game["phase"] != phase)

    def _step(self, move: int, chips: int) -> Outcome:
        """Let the engine do one thing: a decision, or a phase."""
        self._moves[0] = move
        self._chips[0] = chips
        batch.step_batch(self._record, self._games, self._moves, self._chips, self._outcomes, False)
        return Outcome(int(self._outcomes[0]))

    def _write_events(self, start: int, kitty: int) -> None:
        """Write what happened, from event ``start`` on; ``kitty`` is what the kitty held before."""
        game = self._games[0]
        for event, seat, hand, card in game["events"][start : game["n_events"]].tolist():
            if event in (Event.CARD_DOWN, Event.CARD_UP):
                name = card_names([card])[0]
                self._write(
                    {
                        "line": "card",
                        "seat": seat,
                        "hand": hand,
                        "card": name,
                        "up": event == Event.CARD_UP,
                    }
                )
            elif event == Event.DEAL:
                self._write(
                    {
                        "line": "deal",
                        "deal": int(game["deal"]),
                        "banker": seat,
                        "kitty": int(game["kitty"]),
                    }
                )
            elif event in (Event.DECLARE, Event.BUST):
                self._write({"line": Event(event).name.lower(), "seat": seat, "hand": hand})
            elif event == Event.SETTLE:
                self._write_settlement()
            elif event == Event.SHUFFLE:
                self._write({"line": "shuffle", "pack": self._pack()})
            elif event == Event.BANK:
                price = (
                    int(game["price"]) if card in (BankReason.SALE, BankReason.AUCTION) else None
                )
                reason = BankReason(card).name.lower()
                self._write(
                    {
                        "line": "bank",
                        "seat": seat,
                        "reason": reason,
                        "chips": price,
                        "kitty_taken": kitty,
                    }
                )
            else:
                self._write(
                    {"line": "end", "net": game["seats"]["chips"][: self._rules.seats].tolist()}
                )

    def _write_settlement(self) -> None:
        """Write the deal's last line."""
        game = self._games[0]
        seats = game["seats"][: self._rules.seats]
        shown = [
            [
                card_names(hand["cards"][: hand["n_cards"]])
                for hand in seat["hands"][: seat["n_hands"]]
                if hand["status"] != HandStatus.BUST
            ]
            for seat in seats
        ]
        net = seats["deal_net"].tolist()
        self._write(
            {
                "line": "settle",
                "net": net,
                "kitty": int(game["kitty"]),
                "shown": shown,
                "pack": self._pack(),
            }
        )

    def _pack(self) -> list[str]:
        """Return the names of the pack's cards, the next one first; none for an infinite pack."""
        return [] if self._rules.packs == "infinite" else card_names(pack_in_order(self._games[0]))


def pack_in_order(game: np.void) -> NDArray[np.int8]:
    """Return the cards of a game's pack, int8 ``(n_pack,)``, the next one first."""
    places = (game["top"] + np.arange(game["n_pack"])) % MAX_PACK_CARDS
    cards: NDArray[np.int8] = game["pack"][places]
    return cards


def stack_pack(game: np.void, cards: Sequence[int]) -> None:
    """Put ``cards`` in the place of a game's pack, the next one first; ``n_fresh`` stays."""
    game["pack"][: len(cards)] = cards
    game["top"] = 0
    game["n_pack"] = len(cards)


class HistoryWriter:
    """A file of lines that is there whole or not at all: written beside, renamed at the end."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open a file beside ``path``.

        Raises:
            OSError: ``path`` is a folder or a device, or its folder is missing or not writable; the
                message names ``path``.
        """
        self._path = Path(path)
        if not self._path.name or (self._path.exists() and not self._path.is_file()):
            raise OSError(f"a history cannot be written to {os.fspath(path)!r}: it is no file")
        self._beside = self._path.with_name(f".{self._path.name}.{uuid.uuid4().hex}.part")
        try:
            self._file = self._beside.open("x", encoding="utf-8")
        except OSError as error:
            reason = error.strerror or error
            raise OSError(
                f"a history cannot be written to {os.fspath(path)!r}: {reason}"
            ) from error

    def write(self, line: Line) -> None:
        """Add a line."""
        self._file.write(json.dumps(line, separators=(",", ":")) + "\n")

    def __enter__(self) -> Self:
        """Return the writer."""
        return self

    def __exit__(
        self,
        error: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Rename the file into place, or delete it where an error has ended the writing."""
        try:
            self._file.close()
            if error is None:
                self._beside.replace(self._path.resolve())  # a link stays a link
        finally:
            self._beside.unlink(missing_ok=True)


def write_history(path: str | os.PathLike[str], lines: Sequence[Line]) -> None:
    """Write the lines of a session to ``path``, whole or not at all.

    Raises:
        OSError: The folder does not exist or cannot be written.
    """
    with HistoryWriter(path) as writer:
        for line in lines:
            writer.write(line)


def read_history(path: str | os.PathLike[str]) -> list[Line]:
    """Return the lines of a history.

    Raises:
        OSError: The file cannot be read.
        HistoryError: A line is not a JSON object with the key ``line``.
    """
    lines: list[Line] = []
    with Path(path).open("rb") as file:
        for number, text in enumerate(file, 1):
            lines.append(_parse_line(number, text))
    return lines


def _parse_line(number: int, text: bytes) -> Line:
    """Return one line of a file as an object."""
    try:
        line = json.loads(text.decode("utf-8"), object_pairs_hook=_object_without_doubles)
    except (RecursionError, UnicodeDecodeError, ValueError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else error
        raise HistoryError(number, f"not a JSON object: {reason}") from error
    if not isinstance(line, dict) or not isinstance(line.get("line"), str):
        raise HistoryError(number, "not a JSON object with the key 'line'")
    if not text.endswith(b"\n"):
        raise HistoryError(number, "cut off: the line does not end")
    return line


def _object_without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object, refusing one that has a key twice."""
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError(f"a key stands twice among {names}")
    return dict(pairs)


@dataclass(frozen=True)
class Verified:
    """What a verified history holds."""

    deals: int
    decisions: int
    lines: int


def verify_history(lines: Sequence[Line]) -> Verified:
    """Replay a session and check every line of its history.

    The shuffles, and the cards of an infinite pack, are taken from the history; all else follows
    from the rules and the decisions and must be what the lines say.

    Raises:
        HistoryError: A line differs from the replay, is missing or is too many.
    """
    return _Replay(lines).run()


class _Replay:
    """One replay of a history, line by line."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._next = 0
        self._games = batch.new_games(1)
        self._rules, seed = self._read_session()
        self._recorder = Recorder(self._rules, self._games, self._compare)
        self._decisions = 0
        self._seed = seed

    def run(self) -> Verified:
        """Replay the whole session."""
        game = self._games[0]
        self._feed_infinite_pack()
        self._recorder.begin_only(self._seed)
        self._run_on()
        while game["phase"] != Phase.OVER:
            self._decide()
            self._run_on()
        if self._next < len(self._lines):
            raise HistoryError(self._next + 1, "the session has ended; nothing may follow")
        return Verified(self._rules.deals, self._decisions, len(self._lines))

    def _read_session(self) -> tuple[Rules, int | None]:
        """Set the game up from the session's line."""
        if not self._lines:
            raise HistoryError(1, "the history is empty")
        line = self._lines[0]
        if line.get("line") != "session":
            raise HistoryError(1, "a history begins with its session")
        if line.get("format") != FORMAT or line.get("game") != GAME_NAME:
            found = f"format {line.get('format')!r} of {line.get('game')!r}"
            raise HistoryError(1, f"{found}, not {FORMAT} of {GAME_NAME!r}")
        try:
            rules = Rules.from_dict(line["rules"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise HistoryError(1, f"the rules: {error}") from error
        seed = line.get("seed")
        if seed is not None and (
            isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64
        ):
            raise HistoryError(1, f"seed {seed!r} is neither null nor a whole number under 2**64")
        batch.begin_batch(
            rules.to_record(), self._games, np.zeros(1, np.uint64), np.zeros(1, np.uint64)
        )
        game = self._games[0]
        banker = line.get("banker")
        if isinstance(banker, bool) or not isinstance(banker, int) or not 0 <= banker < rules.seats:
            raise HistoryError(1, f"banker {banker!r} is none of the seats 0 to {rules.seats - 1}")
        game["banker"] = game["seat"] = banker
        if rules.packs != "infinite":
            stack_pack(game, _whole_pack(rules, line.get("pack"), 1))
        return rules, seed

    def _run_on(self) -> None:
        """Play the phases in which nobody is asked, with the history's shuffles and cards."""
        while True:
            self._feed_infinite_pack()
            if not self._recorder.run_phase():
                return

    def _feed_infinite_pack(self) -> None:
        """Stack the history's next cards on an infinite pack."""
        if self._rules.packs != "infinite":
            return
        ahead = self._lines[self._next : self._next + _LOOKAHEAD]
        cards = []
        for offset, line in enumerate(ahead):
            if line.get("line") == "card":
                try:
                    cards.append(parse_card(line["card"]))
                except (KeyError, ValueError) as error:
                    raise HistoryError(self._next + offset + 1, f"the card: {error}") from error
        stack_pack(self._games[0], cards[:MAX_PACK_CARDS])

    def _decide(self) -> None:
        """Make the decision of the next line."""
        number = self._next + 1
        line = self._lines[self._next] if self._next < len(self._lines) else None
        if line is None:
            raise HistoryError(number, "cut off: the session has not ended")
        game = self._games[0]
        if line.get("line") != "decision":
            raise HistoryError(
                number, f"seat {game['seat']} must decide, but the line is {line.get('line')!r}"
            )
        name, chips = line.get("move"), line.get("chips")
        if (
            not isinstance(name, str)
            or name != name.lower()
            or name.upper() not in Move.__members__
        ):
            raise HistoryError(number, f"no move is called {name!r}")
        if chips is not None and (isinstance(chips, bool) or not isinstance(chips, int)):
            raise HistoryError(number, f"chips {chips!r} are neither null nor a whole number")
        if chips is not None and abs(chips) > np.iinfo(np.int64).max:
            raise HistoryError(number, f"chips {chips!r} are out of all range")
        move = Move[name.upper()]
        if move < N_AMOUNT_MOVES and chips is None:
            raise HistoryError(number, f"{name} needs chips")
        outcome = self._recorder.decide_only(move, chips or 0)
        if outcome != Outcome.OK:
            amount = "" if chips is None else f" {chips}"
            raise HistoryError(number, f"{name}{amount} is not legal for seat {game['seat']}")
        self._decisions += 1

    def _compare(self, expected: Line) -> None:
        """Check that the next line is the expected one; take over a shuffle's order."""
        number = self._next + 1
        if self._next >= len(self._lines):
            raise HistoryError(number, f"cut off: a {expected['line']!r} line must follow")
        found = self._lines[self._next]
        self._next += 1
        if found.get("line") != expected["line"]:
            raise HistoryError(
                number, f"{found.get('line')!r} stands where {expected['line']!r} must"
            )
        if expected["line"] == "shuffle" and isinstance(found.get("pack"), list):
            stack_pack(self._games[0], _whole_pack(self._rules, found["pack"], number))
            expected = {**expected, "pack": found["pack"]}
        if expected["line"] == "settle" and self._rules.under_pack == "random":
            expected = self._with_gathered_order(expected, found, number)
        for key in {**expected, **found}:
            if key not in expected or key not in found:
                raise HistoryError(
                    number, f"{key!r} is {'missing' if key in expected else 'too many'}"
                )
            if not _same(expected[key], found[key]):
                here, there = _SHOWN.repr(found[key]), _SHOWN.repr(expected[key])
                raise HistoryError(number, f"{key} is {here} and must be {there}")

    def _with_gathered_order(self, expected: Line, found: Line, number: int) -> Line:
        """Take over the random order of the gathered cards, where they are the right ones."""
        pack = found.get("pack")
        n_gathered = sum(len(hand) for hands in expected["shown"] for hand in hands)
        n_kept = len(expected["pack"]) - n_gathered
        if (
            not isinstance(pack, list)
            or pack[:n_kept] != expected["pack"][:n_kept]
            or sorted(map(str, pack[n_kept:])) != sorted(expected["pack"][n_kept:])
        ):
            raise HistoryError(number, "pack does not end with the cards gathered at settlement")
        stack_pack(self._games[0], parse_cards(pack))
        return {**expected, "pack": pack}


def _same(expected: object, found: object) -> bool:
    """Tell whether two JSON values are the same, types included: true is not 1, nor 1.0."""
    try:
        return json.dumps(expected, sort_keys=True) == json.dumps(found, sort_keys=True)
    except RecursionError:  # nested as no line of a history is
        return False


def _whole_pack(rules: Rules, names: object, number: int) -> list[int]:
    """Return the cards of a whole pack, refusing one with a missing or a doubled card."""
    if not isinstance(names, list):
        raise HistoryError(number, "pack is no list of cards")
    try:
        cards = parse_cards(names)
    except ValueError as error:
        raise HistoryError(number, f"pack: {error}") from error
    copies = int(rules.packs)
    counts = Counter(cards)
    wrong = [card for card in range(N_CARDS) if counts[card] != copies]
    if wrong:
        card = wrong[0]
        name = card_names([card])[0]
        raise HistoryError(number, f"pack holds {name} {counts[card]} times, not {copies}")
    return cards


def main(arguments: Sequence[str]) -> int:
    """Run ``verify FILE …``; return the exit status: 0 all verified, 1 not, 2 wrong usage."""
    if len(arguments) < 2 or arguments[0] != "verify" or "--help" in arguments:
        print("usage: python -m pontoon_env.history verify FILE …", file=sys.stderr)
        return 2
    status = 0
    for path in arguments[1:]:
        try:
            verified = verify_history(read_history(path))
        except (OSError, HistoryError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            status = 1
        else:
            counts = (
                f"{verified.deals} deals, {verified.decisions} decisions, {verified.lines} lines"
            )
            print(f"{path}: verified, {counts}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
