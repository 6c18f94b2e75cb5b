"""``mars-score``: finds the command, and turns errors into a message and an exit code."""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import suppress
from typing import NoReturn

import click

from mars_score.cli.interrupts import EXIT_INTERRUPTED, interruptible, prepare_streams
from mars_score.errors import MarsError, did_you_mean, missing_extra
from mars_score.version import __version__

COMMANDS = {
    "score": "Score the candidates of a file.",
    "augment": "Write the augmented references of a file.",
    "explain": "Show how a score came about.",
    "serve": "Open a playground in the browser, and answer over HTTP.",
    "metrics": "List the metrics.",
    "study": "Compare metrics with people's ratings: tables, figures, report.",
    "compare": "Tell which of several systems is better.",
    "rating-sheet": "Make a sheet on which people rate augmented references.",
    "rate": "Let people rate the texts of a sheet in a browser.",
    "models": "Fetch, check and remove models.",
    "cache": "Look after augmented references that are kept between runs.",
    "doctor": "Check that this installation computes the scores it should.",
}
"""Each is a module of this package with a click command of the same name (with _ for -)."""
EXIT_ERROR = 2
WAITING = "OMP_WAIT_POLICY"
"""Of the environment: whether threads that wait for each other sleep. It is read once, when torch is loaded."""


class Commands(click.Group):
    """Imports a command only when it is called, so that help and completion are instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        if cmd_name not in COMMANDS:
            return None
        module = cmd_name.replace("-", "_")
        command: click.Command = getattr(importlib.import_module(f"mars_score.cli.{module}"), module)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one was meant."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"no such command {args[0]!r}.{did_you_mean(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mars-score")
def main() -> None:
    """MARS: how good is a generated text in its context?"""


def run() -> None:
    """Run the command line; errors that have a remedy never show a traceback."""
    # Awake, they would take the cores from all other work and, where there is some, from each other.
    os.environ.setdefault(WAITING, "PASSIVE")
    prepare_streams()
    with interruptible():
        try:
            main.main(standalone_mode=False)
            if sys.stdout is not None:
                sys.stdout.flush()  # here, where a failure can still be reported
        except MarsError as error:
            if isinstance(error.__cause__, BrokenPipeError):
                sys.exit(0)  # the reader (head, less) has seen enough
            click.echo(f"error: {error}", err=True)
            sys.exit(EXIT_ERROR)
        except ModuleNotFoundError as error:
            explained = missing_extra(error)
            if explained is error:
                raise
            click.echo(f"error: {explained}", err=True)
            sys.exit(EXIT_ERROR)
        except click.ClickException as error:
            error.show()
            sys.exit(EXIT_ERROR)
        except (click.Abort, KeyboardInterrupt):
            click.echo("interrupted; the rows written so far are complete", err=True)
            sys.exit(EXIT_INTERRUPTED)
        except BrokenPipeError:
            _discard_stdout()
            sys.exit(0)
        except OSError as error:
            # What the system refuses can happen anywhere; its own words name the file and the reason.
            _discard_stdout()
            named = f"{error.filename!r}" if error.filename else "a standard stream, or a file"
            click.echo(f"error: {named}: {error.strerror or error}", err=True)
            sys.exit(EXIT_ERROR)


def program() -> NoReturn:
    """Run, and end; at once where Ray was in use, whose threads now and then keep Python from ending."""
    code: str | int | None = 0
    try:
        run()
    except SystemExit as leaving:
        code = leaving.code
    if "ray" in sys.modules and (code is None or isinstance(code, int)):
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(code or 0)
    sys.exit(code)


def _discard_stdout() -> None:
    """Point standard output nowhere, so that Python does not try to write the rest as it ends, and fail again."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
