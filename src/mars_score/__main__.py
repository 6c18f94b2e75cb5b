"""``python -m mars_score`` is the command ``mars-score``."""

from mars_score.cli.main import run

if __name__ == "__main__":
    run()
