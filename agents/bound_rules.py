"""Rules that a trained policy is bound to, and those that may differ from its training's."""

from __future__ import annotations

from typing import Final

from pontoon_env.rules import Rules

BOUND_FIELDS: Final = (
    "seats",
    "min_stake",
    "max_stake",
    "max_price",
    "shoot",
    "min_kitty",
    "max_kitty",
    "split",
    "max_hands",
    "split_aces_one_card",
    "split_pontoon",
    "stick_min",
    "soft21_draws",
    "banker_doubles",
    "trick_beats_pontoon",
    "no_certain_fifth",
    "royal",
    "burn",
    "burn_repeat",
    "bank_passes",
    "bank_refusable",
    "bank_sale",
    "banker_rule",
)
"""Fields of the rules that change what is seen, what may be chosen or who comes to choose it: a
policy plays only by those it was trained with. So it does by ``deals`` where the bank may change
hands or a kitty goes on: one deal alone has none of the decisions between deals. The others (deals
else, packs, shuffles and payments) may differ: the policy plays on, though it is not trained for
them."""


def check_bound(name: str, trained: Rules, asked: Rules) -> None:
    """Do nothing where a policy can play by some rules.

    Args:
        name: The policy's.
        trained: The rules that it was trained with.
        asked: The rules to play by.

    Raises:
        ValueError: It cannot; the message names the field and what would work.
    """
    bound, found = _bound_values(trained), _bound_values(asked)
    for field, value in bound.items():
        if value != found[field]:
            raise ValueError(
                f"policy {name!r} was trained with {field}={getattr(trained, field)!r} "
                f"and cannot play with {field}={getattr(asked, field)!r}"
            )


def _bound_values(rules: Rules) -> dict[str, object]:
    """Return what a policy is bound to, by field of the rules; see `BOUND_FIELDS`."""
    has_decisions_between_deals = rules.deals > 1 and (
        rules.shoot or rules.bank_sale or rules.bank_passes != "never"
    )
    record = rules.to_record()[0]
    derived = {name: int(record[name]) for name in ("max_price", "min_kitty", "max_kitty")}
    chosen = {name: getattr(rules, name) for name in BOUND_FIELDS}
    return {**chosen, **derived, "deals": has_decisions_between_deals}
