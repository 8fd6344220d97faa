"""Exact play: best responses by dynamic programming, and the equilibrium of the two-seat game.

`kinds` holds what every solver counts with, `payments` what a hand is paid. `player_response` and
`fresh_pack` answer a banker who plays by a fixed rule; `public_tree`, `equilibrium` and `responses`
solve the game of `Rules.two_seat_exact`; `players` are the agents that play what was solved.
"""
