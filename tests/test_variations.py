"""The variations of section 3: which scripted cases hold which field of the rules."""

from __future__ import annotations

import dataclasses

import tests.test_rules
import tests.test_variations_bank
import tests.test_variations_pay
import tests.test_variations_play
from pontoon_env.rules import Rules
from tests.scripted import case_names

MODULES = (tests.test_variations_play, tests.test_variations_pay, tests.test_variations_bank)
"""Where the scripts of the variations stand."""

NEED_ONE = {"seats", "deals", "min_stake", "max_stake"}
"""Fields that every script sets: one test of each is enough."""

CASES: dict[str, tuple[str, ...]] = {
    "seats": ("test_two_seats_make_a_table", "test_eight_seats_make_a_table"),
    "deals": ("test_a_session_ends_after_the_agreed_deals",),
    "packs": (
        "test_one_pack_is_dealt_through_before_its_first_card_comes_back",
        "test_two_packs_let_a_hand_hold_five_aces",
        "test_two_packs_are_shuffled_together",
        "test_an_infinite_pack_is_never_gathered_nor_shuffled",
        "test_an_infinite_pack_deals_the_same_card_twice_in_one_deal",
    ),
    "min_stake": (
        "test_a_stake_lies_within_its_limits[by default]",
        "test_a_stake_lies_within_its_limits[own limits]",
    ),
    "max_stake": (
        "test_a_stake_lies_within_its_limits[equal limits]",
        "test_a_bought_card_may_cost_more_than_the_stake_limit",
    ),
    "max_price": (
        "test_the_bank_is_offered_for_a_price_within_its_limit[null]",
        "test_the_bank_is_offered_for_a_price_within_its_limit[null beside low stakes]",
        "test_the_bank_is_offered_for_a_price_within_its_limit[below the stakes]",
        "test_the_bank_is_offered_for_a_price_within_its_limit[one chip]",
        "test_a_bid_has_the_limit_of_a_price",
    ),
    "shoot": (
        "test_plain_pontoon_has_neither_kitty_nor_shoot_bets",
        "test_example_9_a_bust_feeds_the_kitty",
        "test_example_11_shoot_bets_are_paid_one_to_one",
    ),
    "min_kitty": (
        "test_a_kitty_lies_within_its_limits[null]",
        "test_a_kitty_lies_within_its_limits[least]",
        "test_a_kitty_lies_within_its_limits[equal]",
        "test_a_kitty_is_added_to_from_one_chip_on",
        "test_a_dry_kitty_is_formed_anew_within_the_limits",
    ),
    "max_kitty": (
        "test_a_kitty_lies_within_its_limits[most]",
        "test_a_kitty_lies_within_its_limits[above the stakes]",
        "test_a_kitty_that_is_not_dry_may_be_added_to_once",
        "test_a_dry_kitty_is_formed_anew_within_the_limits",
        "test_a_shoot_bet_may_pass_the_limits_of_the_kitty",
    ),
    "split": (
        "test_any_pair_is_split_but_a_king_and_a_jack_are_none",
        "test_aces_alone_are_split_and_split_again",
        "test_no_pair_is_split_not_even_aces",
    ),
    "max_hands": (
        "test_one_hand_at_most_means_no_split",
        "test_three_hands_at_most_leave_a_third_pair_whole",
        "test_each_player_has_the_most_hands_alone",
        "test_example_6_a_split_pontoon_is_paid_twice_but_never_wins_the_bank",
    ),
    "split_aces_one_card": (
        "test_split_aces_can_close_on_one_card_each",
        "test_a_ten_on_one_card_aces_is_a_pontoon",
        "test_split_aces_play_on_like_other_hands",
        "test_other_pairs_are_not_held_to_one_card",
    ),
    "split_pontoon": (
        "test_a_split_pontoon_is_paid_as_a_pontoon",
        "test_a_split_pontoon_can_be_paid_once",
        "test_a_split_pontoon_paid_once_is_doubled_by_the_banker",
        "test_split_pontoons_paid_once_leave_the_banker_nothing_to_do",
        "test_a_plain_split_pontoon_is_a_soft_21",
        "test_plain_split_pontoons_wait_for_the_banker",
        "test_a_plain_split_pontoon_may_be_bought_to",
    ),
    "stick_min": (
        "test_a_hand_sticks_from_the_agreed_minimum_on",
        "test_at_16_a_hard_15_must_draw_and_the_banker_stays_on_12",
        "test_at_15_a_hard_14_must_draw_and_a_hard_15_may_stick",
        "test_four_cards_under_16_must_draw_the_fifth",
    ),
    "soft21_draws": (
        "test_a_soft_21_of_three_cards_closes_by_itself",
        "test_a_soft_21_of_four_cards_closes_and_is_no_trick",
        "test_the_banker_is_asked_on_a_soft_21",
        "test_a_soft_21_of_three_cards_may_draw_on",
        "test_example_8_a_soft_21_in_four_may_draw_a_fifth",
    ),
    "banker_doubles": (
        "test_the_banker_is_asked_to_double_before_any_shoot_bet",
        "test_the_banker_is_not_asked_to_double_by_default",
        "test_doubling_leaves_prices_as_they_are_and_doubles_what_was_bought",
        "test_a_bust_hand_pays_twice_at_once_where_the_banker_doubled",
        "test_doubling_leaves_shoot_bets_at_one_to_one",
        "test_the_banker_is_asked_to_double_anew_in_every_deal",
        "test_a_push_stays_nothing_where_the_banker_doubled",
    ),
    "pontoon_pays": (
        "test_a_natural_wins_what_was_agreed_and_the_bank[twice by default]",
        "test_a_natural_wins_what_was_agreed_and_the_bank[once]",
        "test_a_natural_wins_what_was_agreed_and_the_bank[three times]",
        "test_a_natural_wins_what_was_agreed_and_the_bank[once doubled]",
        "test_a_natural_wins_what_was_agreed_and_the_bank[three times stays where doubled]",
        "test_a_split_pontoon_is_paid_as_a_pontoon",
    ),
    "banker_pontoon_collects": (
        "test_a_bankers_pontoon_takes_what_was_agreed[twice by default]",
        "test_a_bankers_pontoon_takes_what_was_agreed[once]",
        "test_a_bankers_pontoon_takes_what_was_agreed[once doubled]",
        "test_a_bankers_pontoon_takes_what_was_agreed[twice stays where doubled]",
    ),
    "both_pontoon": (
        "test_a_bankers_pontoon_takes_what_was_agreed[a pontoon pays nothing]",
        "test_a_bankers_pontoon_takes_what_was_agreed[a pontoon pays once]",
        "test_a_bankers_pontoon_takes_what_was_agreed[a pontoon pays once doubled]",
        "test_a_bankers_pontoon_takes_what_was_agreed[nothing stays nothing where doubled]",
        "test_a_bankers_pontoon_takes_what_was_agreed[nothing beside once]",
        "test_the_bank_stays_where_both_pontoons_pay_nothing",
    ),
    "trick_pays": (
        "test_a_trick_wins_what_was_agreed[twice by default]",
        "test_a_trick_wins_what_was_agreed[once]",
        "test_a_trick_wins_what_was_agreed[one and a half]",
        "test_a_trick_wins_what_was_agreed[one and a half doubled]",
        "test_one_and_a_half_times_is_of_all_that_was_bought",
        "test_every_hand_is_rounded_by_itself",
    ),
    "banker_trick_collects": (
        "test_a_bankers_trick_takes_what_was_agreed[twice by default]",
        "test_a_bankers_trick_takes_what_was_agreed[once]",
        "test_a_bankers_trick_takes_what_was_agreed[once doubled]",
        "test_a_bankers_trick_takes_as_much_from_a_trick",
        "test_a_bust_is_taken_once_before_the_bankers_trick",
    ),
    "trick_beats_pontoon": (
        "test_a_banker_who_may_beat_pontoons_is_asked",
        "test_a_banker_who_cannot_beat_pontoons_is_not_asked",
        "test_a_bankers_trick_beats_a_split_pontoon_too",
        "test_no_other_hand_of_the_banker_beats_a_pontoon",
    ),
    "no_certain_fifth": (
        "test_a_fifth_card_that_cannot_bust_is_not_sold[11 may not]",
        "test_a_fifth_card_that_cannot_bust_is_not_sold[12 may]",
        "test_a_fifth_card_that_cannot_bust_is_not_sold[11 may without the rule]",
        "test_a_fifth_card_that_cannot_bust_is_not_sold[a fourth may]",
        "test_a_fifth_card_that_cannot_bust_is_not_sold[an ace is 1]",
        "test_a_certain_fifth_twisted_makes_a_trick_of_what_was_bought",
    ),
    "royal": (
        "test_three_sevens_on_a_split_hand_are_royal",
        "test_a_royal_leaves_the_banker_nothing_to_do_and_the_bank_where_it_is",
        "test_a_royal_is_paid_three_times_all_that_was_bought",
        "test_three_sevens_are_a_21_where_nothing_is_royal",
        "test_three_sevens_of_the_banker_are_a_21",
        "test_a_royal_wins_its_shoot_bets_once",
    ),
    "burn": (
        "test_nothing_is_burnt_by_default",
        "test_a_pair_of_sevens_may_be_burnt_at_14_and_a_pair_got_so_be_split",
        "test_a_hand_with_an_ace_is_not_burnt[13]",
        "test_a_hand_with_an_ace_is_not_burnt[14]",
        "test_a_hand_that_was_drawn_to_is_not_burnt",
        "test_a_burnt_hand_goes_under_and_its_pontoon_is_a_natural",
        "test_a_pontoon_got_by_burning_a_split_hand_wins_no_bank",
        "test_two_cards_must_be_in_the_pack_for_a_burn[one card left]",
        "test_two_cards_must_be_in_the_pack_for_a_burn[two cards left]",
        "test_burnt_cards_go_under_the_pack_before_the_hand_plays_on",
    ),
    "burn_repeat": (
        "test_a_hand_is_burnt_once_without_repetition",
        "test_a_hand_is_burnt_once_and_repeated_as_often_as_agreed",
        "test_a_hand_is_burnt_four_times_at_most",
        "test_the_halves_of_a_burnt_hand_may_be_burnt_anew",
    ),
    "ties": (
        "test_equal_totals_push",
        "test_trick_against_trick_pushes",
        "test_a_push_stays_nothing_where_the_banker_doubled",
        "test_the_banker_wins_every_tie_by_default",
        "test_a_bankers_pontoon_takes_what_was_agreed[a push is no matter]",
        "test_a_bankers_pontoon_takes_what_was_agreed[its own field beside push]",
    ),
    "bank_passes": (
        "test_the_bank_never_passes_by_a_natural_where_it_is_for_sale_only",
        "test_a_fixed_banker_stays_after_a_natural",
        "test_the_auction_stays_where_the_bank_never_passes",
        "test_the_bank_goes_round_the_table",
        "test_a_natural_does_not_turn_the_rotation",
        "test_rotation_passes_the_bank_and_its_kitty_to_the_left",
        "test_a_natural_takes_the_bank_unasked",
    ),
    "bank_refusable": (
        "test_the_first_to_accept_takes_the_bank",
        "test_a_refused_bank_goes_to_the_next_holder",
        "test_refused_naturals_leave_the_bank_to_be_sold",
        "test_nobody_is_asked_for_the_bank_after_the_bankers_pontoon",
        "test_the_holder_of_a_split_pontoon_is_not_asked_for_the_bank",
        "test_a_natural_takes_the_bank_unasked",
    ),
    "bank_sale": (
        "test_a_bank_not_for_sale_stays",
        "test_the_first_to_accept_buys_the_bank",
        "test_a_bank_that_nobody_buys_stays",
        "test_without_a_bid_the_banker_must_form_a_kitty",
    ),
    "shuffle": (
        "test_every_deal_is_shuffled",
        "test_a_natural_shuffles_nothing_where_the_pack_is_never_shuffled",
        "test_a_bankers_pontoon_shuffles_nothing_where_the_pack_is_never_shuffled",
        "test_example_1_a_bankers_pontoon_takes_twice_every_stake",
        "test_example_3_the_banker_wins_ties_and_there_is_no_shuffle",
    ),
    "under_pack": (
        "test_cards_gathered_at_settlement_go_under_at_random",
        "test_a_random_order_under_the_pack_shuffles_nothing_above",
        "test_cards_go_under_in_order_by_default",
        "test_example_7_where_all_are_bust_the_banker_draws_nothing",
    ),
    "banker_rule": (
        "test_a_bound_banker_draws_by_rule_and_is_not_asked[16 draws to 17]",
        "test_a_bound_banker_draws_by_rule_and_is_not_asked[17 stays]",
        "test_a_bound_banker_draws_by_rule_and_is_not_asked[a soft 17 draws to a hard one]",
        "test_a_bound_banker_draws_by_rule_and_is_not_asked[a soft 21 draws]",
        "test_a_bound_banker_draws_by_rule_and_is_not_asked[a hard 21 ends the hand]",
        "test_a_bound_banker_draws_nothing_where_nothing_can_change",
        "test_a_free_banker_is_asked_on_any_total",
    ),
}
"""For each field of the rules the scripted cases that hold it."""


def test_every_field_has_its_cases() -> None:
    """Section 3: three at least, of tests that exist."""
    existing = set(case_names(*map(vars, (tests.test_rules, *MODULES))))
    assert set(CASES) == {field.name for field in dataclasses.fields(Rules)}
    for field, names in CASES.items():
        assert len(set(names)) >= (1 if field in NEED_ONE else 3), field
        assert set(names) <= existing, (field, set(names) - existing)
