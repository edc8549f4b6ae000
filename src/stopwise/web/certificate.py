"""A certificate of one's own: TLS for phones in the lab, without a proxy and without a domain."""

import hashlib
import re
import shutil
import socket
import ssl
import subprocess
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from stopwise.errors import StopwiseError, require
from stopwise.files import PRIVATE

DAYS = 397  # phones accept no more
WEEK = 7 * 24 * 3600


@dataclass(frozen=True)
class TlsCertificate:
    """A certificate and its key, as files beside the study."""

    file: Path
    key: Path

    @property
    def fingerprint(self) -> str:
        """Its SHA-256, by which a person can tell it from another's."""
        content = ssl.PEM_cert_to_DER_cert(self.file.read_text())
        return hashlib.sha256(content).digest().hex(":").upper()


def own_certificate(folder: Path | None, address: str) -> TlsCertificate:
    """Return the certificate of this machine, made anew if it is missing, old or for another one.

    It can vouch for this machine's names alone, so that trusting it gives away nothing else.
    """
    require(
        folder is not None,
        "--tls keeps its certificate in the folder of the study, and this study has none: open it "
        "by its folder, or use a proxy with TLS",
    )
    assert folder is not None
    found = TlsCertificate(folder / "tls.pem", folder / "tls.key")
    if not _fits(found.file, address):
        _make(found, address)
    return found


def _names(address: str) -> tuple[list[str], list[str]]:
    """Return the addresses and the names under which this machine is reached."""
    own = re.sub(r"[^a-z0-9.-]", "", socket.gethostname().lower()).strip(".-")
    names = ["localhost", *([own, f"{own.partition('.')[0]}.local"] if own else [])]
    addresses = ["127.0.0.1"]
    try:
        addresses.append(str(ip_address(address)))
    except ValueError:
        names.append(address)
    return list(dict.fromkeys(addresses)), list(dict.fromkeys(names))


def _fits(file: Path, address: str) -> bool:
    """Whether the certificate is there, is for this address, and lasts for another week."""
    if not file.exists():
        return False
    lasts = _openssl("x509", "-noout", "-checkend", str(WEEK), "-in", str(file)).returncode == 0
    named = _openssl("x509", "-noout", "-text", "-in", str(file)).stdout
    return lasts and re.search(rf"(IP Address|DNS):{re.escape(address)}(,|\s)", named) is not None


def _make(wanted: TlsCertificate, address: str) -> None:
    addresses, names = _names(address)
    alternatives = [f"IP:{each}" for each in addresses] + [f"DNS:{each}" for each in names]
    permitted = [f"permitted;IP:{each}/255.255.255.255" for each in addresses]
    permitted += [f"permitted;DNS:{each}" for each in names]
    extensions = (
        f"subjectAltName={','.join(alternatives)}",
        "basicConstraints=critical,CA:TRUE,pathlen:0",  # or a phone does not let it be trusted
        "keyUsage=critical,digitalSignature,keyCertSign",
        "extendedKeyUsage=serverAuth",
        f"nameConstraints=critical,{','.join(permitted)}",
    )
    wanted.key.unlink(missing_ok=True)
    wanted.key.touch(mode=PRIVATE)
    done = _openssl(
        *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
        *("-days", str(DAYS), "-subj", f"/CN=stopwise at {names[-1]}"[:60]),
        *("-keyout", str(wanted.key), "-out", str(wanted.file)),
        *(part for extension in extensions for part in ("-addext", extension)),
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise StopwiseError(f"openssl could not make a certificate: {reason[0]}")


def _openssl(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("openssl")
    if program is None:
        raise StopwiseError("--tls needs the program openssl: install it, or use a proxy with TLS")
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
