"""Short programs that show how other libraries take the environment; see docs/loading.md."""
