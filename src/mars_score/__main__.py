"""``python -m mars_score`` is the command ``mars-score``."""

from mars_score.cli.main import program

if __name__ == "__main__":
    program()
