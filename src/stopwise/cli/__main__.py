"""``python -m stopwise.cli``: the same as the command ``stopwise``."""

from stopwise.cli import app

__all__: list[str] = []

if __name__ == "__main__":
    app()
