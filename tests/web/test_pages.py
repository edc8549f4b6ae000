"""What the pages ask of the study."""

import httpx
import pytest
from sqlalchemy import event

import stopwise as sw
from tests.study.live import score_one

PAGES = {
    "owner": ("/owner", "/owner/live", "/api/status", "/api/journal", "/api/plan", "/operate"),
    "operator": ("/operate", "/api/status", "/api/trials/held", "/api/trials/4/whereabouts"),
    "viewer": ("/view", "/view/live", "/wall"),
}


@pytest.mark.parametrize("role", PAGES)
def test_a_page_is_made_from_one_look_at_the_store(
    study: sw.Study, tokens: dict[str, str], client: httpx.Client, role: str
) -> None:
    """Sabotage that fails it: leave the middleware ``OneLook`` out of ``create_app``."""
    study.lock()
    for _ in range(3):
        score_one(study, [], "arm 1")
    client.headers["Authorization"] = f"Bearer {tokens['operator']}"
    client.post("/api/trials/next", json={})
    client.post("/api/join", json={"token": tokens[role]})
    client.headers["Authorization"] = f"Bearer {tokens[role]}"
    begun: list[object] = []
    event.listen(study.store.engine, "begin", begun.append)
    for page in PAGES[role]:
        client.get(page, headers={"Accept": "text/html"})  # what is computed once is there
        client.app.state.site.end.close()  # type: ignore[attr-defined]  # of a TestClient
        begun.clear()
        assert client.get(page, headers={"Accept": "text/html"}).is_success, page
        assert len(begun) == 1, page
