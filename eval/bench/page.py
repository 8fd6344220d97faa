"""What was measured, as tables that can be read in a terminal and on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from eval.bench.targets import targets

PLACE: Final = "measured"
"""Name of the place on the page that the tables are put in."""
_NOT_MEASURED: Final = "–"


def tables(figures: Mapping[str, Any]) -> str:
    """Return everything that was measured, as Markdown whose columns are even."""
    parts = [_heading(figures)]
    for section, write in (
        ("faces", _faces),
        ("decisions", _decisions),
        ("peers", _peers),
        ("scale", _scale),
        ("start", _start),
        ("evaluation", _evaluation),
        ("training", _training),
    ):
        if section in figures:
            parts.append(write(figures[section]))
    parts.append(_targets(figures))
    return "\n\n".join(parts)


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of Markdown; all columns but the first are flush right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]

    def line(row: Sequence[str]) -> str:
        cells = [row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]
        return f"| {' | '.join(cells)} |"

    rule = [f"{'-' * (width + 1)}:" for width in widths[1:]]
    return "\n".join([line(head), f"|{'-' * (widths[0] + 2)}|{'|'.join(rule)}|", *map(line, rows)])


def _number(value: float) -> str:
    """Write a number with three figures or more, and no more than are worth anything."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.3g}"


def _spread(found: Mapping[str, float]) -> str:
    """Write a median with its spread."""
    return f"{_number(found['median'])} ({_number(found['low'])} – {_number(found['high'])})"


def _heading(figures: Mapping[str, Any]) -> str:
    """Say where and how it was measured."""
    machine, rules = figures["machine"], figures["rules"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    load = _NOT_MEASURED if machine["load"] is None else f"{machine['load']:.1f}"
    return (
        f"{machine['processor']}, {machine['cores']} cores, load {load} at the beginning; "
        f"{machine['system']}, Python {machine['python']}, {versions}; "
        f"OMP_NUM_THREADS {machine['threads']}.\n{rules['seats']} seats, batches of "
        f"{figures['tables']:,} tables, {figures['rounds']} slices of each; medians, with the "
        "least and the largest in brackets."
    )


def _faces(faces: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of our faces."""
    cpu, clock = (sum(face[f"{kind}_seconds"] for face in faces) for kind in ("cpu", "clock"))
    return (
        "**Our faces**, a second of processor time; while they played, they had "
        f"{cpu / clock:.2f} of a core.\n\n"
    ) + _grid(
        ("face", "decisions/s", "ns a decision", "deals/s", "bytes seen", "of its limit"),
        [
            (
                face["name"],
                _spread(face["decisions_a_second"]),
                _number(face["ns_a_decision"]["median"]),
                _number(face["deals_a_second"]) if "limit" in face else "",
                f"{face['observation_bytes']:,}" if face["observation_bytes"] else "",
                _spread(face["ratio"]) if "limit" in face else "",
            )
            for face in faces
        ],
    )


def _decisions(found: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table of what decisions are about."""
    kinds = list(next(iter(found.values()))["shares"])
    return "**What the decisions of random play are about.**\n\n" + _grid(
        ("rules", *kinds, "forced", "decisions a deal"),
        [
            (
                name,
                *(f"{100 * each['shares'][kind]:.1f} %" for kind in kinds),
                f"{100 * each['forced']:.1f} %",
                f"{each['decisions_a_deal']:.1f}",
            )
            for name, each in found.items()
        ],
    )


def _peers(pairs: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of peers; of one that is missing the reason stands below it."""
    rows, missing = [], []
    for pair in pairs:
        if "missing" in pair:
            rows.append((pair["peer"], "", pair["face"], *[_NOT_MEASURED] * 3))
            missing.append(f"{pair['peer']} could not be measured: {pair['missing']}.")
            continue
        rows.append(
            (
                pair["peer"],
                pair["version"],
                pair["face"],
                _number(pair["peer_decisions_a_second"]["median"]),
                _number(pair["decisions_a_second"]["median"]),
                _spread(pair["ratio"]),
            )
        )
    head = ("peer", "version", "beside our", "its decisions/s", "our decisions/s", "ratio")
    return "\n\n".join(["**Beside others**, on one core.", _grid(head, rows), *missing])


def _scale(scale: Mapping[str, Any]) -> str:
    """Return the tables of scale."""
    rows = [
        (
            f"{size['tables']:,}",
            "all" if size["observed"] else "nothing",
            _spread(size["decisions_a_second"]),
            _spread(size["ratio"]),
        )
        for size in scale["sizes"]
    ]
    threads = scale["threads"]
    return "\n\n".join(
        [
            "**Scale.**",
            _grid(("tables", "observed", "decisions/s", "to 1,024 tables"), rows),
            f"A table takes {scale['bytes_a_table']:,} bytes, an observation "
            f"{scale['bytes_an_observation']:,}. Two threads do {_spread(threads['ratio'])} times "
            "what one does, where they have a core each; here they had "
            f"{_spread(threads['cores_got'])} cores of the {_spread(threads['cores_wanted'])} that "
            f"they would have kept busy, and by the clock did {_spread(threads['ratio_by_clock'])} "
            "times as much.",
        ]
    )


def _start(start: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table of starts."""
    rows = [
        (name, _spread(found["cpu_seconds"]), _spread(found["clock_seconds"]))
        for name, found in start.items()
    ]
    return "**Start**, in a new process.\n\n" + _grid(("until", "CPU seconds", "seconds"), rows)


def _evaluation(found: Mapping[str, Any]) -> str:
    """Say how long deals take."""
    return (
        f"**Play between agents.** {found['deals']:,} deals of {', '.join(found['agents'])} on "
        f"{found['processes']} processes: {_number(found['clock_seconds'])} s by the clock, "
        f"{_number(found['cpu_seconds'])} s of processor time, "
        f"{_number(found['seconds_on_free_cores'])} s for the busier process."
    )


def _training(training: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table of trainers."""
    rows = [
        (
            name,
            _number(found["decisions_a_second"]),
            f"{100 * share['median']:.1f} % ({100 * share['low']:.1f} – {100 * share['high']:.1f})",
        )
        for name, found in training.items()
        for share in [found["share_of_tables"]]
    ]
    head = ("trainer", "decisions/s", "share of the tables")
    return "**Training** with Stable-Baselines3, one thread.\n\n" + _grid(head, rows)


def _targets(figures: Mapping[str, Any]) -> str:
    """Return the table of what is aimed at."""
    rows = [
        (each.name, each.wanted, each.found, "yes" if each.is_met else "no")
        for each in targets(figures)
    ]
    return "**Aims.**\n\n" + _grid(("what", "aim", "found", "met"), rows)
