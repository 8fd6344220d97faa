"""Training programs, one algorithm a file: `python -m train.NAME`."""

import os

# Before NumPy and PyTorch are loaded: small matrices run slower on two threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
