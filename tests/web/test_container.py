"""What the Containerfile asks of the server is there."""

import re
from pathlib import Path

import httpx

CONTAINERFILE = Path(__file__).parents[2] / "Containerfile"


def test_the_container_asks_for_a_page_that_says_whether_it_is_healthy(
    client: httpx.Client,
) -> None:
    (path,) = re.findall(r"http://127\.0\.0\.1:8000(/[^']+)'", CONTAINERFILE.read_text())

    answer = client.get(path)

    assert answer.status_code == 200
    assert answer.json()["ok"] is True
