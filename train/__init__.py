"""Training programs, one algorithm a file: `python -m train.NAME`."""
