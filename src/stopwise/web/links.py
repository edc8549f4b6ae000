"""Addresses, join links and QR codes."""

import io
import socket
from urllib.parse import quote, urlsplit

import segno

from stopwise.errors import InvalidInput


def web_address(text: str) -> str:
    """Return an address without a slash at its end, or raise."""
    try:
        parts = urlsplit(text)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known:
        raise InvalidInput(f"an address must look like http://lab:8000, but got {text!r}")
    return text.rstrip("/")


def join_link(address: str, token: str) -> str:
    """Return a link that signs its reader in; what follows "#" is never sent, so never logged."""
    return f"{address}/join#{quote(token)}"


def qr_code(text: str) -> str:
    """Return a QR code as the source of an image."""
    return str(segno.make(text, error="m", micro=False).svg_data_uri(scale=6, border=2))


def qr_text(text: str) -> str:
    """Return a QR code for a terminal."""
    drawn = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(out=drawn, compact=True)
    return drawn.getvalue()


def lan_address() -> str:
    """Return this machine's address in its network; no packet is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation: only the route counts
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
