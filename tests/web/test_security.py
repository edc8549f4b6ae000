"""What strangers, forged requests and curious networks can do: nothing."""

import logging
import re
from pathlib import Path

import httpx
import pytest

import stopwise as sw
from stopwise.web.client import StudyClient
from stopwise.web.server import Serving
from tests.web.serving import CUPS, served


def test_a_link_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(
    client: httpx.Client, tokens: dict[str, str]
) -> None:
    answer = client.post("/api/join", json={"token": tokens["operator"]})
    assert answer.json() == {"role": "operator", "page": "/operate"}
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert client.get("/").headers["Location"] == "/operate"
    assert client.get("/owner").headers["Location"] == "/operate"  # not this role's page
    client.post("/api/leave")
    assert client.get("/").headers["Location"] == "/join"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_behind_a_proxy_with_tls_the_cookie_never_goes_without(
    study: sw.Study, tokens: dict[str, str], scheme: str
) -> None:
    with served(study, url=f"{scheme}://lab.example") as url:
        answer = httpx.post(
            f"{url}/api/join", json={"token": tokens["owner"]}, trust_env=False, timeout=600
        )
    assert ("Secure" in answer.headers["Set-Cookie"]) == (scheme == "https")


def test_a_form_of_another_site_cannot_even_join(
    client: httpx.Client, tokens: dict[str, str]
) -> None:
    form = {"token": tokens["operator"]}
    assert client.post("/api/join", data=form).status_code == 400
    text = f'{{"token": "{tokens["operator"]}"}}'
    plain = client.post("/api/join", content=text, headers={"Content-Type": "text/plain"})
    assert plain.status_code == 400


def test_a_revoked_token_ends_at_once(
    study: sw.Study, client: httpx.Client, tokens: dict[str, str]
) -> None:
    client.post("/api/join", json={"token": tokens["viewer"]})
    bearer = {"Authorization": f"Bearer {tokens['viewer']}"}
    assert client.get("/api/status").status_code == 200
    revoked = next(token for token in study.tokens() if token.role == "viewer")
    study.revoke_token(revoked.token)
    assert client.get("/api/status").status_code == 401
    assert client.get("/api/status", headers=bearer).status_code == 401
    assert client.get("/view").headers["Location"] == "/join"


def test_people_get_a_page_where_programs_get_json(
    study: sw.Study, client: httpx.Client, tokens: dict[str, str]
) -> None:
    """A mistyped address, and the report of a study without results, opened in a browser."""
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    study.lock()
    client.post("/api/join", json={"token": tokens["owner"]})

    missing = client.get("/onwer", headers=browser)
    early = client.get("/api/report", headers=browser)

    assert (missing.status_code, early.status_code) == (404, 409)
    assert "<h1>Page not found</h1>" in missing.text
    assert "there is nothing to analyse yet" in early.text
    assert early.headers["Content-Type"].startswith("text/html")
    assert client.get("/onwer").json()["error"] == "not_found"
    assert client.get("/api/report").json()["error"] == "not_allowed"


def test_a_runner_is_no_browser(client: httpx.Client, tokens: dict[str, str]) -> None:
    assert client.post("/api/join", json={"token": tokens["runner"]}).status_code == 403


@pytest.mark.parametrize("path", ["/api/join", "/api/trials/1/score"])
def test_large_bodies_are_refused(client: httpx.Client, path: str) -> None:
    """Whether or not their length is told, on every path but that of an upload."""
    large = b"x" * (256 * 1024 + 1)
    for body in (large, iter([large[:1000]] * 300)):
        answer = client.post(path, content=body)
        assert answer.status_code == 413
        assert answer.json()["error"] == "too_large"


@pytest.mark.parametrize("path", ["/join", "/api/health", "/nowhere", "/static/style.css", "/api"])
def test_every_answer_carries_the_security_headers(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


def test_pages_need_nothing_from_elsewhere_and_no_inline_script() -> None:
    import stopwise.web

    folder = Path(stopwise.web.__file__).parent
    for file in [*folder.glob("templates/*"), *folder.glob("static/*")]:
        text = file.read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|\son\w+=|<style|style=|<script>", text), file.name
        assert "|safe" not in text


def test_where_the_store_lies_is_not_told(study: sw.Study, client: httpx.Client) -> None:
    token = study.create_token("operator", "arm 1")
    study.lock()
    assert study.folder is not None
    for file in study.folder.glob("study.db*"):
        file.write_bytes(b"this is no database" * 500)
    answer = client.get("/api/status", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 503
    assert str(study.folder) not in answer.text
    assert set(answer.json()) == {"error", "detail"}


def test_no_log_holds_a_token(
    study: sw.Study, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    token = study.create_token("owner", "ada")
    with served(study) as url, httpx.Client(base_url=url, trust_env=False, timeout=600) as client:
        client.post("/api/join", json={"token": token})
        client.get("/owner")
        client.get("/api/status", headers={"Authorization": f"Bearer {token}"})
    server = [record.getMessage() for record in caplog.records if "uvicorn" in record.name]
    assert token not in "".join([*capfd.readouterr(), *server])


def test_it_listens_on_this_machine_only_unless_told(study: sw.Study) -> None:
    for lan, host in ((False, "127.0.0.1"), (True, "0.0.0.0")):
        serving = Serving.bind(study, port=0, lan=lan)
        assert serving.listener.getsockname()[0] == host
        serving.listener.close()


def test_a_restart_keeps_the_owner_signed_in(place: str) -> None:
    """The same link, named after a person, as long as its token is good; else a new one."""
    study = sw.Study.create(place, CUPS)
    serving = Serving.bind(study, port=0)
    first, second = (serving.owner_link("ada").partition("#")[2] for _ in range(2))
    assert first == second
    granted = study.authenticate(first)
    assert granted is not None
    assert (granted.role, granted.name) == ("owner", "ada")
    with sw.Study.open(place) as same:
        elsewhere = Serving.bind(same, port=0)
        assert elsewhere.owner_link("ada").partition("#")[2] == first
        elsewhere.listener.close()
    assert len(study.tokens()) == 1
    other = serving.owner_link("grace").partition("#")[2]
    assert study.authenticate(first) is not None  # another person's start ends nobody's session
    study.revoke_token(study.tokens()[-1].token)
    third = serving.owner_link("grace").partition("#")[2]
    serving.listener.close()
    assert third != other
    assert study.authenticate(third) is not None


def test_a_taken_port_is_one_clear_line(study: sw.Study) -> None:
    serving = Serving.bind(study, port=0)
    port = serving.listener.getsockname()[1]
    serving.listener.listen()
    with pytest.raises(sw.StopwiseError, match=f"port {port} cannot be used"):
        Serving.bind(study, port=port)
    serving.listener.close()


@pytest.mark.parametrize("url", ["lab.example", "ftp://lab", "http://", "http://lab:port"])
def test_an_address_that_is_none_is_one_clear_line(study: sw.Study, url: str) -> None:
    with pytest.raises(sw.InvalidInput, match="an address must look like"):
        Serving.bind(study, port=0, url=url)
    with pytest.raises(sw.InvalidInput, match="an address must look like"):
        StudyClient(url, "sw_x")
