"""The rules as compiled kernels: seats, cards and chips, and nothing of agents or observations.

`hands` counts and ranks, `pack` draws and gathers, `legality` says what may be chosen, `deal`
plays a deal phase by phase, `settlement` pays, `bank` runs what lies between two deals, `session`
ties the phases together. Kernels take the rules and a game, change the game in place, and raise
nothing.
"""
