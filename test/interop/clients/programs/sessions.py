"""What programs of libraries share: the tools, and running the sessions that come on standard input."""

import json
import subprocess
import sys
import traceback
from pathlib import Path


def text(*names):
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": list(names),
        "additionalProperties": False,
    }


SCHEMAS = {
    "write_file": ("Writes a file.", text("path", "content")),
    "edit_file": ("Replaces a text in a file.", text("path", "old", "new")),
    "run_command": ("Runs a command of the shell.", text("command")),
}


def tools_of(session):
    """The tools of a session as functions, which work in its folder."""
    folder = Path(session["directory"])

    def write_file(path: str, content: str) -> str:
        """Writes a file.

        Args:
            path: Its path.
            content: What it will hold.
        """
        (folder / path).write_text(content)
        return "written"

    def edit_file(path: str, old: str, new: str) -> str:
        """Replaces a text in a file.

        Args:
            path: Its path.
            old: The text that is there.
            new: The text in its place.
        """
        file = folder / path
        file.write_text(file.read_text().replace(old, new))
        return "edited"

    def run_command(command: str) -> str:
        """Runs a command of the shell.

        Args:
            command: The command.
        """
        return subprocess.run(
            command, shell=True, cwd=folder, capture_output=True, text=True, check=True
        ).stdout

    return [write_file, edit_file, run_command]


def call_tool(session, name, arguments):
    """Runs a tool with the JSON text of its arguments."""
    tool = next(tool for tool in tools_of(session) if tool.__name__ == name)
    return tool(**json.loads(arguments))


def each_session(run):
    """Runs them one after the other, and prints a line of JSON for each: what was said, or the error."""
    for session in json.load(sys.stdin):
        line = {"id": session["id"]}
        try:
            line["said"] = run(session)
        except Exception:
            line["error"] = traceback.format_exc()[-600:]
        print(json.dumps(line), flush=True)
