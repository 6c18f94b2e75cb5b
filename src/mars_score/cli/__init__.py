"""The command line: one file a command. Nothing but this folder prints or exits."""
